; Written by tools/c_runtime.py from the C sources; do not edit.

%struct.Worker = type { i32, i32, ptr, i64, %union.pthread_mutex_t, %union.pthread_cond_t, [16 x i8] }
%union.pthread_mutex_t = type { %struct.__pthread_mutex_s }
%struct.__pthread_mutex_s = type { i32, i32, i32, i32, i32, i16, i16, %struct.__pthread_internal_list }
%struct.__pthread_internal_list = type { ptr, ptr }
%union.pthread_cond_t = type { %struct.__pthread_cond_s }
%struct.__pthread_cond_s = type { %union.__atomic_wide_counter, %union.__atomic_wide_counter, [2 x i32], i32, i32, [2 x i32], i32, i32 }
%union.__atomic_wide_counter = type { i64 }
%struct.Loop = type { ptr, ptr, ptr, i64, i64, i64, i64, i8, i64, ptr }
%struct.__sigset_t = type { [16 x i64] }
%union.pthread_attr_t = type { i64, [48 x i8] }
%struct.Share = type { i64, i64, i64, [40 x i8] }
%struct.timespec = type { i64, i64 }

@relay_pool_cpus = local_unnamed_addr global i64 1, align 8
@epoch = internal global i64 0, align 8
@callers = internal global i64 0, align 8
@started = internal global i64 0, align 8
@growing = internal global i8 0, align 1
@workers = internal global [255 x %struct.Worker] zeroinitializer, align 64

define range(i32 -1, 1) i32 @relay_pool_run(ptr noundef %0, ptr noundef %1, i64 noundef %2, i64 noundef %3, i32 noundef %4, i64 noundef %5, ptr noundef %6) local_unnamed_addr #0 {
  %8 = alloca %struct.Loop, align 8
  %9 = tail call noundef i64 @llvm.smax.i64(i64 %3, i64 1)
  %10 = sdiv i64 %2, %9
  %11 = tail call i64 @llvm.smin.i64(i64 %5, i64 %10)
  %12 = icmp sgt i64 %11, 1
  br i1 %12, label %13, label %30

13:
  %14 = tail call i64 @llvm.umin.i64(i64 %11, i64 256)
  %15 = add nsw i64 %14, -1
  call void @llvm.lifetime.start.p0(ptr nonnull %8) #7
  store ptr %0, ptr %8, align 8
  %16 = getelementptr inbounds nuw i8, ptr %8, i64 8
  store ptr %1, ptr %16, align 8
  %17 = getelementptr inbounds nuw i8, ptr %8, i64 16
  store ptr %6, ptr %17, align 8
  %18 = getelementptr inbounds nuw i8, ptr %8, i64 24
  store i64 %2, ptr %18, align 8
  %19 = getelementptr inbounds nuw i8, ptr %8, i64 32
  store i64 %9, ptr %19, align 8
  %20 = getelementptr inbounds nuw i8, ptr %8, i64 40
  store i64 %10, ptr %20, align 8
  %21 = getelementptr inbounds nuw i8, ptr %8, i64 48
  store i64 1, ptr %21, align 8
  %22 = getelementptr inbounds nuw i8, ptr %8, i64 56
  %23 = icmp ne i32 %4, 0
  %24 = zext i1 %23 to i8
  store i8 %24, ptr %22, align 8
  %25 = getelementptr inbounds nuw i8, ptr %8, i64 57
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 1 dereferenceable(7) %25, i8 0, i64 7, i1 false)
  %26 = getelementptr inbounds nuw i8, ptr %8, i64 64
  %27 = load atomic i64, ptr @epoch seq_cst, align 8
  store i64 %27, ptr %26, align 8
  %28 = getelementptr inbounds nuw i8, ptr %8, i64 72
  store ptr null, ptr %28, align 8
  %29 = call fastcc i32 @run_shared(ptr noundef %8, i64 noundef %15)
  call void @llvm.lifetime.end.p0(ptr nonnull %8) #7
  br label %33

30:
  %31 = icmp sgt i64 %2, 0
  br i1 %31, label %32, label %33

32:
  tail call void %0(ptr noundef %1, i64 noundef 0, i64 noundef %2, i64 noundef 0) #7
  br label %33

33:
  %34 = phi i32 [ %29, %13 ], [ 0, %32 ], [ 0, %30 ]
  ret i32 %34
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #2

define internal fastcc range(i32 -1, 1) i32 @run_shared(ptr noundef nonnull %0, i64 noundef range(i64 1, -9223372036854775808) %1) unnamed_addr #3 {
  %3 = alloca %struct.__sigset_t, align 8
  %4 = alloca %struct.__sigset_t, align 8
  %5 = alloca %union.pthread_attr_t, align 8
  %6 = alloca i64, align 8
  %7 = alloca ptr, i64 %1, align 16
  %8 = atomicrmw add ptr @callers, i64 1 seq_cst, align 8
  %9 = load atomic i64, ptr @callers seq_cst, align 8
  %10 = mul nsw i64 %9, %1
  %11 = load atomic i64, ptr @relay_pool_cpus seq_cst, align 8
  %12 = add nsw i64 %11, -1
  %13 = tail call noundef i64 @llvm.smin.i64(i64 %10, i64 %12)
  %14 = tail call noundef i64 @llvm.smax.i64(i64 %1, i64 %13)
  %15 = load atomic i64, ptr @started seq_cst, align 8
  %16 = icmp slt i64 %15, %14
  br i1 %16, label %17, label %46

17:
  %18 = cmpxchg ptr @growing, i8 0, i8 1 seq_cst seq_cst, align 1
  %19 = extractvalue { i8, i1 } %18, 1
  br i1 %19, label %20, label %46

20:
  %21 = load atomic i64, ptr @started seq_cst, align 8
  %22 = icmp slt i64 %21, %14
  br i1 %22, label %23, label %45

23:
  %24 = load atomic i64, ptr @started seq_cst, align 8
  %25 = getelementptr inbounds %struct.Worker, ptr @workers, i64 %24
  call void @llvm.lifetime.start.p0(ptr nonnull %6) #7
  %26 = getelementptr inbounds nuw i8, ptr %25, i64 24
  %27 = call i32 @pthread_mutex_init(ptr noundef nonnull %26, ptr noundef null) #7
  %28 = getelementptr inbounds nuw i8, ptr %25, i64 64
  %29 = call i32 @pthread_cond_init(ptr noundef nonnull %28, ptr noundef null) #7
  store atomic i32 0, ptr %25 seq_cst, align 64
  %30 = getelementptr inbounds nuw i8, ptr %25, i64 4
  store atomic i32 0, ptr %30 seq_cst, align 4
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #7
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #7
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #7
  %31 = call i32 @sigfillset(ptr noundef nonnull %3) #7
  %32 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %3, ptr noundef nonnull %4) #7
  %33 = call i32 @pthread_attr_init(ptr noundef nonnull %5) #7
  %34 = call i32 @pthread_create(ptr noundef nonnull %6, ptr noundef nonnull %5, ptr noundef nonnull @work, ptr noundef nonnull %25) #7
  %35 = icmp eq i32 %34, 0
  %36 = call i32 @pthread_attr_destroy(ptr noundef nonnull %5) #7
  %37 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %4, ptr noundef null) #7
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #7
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #7
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #7
  br i1 %35, label %39, label %38

38:
  call void @llvm.lifetime.end.p0(ptr nonnull %6) #7
  br label %45

39:
  %40 = load i64, ptr %6, align 8
  %41 = call i32 @pthread_detach(i64 noundef %40) #7
  call void @llvm.lifetime.end.p0(ptr nonnull %6) #7
  %42 = atomicrmw add ptr @started, i64 1 seq_cst, align 8
  %43 = load atomic i64, ptr @started seq_cst, align 8
  %44 = icmp slt i64 %43, %14
  br i1 %44, label %23, label %45

45:
  store atomic i8 0, ptr @growing seq_cst, align 1
  br label %46

46:
  %47 = load atomic i64, ptr @started seq_cst, align 8
  %48 = icmp sgt i64 %47, 0
  br i1 %48, label %51, label %49

49:
  %50 = getelementptr inbounds nuw i8, ptr %0, i64 48
  store i64 1, ptr %50, align 8
  br label %75

51:
  %52 = phi i64 [ %64, %63 ], [ 0, %46 ]
  %53 = phi i64 [ %65, %63 ], [ 0, %46 ]
  %54 = getelementptr inbounds nuw %struct.Worker, ptr @workers, i64 %53
  %55 = load atomic i32, ptr %54 acquire, align 64
  %56 = icmp eq i32 %55, 0
  br i1 %56, label %57, label %63

57:
  %58 = cmpxchg ptr %54, i32 0, i32 1 seq_cst seq_cst, align 64
  %59 = extractvalue { i32, i1 } %58, 1
  br i1 %59, label %60, label %63

60:
  %61 = add nsw i64 %52, 1
  %62 = getelementptr inbounds ptr, ptr %7, i64 %52
  store ptr %54, ptr %62, align 8
  br label %63

63:
  %64 = phi i64 [ %61, %60 ], [ %52, %57 ], [ %52, %51 ]
  %65 = add nuw nsw i64 %53, 1
  %66 = icmp slt i64 %65, %47
  %67 = icmp slt i64 %64, %1
  %68 = select i1 %66, i1 %67, i1 false
  br i1 %68, label %51, label %69

69:
  %70 = add nsw i64 %64, 1
  %71 = getelementptr inbounds nuw i8, ptr %0, i64 48
  store i64 %70, ptr %71, align 8
  %72 = icmp sgt i64 %64, 0
  br i1 %72, label %73, label %75

73:
  %74 = call fastcc i32 @run_with(ptr noundef %0, ptr noundef %7)
  br label %81

75:
  %76 = load ptr, ptr %0, align 8
  %77 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %78 = load ptr, ptr %77, align 8
  %79 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %80 = load i64, ptr %79, align 8
  call void %76(ptr noundef %78, i64 noundef 0, i64 noundef %80, i64 noundef 0) #7
  br label %81

81:
  %82 = phi i32 [ %74, %73 ], [ 0, %75 ]
  %83 = load atomic i64, ptr @epoch seq_cst, align 8
  %84 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %85 = load i64, ptr %84, align 8
  %86 = icmp eq i64 %83, %85
  br i1 %86, label %87, label %89

87:
  %88 = atomicrmw sub ptr @callers, i64 1 seq_cst, align 8
  br label %89

89:
  ret i32 %82
}

declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

define void @relay_pool_reset() local_unnamed_addr #4 {
  store atomic i64 0, ptr @callers seq_cst, align 8
  store atomic i64 0, ptr @started seq_cst, align 8
  store atomic i8 0, ptr @growing seq_cst, align 1
  %1 = atomicrmw add ptr @epoch, i64 1 seq_cst, align 8
  ret void
}

define range(i64 -9223372036854775807, -9223372036854775808) i64 @relay_pool_started() local_unnamed_addr #4 {
  %1 = load atomic i64, ptr @started seq_cst, align 8
  %2 = add nsw i64 %1, 1
  ret i64 %2
}

define internal fastcc range(i32 -1, 1) i32 @run_with(ptr noundef nonnull initializes((72, 80)) %0, ptr noundef nonnull readonly captures(none) %1) unnamed_addr #0 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %4 = load i64, ptr %3, align 8
  %5 = alloca %struct.Share, i64 %4, align 64
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 72
  store ptr %5, ptr %6, align 8
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %8 = load i64, ptr %7, align 8
  %9 = sdiv i64 %8, %4
  %10 = srem i64 %8, %4
  %11 = icmp sgt i64 %4, 0
  br i1 %11, label %12, label %125

12:
  %13 = phi i64 [ %29, %12 ], [ 0, %2 ]
  %14 = mul nsw i64 %13, %9
  %15 = call noundef i64 @llvm.smin.i64(i64 %10, i64 %13)
  %16 = add nsw i64 %14, %15
  %17 = load ptr, ptr %6, align 8
  %18 = getelementptr inbounds nuw %struct.Share, ptr %17, i64 %13
  %19 = getelementptr inbounds nuw i8, ptr %18, i64 8
  store i64 %16, ptr %19, align 8
  %20 = load ptr, ptr %6, align 8
  %21 = getelementptr inbounds nuw %struct.Share, ptr %20, i64 %13
  store atomic i64 %16, ptr %21 seq_cst, align 8
  %22 = add nsw i64 %16, %9
  %23 = icmp slt i64 %13, %10
  %24 = zext i1 %23 to i64
  %25 = add nsw i64 %22, %24
  %26 = load ptr, ptr %6, align 8
  %27 = getelementptr inbounds nuw %struct.Share, ptr %26, i64 %13
  %28 = getelementptr inbounds nuw i8, ptr %27, i64 16
  store i64 %25, ptr %28, align 16
  %29 = add nuw nsw i64 %13, 1
  %30 = load i64, ptr %3, align 8
  %31 = icmp slt i64 %29, %30
  br i1 %31, label %12, label %32

32:
  %33 = icmp sgt i64 %30, 1
  br i1 %33, label %100, label %34

34:
  %35 = phi i64 [ %30, %32 ], [ %119, %118 ]
  %36 = icmp sgt i64 %35, 0
  br i1 %36, label %37, label %125

37:
  %38 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %39 = getelementptr inbounds nuw i8, ptr %0, i64 56
  %40 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %41 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %42 = getelementptr inbounds nuw i8, ptr %0, i64 8
  br label %43

43:
  %44 = phi i64 [ 0, %37 ], [ %93, %88 ]
  %45 = phi i64 [ 0, %37 ], [ %92, %88 ]
  %46 = load ptr, ptr %6, align 8
  %47 = getelementptr inbounds %struct.Share, ptr %46, i64 %45
  %48 = getelementptr inbounds nuw i8, ptr %47, i64 16
  %49 = atomicrmw add ptr %47, i64 1 monotonic, align 64
  %50 = load i64, ptr %48, align 16
  %51 = icmp slt i64 %49, %50
  br i1 %51, label %52, label %88

52:
  %53 = getelementptr inbounds nuw i8, ptr %47, i64 8
  br label %54

54:
  %55 = phi i64 [ %50, %52 ], [ %86, %81 ]
  %56 = phi i64 [ %49, %52 ], [ %85, %81 ]
  %57 = load ptr, ptr %38, align 8
  %58 = icmp eq ptr %57, null
  br i1 %58, label %62, label %59

59:
  %60 = load atomic i64, ptr %57 monotonic, align 8
  %61 = icmp eq i64 %60, 0
  br i1 %61, label %62, label %88

62:
  %63 = load i8, ptr %39, align 8
  %64 = trunc nuw i8 %63 to i1
  br i1 %64, label %65, label %70

65:
  %66 = load i64, ptr %53, align 8
  %67 = xor i64 %56, -1
  %68 = add i64 %55, %67
  %69 = add i64 %68, %66
  br label %70

70:
  %71 = phi i64 [ %69, %65 ], [ %56, %62 ]
  %72 = load i64, ptr %40, align 8
  %73 = mul nsw i64 %72, %71
  %74 = load i64, ptr %7, align 8
  %75 = add nsw i64 %74, -1
  %76 = icmp eq i64 %71, %75
  br i1 %76, label %77, label %79

77:
  %78 = load i64, ptr %41, align 8
  br label %81

79:
  %80 = add nsw i64 %73, %72
  br label %81

81:
  %82 = phi i64 [ %78, %77 ], [ %80, %79 ]
  %83 = load ptr, ptr %0, align 8
  %84 = load ptr, ptr %42, align 8
  call void %83(ptr noundef %84, i64 noundef %73, i64 noundef %82, i64 noundef 0) #7
  %85 = atomicrmw add ptr %47, i64 1 monotonic, align 64
  %86 = load i64, ptr %48, align 16
  %87 = icmp slt i64 %85, %86
  br i1 %87, label %54, label %88

88:
  %89 = add nsw i64 %45, 1
  %90 = load i64, ptr %3, align 8
  %91 = icmp eq i64 %89, %90
  %92 = select i1 %91, i64 0, i64 %89
  %93 = add nuw nsw i64 %44, 1
  %94 = icmp slt i64 %93, %90
  br i1 %94, label %43, label %95

95:
  %96 = icmp sgt i64 %90, 1
  br i1 %96, label %97, label %125

97:
  %98 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %99 = getelementptr inbounds nuw i8, ptr %0, i64 16
  br label %127

100:
  %101 = phi i64 [ %105, %118 ], [ 0, %32 ]
  %102 = getelementptr inbounds nuw ptr, ptr %1, i64 %101
  %103 = load ptr, ptr %102, align 8
  %104 = getelementptr inbounds nuw i8, ptr %103, i64 8
  store ptr %0, ptr %104, align 8
  %105 = add nuw nsw i64 %101, 1
  %106 = load ptr, ptr %102, align 8
  %107 = getelementptr inbounds nuw i8, ptr %106, i64 16
  store i64 %105, ptr %107, align 16
  %108 = load ptr, ptr %102, align 8
  store atomic i32 2, ptr %108 seq_cst, align 64
  %109 = getelementptr inbounds nuw i8, ptr %108, i64 4
  %110 = load atomic i32, ptr %109 seq_cst, align 4
  %111 = icmp eq i32 %110, 0
  br i1 %111, label %118, label %112

112:
  %113 = getelementptr inbounds nuw i8, ptr %108, i64 24
  %114 = call i32 @pthread_mutex_lock(ptr noundef nonnull %113) #7
  %115 = getelementptr inbounds nuw i8, ptr %108, i64 64
  %116 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %115) #7
  %117 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %113) #7
  br label %118

118:
  %119 = load i64, ptr %3, align 8
  %120 = add nsw i64 %119, -1
  %121 = icmp slt i64 %105, %120
  br i1 %121, label %100, label %34

122:
  %123 = xor i1 %146, true
  %124 = sext i1 %123 to i32
  br label %125

125:
  %126 = phi i32 [ 0, %95 ], [ %124, %122 ], [ 0, %34 ], [ 0, %2 ]
  ret i32 %126

127:
  %128 = phi i64 [ 0, %97 ], [ %147, %144 ]
  %129 = phi i1 [ true, %97 ], [ %146, %144 ]
  %130 = getelementptr inbounds nuw ptr, ptr %1, i64 %128
  %131 = load ptr, ptr %130, align 8
  %132 = load atomic i64, ptr @epoch seq_cst, align 8
  %133 = load i64, ptr %98, align 8
  %134 = icmp eq i64 %132, %133
  br i1 %134, label %135, label %144

135:
  %136 = cmpxchg ptr %131, i32 2, i32 0 seq_cst seq_cst, align 64
  %137 = extractvalue { i32, i1 } %136, 1
  br i1 %137, label %144, label %138

138:
  %139 = load ptr, ptr %99, align 8
  call fastcc void @await(ptr noundef %131, i32 noundef 4, ptr noundef %139)
  %140 = load atomic i64, ptr @epoch seq_cst, align 8
  %141 = load i64, ptr %98, align 8
  %142 = icmp eq i64 %140, %141
  br i1 %142, label %143, label %144

143:
  store atomic i32 0, ptr %131 release, align 64
  br label %144

144:
  %145 = phi i1 [ false, %127 ], [ true, %143 ], [ true, %135 ], [ false, %138 ]
  %146 = and i1 %129, %145
  %147 = add nuw nsw i64 %128, 1
  %148 = load i64, ptr %3, align 8
  %149 = add nsw i64 %148, -1
  %150 = icmp slt i64 %147, %149
  br i1 %150, label %127, label %122
}

define internal noalias noundef nonnull ptr @work(ptr noundef %0) #5 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 4
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 64
  br label %7

7:
  tail call fastcc void @await(ptr noundef %0, i32 noundef 2, ptr noundef null)
  %8 = cmpxchg ptr %0, i32 2, i32 3 seq_cst seq_cst, align 64
  %9 = extractvalue { i32, i1 } %8, 1
  br i1 %9, label %10, label %83

10:
  %11 = load ptr, ptr %2, align 8
  %12 = load i64, ptr %3, align 16
  %13 = getelementptr inbounds nuw i8, ptr %11, i64 48
  %14 = load i64, ptr %13, align 8
  %15 = icmp sgt i64 %14, 0
  br i1 %15, label %16, label %76

16:
  %17 = getelementptr inbounds nuw i8, ptr %11, i64 72
  %18 = getelementptr inbounds nuw i8, ptr %11, i64 16
  %19 = getelementptr inbounds nuw i8, ptr %11, i64 56
  %20 = getelementptr inbounds nuw i8, ptr %11, i64 32
  %21 = getelementptr inbounds nuw i8, ptr %11, i64 40
  %22 = getelementptr inbounds nuw i8, ptr %11, i64 24
  %23 = getelementptr inbounds nuw i8, ptr %11, i64 8
  br label %24

24:
  %25 = phi i64 [ 0, %16 ], [ %74, %69 ]
  %26 = phi i64 [ %12, %16 ], [ %73, %69 ]
  %27 = load ptr, ptr %17, align 8
  %28 = getelementptr inbounds %struct.Share, ptr %27, i64 %26
  %29 = getelementptr inbounds nuw i8, ptr %28, i64 16
  %30 = atomicrmw add ptr %28, i64 1 monotonic, align 64
  %31 = load i64, ptr %29, align 16
  %32 = icmp slt i64 %30, %31
  br i1 %32, label %33, label %69

33:
  %34 = getelementptr inbounds nuw i8, ptr %28, i64 8
  br label %35

35:
  %36 = phi i64 [ %31, %33 ], [ %67, %62 ]
  %37 = phi i64 [ %30, %33 ], [ %66, %62 ]
  %38 = load ptr, ptr %18, align 8
  %39 = icmp eq ptr %38, null
  br i1 %39, label %43, label %40

40:
  %41 = load atomic i64, ptr %38 monotonic, align 8
  %42 = icmp eq i64 %41, 0
  br i1 %42, label %43, label %69

43:
  %44 = load i8, ptr %19, align 8
  %45 = trunc nuw i8 %44 to i1
  br i1 %45, label %46, label %51

46:
  %47 = load i64, ptr %34, align 8
  %48 = xor i64 %37, -1
  %49 = add i64 %36, %48
  %50 = add i64 %49, %47
  br label %51

51:
  %52 = phi i64 [ %50, %46 ], [ %37, %43 ]
  %53 = load i64, ptr %20, align 8
  %54 = mul nsw i64 %53, %52
  %55 = load i64, ptr %21, align 8
  %56 = add nsw i64 %55, -1
  %57 = icmp eq i64 %52, %56
  br i1 %57, label %58, label %60

58:
  %59 = load i64, ptr %22, align 8
  br label %62

60:
  %61 = add nsw i64 %54, %53
  br label %62

62:
  %63 = phi i64 [ %59, %58 ], [ %61, %60 ]
  %64 = load ptr, ptr %11, align 8
  %65 = load ptr, ptr %23, align 8
  tail call void %64(ptr noundef %65, i64 noundef %54, i64 noundef %63, i64 noundef %12) #7
  %66 = atomicrmw add ptr %28, i64 1 monotonic, align 64
  %67 = load i64, ptr %29, align 16
  %68 = icmp slt i64 %66, %67
  br i1 %68, label %35, label %69

69:
  %70 = add nsw i64 %26, 1
  %71 = load i64, ptr %13, align 8
  %72 = icmp eq i64 %70, %71
  %73 = select i1 %72, i64 0, i64 %70
  %74 = add nuw nsw i64 %25, 1
  %75 = icmp slt i64 %74, %71
  br i1 %75, label %24, label %76

76:
  store atomic i32 4, ptr %0 seq_cst, align 64
  %77 = load atomic i32, ptr %4 seq_cst, align 4
  %78 = icmp eq i32 %77, 0
  br i1 %78, label %83, label %79

79:
  %80 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull %5) #7
  %81 = tail call i32 @pthread_cond_broadcast(ptr noundef nonnull %6) #7
  %82 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull %5) #7
  br label %83

83:
  br label %7
}

declare i32 @pthread_mutex_init(ptr noundef, ptr noundef) local_unnamed_addr #6

declare i32 @pthread_cond_init(ptr noundef, ptr noundef) local_unnamed_addr #6

declare i32 @sigfillset(ptr noundef) local_unnamed_addr #6

declare i32 @pthread_sigmask(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr #6

declare i32 @pthread_attr_init(ptr noundef) local_unnamed_addr #6

declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #6

declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr #6

define internal fastcc void @await(ptr noundef %0, i32 noundef range(i32 2, 5) %1, ptr noundef readonly captures(address_is_null) %2) unnamed_addr #0 {
  %4 = alloca %struct.timespec, align 8
  %5 = alloca %struct.timespec, align 8
  %6 = alloca %struct.timespec, align 8
  %7 = load atomic i64, ptr @epoch seq_cst, align 8
  %8 = load atomic i32, ptr %0 acquire, align 64
  %9 = icmp eq i32 %8, %1
  br i1 %9, label %89, label %10

10:
  %11 = load atomic i64, ptr @started seq_cst, align 8
  %12 = load atomic i64, ptr @callers seq_cst, align 8
  %13 = tail call noundef i64 @llvm.smax.i64(i64 %12, i64 1)
  %14 = add nsw i64 %13, %11
  %15 = load atomic i64, ptr @relay_pool_cpus seq_cst, align 8
  %16 = icmp sgt i64 %14, %15
  br i1 %16, label %43, label %17

17:
  call void @llvm.lifetime.start.p0(ptr nonnull %6) #7
  %18 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %6) #7
  %19 = load i64, ptr %6, align 8
  %20 = mul nsw i64 %19, 1000000000
  %21 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %22 = load i64, ptr %21, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %6) #7
  %23 = add i64 %22, 50000
  %24 = add i64 %23, %20
  %25 = getelementptr inbounds nuw i8, ptr %5, i64 8
  br label %26

26:
  %27 = phi i32 [ 0, %17 ], [ %34, %33 ]
  %28 = load atomic i32, ptr %0 acquire, align 64
  %29 = icmp eq i32 %28, %1
  br i1 %29, label %89, label %30

30:
  call void @llvm.x86.sse2.pause()
  %31 = add nuw nsw i32 %27, 1
  %32 = icmp eq i32 %31, 64
  br i1 %32, label %35, label %33

33:
  %34 = phi i32 [ %31, %30 ], [ 0, %35 ]
  br label %26

35:
  %36 = call i32 @sched_yield() #7
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #7
  %37 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %5) #7
  %38 = load i64, ptr %5, align 8
  %39 = mul nsw i64 %38, 1000000000
  %40 = load i64, ptr %25, align 8
  %41 = add nsw i64 %39, %40
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #7
  %42 = icmp slt i64 %41, %24
  br i1 %42, label %33, label %43

43:
  %44 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %45 = call i32 @pthread_mutex_lock(ptr noundef nonnull %44) #7
  %46 = getelementptr inbounds nuw i8, ptr %0, i64 4
  %47 = atomicrmw add ptr %46, i32 1 seq_cst, align 4
  %48 = load atomic i32, ptr %0 seq_cst, align 64
  %49 = icmp eq i32 %48, %1
  br i1 %49, label %86, label %50

50:
  %51 = icmp eq ptr %2, null
  %52 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %53 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %54 = getelementptr inbounds nuw i8, ptr %2, i64 40
  %55 = getelementptr inbounds nuw i8, ptr %2, i64 32
  br label %56

56:
  %57 = load atomic i64, ptr @epoch seq_cst, align 8
  %58 = icmp eq i64 %57, %7
  br i1 %58, label %59, label %86

59:
  br i1 %51, label %60, label %62

60:
  %61 = call i32 @pthread_cond_wait(ptr noundef nonnull %52, ptr noundef nonnull %44) #7
  br label %83

62:
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #7
  %63 = call i32 @clock_gettime(i32 noundef 0, ptr noundef nonnull %4) #7
  %64 = load i64, ptr %53, align 8
  %65 = add nsw i64 %64, 20000000
  %66 = sdiv i64 %65, 1000000000
  %67 = load i64, ptr %4, align 8
  %68 = add nsw i64 %66, %67
  store i64 %68, ptr %4, align 8
  %69 = srem i64 %65, 1000000000
  store i64 %69, ptr %53, align 8
  %70 = call i32 @pthread_cond_timedwait(ptr noundef nonnull %52, ptr noundef nonnull %44, ptr noundef nonnull %4) #7
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #7
  %71 = load ptr, ptr %54, align 8
  %72 = icmp eq ptr %71, null
  br i1 %72, label %83, label %73

73:
  %74 = load ptr, ptr %55, align 8
  %75 = load atomic i32, ptr %74 monotonic, align 8
  %76 = icmp eq i32 %75, 0
  br i1 %76, label %83, label %77

77:
  %78 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %44) #7
  %79 = load ptr, ptr %54, align 8
  %80 = load ptr, ptr %55, align 8
  %81 = call i32 %79(ptr noundef %80) #7
  %82 = call i32 @pthread_mutex_lock(ptr noundef nonnull %44) #7
  br label %83

83:
  %84 = load atomic i32, ptr %0 seq_cst, align 64
  %85 = icmp eq i32 %84, %1
  br i1 %85, label %86, label %56

86:
  %87 = atomicrmw sub ptr %46, i32 1 seq_cst, align 4
  %88 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %44) #7
  br label %89

89:
  ret void
}

declare i32 @clock_gettime(i32 noundef, ptr noundef) local_unnamed_addr #6

declare void @llvm.x86.sse2.pause() #7

declare i32 @sched_yield() local_unnamed_addr #6

declare i32 @pthread_mutex_lock(ptr noundef) local_unnamed_addr #6

declare i32 @pthread_cond_wait(ptr noundef, ptr noundef) local_unnamed_addr #8

declare i32 @pthread_cond_timedwait(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #8

declare i32 @pthread_mutex_unlock(ptr noundef) local_unnamed_addr #6

declare i32 @pthread_cond_broadcast(ptr noundef) local_unnamed_addr #6

declare i32 @pthread_detach(i64 noundef) local_unnamed_addr #6

declare i64 @llvm.smax.i64(i64, i64) #9

declare i64 @llvm.smin.i64(i64, i64) #9

declare i64 @llvm.umin.i64(i64, i64) #9

attributes #0 = { nounwind }
attributes #1 = { nounwind }
attributes #2 = { nounwind }
attributes #3 = { nounwind noinline }
attributes #4 = { nounwind }
attributes #5 = { nounwind noreturn }
attributes #6 = { nounwind }
attributes #7 = { nounwind }
attributes #8 = { nounwind }
attributes #9 = { nounwind }

