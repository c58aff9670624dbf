; The text that makes a program a library: its C functions, its weights, and loops on one thread.
;
; The weights are only reserved space: their bytes replace the mark in the finished object.

@weights = internal constant <{ [32 x i8], [$rest x i8] }> <{ [32 x i8] c"$mark", [$rest x i8] zeroinitializer }>, align 64

@relay_threads = hidden global i64 1

declare i32 @relay_run(ptr, ptr, ptr, ptr, ptr)
declare ptr @malloc(i$word)
declare void @free(ptr)
declare void @llvm.memset.p0.i$word(ptr, i8, i$word, i1)

define i32 @${name}_run(ptr %inputs, ptr %outputs, ptr %workspace) {
  %given = icmp ne ptr %workspace, null
  br i1 %given, label %run, label %allocate
allocate:
  %new = call ptr @malloc(i$word $bytes)
  %none = icmp eq ptr %new, null
  br i1 %none, label %fail, label %run
fail:
  ret i32 $no_memory
run:
  %memory = phi ptr [ %workspace, %0 ], [ %new, %allocate ]
  %arena = call ptr @arena(ptr %memory)
  %stop = getelementptr i8, ptr %arena, i$word $stop
  call void @llvm.memset.p0.i$word(ptr align 64 %stop, i8 0, i$word $line, i1 false)
  %scratch = getelementptr i8, ptr %arena, i$word $arena
  %ran = call i32 @relay_run(ptr %inputs, ptr %outputs, ptr @weights, ptr %arena, ptr %scratch)
  %status = call i32 @results(i32 %ran, ptr %outputs, ptr %arena)
  br i1 %given, label %end, label %give
give:
  call void @free(ptr %memory)
  br label %end
end:
  ret i32 %status
}

define void @${name}_stop(ptr %workspace) {
  %arena = call ptr @arena(ptr %workspace)
  %stop = getelementptr i8, ptr %arena, i$word $stop
  store volatile i32 1, ptr %stop
  ret void
}

; Return the first address in a block that is aligned to a cache line.
define internal ptr @arena(ptr %memory) {
  %address = ptrtoint ptr %memory to i$word
  %above = add i$word %address, 63
  %aligned = and i$word %above, -64
  %arena = inttoptr i$word %aligned to ptr
  ret ptr %arena
}

define i$word @${name}_workspace_bytes() {
  ret i$word $bytes
}

define i32 @relay_parallel_for(ptr %body, ptr %closure, i64 %count, ptr %record) {
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %serial, label %end
serial:
  call void %body(ptr %closure, i64 0, i64 %count, i64 0)
  br label %end
end:
  ret i32 0
}
