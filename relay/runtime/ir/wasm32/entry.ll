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
  tail call void @free(ptr noundef nonnull %10) #5
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
  tail call void @free(ptr noundef nonnull %6) #5
  %8 = load ptr, ptr %2, align 8
  %9 = icmp eq ptr %8, null
  br i1 %9, label %10, label %5

10:
  %11 = getelementptr inbounds nuw i8, ptr %0, i32 1049808
  store i64 0, ptr %11, align 8
  ret i32 0
}

define hidden i32 @relay_run(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef initializes((0, 1200)) %3, ptr noundef %4) local_unnamed_addr #2 {
  tail call fastcc void @begin(ptr noundef %3, ptr noundef %2, ptr noundef %4) #6
  %6 = tail call fastcc i32 @run(ptr noundef %3, ptr noundef %0, ptr noundef %1) #6
  ret i32 %6
}

define internal fastcc void @begin(ptr noundef initializes((0, 1200)) %0, ptr noundef %1, ptr noundef %2) unnamed_addr #3 {
  %4 = getelementptr inbounds nuw i8, ptr %0, i32 1216
  tail call void @llvm.memset.p0.i32(ptr noundef nonnull align 8 dereferenceable(1200) %0, i8 0, i32 1200, i1 false)
  store ptr %1, ptr %0, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i32 8
  store ptr %2, ptr %5, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i32 16
  store ptr inttoptr (i32 655360 to ptr), ptr %6, align 8
  %7 = icmp ugt ptr %4, inttoptr (i32 4095 to ptr)
  %8 = select i1 %7, ptr %4, ptr inttoptr (i32 4096 to ptr)
  %9 = getelementptr inbounds nuw i8, ptr %0, i32 48
  store ptr %8, ptr %9, align 8
  %10 = getelementptr inbounds nuw i8, ptr %0, i32 1049792
  %11 = getelementptr inbounds nuw i8, ptr %0, i32 56
  store ptr %10, ptr %11, align 8
  %12 = getelementptr inbounds nuw i8, ptr %2, i32 32
  store ptr %10, ptr %12, align 8
  %13 = getelementptr inbounds nuw i8, ptr %0, i32 1049824
  %14 = load ptr, ptr %13, align 8
  %15 = getelementptr inbounds nuw i8, ptr %2, i32 40
  store ptr %14, ptr %15, align 8
  ret void
}

define internal fastcc i32 @run(ptr noundef %0, ptr noundef %1, ptr noundef %2) unnamed_addr #0 {
  %4 = tail call i32 @relay_border(ptr noundef %0, ptr noundef %1, ptr noundef %2) #5
  %5 = icmp eq i32 %4, 0
  %6 = load i8, ptr @relay_keeps_results, align 1
  %7 = icmp ne i8 %6, 0
  %8 = select i1 %5, i1 %7, i1 false
  br i1 %8, label %11, label %9

9:
  %10 = tail call i32 @relay_finish(ptr noundef %0) #6
  br label %11

11:
  ret i32 %4
}

declare void @llvm.memset.p0.i32(ptr writeonly captures(none), i8, i32, i1 immarg) #4

declare i32 @relay_border(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #1

attributes #0 = { nounwind cold noinline optnone }
attributes #1 = { nounwind }
attributes #2 = { nounwind cold }
attributes #3 = { nounwind cold noinline optnone }
attributes #4 = { nounwind }
attributes #5 = { nounwind }
attributes #6 = { nounwind cold }

