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
  br i1 %11, label %12, label %86

12:
  %13 = cmpxchg ptr @busy, i8 0, i8 1 acquire monotonic, align 64
  %14 = extractvalue { i8, i1 } %13, 1
  br i1 %14, label %15, label %86

15:
  %16 = load atomic i64, ptr @started seq_cst, align 8
  %17 = icmp slt i64 %16, %10
  br i1 %17, label %18, label %41

18:
  call void @llvm.lifetime.start.p0(ptr nonnull %6) #6
  call void @llvm.lifetime.start.p0(ptr nonnull %7) #6
  store i32 -1, ptr %6, align 4
  %19 = call i32 @"\01_pthread_sigmask"(i32 noundef 3, ptr noundef nonnull %6, ptr noundef nonnull %7) #6
  %20 = load atomic i64, ptr @started seq_cst, align 8
  %21 = icmp slt i64 %20, %10
  br i1 %21, label %22, label %38

22:
  %23 = phi i64 [ %36, %33 ], [ %20, %18 ]
  call void @llvm.lifetime.start.p0(ptr nonnull %8) #6
  %24 = getelementptr inbounds %struct.Bell, ptr @bells, i64 %23
  store atomic i32 0, ptr %24 monotonic, align 64
  %25 = getelementptr inbounds nuw i8, ptr %24, i64 8
  %26 = call i32 @pthread_mutex_init(ptr noundef nonnull %25, ptr noundef null) #6
  %27 = getelementptr inbounds nuw i8, ptr %24, i64 72
  %28 = call i32 @"\01_pthread_cond_init"(ptr noundef nonnull %27, ptr noundef null) #6
  %29 = inttoptr i64 %23 to ptr
  %30 = call i32 @pthread_create(ptr noundef nonnull %8, ptr noundef null, ptr noundef nonnull @work, ptr noundef %29) #6
  %31 = icmp eq i32 %30, 0
  br i1 %31, label %33, label %32

32:
  call void @llvm.lifetime.end.p0(ptr nonnull %8) #6
  br label %38

33:
  %34 = load ptr, ptr %8, align 8
  %35 = call i32 @pthread_detach(ptr noundef %34) #6
  call void @llvm.lifetime.end.p0(ptr nonnull %8) #6
  %36 = add i64 %23, 1
  %37 = icmp eq i64 %36, %10
  br i1 %37, label %38, label %22

38:
  %39 = phi i64 [ %23, %32 ], [ %20, %18 ], [ %10, %33 ]
  store atomic i64 %39, ptr @started seq_cst, align 8
  %40 = call i32 @"\01_pthread_sigmask"(i32 noundef 3, ptr noundef nonnull %7, ptr noundef null) #6
  call void @llvm.lifetime.end.p0(ptr nonnull %7) #6
  call void @llvm.lifetime.end.p0(ptr nonnull %6) #6
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
  br i1 %50, label %64, label %78

51:
  %52 = load ptr, ptr @job.0, align 64
  %53 = load ptr, ptr @job.1, align 8
  %54 = load i64, ptr @job.2, align 16
  %55 = load i64, ptr @job.3, align 8
  %56 = freeze i64 %54
  %57 = freeze i64 %55
  %58 = sdiv i64 %56, %57
  %59 = mul i64 %58, %57
  %60 = sub i64 %56, %59
  %61 = call noundef i64 @llvm.smin.i64(i64 %60, i64 0)
  %62 = call noundef i64 @llvm.smin.i64(i64 %60, i64 1)
  %63 = add nsw i64 %62, %58
  call void %52(ptr noundef %53, i64 noundef %61, i64 noundef %63, i64 noundef 0) #6
  call fastcc void @bell_wait(ptr noundef nonnull @bells, ptr noundef readonly %4)
  br label %85

64:
  %65 = phi i64 [ %76, %75 ], [ 1, %43 ]
  %66 = getelementptr inbounds nuw %struct.Bell, ptr @bells, i64 %65
  %67 = atomicrmw xchg ptr %66, i32 1 acq_rel, align 16
  %68 = icmp eq i32 %67, 2
  br i1 %68, label %69, label %75

69:
  %70 = getelementptr inbounds nuw i8, ptr %66, i64 8
  %71 = call i32 @pthread_mutex_lock(ptr noundef nonnull %70) #6
  %72 = getelementptr inbounds nuw i8, ptr %66, i64 72
  %73 = call i32 @pthread_cond_signal(ptr noundef nonnull %72) #6
  %74 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %70) #6
  br label %75

75:
  %76 = add nuw nsw i64 %65, 1
  %77 = icmp eq i64 %76, %45
  br i1 %77, label %51, label %64

78:
  %79 = sdiv i64 %2, %45
  %80 = mul i64 %79, %45
  %81 = sub i64 %2, %80
  %82 = call noundef i64 @llvm.smin.i64(i64 %81, i64 0)
  %83 = call noundef i64 @llvm.smin.i64(i64 %81, i64 1)
  %84 = add nsw i64 %83, %79
  call void %0(ptr noundef %1, i64 noundef %82, i64 noundef %84, i64 noundef 0) #6
  br label %85

85:
  store atomic i8 0, ptr @busy release, align 64
  br label %89

86:
  %87 = icmp sgt i64 %2, 0
  br i1 %87, label %88, label %89

88:
  tail call void %0(ptr noundef %1, i64 noundef 0, i64 noundef %2, i64 noundef 0) #6
  br label %89

89:
  ret i32 0
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

define void @relay_pool_reset(i64 noundef %0) local_unnamed_addr #0 {
  store i64 %0, ptr @cpus, align 8
  store atomic i64 1, ptr @started seq_cst, align 8
  store atomic i32 0, ptr @bells monotonic, align 64
  %2 = tail call i32 @pthread_mutex_init(ptr noundef nonnull getelementptr inbounds nuw (i8, ptr @bells, i64 8), ptr noundef null) #6
  %3 = tail call i32 @"\01_pthread_cond_init"(ptr noundef nonnull getelementptr inbounds nuw (i8, ptr @bells, i64 72), ptr noundef null) #6
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
  %10 = freeze i64 %8
  %11 = freeze i64 %9
  %12 = sdiv i64 %10, %11
  %13 = mul i64 %12, %11
  %14 = sub i64 %10, %13
  %15 = mul nsw i64 %12, %2
  %16 = tail call noundef i64 @llvm.smin.i64(i64 %14, i64 %2)
  %17 = add nsw i64 %16, %15
  %18 = mul nsw i64 %12, %4
  %19 = tail call noundef i64 @llvm.smin.i64(i64 %14, i64 %4)
  %20 = add nsw i64 %19, %18
  tail call void %6(ptr noundef %7, i64 noundef %17, i64 noundef %20, i64 noundef %2) #6
  %21 = atomicrmw sub ptr @pending, i64 1 acq_rel, align 64
  %22 = icmp eq i64 %21, 1
  br i1 %22, label %23, label %30

23:
  %24 = atomicrmw xchg ptr @bells, i32 1 acq_rel, align 16
  %25 = icmp eq i32 %24, 2
  br i1 %25, label %26, label %30

26:
  %27 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull getelementptr inbounds nuw (i8, ptr @bells, i64 8)) #6
  %28 = tail call i32 @pthread_cond_signal(ptr noundef nonnull getelementptr inbounds nuw (i8, ptr @bells, i64 72)) #6
  %29 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull getelementptr inbounds nuw (i8, ptr @bells, i64 8)) #6
  br label %30

30:
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
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #6
  %9 = call i32 @clock_gettime(i32 noundef 6, ptr noundef nonnull %5) #6
  %10 = load i64, ptr %5, align 8
  %11 = mul nsw i64 %10, 1000000000
  %12 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %13 = load i64, ptr %12, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #6
  %14 = add i64 %13, 50000
  %15 = add i64 %14, %11
  %16 = getelementptr inbounds nuw i8, ptr %4, i64 8
  br label %17

17:
  %18 = phi i32 [ 0, %8 ], [ %25, %24 ]
  %19 = load atomic i32, ptr %0 acquire, align 16
  %20 = icmp eq i32 %19, 1
  br i1 %20, label %80, label %21

21:
  call void asm sideeffect "yield", ""() #6
  %22 = add nuw nsw i32 %18, 1
  %23 = icmp eq i32 %22, 64
  br i1 %23, label %26, label %24

24:
  %25 = phi i32 [ %22, %21 ], [ 0, %26 ]
  br label %17

26:
  %27 = call i32 @sched_yield() #6
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #6
  %28 = call i32 @clock_gettime(i32 noundef 6, ptr noundef nonnull %4) #6
  %29 = load i64, ptr %4, align 8
  %30 = mul nsw i64 %29, 1000000000
  %31 = load i64, ptr %16, align 8
  %32 = add nsw i64 %30, %31
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #6
  %33 = icmp slt i64 %32, %15
  br i1 %33, label %24, label %37

34:
  %35 = load atomic i32, ptr %0 acquire, align 16
  %36 = icmp eq i32 %35, 1
  br i1 %36, label %80, label %37

37:
  %38 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %39 = call i32 @pthread_mutex_lock(ptr noundef nonnull %38) #6
  %40 = cmpxchg ptr %0, i32 0, i32 2 seq_cst seq_cst, align 16
  %41 = load atomic i32, ptr %0 acquire, align 16
  %42 = icmp eq i32 %41, 2
  br i1 %42, label %43, label %78

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
  %51 = call i32 @"\01_pthread_cond_wait"(ptr noundef nonnull %46, ptr noundef nonnull %38) #6
  br label %75

52:
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #6
  %53 = call i32 @clock_gettime(i32 noundef 0, ptr noundef nonnull %3) #6
  %54 = load i64, ptr %45, align 8
  %55 = add nsw i64 %54, 20000000
  %56 = freeze i64 %55
  %57 = sdiv i64 %56, 1000000000
  %58 = load i64, ptr %3, align 8
  %59 = add nsw i64 %57, %58
  store i64 %59, ptr %3, align 8
  %60 = mul i64 %57, 1000000000
  %61 = sub i64 %56, %60
  store i64 %61, ptr %45, align 8
  %62 = call i32 @"\01_pthread_cond_timedwait"(ptr noundef nonnull %46, ptr noundef nonnull %38, ptr noundef nonnull %3) #6
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #6
  %63 = load ptr, ptr %47, align 8
  %64 = icmp eq ptr %63, null
  br i1 %64, label %75, label %65

65:
  %66 = load ptr, ptr %48, align 8
  %67 = load atomic i32, ptr %66 monotonic, align 8
  %68 = icmp eq i32 %67, 0
  br i1 %68, label %75, label %69

69:
  %70 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %38) #6
  %71 = load ptr, ptr %47, align 8
  %72 = load ptr, ptr %48, align 8
  %73 = call i32 %71(ptr noundef %72) #6
  %74 = call i32 @pthread_mutex_lock(ptr noundef nonnull %38) #6
  br label %75

75:
  %76 = load atomic i32, ptr %0 acquire, align 16
  %77 = icmp eq i32 %76, 2
  br i1 %77, label %49, label %78

78:
  %79 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %38) #6
  br label %80

80:
  store atomic i32 0, ptr %0 release, align 16
  ret void
}

declare i32 @pthread_mutex_lock(ptr noundef) local_unnamed_addr #3

declare i32 @pthread_mutex_unlock(ptr noundef) local_unnamed_addr #3

declare i32 @sched_yield() local_unnamed_addr #3

declare i32 @clock_gettime(i32 noundef, ptr noundef) local_unnamed_addr #3

declare i32 @"\01_pthread_cond_wait"(ptr noundef, ptr noundef) local_unnamed_addr #3

declare i32 @"\01_pthread_cond_timedwait"(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #3

declare i32 @pthread_cond_signal(ptr noundef) local_unnamed_addr #3

declare i32 @pthread_mutex_init(ptr noundef, ptr noundef) local_unnamed_addr #3

declare i32 @"\01_pthread_cond_init"(ptr noundef, ptr noundef) local_unnamed_addr #3

declare i64 @llvm.smin.i64(i64, i64) #5

attributes #0 = { nounwind }
attributes #1 = { nounwind }
attributes #2 = { nounwind }
attributes #3 = { nounwind }
attributes #4 = { nounwind noreturn }
attributes #5 = { nounwind }
attributes #6 = { nounwind }

