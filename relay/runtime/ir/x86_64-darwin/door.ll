; Written by tools/c_runtime.py from the C sources; do not edit.

@relay_threads = local_unnamed_addr global i64 1, align 8

define i32 @relay_parallel_for(ptr noundef %0, ptr noundef %1, i64 noundef %2, i64 noundef %3, i32 noundef %4, ptr noundef %5) local_unnamed_addr #0 {
  %7 = load i64, ptr @relay_threads, align 8
  %8 = tail call i32 @relay_pool_run(ptr noundef %0, ptr noundef %1, i64 noundef %2, i64 noundef %3, i32 noundef %4, i64 noundef %7, ptr noundef %5) #2
  ret i32 %8
}

declare i32 @relay_pool_run(ptr noundef, ptr noundef, i64 noundef, i64 noundef, i32 noundef, i64 noundef, ptr noundef) local_unnamed_addr #1

attributes #0 = { nounwind }
attributes #1 = { nounwind }
attributes #2 = { nounwind }

