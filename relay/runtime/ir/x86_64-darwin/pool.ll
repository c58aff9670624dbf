; Written by tools/c_runtime.py from the C sources; do not edit.

%struct.Bell = type { i32, %struct._opaque_pthread_mutex_t, %struct._opaque_pthread_cond_t, [8 x i8] }
%struct._opaque_pthread_mutex_t = type { i64, [56 x i8] }
%struct._opaque_pthread_cond_t = type { i64, [40 x i8] }
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
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  %8 = alloca ptr, align 8
  %9 = tail call i64 @llvm.smin.i64(i64 %3, i64 %2)
  %10 = tail call i64 @llvm.smin.i64(i64 %9, i64 256)
  %11 = icmp sgt i64 %9, 1
  br i1 %11, label %12, label %82

12:
  %13 = cmpxchg ptr @busy, i8 0, i8 1 acquire monotonic, align 64
  %14 = extractvalue { i8, i1 } %13, 1
  br i1 %14, label %15, label %82

15:
  %16 = load atomic i64, ptr @started seq_cst, align 8
  %17 = icmp slt i64 %16, %10
  br i1 %17, label %18, label %41

18:
  call void @llvm.lifetime.start.p0(ptr nonnull %6) #5
  call void @llvm.lifetime.start.p0(ptr nonnull %7) #5
  store i32 -1, ptr %6, align 4
  %19 = call i32 @"\01_pthread_sigmask"(i32 noundef 3, ptr noundef nonnull %6, ptr noundef nonnull %7) #5
  %20 = load atomic i64, ptr @started seq_cst, align 8
  %21 = icmp slt i64 %20, %10
  br i1 %21, label %22, label %38

22:
  %23 = phi i64 [ %36, %33 ], [ %20, %18 ]
  call void @llvm.lifetime.start.p0(ptr nonnull %8) #5
  %24 = getelementptr inbounds %struct.Bell, ptr @bells, i64 %23
  store atomic i32 0, ptr %24 monotonic, align 64
  %25 = getelementptr inbounds nuw i8, ptr %24, i64 8
  %26 = call i32 @pthread_mutex_init(ptr noundef nonnull %25, ptr noundef null) #5
  %27 = getelementptr inbounds nuw i8, ptr %24, i64 72
  %28 = call i32 @"\01_pthread_cond_init"(ptr noundef nonnull %27, ptr noundef null) #5
  %29 = inttoptr i64 %23 to ptr
  %30 = call i32 @pthread_create(ptr noundef nonnull %8, ptr noundef null, ptr noundef nonnull @work, ptr noundef %29) #5
  %31 = icmp eq i32 %30, 0
  br i1 %31, label %33, label %32

32:
  call void @llvm.lifetime.end.p0(ptr nonnull %8) #5
  br label %38

33:
  %34 = load ptr, ptr %8, align 8
  %35 = call i32 @pthread_detach(ptr noundef %34) #5
  call void @llvm.lifetime.end.p0(ptr nonnull %8) #5
  %36 = add i64 %23, 1
  %37 = icmp eq i64 %36, %10
  br i1 %37, label %38, label %22

38:
  %39 = phi i64 [ %23, %32 ], [ %20, %18 ], [ %10, %33 ]
  store atomic i64 %39, ptr @started seq_cst, align 8
  %40 = call i32 @"\01_pthread_sigmask"(i32 noundef 3, ptr noundef nonnull %7, ptr noundef null) #5
  call void @llvm.lifetime.end.p0(ptr nonnull %7) #5
  call void @llvm.lifetime.end.p0(ptr nonnull %6) #5
  br label %43

41:
  %42 = load atomic i64, ptr @started seq_cst, align 8
  br label %43

43:
  %44 = phi i64 [ %39, %38 ], [ %42, %41 ]
  store ptr %0, ptr @job.0, align 64
  store ptr %1, ptr @job.1, align 8
  store i64 %2, ptr @job.2, align 16
  %45 = call noundef i64 @llvm.smin.i64(i64 %44, i64 %10)
  store i64 %45, ptr @job.3, align 8
  %46 = load i64, ptr @cpus, align 8
  %47 = icmp sle i64 %45, %46
  %48 = zext i1 %47 to i8
  store atomic i8 %48, ptr @spins monotonic, align 1
  %49 = add nsw i64 %45, -1
  store atomic i64 %49, ptr @pending release, align 64
  %50 = icmp sgt i64 %45, 1
  br i1 %50, label %61, label %75

51:
  %52 = load ptr, ptr @job.0, align 64
  %53 = load ptr, ptr @job.1, align 8
  %54 = load i64, ptr @job.2, align 16
  %55 = load i64, ptr @job.3, align 8
  %56 = sdiv i64 %54, %55
  %57 = srem i64 %54, %55
  %58 = call noundef i64 @llvm.smin.i64(i64 %57, i64 0)
  %59 = call noundef i64 @llvm.smin.i64(i64 %57, i64 1)
  %60 = add nsw i64 %59, %56
  call void %52(ptr noundef %53, i64 noundef %58, i64 noundef %60, i64 noundef 0) #5
  call fastcc void @bell_wait(ptr noundef nonnull @bells, ptr noundef readonly %4)
  br label %81

61:
  %62 = phi i64 [ %73, %72 ], [ 1, %43 ]
  %63 = getelementptr inbounds nuw %struct.Bell, ptr @bells, i64 %62
  %64 = atomicrmw xchg ptr %63, i32 1 acq_rel, align 16
  %65 = icmp eq i32 %64, 2
  br i1 %65, label %66, label %72

66:
  %67 = getelementptr inbounds nuw i8, ptr %63, i64 8
  %68 = call i32 @pthread_mutex_lock(ptr noundef nonnull %67) #5
  %69 = getelementptr inbounds nuw i8, ptr %63, i64 72
  %70 = call i32 @pthread_cond_signal(ptr noundef nonnull %69) #5
  %71 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %67) #5
  br label %72

72:
  %73 = add nuw nsw i64 %62, 1
  %74 = icmp eq i64 %73, %45
  br i1 %74, label %51, label %61

75:
  %76 = sdiv i64 %2, %45
  %77 = srem i64 %2, %45
  %78 = call noundef i64 @llvm.smin.i64(i64 %77, i64 0)
  %79 = call noundef i64 @llvm.smin.i64(i64 %77, i64 1)
  %80 = add nsw i64 %79, %76
  call void %0(ptr noundef %1, i64 noundef %78, i64 noundef %80, i64 noundef 0) #5
  br label %81

81:
  store atomic i8 0, ptr @busy release, align 64
  br label %85

82:
  %83 = icmp sgt i64 %2, 0
  br i1 %83, label %84, label %85

84:
  tail call void %0(ptr noundef %1, i64 noundef 0, i64 noundef %2, i64 noundef 0) #5
  br label %85

85:
  ret i32 0
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

define void @relay_pool_reset(i64 noundef %0) local_unnamed_addr #0 {
  store i64 %0, ptr @cpus, align 8
  store atomic i64 1, ptr @started seq_cst, align 8
  store atomic i32 0, ptr @bells monotonic, align 64
  %2 = tail call i32 @pthread_mutex_init(ptr noundef nonnull getelementptr inbounds nuw (i8, ptr @bells, i64 8), ptr noundef null) #5
  %3 = tail call i32 @"\01_pthread_cond_init"(ptr noundef nonnull getelementptr inbounds nuw (i8, ptr @bells, i64 72), ptr noundef null) #5
  store atomic i8 0, ptr @busy release, align 64
  ret void
}

define i64 @relay_pool_started() local_unnamed_addr #2 {
  %1 = load atomic i64, ptr @started seq_cst, align 8
  ret i64 %1
}

declare i32 @"\01_pthread_sigmask"(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr #3

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
  %21 = atomicrmw xchg ptr @bells, i32 1 acq_rel, align 16
  %22 = icmp eq i32 %21, 2
  br i1 %22, label %23, label %27

23:
  %24 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull getelementptr inbounds nuw (i8, ptr @bells, i64 8)) #5
  %25 = tail call i32 @pthread_cond_signal(ptr noundef nonnull getelementptr inbounds nuw (i8, ptr @bells, i64 72)) #5
  %26 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull getelementptr inbounds nuw (i8, ptr @bells, i64 8)) #5
  br label %27

27:
  br label %5
}

declare i32 @pthread_detach(ptr noundef) local_unnamed_addr #3

define internal fastcc void @bell_wait(ptr noundef %0, ptr noundef readonly captures(address_is_null) %1) unnamed_addr #0 {
  %3 = alloca %struct.timespec, align 8
  %4 = alloca %struct.timespec, align 8
  %5 = alloca %struct.timespec, align 8
  %6 = load atomic i8, ptr @spins monotonic, align 1
  %7 = trunc nuw i8 %6 to i1
  br i1 %7, label %8, label %34

8:
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #5
  %9 = call i32 @clock_gettime(i32 noundef 6, ptr noundef nonnull %5) #5
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
  %19 = load atomic i32, ptr %0 acquire, align 16
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
  %28 = call i32 @clock_gettime(i32 noundef 6, ptr noundef nonnull %4) #5
  %29 = load i64, ptr %4, align 8
  %30 = mul nsw i64 %29, 1000000000
  %31 = load i64, ptr %16, align 8
  %32 = add nsw i64 %30, %31
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #5
  %33 = icmp slt i64 %32, %15
  br i1 %33, label %24, label %37

34:
  %35 = load atomic i32, ptr %0 acquire, align 16
  %36 = icmp eq i32 %35, 1
  br i1 %36, label %78, label %37

37:
  %38 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %39 = call i32 @pthread_mutex_lock(ptr noundef nonnull %38) #5
  %40 = cmpxchg ptr %0, i32 0, i32 2 seq_cst seq_cst, align 16
  %41 = load atomic i32, ptr %0 acquire, align 16
  %42 = icmp eq i32 %41, 2
  br i1 %42, label %43, label %76

43:
  %44 = icmp eq ptr %1, null
  %45 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %46 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %47 = getelementptr inbounds nuw i8, ptr %1, i64 40
  %48 = getelementptr inbounds nuw i8, ptr %1, i64 32
  br label %49

49:
  br i1 %44, label %50, label %52

50:
  %51 = call i32 @"\01_pthread_cond_wait"(ptr noundef nonnull %46, ptr noundef nonnull %38) #5
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
  %60 = call i32 @"\01_pthread_cond_timedwait"(ptr noundef nonnull %46, ptr noundef nonnull %38, ptr noundef nonnull %3) #5
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
  %74 = load atomic i32, ptr %0 acquire, align 16
  %75 = icmp eq i32 %74, 2
  br i1 %75, label %49, label %76

76:
  %77 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %38) #5
  br label %78

78:
  store atomic i32 0, ptr %0 release, align 16
  ret void
}

declare i32 @pthread_mutex_lock(ptr noundef) local_unnamed_addr #3

declare i32 @pthread_mutex_unlock(ptr noundef) local_unnamed_addr #3

declare i32 @sched_yield() local_unnamed_addr #3

declare i32 @clock_gettime(i32 noundef, ptr noundef) local_unnamed_addr #3

declare void @llvm.x86.sse2.pause() #5

declare i32 @"\01_pthread_cond_wait"(ptr noundef, ptr noundef) local_unnamed_addr #3

declare i32 @"\01_pthread_cond_timedwait"(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #3

declare i32 @pthread_cond_signal(ptr noundef) local_unnamed_addr #3

declare i32 @pthread_mutex_init(ptr noundef, ptr noundef) local_unnamed_addr #3

declare i32 @"\01_pthread_cond_init"(ptr noundef, ptr noundef) local_unnamed_addr #3

declare i64 @llvm.smin.i64(i64, i64) #6

attributes #0 = { nounwind }
attributes #1 = { nounwind }
attributes #2 = { nounwind }
attributes #3 = { nounwind }
attributes #4 = { nounwind noreturn }
attributes #5 = { nounwind }
attributes #6 = { nounwind }

