; The entry of a program that may use a second stack, with the ABI of all entries.
;
; A program that exhausts the caller's stack starts again in a thread with a large stack: nothing
; that it has done until then is visible outside. The system guards the end of that stack.

%Far = type { ptr, ptr, ptr, ptr, ptr, i32 }   ; the operands of `relay_run`, and its status

define i32 @relay_run(ptr %inputs, ptr %outputs, ptr %constants, ptr %arena, ptr %workspace) {
  %far = alloca %Far
  %here = call ptr @llvm.frameaddress.p0(i32 0)
  %low = getelementptr i8, ptr %here, i64 -$near_bytes
  %limit = call ptr @relay_floor(ptr %low)
  call void @relay_begin(ptr %arena, ptr %constants, ptr %workspace, ptr %limit)
  %first = call i32 @relay_border(ptr %arena, ptr %inputs, ptr %outputs)
  call void @relay_close(ptr %arena, i32 %first)
  %common = icmp eq i32 %first, $stack_exhausted
  %placed = icmp sge i32 %first, $exhausted_from
  %shallow = or i1 %common, %placed
  br i1 %shallow, label %deep, label %done
deep:
  %whole = insertvalue %Far poison, ptr %inputs, 0
  %whole1 = insertvalue %Far %whole, ptr %outputs, 1
  %whole2 = insertvalue %Far %whole1, ptr %constants, 2
  %whole3 = insertvalue %Far %whole2, ptr %arena, 3
  %whole4 = insertvalue %Far %whole3, ptr %workspace, 4
  %whole5 = insertvalue %Far %whole4, i32 %first, 5
  store %Far %whole5, ptr %far
  call void @relay_elsewhere(ptr %far)
  %status_at = getelementptr %Far, ptr %far, i64 0, i32 5
  %second = load i32, ptr %status_at
  br label %done
done:
  %status = phi i32 [ %first, %0 ], [ %second, %deep ]
  ret i32 %status
}

; Run in a thread with a large stack, and wait for it; without a thread do nothing.
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
  %arena_at = getelementptr %Far, ptr %far, i64 0, i32 3
  %arena = load ptr, ptr %arena_at
  call void @relay_tell(ptr %arena, i64 $waits)
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
  call void @relay_tell(ptr %arena, i64 $ended)
  ret ptr null
}

; Call a callback of the control block for programs in two threads, if it is set.
define internal void @relay_tell(ptr %arena, i64 %offset) noinline optnone {
  %line = getelementptr i8, ptr %arena, i64 $heap_bytes
  %at = getelementptr i8, ptr %line, i64 %offset
  %function = load ptr, ptr %at
  %none = icmp eq ptr %function, null
  br i1 %none, label %end, label %tell
tell:
  call void %function(ptr %line)
  br label %end
end:
  ret void
}

declare i32 @pthread_attr_init(ptr)
declare i32 @pthread_attr_setstacksize(ptr, i64)
declare i32 @pthread_attr_destroy(ptr)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
