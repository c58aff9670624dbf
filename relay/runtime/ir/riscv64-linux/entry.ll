; Written by tools/c_runtime.py from the C sources; do not edit.

%struct.Far = type { ptr, ptr, ptr, ptr, ptr, i32 }
%union.pthread_attr_t = type { i64, [48 x i8] }
%struct.__sigset_t = type { [16 x i64] }

@relay_asks_stack = external local_unnamed_addr constant i8, align 1
@relay_exhausted_from = external local_unnamed_addr constant i32, align 4
@stack_limit.main_thread = internal unnamed_addr global i64 0, align 8
@relay_keeps_results = external local_unnamed_addr constant i8, align 1

define noundef i32 @relay_finish(ptr noundef captures(none) %0) local_unnamed_addr #0 {
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
  tail call void @free(ptr noundef nonnull %10)
  br label %21

21:
  %22 = load ptr, ptr %2, align 8
  %23 = icmp eq ptr %22, null
  br i1 %23, label %24, label %9

24:
  ret i32 0
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

declare void @free(ptr allocptr noundef captures(none)) local_unnamed_addr #2

declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

define noundef i32 @relay_forget(ptr noundef captures(none) %0) local_unnamed_addr #0 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 1049816
  %3 = load ptr, ptr %2, align 8
  %4 = icmp eq ptr %3, null
  br i1 %4, label %10, label %5

5:
  %6 = phi ptr [ %8, %5 ], [ %3, %1 ]
  %7 = load ptr, ptr %6, align 8
  store ptr %7, ptr %2, align 8
  tail call void @free(ptr noundef nonnull %6)
  %8 = load ptr, ptr %2, align 8
  %9 = icmp eq ptr %8, null
  br i1 %9, label %10, label %5

10:
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 1049808
  store i64 0, ptr %11, align 8
  ret i32 0
}

define i32 @relay_run(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef initializes((0, 1200)) %3, ptr noundef %4) local_unnamed_addr #3 {
  %6 = alloca %struct.Far, align 8
  %7 = tail call ptr @llvm.frameaddress.p0(i32 0)
  %8 = getelementptr inbounds i8, ptr %7, i64 -196608
  %9 = load i8, ptr @relay_asks_stack, align 1
  %10 = icmp eq i8 %9, 0
  br i1 %10, label %13, label %11

11:
  %12 = tail call fastcc ptr @stack_limit(ptr noundef nonnull %8) #11
  br label %13

13:
  %14 = phi ptr [ %12, %11 ], [ %8, %5 ]
  tail call fastcc void @begin(ptr noundef %3, ptr noundef %2, ptr noundef %4, ptr noundef %14) #11
  %15 = tail call fastcc i32 @run(ptr noundef %3, ptr noundef %0, ptr noundef %1) #11
  %16 = icmp ne i32 %15, 2
  %17 = load i32, ptr @relay_exhausted_from, align 4
  %18 = icmp slt i32 %15, %17
  %19 = select i1 %16, i1 %18, i1 false
  br i1 %19, label %28, label %20

20:
  call void @llvm.lifetime.start.p0(ptr nonnull %6) #12
  store ptr %0, ptr %6, align 8
  %21 = getelementptr inbounds nuw i8, ptr %6, i64 8
  store ptr %1, ptr %21, align 8
  %22 = getelementptr inbounds nuw i8, ptr %6, i64 16
  store ptr %2, ptr %22, align 8
  %23 = getelementptr inbounds nuw i8, ptr %6, i64 24
  store ptr %3, ptr %23, align 8
  %24 = getelementptr inbounds nuw i8, ptr %6, i64 32
  store ptr %4, ptr %24, align 8
  %25 = getelementptr inbounds nuw i8, ptr %6, i64 40
  store i32 %15, ptr %25, align 8
  %26 = getelementptr inbounds nuw i8, ptr %6, i64 44
  store i32 0, ptr %26, align 4
  call fastcc void @run_elsewhere(ptr noundef %6) #11
  %27 = load i32, ptr %25, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %6) #12
  br label %28

28:
  %29 = phi i32 [ %27, %20 ], [ %15, %13 ]
  ret i32 %29
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

define internal fastcc ptr @stack_limit(ptr noundef readnone captures(address, ret: address, provenance) %0) unnamed_addr #6 {
  %2 = alloca %union.pthread_attr_t, align 8
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  %5 = tail call i64 @pthread_self() #13
  call void @llvm.lifetime.start.p0(ptr nonnull %2) #12
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #12
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #12
  %6 = load i64, ptr @stack_limit.main_thread, align 8
  %7 = icmp eq i64 %5, %6
  br i1 %7, label %23, label %8

8:
  %9 = tail call i32 @getpid() #12
  %10 = tail call i32 @gettid() #12
  %11 = icmp eq i32 %9, %10
  br i1 %11, label %12, label %13

12:
  store i64 %5, ptr @stack_limit.main_thread, align 8
  br label %23

13:
  %14 = call i32 @pthread_getattr_np(i64 noundef %5, ptr noundef nonnull %2) #12
  %15 = icmp eq i32 %14, 0
  br i1 %15, label %16, label %23

16:
  %17 = call i32 @pthread_attr_getstack(ptr noundef nonnull %2, ptr noundef nonnull %3, ptr noundef nonnull %4) #12
  %18 = call i32 @pthread_attr_destroy(ptr noundef nonnull %2) #12
  %19 = load ptr, ptr %3, align 8
  %20 = getelementptr inbounds nuw i8, ptr %19, i64 49152
  %21 = icmp ugt ptr %20, %0
  %22 = select i1 %21, ptr %20, ptr %0
  br label %23

23:
  %24 = phi ptr [ %22, %16 ], [ %0, %12 ], [ %0, %1 ], [ %0, %13 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #12
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #12
  call void @llvm.lifetime.end.p0(ptr nonnull %2) #12
  ret ptr %24
}

define internal fastcc i32 @run(ptr noundef %0, ptr noundef %1, ptr noundef %2) unnamed_addr #6 {
  %4 = tail call i32 @relay_border(ptr noundef %0, ptr noundef %1, ptr noundef %2) #12
  %5 = icmp eq i32 %4, 0
  %6 = load i8, ptr @relay_keeps_results, align 1
  %7 = icmp ne i8 %6, 0
  %8 = select i1 %5, i1 %7, i1 false
  br i1 %8, label %11, label %9

9:
  %10 = tail call i32 @relay_finish(ptr noundef %0) #11
  br label %11

11:
  ret i32 %4
}

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #7

define internal fastcc void @run_elsewhere(ptr noundef nonnull %0) unnamed_addr #6 {
  %2 = alloca %struct.__sigset_t, align 8
  %3 = alloca %struct.__sigset_t, align 8
  %4 = alloca %union.pthread_attr_t, align 8
  %5 = alloca i64, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #12
  call void @llvm.lifetime.start.p0(ptr nonnull %2) #12
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #12
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #12
  %6 = call i32 @sigfillset(ptr noundef nonnull %2) #12
  %7 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %2, ptr noundef nonnull %3) #12
  %8 = call i32 @pthread_attr_init(ptr noundef nonnull %4) #12
  %9 = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %4, i64 noundef 536870912) #12
  %10 = call i32 @pthread_create(ptr noundef nonnull %5, ptr noundef nonnull %4, ptr noundef nonnull @run_far, ptr noundef nonnull %0) #12
  %11 = icmp eq i32 %10, 0
  %12 = call i32 @pthread_attr_destroy(ptr noundef nonnull %4) #12
  %13 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %3, ptr noundef null) #12
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #12
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #12
  call void @llvm.lifetime.end.p0(ptr nonnull %2) #12
  br i1 %11, label %14, label %25

14:
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %16 = load ptr, ptr %15, align 8
  %17 = getelementptr inbounds nuw i8, ptr %16, i64 1049832
  %18 = load ptr, ptr %17, align 8
  %19 = icmp eq ptr %18, null
  br i1 %19, label %22, label %20

20:
  %21 = getelementptr inbounds nuw i8, ptr %16, i64 1049792
  call void %18(ptr noundef nonnull %21) #12
  br label %22

22:
  %23 = load i64, ptr %5, align 8
  %24 = call i32 @pthread_join(i64 noundef %23, ptr noundef null) #12
  br label %25

25:
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #12
  ret void
}

declare i64 @pthread_self() local_unnamed_addr #8

declare i32 @getpid() local_unnamed_addr #9

declare i32 @gettid() local_unnamed_addr #9

declare i32 @pthread_getattr_np(i64 noundef, ptr noundef) local_unnamed_addr #9

declare i32 @pthread_attr_getstack(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #9

declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr #9

declare i32 @relay_border(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #10

define internal noalias noundef ptr @run_far(ptr noundef captures(none) initializes((40, 44)) %0) #6 {
  %2 = tail call ptr @llvm.frameaddress.p0(i32 0)
  %3 = getelementptr inbounds i8, ptr %2, i64 -535822336
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %5 = load ptr, ptr %4, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %7 = load ptr, ptr %6, align 8
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %9 = load ptr, ptr %8, align 8
  tail call fastcc void @begin(ptr noundef %5, ptr noundef %7, ptr noundef %9, ptr noundef nonnull %3) #11
  %10 = load ptr, ptr %4, align 8
  %11 = load ptr, ptr %0, align 8
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %13 = load ptr, ptr %12, align 8
  %14 = tail call fastcc i32 @run(ptr noundef %10, ptr noundef %11, ptr noundef %13) #11
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 40
  store i32 %14, ptr %15, align 8
  %16 = load ptr, ptr %4, align 8
  %17 = getelementptr inbounds nuw i8, ptr %16, i64 1049840
  %18 = load ptr, ptr %17, align 8
  %19 = icmp eq ptr %18, null
  br i1 %19, label %22, label %20

20:
  %21 = getelementptr inbounds nuw i8, ptr %16, i64 1049792
  tail call void %18(ptr noundef nonnull %21) #12
  br label %22

22:
  ret ptr null
}

declare i32 @sigfillset(ptr noundef) local_unnamed_addr #9

declare i32 @pthread_sigmask(i32 noundef signext, ptr noundef, ptr noundef) local_unnamed_addr #9

declare i32 @pthread_attr_init(ptr noundef) local_unnamed_addr #9

declare i32 @pthread_attr_setstacksize(ptr noundef, i64 noundef) local_unnamed_addr #9

declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #9

declare i32 @pthread_join(i64 noundef, ptr noundef) local_unnamed_addr #10

attributes #0 = { nounwind cold noinline optnone }
attributes #1 = { nounwind }
attributes #2 = { nounwind }
attributes #3 = { nounwind cold }
attributes #4 = { nounwind }
attributes #5 = { nounwind cold noinline optnone }
attributes #6 = { nounwind cold noinline optnone }
attributes #7 = { nounwind }
attributes #8 = { nounwind }
attributes #9 = { nounwind }
attributes #10 = { nounwind }
attributes #11 = { nounwind cold }
attributes #12 = { nounwind }
attributes #13 = { nounwind }

