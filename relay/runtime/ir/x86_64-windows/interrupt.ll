; Written by tools/c_runtime.py from the C sources; do not edit.

%struct.Lock = type { ptr }

@owner = internal unnamed_addr global i64 0, align 8
@watched = internal global ptr null, align 8
@sleeps = internal unnamed_addr global i8 0, align 1
@started = internal unnamed_addr global i8 0, align 1
@setting = internal unnamed_addr global i8 0, align 1
@lock = internal global %struct.Lock zeroinitializer, align 8
@far_lock = internal global %struct.Lock zeroinitializer, align 8
@next_call = internal global %struct.Lock zeroinitializer, align 8
@far_news = internal global %struct.Lock zeroinitializer, align 8
@relay_raised = dso_local local_unnamed_addr global ptr null, align 8

define dso_local ptr @relay_watch(ptr noundef initializes((32, 60)) %0) local_unnamed_addr #0 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 32
  store ptr @look, ptr %2, align 8
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 40
  store ptr @wait_for_end, ptr %3, align 8
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 48
  store ptr @ended, ptr %4, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 56
  store i32 0, ptr %5, align 8
  %6 = tail call i32 @GetCurrentThreadId() #5
  %7 = zext i32 %6 to i64
  store i64 %7, ptr @owner, align 8
  %8 = ptrtoint ptr %0 to i64
  %9 = atomicrmw xchg ptr @watched, i64 %8 seq_cst, align 8
  %10 = load atomic i8, ptr @sleeps seq_cst, align 1
  %11 = trunc nuw i8 %10 to i1
  br i1 %11, label %15, label %12

12:
  %13 = load atomic i8, ptr @started seq_cst, align 1
  %14 = trunc nuw i8 %13 to i1
  br i1 %14, label %26, label %15

15:
  tail call void @AcquireSRWLockExclusive(ptr noundef nonnull @lock) #5
  %16 = load atomic i8, ptr @started seq_cst, align 1
  %17 = trunc nuw i8 %16 to i1
  br i1 %17, label %25, label %18

18:
  %19 = tail call ptr @CreateThread(ptr noundef null, i64 noundef 0, ptr noundef nonnull @watch_calls, ptr noundef null, i32 noundef 0, ptr noundef null) #5
  %20 = icmp ne ptr %19, null
  br i1 %20, label %21, label %23

21:
  %22 = tail call i32 @CloseHandle(ptr noundef nonnull %19) #5
  br label %23

23:
  %24 = zext i1 %20 to i8
  store atomic i8 %24, ptr @started seq_cst, align 1
  br label %25

25:
  tail call void @WakeAllConditionVariable(ptr noundef nonnull @next_call) #5
  tail call void @ReleaseSRWLockExclusive(ptr noundef nonnull @lock) #5
  br label %26

26:
  %27 = inttoptr i64 %9 to ptr
  ret ptr %27
}

define internal i32 @look(ptr noundef captures(none) %0) #0 {
  %2 = tail call i32 @GetCurrentThreadId() #5
  %3 = zext i32 %2 to i64
  %4 = load i64, ptr @owner, align 8
  %5 = icmp eq i64 %4, %3
  br i1 %5, label %6, label %8

6:
  %7 = tail call fastcc i32 @look_here(ptr noundef %0)
  br label %19

8:
  tail call void @AcquireSRWLockExclusive(ptr noundef nonnull @far_lock) #5
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 56
  store i32 1, ptr %9, align 8
  tail call void @WakeAllConditionVariable(ptr noundef nonnull @far_news) #5
  %10 = load i32, ptr %9, align 8
  %11 = icmp eq i32 %10, 0
  br i1 %11, label %16, label %12

12:
  %13 = tail call i32 @SleepConditionVariableSRW(ptr noundef nonnull @far_news, ptr noundef nonnull @far_lock, i32 noundef -1, i32 noundef 0) #5
  %14 = load i32, ptr %9, align 8
  %15 = icmp eq i32 %14, 0
  br i1 %15, label %16, label %12

16:
  %17 = getelementptr inbounds nuw i8, ptr %0, i64 60
  %18 = load i32, ptr %17, align 4
  tail call void @ReleaseSRWLockExclusive(ptr noundef nonnull @far_lock) #5
  br label %19

19:
  %20 = phi i32 [ %7, %6 ], [ %18, %16 ]
  ret i32 %20
}

define internal void @wait_for_end(ptr noundef captures(none) %0) #0 {
  tail call void @AcquireSRWLockExclusive(ptr noundef nonnull @far_lock) #5
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 56
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 60
  br label %4

4:
  %5 = load i32, ptr %2, align 8
  switch i32 %5, label %9 [
    i32 2, label %11
    i32 0, label %6
  ]

6:
  %7 = tail call i32 @SleepConditionVariableSRW(ptr noundef nonnull @far_news, ptr noundef nonnull @far_lock, i32 noundef -1, i32 noundef 0) #5
  br label %8

8:
  br label %4

9:
  tail call void @ReleaseSRWLockExclusive(ptr noundef nonnull @far_lock) #5
  %10 = tail call fastcc i32 @look_here(ptr noundef nonnull %0)
  tail call void @AcquireSRWLockExclusive(ptr noundef nonnull @far_lock) #5
  store i32 %10, ptr %3, align 4
  store i32 0, ptr %2, align 8
  tail call void @WakeAllConditionVariable(ptr noundef nonnull @far_news) #5
  br label %8

11:
  tail call void @ReleaseSRWLockExclusive(ptr noundef nonnull @far_lock) #5
  ret void
}

define internal void @ended(ptr noundef writeonly captures(none) initializes((56, 60)) %0) #0 {
  tail call void @AcquireSRWLockExclusive(ptr noundef nonnull @far_lock) #5
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 56
  store i32 2, ptr %2, align 8
  tail call void @WakeAllConditionVariable(ptr noundef nonnull @far_news) #5
  tail call void @ReleaseSRWLockExclusive(ptr noundef nonnull @far_lock) #5
  ret void
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

define dso_local i32 @relay_unwatch(ptr noundef captures(none) %0, ptr noundef %1) local_unnamed_addr #0 {
  %3 = ptrtoint ptr %1 to i64
  store atomic i64 %3, ptr @watched seq_cst, align 8
  %4 = load atomic i8, ptr @setting seq_cst, align 1
  %5 = trunc nuw i8 %4 to i1
  br i1 %5, label %6, label %10

6:
  %7 = tail call i32 @SwitchToThread() #5
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

define dso_local i32 @relay_guarded(ptr noundef readonly captures(none) %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4, ptr noundef %5, ptr noundef initializes((32, 60)) %6) local_unnamed_addr #0 {
  %8 = tail call ptr @relay_watch(ptr noundef %6)
  %9 = tail call i32 %0(ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4, ptr noundef %5) #5
  %10 = ptrtoint ptr %8 to i64
  store atomic i64 %10, ptr @watched seq_cst, align 8
  %11 = load atomic i8, ptr @setting seq_cst, align 1
  %12 = trunc nuw i8 %11 to i1
  br i1 %12, label %13, label %17

13:
  %14 = tail call i32 @SwitchToThread() #5
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

define dso_local void @relay_reset() local_unnamed_addr #0 {
  tail call void @InitializeSRWLock(ptr noundef nonnull @lock) #5
  tail call void @InitializeSRWLock(ptr noundef nonnull @far_lock) #5
  tail call void @InitializeConditionVariable(ptr noundef nonnull @next_call) #5
  tail call void @InitializeConditionVariable(ptr noundef nonnull @far_news) #5
  store atomic i8 0, ptr @setting seq_cst, align 1
  store atomic i8 0, ptr @sleeps seq_cst, align 1
  store atomic i8 0, ptr @started seq_cst, align 1
  %1 = tail call i32 @GetCurrentThreadId() #5
  %2 = zext i32 %1 to i64
  %3 = load i64, ptr @owner, align 8
  %4 = icmp eq i64 %3, %2
  br i1 %4, label %6, label %5

5:
  store atomic ptr null, ptr @watched seq_cst, align 8
  br label %6

6:
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

declare dso_local i32 @PyGILState_Ensure() local_unnamed_addr #2

declare dso_local i32 @PyErr_CheckSignals() local_unnamed_addr #2

declare dso_local void @PyGILState_Release(i32 noundef) local_unnamed_addr #2

declare dso_local void @PyErr_Fetch(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #2

declare dso_local void @PyErr_NormalizeException(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #2

declare dso_local i32 @PyException_SetTraceback(ptr noundef, ptr noundef) local_unnamed_addr #2

declare dso_local void @Py_DecRef(ptr noundef) local_unnamed_addr #2

declare dso_local void @AcquireSRWLockExclusive(ptr noundef) local_unnamed_addr #2

declare dso_local void @WakeAllConditionVariable(ptr noundef) local_unnamed_addr #2

declare dso_local i32 @SleepConditionVariableSRW(ptr noundef, ptr noundef, i32 noundef, i32 noundef) local_unnamed_addr #2

declare dso_local void @ReleaseSRWLockExclusive(ptr noundef) local_unnamed_addr #2

declare dso_local i32 @GetCurrentThreadId() local_unnamed_addr #2

define internal noundef i32 @watch_calls(ptr readnone captures(none) %0) #3 {
  br label %2

2:
  %3 = phi i32 [ 0, %1 ], [ %8, %7 ]
  tail call void @Sleep(i32 noundef 25) #5
  store atomic i8 1, ptr @setting seq_cst, align 1
  %4 = load atomic ptr, ptr @watched seq_cst, align 8
  %5 = icmp eq ptr %4, null
  br i1 %5, label %9, label %6

6:
  store atomic i32 1, ptr %4 seq_cst, align 4
  store atomic i8 0, ptr @setting seq_cst, align 1
  br label %7

7:
  %8 = phi i32 [ 0, %19 ], [ %10, %9 ], [ 0, %6 ]
  br label %2

9:
  store atomic i8 0, ptr @setting seq_cst, align 1
  %10 = add nsw i32 %3, 1
  %11 = icmp sgt i32 %3, 39
  br i1 %11, label %12, label %7

12:
  tail call void @AcquireSRWLockExclusive(ptr noundef nonnull @lock) #5
  store atomic i8 1, ptr @sleeps seq_cst, align 1
  %13 = load atomic ptr, ptr @watched seq_cst, align 8
  %14 = icmp eq ptr %13, null
  br i1 %14, label %15, label %19

15:
  %16 = tail call i32 @SleepConditionVariableSRW(ptr noundef nonnull @next_call, ptr noundef nonnull @lock, i32 noundef -1, i32 noundef 0) #5
  %17 = load atomic ptr, ptr @watched seq_cst, align 8
  %18 = icmp eq ptr %17, null
  br i1 %18, label %15, label %19

19:
  store atomic i8 0, ptr @sleeps seq_cst, align 1
  tail call void @ReleaseSRWLockExclusive(ptr noundef nonnull @lock) #5
  br label %7
}

declare dso_local ptr @CreateThread(ptr noundef, i64 noundef, ptr noundef, ptr noundef, i32 noundef, ptr noundef) local_unnamed_addr #2

declare dso_local void @Sleep(i32 noundef) local_unnamed_addr #2

declare dso_local i32 @CloseHandle(ptr noundef) local_unnamed_addr #2

declare dso_local i32 @SwitchToThread() local_unnamed_addr #2

declare dso_local void @InitializeSRWLock(ptr noundef) local_unnamed_addr #2

declare dso_local void @InitializeConditionVariable(ptr noundef) local_unnamed_addr #2

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #4

attributes #0 = { nounwind }
attributes #1 = { nounwind }
attributes #2 = { nounwind }
attributes #3 = { nounwind noreturn }
attributes #4 = { nounwind }
attributes #5 = { nounwind }

