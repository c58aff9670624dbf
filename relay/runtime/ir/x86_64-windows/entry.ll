; Written by tools/c_runtime.py from the C sources; do not edit.

%struct.Far = type { ptr, ptr, ptr, ptr, ptr, i32 }

@relay_exhausted_from = external local_unnamed_addr constant i32, align 4
@relay_keeps_results = external local_unnamed_addr constant i8, align 1

define dso_local noundef i32 @relay_finish(ptr noundef captures(none) %0) local_unnamed_addr #0 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %3 = load ptr, ptr %2, align 8
  %4 = icmp eq ptr %3, null
  br i1 %4, label %24, label %5

5:
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 1049808
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 1049800
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 1049816
  br label %9

9:
  %10 = phi ptr [ %3, %5 ], [ %22, %21 ]
  %11 = load ptr, ptr %10, align 8
  store ptr %11, ptr %2, align 8
  %12 = getelementptr inbounds nuw i8, ptr %10, i64 8
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
  tail call void @_aligned_free(ptr noundef nonnull %10) #7
  br label %21

21:
  %22 = load ptr, ptr %2, align 8
  %23 = icmp eq ptr %22, null
  br i1 %23, label %24, label %9

24:
  ret i32 0
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

declare dso_local void @_aligned_free(ptr noundef) local_unnamed_addr #2

declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

define dso_local noundef i32 @relay_forget(ptr noundef captures(none) %0) local_unnamed_addr #0 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 1049816
  %3 = load ptr, ptr %2, align 8
  %4 = icmp eq ptr %3, null
  br i1 %4, label %10, label %5

5:
  %6 = phi ptr [ %8, %5 ], [ %3, %1 ]
  %7 = load ptr, ptr %6, align 8
  store ptr %7, ptr %2, align 8
  tail call void @_aligned_free(ptr noundef nonnull %6) #7
  %8 = load ptr, ptr %2, align 8
  %9 = icmp eq ptr %8, null
  br i1 %9, label %10, label %5

10:
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 1049808
  store i64 0, ptr %11, align 8
  ret i32 0
}

define dso_local i32 @relay_run(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef initializes((0, 1200)) %3, ptr noundef %4) local_unnamed_addr #3 {
  %6 = alloca %struct.Far, align 8
  %7 = tail call ptr @llvm.frameaddress.p0(i32 0)
  %8 = getelementptr inbounds i8, ptr %7, i64 -196608
  tail call fastcc void @begin(ptr noundef %3, ptr noundef %2, ptr noundef %4, ptr noundef nonnull %8) #8
  %9 = tail call fastcc i32 @run(ptr noundef %3, ptr noundef %0, ptr noundef %1) #8
  %10 = icmp ne i32 %9, 2
  %11 = load i32, ptr @relay_exhausted_from, align 4
  %12 = icmp slt i32 %9, %11
  %13 = select i1 %10, i1 %12, i1 false
  br i1 %13, label %22, label %14

14:
  call void @llvm.lifetime.start.p0(ptr nonnull %6) #7
  store ptr %0, ptr %6, align 8
  %15 = getelementptr inbounds nuw i8, ptr %6, i64 8
  store ptr %1, ptr %15, align 8
  %16 = getelementptr inbounds nuw i8, ptr %6, i64 16
  store ptr %2, ptr %16, align 8
  %17 = getelementptr inbounds nuw i8, ptr %6, i64 24
  store ptr %3, ptr %17, align 8
  %18 = getelementptr inbounds nuw i8, ptr %6, i64 32
  store ptr %4, ptr %18, align 8
  %19 = getelementptr inbounds nuw i8, ptr %6, i64 40
  store i32 %9, ptr %19, align 8
  %20 = getelementptr inbounds nuw i8, ptr %6, i64 44
  store i32 0, ptr %20, align 4
  call fastcc void @run_elsewhere(ptr noundef %6) #8
  %21 = load i32, ptr %19, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %6) #7
  br label %22

22:
  %23 = phi i32 [ %21, %14 ], [ %9, %5 ]
  ret i32 %23
}

declare ptr @llvm.frameaddress.p0(i32 immarg) #4

define internal fastcc void @begin(ptr noundef initializes((0, 1200)) %0, ptr noundef %1, ptr noundef %2, ptr noundef %3) unnamed_addr #5 {
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 1216
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 24
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(1176) %6, i8 0, i64 1176, i1 false)
  store ptr %1, ptr %0, align 8
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 8
  store ptr %2, ptr %7, align 8
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 16
  store ptr %3, ptr %8, align 8
  %9 = icmp ugt ptr %5, inttoptr (i64 4095 to ptr)
  %10 = select i1 %9, ptr %5, ptr inttoptr (i64 4096 to ptr)
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 48
  store ptr %10, ptr %11, align 8
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 1049792
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 56
  store ptr %12, ptr %13, align 8
  %14 = getelementptr inbounds nuw i8, ptr %2, i64 32
  store ptr %12, ptr %14, align 8
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 1049824
  %16 = load ptr, ptr %15, align 8
  %17 = getelementptr inbounds nuw i8, ptr %2, i64 40
  store ptr %16, ptr %17, align 8
  ret void
}

define internal fastcc i32 @run(ptr noundef %0, ptr noundef %1, ptr noundef %2) unnamed_addr #0 {
  %4 = tail call i32 @relay_border(ptr noundef %0, ptr noundef %1, ptr noundef %2) #7
  %5 = icmp eq i32 %4, 0
  %6 = load i8, ptr @relay_keeps_results, align 1
  %7 = icmp ne i8 %6, 0
  %8 = select i1 %5, i1 %7, i1 false
  br i1 %8, label %11, label %9

9:
  %10 = tail call i32 @relay_finish(ptr noundef %0) #8
  br label %11

11:
  ret i32 %4
}

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #6

define internal fastcc void @run_elsewhere(ptr noundef nonnull %0) unnamed_addr #0 {
  %2 = tail call ptr @CreateThread(ptr noundef null, i64 noundef 536870912, ptr noundef nonnull @run_far, ptr noundef nonnull %0, i32 noundef 65536, ptr noundef null) #7
  %3 = icmp eq ptr %2, null
  br i1 %3, label %15, label %4

4:
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %6 = load ptr, ptr %5, align 8
  %7 = getelementptr inbounds nuw i8, ptr %6, i64 1049832
  %8 = load ptr, ptr %7, align 8
  %9 = icmp eq ptr %8, null
  br i1 %9, label %12, label %10

10:
  %11 = getelementptr inbounds nuw i8, ptr %6, i64 1049792
  tail call void %8(ptr noundef nonnull %11) #7
  br label %12

12:
  %13 = tail call i32 @WaitForSingleObject(ptr noundef nonnull %2, i32 noundef -1) #7
  %14 = tail call i32 @CloseHandle(ptr noundef nonnull %2) #7
  br label %15

15:
  ret void
}

declare dso_local i32 @relay_border(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #2

define internal noundef i32 @run_far(ptr noundef captures(none) initializes((40, 44)) %0) #0 {
  %2 = tail call ptr @llvm.frameaddress.p0(i32 0)
  %3 = getelementptr inbounds i8, ptr %2, i64 -535822336
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %5 = load ptr, ptr %4, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %7 = load ptr, ptr %6, align 8
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %9 = load ptr, ptr %8, align 8
  tail call fastcc void @begin(ptr noundef %5, ptr noundef %7, ptr noundef %9, ptr noundef nonnull %3) #8
  %10 = load ptr, ptr %4, align 8
  %11 = load ptr, ptr %0, align 8
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %13 = load ptr, ptr %12, align 8
  %14 = tail call fastcc i32 @run(ptr noundef %10, ptr noundef %11, ptr noundef %13) #8
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 40
  store i32 %14, ptr %15, align 8
  %16 = load ptr, ptr %4, align 8
  %17 = getelementptr inbounds nuw i8, ptr %16, i64 1049840
  %18 = load ptr, ptr %17, align 8
  %19 = icmp eq ptr %18, null
  br i1 %19, label %22, label %20

20:
  %21 = getelementptr inbounds nuw i8, ptr %16, i64 1049792
  tail call void %18(ptr noundef nonnull %21) #7
  br label %22

22:
  ret i32 0
}

declare dso_local ptr @CreateThread(ptr noundef, i64 noundef, ptr noundef, ptr noundef, i32 noundef, ptr noundef) local_unnamed_addr #2

declare dso_local i32 @WaitForSingleObject(ptr noundef, i32 noundef) local_unnamed_addr #2

declare dso_local i32 @CloseHandle(ptr noundef) local_unnamed_addr #2

attributes #0 = { nounwind cold noinline optnone }
attributes #1 = { nounwind }
attributes #2 = { nounwind }
attributes #3 = { nounwind cold }
attributes #4 = { nounwind }
attributes #5 = { nounwind cold noinline optnone }
attributes #6 = { nounwind }
attributes #7 = { nounwind }
attributes #8 = { nounwind cold }

