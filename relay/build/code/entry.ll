; The border of a program with a heap: the ABI of every program's entry, around its first function.
;
; A program whose results lie on its heap keeps it ($keep) until `relay_finish` is called.
;
; The context lies at the beginning of the arena, the first chunk of the heap behind it, so that
; small programs never ask for memory. All memory goes back when the call ends, whatever happened.
;
; A program that runs out of the caller's stack begins anew on a large one: nothing that it has done
; until then can be seen from outside.

define i32 @relay_run(ptr %inputs, ptr %outputs, ptr %constants, ptr %arena, ptr %workspace) {
  %here = call ptr @llvm.frameaddress.p0(i32 0)
  %limit = getelementptr i8, ptr %here, i64 -$near_bytes
  call void @relay_begin(ptr %arena, ptr %constants, ptr %workspace, ptr %limit)
  %first = call i32 @relay_border(ptr %arena, ptr %inputs, ptr %outputs)
  call void @relay_close(ptr %arena, i32 %first)
  %shallow = icmp eq i32 %first, $stack_exhausted
  br i1 %shallow, label %deep, label %done
deep:
  %stack = call ptr @mmap(ptr null, i64 $far_bytes, i32 3, i32 $map_flags, i32 -1, i64 0)
  %number = ptrtoint ptr %stack to i64
  %none = icmp eq i64 %number, -1
  br i1 %none, label %done, label %again
again:
  call i32 @mprotect(ptr %stack, i64 $margin_bytes, i32 0)   ; whoever misses the limit ends here
  %far_limit = getelementptr i8, ptr %stack, i64 $twice_margin_bytes
  %top = getelementptr i8, ptr %stack, i64 $far_bytes
  call void @relay_begin(ptr %arena, ptr %constants, ptr %workspace, ptr %far_limit)
  %second = call i32 @relay_on_stack(ptr @relay_border, ptr %arena, ptr %inputs, ptr %outputs, ptr %top)
  call void @relay_close(ptr %arena, i32 %second)
  call i32 @munmap(ptr %stack, i64 $far_bytes)
  br label %done
done:
  %status = phi i32 [ %first, %0 ], [ %first, %deep ], [ %second, %again ]
  ret i32 %status
}

define internal void @relay_begin(ptr %ctx, ptr %constants, ptr %workspace, ptr %limit) noinline {
  call void @llvm.memset.p0.i64(ptr align 64 %ctx, i8 0, i64 $context_bytes, i1 false)
  %workspace_at = getelementptr %Context, ptr %ctx, i64 0, i32 1
  %limit_at = getelementptr %Context, ptr %ctx, i64 0, i32 2
  %next_at = getelementptr %Context, ptr %ctx, i64 0, i32 6
  %end_at = getelementptr %Context, ptr %ctx, i64 0, i32 7
  %chunk = getelementptr i8, ptr %ctx, i64 $context_bytes
  %end = getelementptr i8, ptr %ctx, i64 $arena_bytes
  store ptr %constants, ptr %ctx
  store ptr %workspace, ptr %workspace_at
  store ptr %limit, ptr %limit_at
  store ptr %chunk, ptr %next_at
  store ptr %end, ptr %end_at
  ret void
}

; Finish, unless there are results on the heap that the caller is still to read.
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

; Give back all chunks but the first; the count of live blocks stays to be looked at.
define i32 @relay_finish(ptr %ctx) noinline {
  %chunks_at = getelementptr %Context, ptr %ctx, i64 0, i32 8
  br label %round
round:
  %chunk = load ptr, ptr %chunks_at
  %done = icmp eq ptr %chunk, null
  br i1 %done, label %finish, label %one
one:
  %others = load ptr, ptr %chunk
  store ptr %others, ptr %chunks_at
  call void @free(ptr %chunk)
  br label %round
finish:
  ret i32 0
}

declare ptr @llvm.frameaddress.p0(i32)
declare ptr @mmap(ptr, i64, i32, i32, i32, i64)
declare i32 @mprotect(ptr, i64, i32)
declare i32 @munmap(ptr, i64)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
