; Written by tools/c_runtime.py from the C sources; do not edit.

@relay_keeps_results = external local_unnamed_addr constant i8, align 1

define hidden noundef i32 @relay_finish(ptr noundef captures(none) %0) local_unnamed_addr #0 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i32 64
  %3 = load ptr, ptr %2, align 8
  %4 = icmp eq ptr %3, null
  br i1 %4, label %24, label %5

5:
  %6 = getelementptr inbounds nuw i8, ptr %0, i32 1049808
  %7 = getelementptr inbounds nuw i8, ptr %0, i32 1049800
  %8 = getelementptr inbounds nuw i8, ptr %0, i32 1049816
  br label %9

9:
  %10 = phi ptr [ %3, %5 ], [ %22, %21 ]
  %11 = load ptr, ptr %10, align 8
  store ptr %11, ptr %2, align 8
  %12 = getelementptr inbounds nuw i8, ptr %10, i32 8
  %13 = load i64, ptr %6, align 8
  %14 = load i64, ptr %12, align 8
  %15 = add i64 %14, %13
  %16 = load i64, ptr %7, align 8
  %17 = icmp ugt i64 %15, %16
  br i1 %17, label %20, label %18

18:
  store i64 %15, ptr %6, align 8
  %19 = load ptr, ptr %8, align 8
  store ptr %19, ptr %10, align 8
  store ptr %10, ptr %8, align 8
  br label %21

20:
  tail call void @free(ptr noundef nonnull %10) #3
  br label %21

21:
  %22 = load ptr, ptr %2, align 8
  %23 = icmp eq ptr %22, null
  br i1 %23, label %24, label %9

24:
  ret i32 0
}

declare void @free(ptr noundef) local_unnamed_addr #1

define hidden noundef i32 @relay_forget(ptr noundef captures(none) %0) local_unnamed_addr #0 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i32 1049816
  %3 = load ptr, ptr %2, align 8
  %4 = icmp eq ptr %3, null
  br i1 %4, label %10, label %5

5:
  %6 = phi ptr [ %8, %5 ], [ %3, %1 ]
  %7 = load ptr, ptr %6, align 8
  store ptr %7, ptr %2, align 8
  tail call void @free(ptr noundef nonnull %6) #3
  %8 = load ptr, ptr %2, align 8
  %9 = icmp eq ptr %8, null
  br i1 %9, label %10, label %5

10:
  %11 = getelementptr inbounds nuw i8, ptr %0, i32 1049808
  store i64 0, ptr %11, align 8
  ret i32 0
}

define hidden i32 @relay_run(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef initializes((0, 1200)) %3, ptr noundef %4) local_unnamed_addr #0 {
  %6 = getelementptr inbounds nuw i8, ptr %3, i32 1216
  tail call void @llvm.memset.p0.i32(ptr noundef nonnull align 8 dereferenceable(1200) %3, i8 0, i32 1200, i1 false)
  store ptr %2, ptr %3, align 8
  %7 = getelementptr inbounds nuw i8, ptr %3, i32 8
  store ptr %4, ptr %7, align 8
  %8 = getelementptr inbounds nuw i8, ptr %3, i32 16
  store ptr inttoptr (i32 655360 to ptr), ptr %8, align 8
  %9 = icmp ugt ptr %6, inttoptr (i32 4095 to ptr)
  %10 = select i1 %9, ptr %6, ptr inttoptr (i32 4096 to ptr)
  %11 = getelementptr inbounds nuw i8, ptr %3, i32 48
  store ptr %10, ptr %11, align 8
  %12 = getelementptr inbounds nuw i8, ptr %3, i32 1049792
  %13 = getelementptr inbounds nuw i8, ptr %3, i32 56
  store ptr %12, ptr %13, align 8
  %14 = getelementptr inbounds nuw i8, ptr %4, i32 32
  store ptr %12, ptr %14, align 8
  %15 = getelementptr inbounds nuw i8, ptr %3, i32 1049824
  %16 = load ptr, ptr %15, align 8
  %17 = getelementptr inbounds nuw i8, ptr %4, i32 40
  store ptr %16, ptr %17, align 8
  %18 = tail call i32 @relay_border(ptr noundef nonnull %3, ptr noundef %0, ptr noundef %1) #3
  %19 = icmp eq i32 %18, 0
  %20 = load i8, ptr @relay_keeps_results, align 1
  %21 = icmp ne i8 %20, 0
  %22 = select i1 %19, i1 %21, i1 false
  br i1 %22, label %46, label %23

23:
  %24 = getelementptr inbounds nuw i8, ptr %3, i32 64
  %25 = load ptr, ptr %24, align 8
  %26 = icmp eq ptr %25, null
  br i1 %26, label %46, label %27

27:
  %28 = getelementptr inbounds nuw i8, ptr %3, i32 1049808
  %29 = getelementptr inbounds nuw i8, ptr %3, i32 1049800
  %30 = getelementptr inbounds nuw i8, ptr %3, i32 1049816
  br label %31

31:
  %32 = phi ptr [ %25, %27 ], [ %44, %43 ]
  %33 = load ptr, ptr %32, align 8
  store ptr %33, ptr %24, align 8
  %34 = getelementptr inbounds nuw i8, ptr %32, i32 8
  %35 = load i64, ptr %28, align 8
  %36 = load i64, ptr %34, align 8
  %37 = add i64 %36, %35
  %38 = load i64, ptr %29, align 8
  %39 = icmp ugt i64 %37, %38
  br i1 %39, label %42, label %40

40:
  store i64 %37, ptr %28, align 8
  %41 = load ptr, ptr %30, align 8
  store ptr %41, ptr %32, align 8
  store ptr %32, ptr %30, align 8
  br label %43

42:
  tail call void @free(ptr noundef nonnull %32) #3
  br label %43

43:
  %44 = load ptr, ptr %24, align 8
  %45 = icmp eq ptr %44, null
  br i1 %45, label %46, label %31

46:
  ret i32 %18
}

declare void @llvm.memset.p0.i32(ptr writeonly captures(none), i8, i32, i1 immarg) #2

declare i32 @relay_border(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #1

attributes #0 = { nounwind }
attributes #1 = { nounwind }
attributes #2 = { nounwind }
attributes #3 = { nounwind }

