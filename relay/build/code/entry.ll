; The start and the end of a program with a heap: setup before its first function, cleanup after it.
;
; A program with results on its heap keeps the heap ($keep) until `relay_finish` is called.
;
; The context is at the start of the arena, followed by the first chunk of the heap, so that small
; programs never allocate memory. All memory is freed when the call ends, with or without a trap.

define internal void @relay_begin(ptr %ctx, ptr %constants, ptr %workspace, ptr %limit) noinline optnone {
  call void @llvm.memset.p0.i64(ptr align 64 %ctx, i8 0, i64 $context_bytes, i1 false)
  %workspace_at = getelementptr %Context, ptr %ctx, i64 0, i32 1
  %limit_at = getelementptr %Context, ptr %ctx, i64 0, i32 2
  %next_at = getelementptr %Context, ptr %ctx, i64 0, i32 6
  %end_at = getelementptr %Context, ptr %ctx, i64 0, i32 7
  %behind = getelementptr i8, ptr %ctx, i64 $context_bytes
  %low = icmp ult ptr %behind, inttoptr (i64 $tags to ptr)   ; smaller values are tags, not blocks
  %chunk = select i1 %low, ptr inttoptr (i64 $tags to ptr), ptr %behind
  %end = getelementptr i8, ptr %ctx, i64 $heap_bytes
  store ptr %constants, ptr %ctx
  store ptr %workspace, ptr %workspace_at
  store ptr %limit, ptr %limit_at
  store ptr %chunk, ptr %next_at
  store ptr %end, ptr %end_at
$record
  ret void
}

; Finish the call, unless the caller still has to read results on the heap.
define internal void @relay_close(ptr %ctx, i32 %status) {
  %good = icmp eq i32 %status, 0
  %keep = and i1 %good, $keep
  br i1 %keep, label %end, label %finish
finish:
  call i32 @relay_finish(ptr %ctx)
  br label %end
end:
  ret void
}

; Free all chunks but the first, or keep them for the next call; the count of live blocks remains
; for inspection. The oldest chunk comes first in the list of kept chunks, so that a call with the
; same allocations as the previous one finds chunks in the order in which it needs them.
define i32 @relay_finish(ptr %ctx) noinline optnone {
  %line = getelementptr i8, ptr %ctx, i64 $heap_bytes
  %limit_at = getelementptr %Line, ptr %line, i64 0, i32 1
  %kept_at = getelementptr %Line, ptr %line, i64 0, i32 2
  %list = getelementptr %Line, ptr %line, i64 0, i32 3
  %limit = load i64, ptr %limit_at
  %chunks_at = getelementptr %Context, ptr %ctx, i64 0, i32 8
  br label %round
round:
  %chunk = load ptr, ptr %chunks_at
  %done = icmp eq ptr %chunk, null
  br i1 %done, label %finish, label %one
one:
  %others = load ptr, ptr %chunk
  store ptr %others, ptr %chunks_at
  %bytes_at = getelementptr %Chunk, ptr %chunk, i64 0, i32 1
  %bytes = load i64, ptr %bytes_at
  %kept = load i64, ptr %kept_at
  %more = add i64 %kept, %bytes
  %fits = icmp ule i64 %more, %limit
  br i1 %fits, label %keep, label %give
keep:
  store i64 %more, ptr %kept_at
  %spare = load ptr, ptr %list
  store ptr %spare, ptr %chunk
  store ptr %chunk, ptr %list
  br label %round
give:
  call void @free(ptr %chunk)
  br label %round
finish:
  ret i32 0
}

; Free the chunks that were kept for a next call.
define i32 @relay_forget(ptr %ctx) noinline optnone {
  %line = getelementptr i8, ptr %ctx, i64 $heap_bytes
  %list = getelementptr %Line, ptr %line, i64 0, i32 3
  br label %round
round:
  %chunk = load ptr, ptr %list
  %done = icmp eq ptr %chunk, null
  br i1 %done, label %finish, label %one
one:
  %others = load ptr, ptr %chunk
  store ptr %others, ptr %list
  call void @free(ptr %chunk)
  br label %round
finish:
  %kept_at = getelementptr %Line, ptr %line, i64 0, i32 2
  store i64 0, ptr %kept_at
  ret i32 0
}

declare ptr @llvm.frameaddress.p0(i32)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
