; Written by tools/c_runtime.py from the C sources; do not edit.

@relay_threads = local_unnamed_addr global i64 1, align 8
@relay_prepare_threads.ready = internal global i8 0, align 1
@relay_pool_cpus = external local_unnamed_addr global i64, align 8

define void @relay_prepare_threads(i64 noundef %0) local_unnamed_addr #0 {
  store atomic i64 %0, ptr @relay_pool_cpus seq_cst, align 8
  %2 = atomicrmw xchg ptr @relay_prepare_threads.ready, i8 1 seq_cst, align 1
  %3 = trunc i8 %2 to i1
  br i1 %3, label %6, label %4

4:
  %5 = tail call i32 @pthread_atfork(ptr noundef null, ptr noundef null, ptr noundef nonnull @relay_pool_reset) #2
  br label %6

6:
  ret void
}

declare i32 @pthread_atfork(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #1

declare void @relay_pool_reset() #1

define i32 @relay_parallel_for(ptr noundef %0, ptr noundef %1, i64 noundef %2, i64 noundef %3, i32 noundef %4, ptr noundef %5) local_unnamed_addr #0 {
  %7 = load i64, ptr @relay_threads, align 8
  %8 = tail call i32 @relay_pool_run(ptr noundef %0, ptr noundef %1, i64 noundef %2, i64 noundef %3, i32 noundef %4, i64 noundef %7, ptr noundef %5) #2
  ret i32 %8
}

declare i32 @relay_pool_run(ptr noundef, ptr noundef, i64 noundef, i64 noundef, i32 noundef, i64 noundef, ptr noundef) local_unnamed_addr #1

attributes #0 = { nounwind }
attributes #1 = { nounwind }
attributes #2 = { nounwind }

