; The border of a program with a heap: the ABI of every program's entry, around its first function.
;
; A program whose results lie on its heap keeps it ($keep) until `relay_finish` is called.
;
; The context lies at the beginning of the arena, the first chunk of the heap behind it, so that
; small programs never ask for memory. All memory goes back when the call ends, whatever happened.
;
; A program that runs out of the caller's stack begins anew in a thread with a large one: nothing that
; it has done until then can be seen from outside. The system guards the end of that stack.

%Far = type { ptr, ptr, ptr, ptr, ptr, i32 }   ; what `relay_run` is given, but the stack, and its status

define i32 @relay_run(ptr %inputs, ptr %outputs, ptr %constants, ptr %arena, ptr %workspace) {
  %far = alloca %Far
  %here = call ptr @llvm.frameaddress.p0(i32 0)
  %low = getelementptr i8, ptr %here, i64 -$near_bytes
  %limit = call ptr @relay_floor(ptr %low)
  call void @relay_begin(ptr %arena, ptr %constants, ptr %workspace, ptr %limit)
  %first = call i32 @relay_border(ptr %arena, ptr %inputs, ptr %outputs)
  call void @relay_close(ptr %arena, i32 %first)
  %shallow = icmp eq i32 %first, $stack_exhausted
  br i1 %shallow, label %deep, label %done
deep:
  %whole = insertvalue %Far poison, ptr %inputs, 0
  %whole1 = insertvalue %Far %whole, ptr %outputs, 1
  %whole2 = insertvalue %Far %whole1, ptr %constants, 2
  %whole3 = insertvalue %Far %whole2, ptr %arena, 3
  %whole4 = insertvalue %Far %whole3, ptr %workspace, 4
  %whole5 = insertvalue %Far %whole4, i32 $stack_exhausted, 5
  store %Far %whole5, ptr %far
  call void @relay_elsewhere(ptr %far)
  %status_at = getelementptr %Far, ptr %far, i64 0, i32 5
  %second = load i32, ptr %status_at
  br label %done
done:
  %status = phi i32 [ %first, %0 ], [ %second, %deep ]
  ret i32 %status
}

; Run in a thread with a large stack, and wait for it; without one nothing happens.
define internal void @relay_elsewhere(ptr %far) cold noinline optnone {
  %attributes = alloca [128 x i8], align 16
  %thread = alloca i64
  call i32 @pthread_attr_init(ptr %attributes)
  call i32 @pthread_attr_setstacksize(ptr %attributes, i64 $far_bytes)
  %failed = call i32 @pthread_create(ptr %thread, ptr %attributes, ptr @relay_far, ptr %far)
  call i32 @pthread_attr_destroy(ptr %attributes)
  %started = icmp eq i32 %failed, 0
  br i1 %started, label %wait, label %end
wait:
  %id = load i64, ptr %thread
  call i32 @pthread_join(i64 %id, ptr null)
  br label %end
end:
  ret void
}

define internal ptr @relay_far(ptr %far) noinline optnone {
  %call = load %Far, ptr %far
  %inputs = extractvalue %Far %call, 0
  %outputs = extractvalue %Far %call, 1
  %constants = extractvalue %Far %call, 2
  %arena = extractvalue %Far %call, 3
  %workspace = extractvalue %Far %call, 4
  %here = call ptr @llvm.frameaddress.p0(i32 0)
  %limit = getelementptr i8, ptr %here, i64 -$usable_bytes
  call void @relay_begin(ptr %arena, ptr %constants, ptr %workspace, ptr %limit)
  %status = call i32 @relay_border(ptr %arena, ptr %inputs, ptr %outputs)
  call void @relay_close(ptr %arena, i32 %status)
  %status_at = getelementptr %Far, ptr %far, i64 0, i32 5
  store i32 %status, ptr %status_at
  ret ptr null
}

define internal void @relay_begin(ptr %ctx, ptr %constants, ptr %workspace, ptr %limit) noinline optnone {
  call void @llvm.memset.p0.i64(ptr align 64 %ctx, i8 0, i64 $context_bytes, i1 false)
  %workspace_at = getelementptr %Context, ptr %ctx, i64 0, i32 1
  %limit_at = getelementptr %Context, ptr %ctx, i64 0, i32 2
  %next_at = getelementptr %Context, ptr %ctx, i64 0, i32 6
  %end_at = getelementptr %Context, ptr %ctx, i64 0, i32 7
  %chunk = getelementptr i8, ptr %ctx, i64 $context_bytes
  %end = getelementptr i8, ptr %ctx, i64 $heap_bytes
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

; Give back all chunks but the first, or keep them for the next call; the count of live blocks stays
; to be looked at. The oldest chunk is first in the list of those that are kept: a call that asks for
; the same memory as the one before finds it in the order that it asks.
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

; Give back the chunks that were kept for a next call: there will be none.
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
declare i32 @pthread_attr_init(ptr)
declare i32 @pthread_attr_setstacksize(ptr, i64)
declare i32 @pthread_attr_destroy(ptr)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
