; Written by tools/c_runtime.py from the C sources; do not edit.

%struct.Bell = type { i32, %union.pthread_mutex_t, %union.pthread_cond_t, [32 x i8] }
%union.pthread_mutex_t = type { %struct.__pthread_mutex_s }
%struct.__pthread_mutex_s = type { i32, i32, i32, i32, i32, i16, i16, %struct.__pthread_internal_list }
%struct.__pthread_internal_list = type { ptr, ptr }
%union.pthread_cond_t = type { %struct.__pthread_cond_s }
%struct.__pthread_cond_s = type { %union.__atomic_wide_counter, %union.__atomic_wide_counter, [2 x i32], i32, i32, [2 x i32], i32, i32 }
%union.__atomic_wide_counter = type { i64 }
%struct.__sigset_t = type { [16 x i64] }
%struct.timespec = type { i64, i64 }

@busy = internal global i8 0, align 64
@started = internal unnamed_addr global i64 1, align 8
@job.0 = internal unnamed_addr global ptr null, align 64
@job.1 = internal unnamed_addr global ptr null, align 8
@job.2 = internal unnamed_addr global i64 0, align 16
@job.3 = internal unnamed_addr global i64 0, align 8
@cpus = internal unnamed_addr global i64 1, align 8
@bells = internal global [256 x %struct.Bell] zeroinitializer, align 64
@pending = internal global i64 0, align 64
@spins = internal unnamed_addr global i8 0, align 1

define noundef i32 @relay_pool_run(ptr noundef %0, ptr noundef %1, i64 noundef %2, i64 noundef %3, ptr noundef readonly captures(address_is_null) %4) local_unnamed_addr #0 {
  %6 = alloca %struct.__sigset_t, align 8
  %7 = alloca %struct.__sigset_t, align 8
  %8 = alloca i64, align 8
  %9 = tail call i64 @llvm.smin.i64(i64 %3, i64 %2)
  %10 = tail call i64 @llvm.smin.i64(i64 %9, i64 256)
  %11 = icmp sgt i64 %9, 1
  br i1 %11, label %12, label %83

12:
  %13 = cmpxchg ptr @busy, i8 0, i8 1 acquire monotonic, align 64
  %14 = extractvalue { i8, i1 } %13, 1
  br i1 %14, label %15, label %83

15:
  %16 = load atomic i64, ptr @started seq_cst, align 8
  %17 = icmp slt i64 %16, %10
  br i1 %17, label %18, label %42

18:
  call void @llvm.lifetime.start.p0(ptr nonnull %6) #5
  call void @llvm.lifetime.start.p0(ptr nonnull %7) #5
  %19 = call i32 @sigfillset(ptr noundef nonnull %6) #5
  %20 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %6, ptr noundef nonnull %7) #5
  %21 = load atomic i64, ptr @started seq_cst, align 8
  %22 = icmp slt i64 %21, %10
  br i1 %22, label %23, label %39

23:
  %24 = phi i64 [ %37, %34 ], [ %21, %18 ]
  call void @llvm.lifetime.start.p0(ptr nonnull %8) #5
  %25 = getelementptr inbounds %struct.Bell, ptr @bells, i64 %24
  store atomic i32 0, ptr %25 monotonic, align 64
  %26 = getelementptr inbounds nuw i8, ptr %25, i64 8
  %27 = call i32 @pthread_mutex_init(ptr noundef nonnull %26, ptr noundef null) #5
  %28 = getelementptr inbounds nuw i8, ptr %25, i64 48
  %29 = call i32 @pthread_cond_init(ptr noundef nonnull %28, ptr noundef null) #5
  %30 = inttoptr i64 %24 to ptr
  %31 = call i32 @pthread_create(ptr noundef nonnull %8, ptr noundef null, ptr noundef nonnull @work, ptr noundef %30) #5
  %32 = icmp eq i32 %31, 0
  br i1 %32, label %34, label %33

33:
  call void @llvm.lifetime.end.p0(ptr nonnull %8) #5
  br label %39

34:
  %35 = load i64, ptr %8, align 8
  %36 = call i32 @pthread_detach(i64 noundef %35) #5
  call void @llvm.lifetime.end.p0(ptr nonnull %8) #5
  %37 = add i64 %24, 1
  %38 = icmp eq i64 %37, %10
  br i1 %38, label %39, label %23

39:
  %40 = phi i64 [ %24, %33 ], [ %21, %18 ], [ %10, %34 ]
  store atomic i64 %40, ptr @started seq_cst, align 8
  %41 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %7, ptr noundef null) #5
  call void @llvm.lifetime.end.p0(ptr nonnull %7) #5
  call void @llvm.lifetime.end.p0(ptr nonnull %6) #5
  br label %44

42:
  %43 = load atomic i64, ptr @started seq_cst, align 8
  br label %44

44:
  %45 = phi i64 [ %40, %39 ], [ %43, %42 ]
  store ptr %0, ptr @job.0, align 64
  store ptr %1, ptr @job.1, align 8
  store i64 %2, ptr @job.2, align 16
  %46 = call noundef i64 @llvm.smin.i64(i64 %45, i64 %10)
  store i64 %46, ptr @job.3, align 8
  %47 = load i64, ptr @cpus, align 8
  %48 = icmp sle i64 %46, %47
  %49 = zext i1 %48 to i8
  store atomic i8 %49, ptr @spins monotonic, align 1
  %50 = add nsw i64 %46, -1
  store atomic i64 %50, ptr @pending release, align 64
  %51 = icmp sgt i64 %46, 1
  br i1 %51, label %62, label %76

52:
  %53 = load ptr, ptr @job.0, align 64
  %54 = load ptr, ptr @job.1, align 8
  %55 = load i64, ptr @job.2, align 16
  %56 = load i64, ptr @job.3, align 8
  %57 = sdiv i64 %55, %56
  %58 = srem i64 %55, %56
  %59 = call noundef i64 @llvm.smin.i64(i64 %58, i64 0)
  %60 = call noundef i64 @llvm.smin.i64(i64 %58, i64 1)
  %61 = add nsw i64 %60, %57
  call void %53(ptr noundef %54, i64 noundef %59, i64 noundef %61, i64 noundef 0) #5
  call fastcc void @bell_wait(ptr noundef nonnull @bells, ptr noundef readonly %4)
  br label %82

62:
  %63 = phi i64 [ %74, %73 ], [ 1, %44 ]
  %64 = getelementptr inbounds nuw %struct.Bell, ptr @bells, i64 %63
  %65 = atomicrmw xchg ptr %64, i32 1 acq_rel, align 64
  %66 = icmp eq i32 %65, 2
  br i1 %66, label %67, label %73

67:
  %68 = getelementptr inbounds nuw i8, ptr %64, i64 8
  %69 = call i32 @pthread_mutex_lock(ptr noundef nonnull %68) #5
  %70 = getelementptr inbounds nuw i8, ptr %64, i64 48
  %71 = call i32 @pthread_cond_signal(ptr noundef nonnull %70) #5
  %72 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %68) #5
  br label %73

73:
  %74 = add nuw nsw i64 %63, 1
  %75 = icmp eq i64 %74, %46
  br i1 %75, label %52, label %62

76:
  %77 = sdiv i64 %2, %46
  %78 = srem i64 %2, %46
  %79 = call noundef i64 @llvm.smin.i64(i64 %78, i64 0)
  %80 = call noundef i64 @llvm.smin.i64(i64 %78, i64 1)
  %81 = add nsw i64 %80, %77
  call void %0(ptr noundef %1, i64 noundef %79, i64 noundef %81, i64 noundef 0) #5
  br label %82

82:
  store atomic i8 0, ptr @busy release, align 64
  br label %86

83:
  %84 = icmp sgt i64 %2, 0
  br i1 %84, label %85, label %86

85:
  tail call void %0(ptr noundef %1, i64 noundef 0, i64 noundef %2, i64 noundef 0) #5
  br label %86

86:
  ret i32 0
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

define void @relay_pool_reset(i64 noundef %0) local_unnamed_addr #0 {
  store i64 %0, ptr @cpus, align 8
  store atomic i64 1, ptr @started seq_cst, align 8
  store atomic i32 0, ptr @bells monotonic, align 64
  %2 = tail call i32 @pthread_mutex_init(ptr noundef nonnull getelementptr inbounds nuw (i8, ptr @bells, i64 8), ptr noundef null) #5
  %3 = tail call i32 @pthread_cond_init(ptr noundef nonnull getelementptr inbounds nuw (i8, ptr @bells, i64 48), ptr noundef null) #5
  store atomic i8 0, ptr @busy release, align 64
  ret void
}

define i64 @relay_pool_started() local_unnamed_addr #2 {
  %1 = load atomic i64, ptr @started seq_cst, align 8
  ret i64 %1
}

declare i32 @sigfillset(ptr noundef) local_unnamed_addr #3

declare i32 @pthread_sigmask(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr #3

declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #3

define internal noalias noundef nonnull ptr @work(ptr noundef %0) #4 {
  %2 = ptrtoint ptr %0 to i64
  %3 = getelementptr inbounds %struct.Bell, ptr @bells, i64 %2
  %4 = add nsw i64 %2, 1
  br label %5

5:
  tail call fastcc void @bell_wait(ptr noundef nonnull %3, ptr noundef null)
  %6 = load ptr, ptr @job.0, align 64
  %7 = load ptr, ptr @job.1, align 8
  %8 = load i64, ptr @job.2, align 16
  %9 = load i64, ptr @job.3, align 8
  %10 = sdiv i64 %8, %9
  %11 = srem i64 %8, %9
  %12 = mul nsw i64 %10, %2
  %13 = tail call noundef i64 @llvm.smin.i64(i64 %11, i64 %2)
  %14 = add nsw i64 %13, %12
  %15 = mul nsw i64 %10, %4
  %16 = tail call noundef i64 @llvm.smin.i64(i64 %11, i64 %4)
  %17 = add nsw i64 %16, %15
  tail call void %6(ptr noundef %7, i64 noundef %14, i64 noundef %17, i64 noundef %2) #5
  %18 = atomicrmw sub ptr @pending, i64 1 acq_rel, align 64
  %19 = icmp eq i64 %18, 1
  br i1 %19, label %20, label %27

20:
  %21 = atomicrmw xchg ptr @bells, i32 1 acq_rel, align 64
  %22 = icmp eq i32 %21, 2
  br i1 %22, label %23, label %27

23:
  %24 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull getelementptr inbounds nuw (i8, ptr @bells, i64 8)) #5
  %25 = tail call i32 @pthread_cond_signal(ptr noundef nonnull getelementptr inbounds nuw (i8, ptr @bells, i64 48)) #5
  %26 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull getelementptr inbounds nuw (i8, ptr @bells, i64 8)) #5
  br label %27

27:
  br label %5
}

declare i32 @pthread_detach(i64 noundef) local_unnamed_addr #3

define internal fastcc void @bell_wait(ptr noundef %0, ptr noundef readonly captures(address_is_null) %1) unnamed_addr #0 {
  %3 = alloca %struct.timespec, align 8
  %4 = alloca %struct.timespec, align 8
  %5 = alloca %struct.timespec, align 8
  %6 = load atomic i8, ptr @spins monotonic, align 1
  %7 = trunc nuw i8 %6 to i1
  br i1 %7, label %8, label %34

8:
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #5
  %9 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %5) #5
  %10 = load i64, ptr %5, align 8
  %11 = mul nsw i64 %10, 1000000000
  %12 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %13 = load i64, ptr %12, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #5
  %14 = add i64 %13, 50000
  %15 = add i64 %14, %11
  %16 = getelementptr inbounds nuw i8, ptr %4, i64 8
  br label %17

17:
  %18 = phi i32 [ 0, %8 ], [ %25, %24 ]
  %19 = load atomic i32, ptr %0 acquire, align 64
  %20 = icmp eq i32 %19, 1
  br i1 %20, label %78, label %21

21:
  call void @llvm.x86.sse2.pause()
  %22 = add nuw nsw i32 %18, 1
  %23 = icmp eq i32 %22, 64
  br i1 %23, label %26, label %24

24:
  %25 = phi i32 [ %22, %21 ], [ 0, %26 ]
  br label %17

26:
  %27 = call i32 @sched_yield() #5
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #5
  %28 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %4) #5
  %29 = load i64, ptr %4, align 8
  %30 = mul nsw i64 %29, 1000000000
  %31 = load i64, ptr %16, align 8
  %32 = add nsw i64 %30, %31
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #5
  %33 = icmp slt i64 %32, %15
  br i1 %33, label %24, label %37

34:
  %35 = load atomic i32, ptr %0 acquire, align 64
  %36 = icmp eq i32 %35, 1
  br i1 %36, label %78, label %37

37:
  %38 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %39 = call i32 @pthread_mutex_lock(ptr noundef nonnull %38) #5
  %40 = cmpxchg ptr %0, i32 0, i32 2 seq_cst seq_cst, align 64
  %41 = load atomic i32, ptr %0 acquire, align 64
  %42 = icmp eq i32 %41, 2
  br i1 %42, label %43, label %76

43:
  %44 = icmp eq ptr %1, null
  %45 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %46 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %47 = getelementptr inbounds nuw i8, ptr %1, i64 40
  %48 = getelementptr inbounds nuw i8, ptr %1, i64 32
  br label %49

49:
  br i1 %44, label %50, label %52

50:
  %51 = call i32 @pthread_cond_wait(ptr noundef nonnull %46, ptr noundef nonnull %38) #5
  br label %73

52:
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #5
  %53 = call i32 @clock_gettime(i32 noundef 0, ptr noundef nonnull %3) #5
  %54 = load i64, ptr %45, align 8
  %55 = add nsw i64 %54, 20000000
  %56 = sdiv i64 %55, 1000000000
  %57 = load i64, ptr %3, align 8
  %58 = add nsw i64 %56, %57
  store i64 %58, ptr %3, align 8
  %59 = srem i64 %55, 1000000000
  store i64 %59, ptr %45, align 8
  %60 = call i32 @pthread_cond_timedwait(ptr noundef nonnull %46, ptr noundef nonnull %38, ptr noundef nonnull %3) #5
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #5
  %61 = load ptr, ptr %47, align 8
  %62 = icmp eq ptr %61, null
  br i1 %62, label %73, label %63

63:
  %64 = load ptr, ptr %48, align 8
  %65 = load atomic i32, ptr %64 monotonic, align 8
  %66 = icmp eq i32 %65, 0
  br i1 %66, label %73, label %67

67:
  %68 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %38) #5
  %69 = load ptr, ptr %47, align 8
  %70 = load ptr, ptr %48, align 8
  %71 = call i32 %69(ptr noundef %70) #5
  %72 = call i32 @pthread_mutex_lock(ptr noundef nonnull %38) #5
  br label %73

73:
  %74 = load atomic i32, ptr %0 acquire, align 64
  %75 = icmp eq i32 %74, 2
  br i1 %75, label %49, label %76

76:
  %77 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %38) #5
  br label %78

78:
  store atomic i32 0, ptr %0 release, align 64
  ret void
}

declare i32 @pthread_mutex_lock(ptr noundef) local_unnamed_addr #3

declare i32 @pthread_mutex_unlock(ptr noundef) local_unnamed_addr #3

declare i32 @sched_yield() local_unnamed_addr #3

declare i32 @clock_gettime(i32 noundef, ptr noundef) local_unnamed_addr #3

declare void @llvm.x86.sse2.pause() #5

declare i32 @pthread_cond_wait(ptr noundef, ptr noundef) local_unnamed_addr #6

declare i32 @pthread_cond_timedwait(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #6

declare i32 @pthread_cond_signal(ptr noundef) local_unnamed_addr #3

declare i32 @pthread_mutex_init(ptr noundef, ptr noundef) local_unnamed_addr #3

declare i32 @pthread_cond_init(ptr noundef, ptr noundef) local_unnamed_addr #3

declare i64 @llvm.smin.i64(i64, i64) #7

attributes #0 = { nounwind }
attributes #1 = { nounwind }
attributes #2 = { nounwind }
attributes #3 = { nounwind }
attributes #4 = { nounwind noreturn }
attributes #5 = { nounwind }
attributes #6 = { nounwind }
attributes #7 = { nounwind }

