; Written by tools/c_runtime.py from the C sources; do not edit.

%struct._opaque_pthread_mutex_t = type { i64, [56 x i8] }
%struct._opaque_pthread_cond_t = type { i64, [40 x i8] }
%struct._opaque_pthread_attr_t = type { i64, [56 x i8] }
%struct.timespec = type { i64, i64 }

@owner = internal unnamed_addr global i64 0, align 8
@watched = internal global ptr null, align 8
@sleeps = internal unnamed_addr global i8 0, align 1
@started = internal unnamed_addr global i8 0, align 1
@setting = internal unnamed_addr global i8 0, align 1
@lock = internal global %struct._opaque_pthread_mutex_t zeroinitializer, align 8
@far_lock = internal global %struct._opaque_pthread_mutex_t zeroinitializer, align 8
@next_call = internal global %struct._opaque_pthread_cond_t zeroinitializer, align 8
@far_news = internal global %struct._opaque_pthread_cond_t zeroinitializer, align 8
@relay_raised = local_unnamed_addr global ptr null, align 8

define ptr @relay_watch(ptr noundef initializes((32, 60)) %0) local_unnamed_addr #0 {
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  %4 = alloca %struct._opaque_pthread_attr_t, align 8
  %5 = alloca ptr, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 32
  store ptr @look, ptr %6, align 8
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 40
  store ptr @wait_for_end, ptr %7, align 8
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 48
  store ptr @ended, ptr %8, align 8
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 56
  store i32 0, ptr %9, align 8
  %10 = tail call ptr @pthread_self() #5
  %11 = ptrtoint ptr %10 to i64
  store i64 %11, ptr @owner, align 8
  %12 = ptrtoint ptr %0 to i64
  %13 = atomicrmw xchg ptr @watched, i64 %12 seq_cst, align 8
  %14 = load atomic i8, ptr @sleeps seq_cst, align 1
  %15 = trunc nuw i8 %14 to i1
  br i1 %15, label %19, label %16

16:
  %17 = load atomic i8, ptr @started seq_cst, align 1
  %18 = trunc nuw i8 %17 to i1
  br i1 %18, label %38, label %19

19:
  %20 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull @lock) #5
  %21 = load atomic i8, ptr @started seq_cst, align 1
  %22 = trunc nuw i8 %21 to i1
  br i1 %22, label %35, label %23

23:
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #5
  call void @llvm.lifetime.start.p0(ptr nonnull %2) #5
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #5
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #5
  store i32 -1, ptr %2, align 4
  %24 = call i32 @"\01_pthread_sigmask"(i32 noundef 3, ptr noundef nonnull %2, ptr noundef nonnull %3) #5
  %25 = call i32 @pthread_attr_init(ptr noundef nonnull %4) #5
  %26 = call i32 @pthread_create(ptr noundef nonnull %5, ptr noundef nonnull %4, ptr noundef nonnull @watch_calls, ptr noundef null) #5
  %27 = icmp eq i32 %26, 0
  %28 = call i32 @pthread_attr_destroy(ptr noundef nonnull %4) #5
  %29 = call i32 @"\01_pthread_sigmask"(i32 noundef 3, ptr noundef nonnull %3, ptr noundef null) #5
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #5
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #5
  call void @llvm.lifetime.end.p0(ptr nonnull %2) #5
  br i1 %27, label %30, label %33

30:
  %31 = load ptr, ptr %5, align 8
  %32 = call i32 @pthread_detach(ptr noundef %31) #5
  br label %33

33:
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #5
  %34 = zext i1 %27 to i8
  store atomic i8 %34, ptr @started seq_cst, align 1
  br label %35

35:
  %36 = call i32 @pthread_cond_broadcast(ptr noundef nonnull @next_call) #5
  %37 = call i32 @pthread_mutex_unlock(ptr noundef nonnull @lock) #5
  br label %38

38:
  %39 = inttoptr i64 %13 to ptr
  ret ptr %39
}

define internal i32 @look(ptr noundef captures(none) %0) #0 {
  %2 = tail call ptr @pthread_self() #5
  %3 = ptrtoint ptr %2 to i64
  %4 = load i64, ptr @owner, align 8
  %5 = icmp eq i64 %4, %3
  br i1 %5, label %6, label %8

6:
  %7 = tail call fastcc i32 @look_here(ptr noundef %0)
  br label %22

8:
  %9 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull @far_lock) #5
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 56
  store i32 1, ptr %10, align 8
  %11 = tail call i32 @pthread_cond_broadcast(ptr noundef nonnull @far_news) #5
  %12 = load i32, ptr %10, align 8
  %13 = icmp eq i32 %12, 0
  br i1 %13, label %18, label %14

14:
  %15 = tail call i32 @"\01_pthread_cond_wait"(ptr noundef nonnull @far_news, ptr noundef nonnull @far_lock) #5
  %16 = load i32, ptr %10, align 8
  %17 = icmp eq i32 %16, 0
  br i1 %17, label %18, label %14

18:
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 60
  %20 = load i32, ptr %19, align 4
  %21 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull @far_lock) #5
  br label %22

22:
  %23 = phi i32 [ %7, %6 ], [ %20, %18 ]
  ret i32 %23
}

define internal void @wait_for_end(ptr noundef captures(none) %0) #0 {
  %2 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull @far_lock) #5
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 56
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 60
  br label %5

5:
  %6 = load i32, ptr %3, align 8
  switch i32 %6, label %10 [
    i32 2, label %15
    i32 0, label %7
  ]

7:
  %8 = tail call i32 @"\01_pthread_cond_wait"(ptr noundef nonnull @far_news, ptr noundef nonnull @far_lock) #5
  br label %9

9:
  br label %5

10:
  %11 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull @far_lock) #5
  %12 = tail call fastcc i32 @look_here(ptr noundef nonnull %0)
  %13 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull @far_lock) #5
  store i32 %12, ptr %4, align 4
  store i32 0, ptr %3, align 8
  %14 = tail call i32 @pthread_cond_broadcast(ptr noundef nonnull @far_news) #5
  br label %9

15:
  %16 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull @far_lock) #5
  ret void
}

define internal void @ended(ptr noundef writeonly captures(none) initializes((56, 60)) %0) #0 {
  %2 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull @far_lock) #5
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 56
  store i32 2, ptr %3, align 8
  %4 = tail call i32 @pthread_cond_broadcast(ptr noundef nonnull @far_news) #5
  %5 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull @far_lock) #5
  ret void
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

define i32 @relay_unwatch(ptr noundef captures(none) %0, ptr noundef %1) local_unnamed_addr #0 {
  %3 = ptrtoint ptr %1 to i64
  store atomic i64 %3, ptr @watched seq_cst, align 8
  %4 = load atomic i8, ptr @setting seq_cst, align 1
  %5 = trunc nuw i8 %4 to i1
  br i1 %5, label %6, label %10

6:
  %7 = tail call i32 @sched_yield() #5
  %8 = load atomic i8, ptr @setting seq_cst, align 1
  %9 = trunc nuw i8 %8 to i1
  br i1 %9, label %6, label %10

10:
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 4
  %12 = load atomic i32, ptr %11 seq_cst, align 4
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 32
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(24) %13, i8 0, i64 24, i1 false)
  store atomic i32 0, ptr %11 seq_cst, align 4
  store atomic i32 0, ptr %0 seq_cst, align 4
  ret i32 %12
}

define i32 @relay_guarded(ptr noundef readonly captures(none) %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4, ptr noundef %5, ptr noundef initializes((32, 60)) %6) local_unnamed_addr #0 {
  %8 = tail call ptr @relay_watch(ptr noundef %6)
  %9 = tail call i32 %0(ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4, ptr noundef %5) #5
  %10 = ptrtoint ptr %8 to i64
  store atomic i64 %10, ptr @watched seq_cst, align 8
  %11 = load atomic i8, ptr @setting seq_cst, align 1
  %12 = trunc nuw i8 %11 to i1
  br i1 %12, label %13, label %17

13:
  %14 = tail call i32 @sched_yield() #5
  %15 = load atomic i8, ptr @setting seq_cst, align 1
  %16 = trunc nuw i8 %15 to i1
  br i1 %16, label %13, label %17

17:
  %18 = getelementptr inbounds nuw i8, ptr %6, i64 4
  %19 = load atomic i32, ptr %18 seq_cst, align 4
  %20 = getelementptr inbounds nuw i8, ptr %6, i64 32
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(24) %20, i8 0, i64 24, i1 false)
  store atomic i32 0, ptr %18 seq_cst, align 4
  store atomic i32 0, ptr %6 seq_cst, align 4
  %21 = icmp eq i32 %9, 0
  %22 = select i1 %21, i32 %19, i32 %9
  ret i32 %22
}

define void @relay_reset() local_unnamed_addr #0 {
  %1 = tail call i32 @pthread_mutex_init(ptr noundef nonnull @lock, ptr noundef null) #5
  %2 = tail call i32 @pthread_mutex_init(ptr noundef nonnull @far_lock, ptr noundef null) #5
  %3 = tail call i32 @"\01_pthread_cond_init"(ptr noundef nonnull @next_call, ptr noundef null) #5
  %4 = tail call i32 @"\01_pthread_cond_init"(ptr noundef nonnull @far_news, ptr noundef null) #5
  store atomic i8 0, ptr @setting seq_cst, align 1
  store atomic i8 0, ptr @sleeps seq_cst, align 1
  store atomic i8 0, ptr @started seq_cst, align 1
  %5 = tail call ptr @pthread_self() #5
  %6 = ptrtoint ptr %5 to i64
  %7 = load i64, ptr @owner, align 8
  %8 = icmp eq i64 %7, %6
  br i1 %8, label %10, label %9

9:
  store atomic ptr null, ptr @watched seq_cst, align 8
  br label %10

10:
  ret void
}

define internal fastcc i32 @look_here(ptr noundef captures(none) %0) unnamed_addr #0 {
  %2 = alloca ptr, align 8
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 4
  %6 = load atomic i32, ptr %5 seq_cst, align 4
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %23

8:
  store atomic i32 0, ptr %0 seq_cst, align 4
  %9 = tail call i32 @PyGILState_Ensure() #5
  %10 = tail call i32 @PyErr_CheckSignals() #5
  %11 = icmp eq i32 %10, 0
  br i1 %11, label %22, label %12

12:
  call void @llvm.lifetime.start.p0(ptr nonnull %2) #5
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #5
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #5
  call void @PyErr_Fetch(ptr noundef nonnull %2, ptr noundef nonnull %3, ptr noundef nonnull %4) #5
  call void @PyErr_NormalizeException(ptr noundef nonnull %2, ptr noundef nonnull %3, ptr noundef nonnull %4) #5
  %13 = load ptr, ptr %4, align 8
  %14 = icmp eq ptr %13, null
  br i1 %14, label %19, label %15

15:
  %16 = load ptr, ptr %3, align 8
  %17 = call i32 @PyException_SetTraceback(ptr noundef %16, ptr noundef nonnull %13) #5
  %18 = load ptr, ptr %4, align 8
  call void @Py_DecRef(ptr noundef %18) #5
  br label %19

19:
  %20 = load ptr, ptr %2, align 8
  call void @Py_DecRef(ptr noundef %20) #5
  %21 = load ptr, ptr %3, align 8
  store ptr %21, ptr @relay_raised, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #5
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #5
  call void @llvm.lifetime.end.p0(ptr nonnull %2) #5
  store atomic i32 5, ptr %5 seq_cst, align 4
  store atomic i32 1, ptr %0 seq_cst, align 4
  br label %22

22:
  call void @PyGILState_Release(i32 noundef %9) #5
  br label %23

23:
  %24 = load atomic i32, ptr %5 seq_cst, align 4
  ret i32 %24
}

declare i32 @PyGILState_Ensure() local_unnamed_addr #2

declare i32 @PyErr_CheckSignals() local_unnamed_addr #2

declare void @PyGILState_Release(i32 noundef) local_unnamed_addr #2

declare void @PyErr_Fetch(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #2

declare void @PyErr_NormalizeException(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #2

declare i32 @PyException_SetTraceback(ptr noundef, ptr noundef) local_unnamed_addr #2

declare void @Py_DecRef(ptr noundef) local_unnamed_addr #2

declare i32 @pthread_mutex_lock(ptr noundef) local_unnamed_addr #2

declare i32 @pthread_cond_broadcast(ptr noundef) local_unnamed_addr #2

declare i32 @"\01_pthread_cond_wait"(ptr noundef, ptr noundef) local_unnamed_addr #2

declare i32 @pthread_mutex_unlock(ptr noundef) local_unnamed_addr #2

declare ptr @pthread_self() local_unnamed_addr #2

define internal noalias noundef nonnull ptr @watch_calls(ptr readnone captures(none) %0) #3 {
  %2 = alloca %struct.timespec, align 8
  %3 = getelementptr inbounds nuw i8, ptr %2, i64 8
  br label %4

4:
  %5 = phi i32 [ 0, %1 ], [ %11, %10 ]
  call void @llvm.lifetime.start.p0(ptr nonnull %2) #5
  store i64 0, ptr %2, align 8
  store i64 25000000, ptr %3, align 8
  %6 = call i32 @"\01_nanosleep"(ptr noundef nonnull %2, ptr noundef null) #5
  call void @llvm.lifetime.end.p0(ptr nonnull %2) #5
  store atomic i8 1, ptr @setting seq_cst, align 1
  %7 = load atomic ptr, ptr @watched seq_cst, align 8
  %8 = icmp eq ptr %7, null
  br i1 %8, label %12, label %9

9:
  store atomic i32 1, ptr %7 seq_cst, align 4
  store atomic i8 0, ptr @setting seq_cst, align 1
  br label %10

10:
  %11 = phi i32 [ 0, %23 ], [ %13, %12 ], [ 0, %9 ]
  br label %4

12:
  store atomic i8 0, ptr @setting seq_cst, align 1
  %13 = add nsw i32 %5, 1
  %14 = icmp sgt i32 %5, 39
  br i1 %14, label %15, label %10

15:
  %16 = call i32 @pthread_mutex_lock(ptr noundef nonnull @lock) #5
  store atomic i8 1, ptr @sleeps seq_cst, align 1
  %17 = load atomic ptr, ptr @watched seq_cst, align 8
  %18 = icmp eq ptr %17, null
  br i1 %18, label %19, label %23

19:
  %20 = call i32 @"\01_pthread_cond_wait"(ptr noundef nonnull @next_call, ptr noundef nonnull @lock) #5
  %21 = load atomic ptr, ptr @watched seq_cst, align 8
  %22 = icmp eq ptr %21, null
  br i1 %22, label %19, label %23

23:
  store atomic i8 0, ptr @sleeps seq_cst, align 1
  %24 = call i32 @pthread_mutex_unlock(ptr noundef nonnull @lock) #5
  br label %10
}

declare i32 @"\01_pthread_sigmask"(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr #2

declare i32 @pthread_attr_init(ptr noundef) local_unnamed_addr #2

declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #2

declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr #2

declare i32 @"\01_nanosleep"(ptr noundef, ptr noundef) local_unnamed_addr #2

declare i32 @pthread_detach(ptr noundef) local_unnamed_addr #2

declare i32 @sched_yield() local_unnamed_addr #2

declare i32 @pthread_mutex_init(ptr noundef, ptr noundef) local_unnamed_addr #2

declare i32 @"\01_pthread_cond_init"(ptr noundef, ptr noundef) local_unnamed_addr #2

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #4

attributes #0 = { nounwind }
attributes #1 = { nounwind }
attributes #2 = { nounwind }
attributes #3 = { nounwind noreturn }
attributes #4 = { nounwind }
attributes #5 = { nounwind }

