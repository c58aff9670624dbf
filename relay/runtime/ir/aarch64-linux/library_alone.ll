; Written by tools/c_runtime.py from the C sources; do not edit.

@relay_threads = local_unnamed_addr global i64 1, align 8

define void @relay_prepare_threads(i64 noundef %0) local_unnamed_addr #0 {
  ret void
}

define noundef i32 @relay_parallel_for(ptr noundef readonly captures(none) %0, ptr noundef %1, i64 noundef %2, i64 noundef %3, i32 noundef %4, ptr noundef readnone captures(none) %5) local_unnamed_addr #1 {
  %7 = icmp sgt i64 %2, 0
  br i1 %7, label %8, label %9

8:
  tail call void %0(ptr noundef %1, i64 noundef 0, i64 noundef %2, i64 noundef 0) #2
  br label %9

9:
  ret i32 0
}

attributes #0 = { nounwind }
attributes #1 = { nounwind }
attributes #2 = { nounwind }

