; Written by tools/c_runtime.py from the C sources; do not edit.

%struct.Worker = type { i32, i32, ptr, i64, %struct._opaque_pthread_mutex_t, %struct._opaque_pthread_cond_t, [56 x i8] }
%struct._opaque_pthread_mutex_t = type { i64, [56 x i8] }
%struct._opaque_pthread_cond_t = type { i64, [40 x i8] }
%struct.Loop = type { ptr, ptr, ptr, i64, i64, i64, i64, i8, i64, ptr }
%struct._opaque_pthread_attr_t = type { i64, [56 x i8] }
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
  call void @llvm.lifetime.start.p0(ptr nonnull %8) #9
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
  call void @llvm.lifetime.end.p0(ptr nonnull %8) #9
  br label %33

30:
  %31 = icmp sgt i64 %2, 0
  br i1 %31, label %32, label %33

32:
  tail call void %0(ptr noundef %1, i64 noundef 0, i64 noundef %2, i64 noundef 0) #9
  br label %33

33:
  %34 = phi i32 [ %29, %13 ], [ 0, %32 ], [ 0, %30 ]
  ret i32 %34
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #2

define internal fastcc range(i32 -1, 1) i32 @run_shared(ptr noundef nonnull %0, i64 noundef range(i64 1, -9223372036854775808) %1) unnamed_addr #3 {
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  %5 = alloca %struct._opaque_pthread_attr_t, align 8
  %6 = alloca ptr, align 8
  %7 = alloca ptr, i64 %1, align 8
  %8 = atomicrmw add ptr @callers, i64 1 seq_cst, align 8
  %9 = load atomic i64, ptr @callers seq_cst, align 8
  %10 = mul nsw i64 %9, %1
  %11 = load atomic i64, ptr @relay_pool_cpus seq_cst, align 8
  %12 = add nsw i64 %11, -1
  %13 = tail call noundef i64 @llvm.smin.i64(i64 %10, i64 %12)
  %14 = tail call noundef i64 @llvm.smax.i64(i64 %1, i64 %13)
  %15 = load atomic i64, ptr @started seq_cst, align 8
  %16 = icmp slt i64 %15, %14
  br i1 %16, label %17, label %45

17:
  %18 = cmpxchg ptr @growing, i8 0, i8 1 seq_cst seq_cst, align 1
  %19 = extractvalue { i8, i1 } %18, 1
  br i1 %19, label %20, label %45

20:
  %21 = load atomic i64, ptr @started seq_cst, align 8
  %22 = icmp slt i64 %21, %14
  br i1 %22, label %23, label %44

23:
  %24 = load atomic i64, ptr @started seq_cst, align 8
  %25 = getelementptr inbounds %struct.Worker, ptr @workers, i64 %24
  call void @llvm.lifetime.start.p0(ptr nonnull %6) #9
  %26 = getelementptr inbounds nuw i8, ptr %25, i64 24
  %27 = call i32 @pthread_mutex_init(ptr noundef nonnull %26, ptr noundef null) #9
  %28 = getelementptr inbounds nuw i8, ptr %25, i64 88
  %29 = call i32 @"\01_pthread_cond_init"(ptr noundef nonnull %28, ptr noundef null) #9
  store atomic i32 0, ptr %25 seq_cst, align 64
  %30 = getelementptr inbounds nuw i8, ptr %25, i64 4
  store atomic i32 0, ptr %30 seq_cst, align 4
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #9
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #9
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #9
  store i32 -1, ptr %3, align 4
  %31 = call i32 @"\01_pthread_sigmask"(i32 noundef 3, ptr noundef nonnull %3, ptr noundef nonnull %4) #9
  %32 = call i32 @pthread_attr_init(ptr noundef nonnull %5) #9
  %33 = call i32 @pthread_create(ptr noundef nonnull %6, ptr noundef nonnull %5, ptr noundef nonnull @work, ptr noundef nonnull %25) #9
  %34 = icmp eq i32 %33, 0
  %35 = call i32 @pthread_attr_destroy(ptr noundef nonnull %5) #9
  %36 = call i32 @"\01_pthread_sigmask"(i32 noundef 3, ptr noundef nonnull %4, ptr noundef null) #9
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #9
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #9
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #9
  br i1 %34, label %38, label %37

37:
  call void @llvm.lifetime.end.p0(ptr nonnull %6) #9
  br label %44

38:
  %39 = load ptr, ptr %6, align 8
  %40 = call i32 @pthread_detach(ptr noundef %39) #9
  call void @llvm.lifetime.end.p0(ptr nonnull %6) #9
  %41 = atomicrmw add ptr @started, i64 1 seq_cst, align 8
  %42 = load atomic i64, ptr @started seq_cst, align 8
  %43 = icmp slt i64 %42, %14
  br i1 %43, label %23, label %44

44:
  store atomic i8 0, ptr @growing seq_cst, align 1
  br label %45

45:
  %46 = load atomic i64, ptr @started seq_cst, align 8
  %47 = icmp sgt i64 %46, 0
  br i1 %47, label %50, label %48

48:
  %49 = getelementptr inbounds nuw i8, ptr %0, i64 48
  store i64 1, ptr %49, align 8
  br label %74

50:
  %51 = phi i64 [ %63, %62 ], [ 0, %45 ]
  %52 = phi i64 [ %64, %62 ], [ 0, %45 ]
  %53 = getelementptr inbounds nuw %struct.Worker, ptr @workers, i64 %52
  %54 = load atomic i32, ptr %53 acquire, align 64
  %55 = icmp eq i32 %54, 0
  br i1 %55, label %56, label %62

56:
  %57 = cmpxchg ptr %53, i32 0, i32 1 seq_cst seq_cst, align 64
  %58 = extractvalue { i32, i1 } %57, 1
  br i1 %58, label %59, label %62

59:
  %60 = add nsw i64 %51, 1
  %61 = getelementptr inbounds ptr, ptr %7, i64 %51
  store ptr %53, ptr %61, align 8
  br label %62

62:
  %63 = phi i64 [ %60, %59 ], [ %51, %56 ], [ %51, %50 ]
  %64 = add nuw nsw i64 %52, 1
  %65 = icmp slt i64 %64, %46
  %66 = icmp slt i64 %63, %1
  %67 = select i1 %65, i1 %66, i1 false
  br i1 %67, label %50, label %68

68:
  %69 = add nsw i64 %63, 1
  %70 = getelementptr inbounds nuw i8, ptr %0, i64 48
  store i64 %69, ptr %70, align 8
  %71 = icmp sgt i64 %63, 0
  br i1 %71, label %72, label %74

72:
  %73 = call fastcc i32 @run_with(ptr noundef %0, ptr noundef %7)
  br label %80

74:
  %75 = load ptr, ptr %0, align 8
  %76 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %77 = load ptr, ptr %76, align 8
  %78 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %79 = load i64, ptr %78, align 8
  call void %75(ptr noundef %77, i64 noundef 0, i64 noundef %79, i64 noundef 0) #9
  br label %80

80:
  %81 = phi i32 [ %73, %72 ], [ 0, %74 ]
  %82 = load atomic i64, ptr @epoch seq_cst, align 8
  %83 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %84 = load i64, ptr %83, align 8
  %85 = icmp eq i64 %82, %84
  br i1 %85, label %86, label %88

86:
  %87 = atomicrmw sub ptr @callers, i64 1 seq_cst, align 8
  br label %88

88:
  ret i32 %81
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
  %9 = freeze i64 %8
  %10 = freeze i64 %4
  %11 = sdiv i64 %9, %10
  %12 = mul i64 %11, %10
  %13 = sub i64 %9, %12
  %14 = icmp sgt i64 %4, 0
  br i1 %14, label %15, label %128

15:
  %16 = phi i64 [ %32, %15 ], [ 0, %2 ]
  %17 = mul nsw i64 %16, %11
  %18 = call noundef i64 @llvm.smin.i64(i64 %13, i64 %16)
  %19 = add nsw i64 %17, %18
  %20 = load ptr, ptr %6, align 8
  %21 = getelementptr inbounds nuw %struct.Share, ptr %20, i64 %16
  %22 = getelementptr inbounds nuw i8, ptr %21, i64 8
  store i64 %19, ptr %22, align 8
  %23 = load ptr, ptr %6, align 8
  %24 = getelementptr inbounds nuw %struct.Share, ptr %23, i64 %16
  store atomic i64 %19, ptr %24 seq_cst, align 8
  %25 = add nsw i64 %19, %11
  %26 = icmp slt i64 %16, %13
  %27 = zext i1 %26 to i64
  %28 = add nsw i64 %25, %27
  %29 = load ptr, ptr %6, align 8
  %30 = getelementptr inbounds nuw %struct.Share, ptr %29, i64 %16
  %31 = getelementptr inbounds nuw i8, ptr %30, i64 16
  store i64 %28, ptr %31, align 16
  %32 = add nuw nsw i64 %16, 1
  %33 = load i64, ptr %3, align 8
  %34 = icmp slt i64 %32, %33
  br i1 %34, label %15, label %35

35:
  %36 = icmp sgt i64 %33, 1
  br i1 %36, label %103, label %37

37:
  %38 = phi i64 [ %33, %35 ], [ %122, %121 ]
  %39 = icmp sgt i64 %38, 0
  br i1 %39, label %40, label %128

40:
  %41 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %42 = getelementptr inbounds nuw i8, ptr %0, i64 56
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %44 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %45 = getelementptr inbounds nuw i8, ptr %0, i64 8
  br label %46

46:
  %47 = phi i64 [ 0, %40 ], [ %96, %91 ]
  %48 = phi i64 [ 0, %40 ], [ %95, %91 ]
  %49 = load ptr, ptr %6, align 8
  %50 = getelementptr inbounds %struct.Share, ptr %49, i64 %48
  %51 = getelementptr inbounds nuw i8, ptr %50, i64 16
  %52 = atomicrmw add ptr %50, i64 1 monotonic, align 16
  %53 = load i64, ptr %51, align 16
  %54 = icmp slt i64 %52, %53
  br i1 %54, label %55, label %91

55:
  %56 = getelementptr inbounds nuw i8, ptr %50, i64 8
  br label %57

57:
  %58 = phi i64 [ %53, %55 ], [ %89, %84 ]
  %59 = phi i64 [ %52, %55 ], [ %88, %84 ]
  %60 = load ptr, ptr %41, align 8
  %61 = icmp eq ptr %60, null
  br i1 %61, label %65, label %62

62:
  %63 = load atomic i64, ptr %60 monotonic, align 8
  %64 = icmp eq i64 %63, 0
  br i1 %64, label %65, label %91

65:
  %66 = load i8, ptr %42, align 8
  %67 = trunc nuw i8 %66 to i1
  br i1 %67, label %68, label %73

68:
  %69 = load i64, ptr %56, align 8
  %70 = xor i64 %59, -1
  %71 = add i64 %58, %70
  %72 = add i64 %71, %69
  br label %73

73:
  %74 = phi i64 [ %72, %68 ], [ %59, %65 ]
  %75 = load i64, ptr %43, align 8
  %76 = mul nsw i64 %75, %74
  %77 = load i64, ptr %7, align 8
  %78 = add nsw i64 %77, -1
  %79 = icmp eq i64 %74, %78
  br i1 %79, label %80, label %82

80:
  %81 = load i64, ptr %44, align 8
  br label %84

82:
  %83 = add nsw i64 %76, %75
  br label %84

84:
  %85 = phi i64 [ %81, %80 ], [ %83, %82 ]
  %86 = load ptr, ptr %0, align 8
  %87 = load ptr, ptr %45, align 8
  call void %86(ptr noundef %87, i64 noundef %76, i64 noundef %85, i64 noundef 0) #9
  %88 = atomicrmw add ptr %50, i64 1 monotonic, align 16
  %89 = load i64, ptr %51, align 16
  %90 = icmp slt i64 %88, %89
  br i1 %90, label %57, label %91

91:
  %92 = add nsw i64 %48, 1
  %93 = load i64, ptr %3, align 8
  %94 = icmp eq i64 %92, %93
  %95 = select i1 %94, i64 0, i64 %92
  %96 = add nuw nsw i64 %47, 1
  %97 = icmp slt i64 %96, %93
  br i1 %97, label %46, label %98

98:
  %99 = icmp sgt i64 %93, 1
  br i1 %99, label %100, label %128

100:
  %101 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %102 = getelementptr inbounds nuw i8, ptr %0, i64 16
  br label %130

103:
  %104 = phi i64 [ %108, %121 ], [ 0, %35 ]
  %105 = getelementptr inbounds nuw ptr, ptr %1, i64 %104
  %106 = load ptr, ptr %105, align 8
  %107 = getelementptr inbounds nuw i8, ptr %106, i64 8
  store ptr %0, ptr %107, align 8
  %108 = add nuw nsw i64 %104, 1
  %109 = load ptr, ptr %105, align 8
  %110 = getelementptr inbounds nuw i8, ptr %109, i64 16
  store i64 %108, ptr %110, align 16
  %111 = load ptr, ptr %105, align 8
  store atomic i32 2, ptr %111 seq_cst, align 16
  %112 = getelementptr inbounds nuw i8, ptr %111, i64 4
  %113 = load atomic i32, ptr %112 seq_cst, align 4
  %114 = icmp eq i32 %113, 0
  br i1 %114, label %121, label %115

115:
  %116 = getelementptr inbounds nuw i8, ptr %111, i64 24
  %117 = call i32 @pthread_mutex_lock(ptr noundef nonnull %116) #9
  %118 = getelementptr inbounds nuw i8, ptr %111, i64 88
  %119 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %118) #9
  %120 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %116) #9
  br label %121

121:
  %122 = load i64, ptr %3, align 8
  %123 = add nsw i64 %122, -1
  %124 = icmp slt i64 %108, %123
  br i1 %124, label %103, label %37

125:
  %126 = xor i1 %149, true
  %127 = sext i1 %126 to i32
  br label %128

128:
  %129 = phi i32 [ 0, %98 ], [ %127, %125 ], [ 0, %37 ], [ 0, %2 ]
  ret i32 %129

130:
  %131 = phi i64 [ 0, %100 ], [ %150, %147 ]
  %132 = phi i1 [ true, %100 ], [ %149, %147 ]
  %133 = getelementptr inbounds nuw ptr, ptr %1, i64 %131
  %134 = load ptr, ptr %133, align 8
  %135 = load atomic i64, ptr @epoch seq_cst, align 8
  %136 = load i64, ptr %101, align 8
  %137 = icmp eq i64 %135, %136
  br i1 %137, label %138, label %147

138:
  %139 = cmpxchg ptr %134, i32 2, i32 0 seq_cst seq_cst, align 16
  %140 = extractvalue { i32, i1 } %139, 1
  br i1 %140, label %147, label %141

141:
  %142 = load ptr, ptr %102, align 8
  call fastcc void @await(ptr noundef %134, i32 noundef 4, ptr noundef %142)
  %143 = load atomic i64, ptr @epoch seq_cst, align 8
  %144 = load i64, ptr %101, align 8
  %145 = icmp eq i64 %143, %144
  br i1 %145, label %146, label %147

146:
  store atomic i32 0, ptr %134 release, align 16
  br label %147

147:
  %148 = phi i1 [ false, %130 ], [ true, %146 ], [ true, %138 ], [ false, %141 ]
  %149 = and i1 %132, %148
  %150 = add nuw nsw i64 %131, 1
  %151 = load i64, ptr %3, align 8
  %152 = add nsw i64 %151, -1
  %153 = icmp slt i64 %150, %152
  br i1 %153, label %130, label %125
}

define internal noalias noundef nonnull ptr @work(ptr noundef %0) #5 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 4
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 88
  br label %7

7:
  tail call fastcc void @await(ptr noundef %0, i32 noundef 2, ptr noundef null)
  %8 = cmpxchg ptr %0, i32 2, i32 3 seq_cst seq_cst, align 16
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
  %30 = atomicrmw add ptr %28, i64 1 monotonic, align 16
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
  tail call void %64(ptr noundef %65, i64 noundef %54, i64 noundef %63, i64 noundef %12) #9
  %66 = atomicrmw add ptr %28, i64 1 monotonic, align 16
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
  store atomic i32 4, ptr %0 seq_cst, align 16
  %77 = load atomic i32, ptr %4 seq_cst, align 4
  %78 = icmp eq i32 %77, 0
  br i1 %78, label %83, label %79

79:
  %80 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull %5) #9
  %81 = tail call i32 @pthread_cond_broadcast(ptr noundef nonnull %6) #9
  %82 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull %5) #9
  br label %83

83:
  br label %7
}

declare i32 @pthread_mutex_init(ptr noundef, ptr noundef) local_unnamed_addr #6

declare i32 @"\01_pthread_cond_init"(ptr noundef, ptr noundef) local_unnamed_addr #6

declare i32 @"\01_pthread_sigmask"(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr #6

declare i32 @pthread_attr_init(ptr noundef) local_unnamed_addr #6

declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #6

declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr #6

define internal fastcc void @await(ptr noundef %0, i32 noundef range(i32 2, 5) %1, ptr noundef readonly captures(address_is_null) %2) unnamed_addr #0 {
  %4 = alloca %struct.timespec, align 8
  %5 = alloca %struct.timespec, align 8
  %6 = alloca %struct.timespec, align 8
  %7 = load atomic i64, ptr @epoch seq_cst, align 8
  %8 = load atomic i32, ptr %0 acquire, align 16
  %9 = icmp eq i32 %8, %1
  br i1 %9, label %91, label %10

10:
  %11 = load atomic i64, ptr @started seq_cst, align 8
  %12 = load atomic i64, ptr @callers seq_cst, align 8
  %13 = tail call noundef i64 @llvm.smax.i64(i64 %12, i64 1)
  %14 = add nsw i64 %13, %11
  %15 = load atomic i64, ptr @relay_pool_cpus seq_cst, align 8
  %16 = icmp sgt i64 %14, %15
  br i1 %16, label %43, label %17

17:
  call void @llvm.lifetime.start.p0(ptr nonnull %6) #9
  %18 = call i32 @clock_gettime(i32 noundef 6, ptr noundef nonnull %6) #9
  %19 = load i64, ptr %6, align 8
  %20 = mul nsw i64 %19, 1000000000
  %21 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %22 = load i64, ptr %21, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %6) #9
  %23 = add i64 %22, 50000
  %24 = add i64 %23, %20
  %25 = getelementptr inbounds nuw i8, ptr %5, i64 8
  br label %26

26:
  %27 = phi i32 [ 0, %17 ], [ %34, %33 ]
  %28 = load atomic i32, ptr %0 acquire, align 16
  %29 = icmp eq i32 %28, %1
  br i1 %29, label %91, label %30

30:
  call void @llvm.aarch64.hint(i32 1)
  %31 = add nuw nsw i32 %27, 1
  %32 = icmp eq i32 %31, 64
  br i1 %32, label %35, label %33

33:
  %34 = phi i32 [ %31, %30 ], [ 0, %35 ]
  br label %26

35:
  %36 = call i32 @sched_yield() #9
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #9
  %37 = call i32 @clock_gettime(i32 noundef 6, ptr noundef nonnull %5) #9
  %38 = load i64, ptr %5, align 8
  %39 = mul nsw i64 %38, 1000000000
  %40 = load i64, ptr %25, align 8
  %41 = add nsw i64 %39, %40
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #9
  %42 = icmp slt i64 %41, %24
  br i1 %42, label %33, label %43

43:
  %44 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %45 = call i32 @pthread_mutex_lock(ptr noundef nonnull %44) #9
  %46 = getelementptr inbounds nuw i8, ptr %0, i64 4
  %47 = atomicrmw add ptr %46, i32 1 seq_cst, align 4
  %48 = load atomic i32, ptr %0 seq_cst, align 16
  %49 = icmp eq i32 %48, %1
  br i1 %49, label %88, label %50

50:
  %51 = icmp eq ptr %2, null
  %52 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %53 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %54 = getelementptr inbounds nuw i8, ptr %2, i64 40
  %55 = getelementptr inbounds nuw i8, ptr %2, i64 32
  br label %56

56:
  %57 = load atomic i64, ptr @epoch seq_cst, align 8
  %58 = icmp eq i64 %57, %7
  br i1 %58, label %59, label %88

59:
  br i1 %51, label %60, label %62

60:
  %61 = call i32 @"\01_pthread_cond_wait"(ptr noundef nonnull %52, ptr noundef nonnull %44) #9
  br label %85

62:
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #9
  %63 = call i32 @clock_gettime(i32 noundef 0, ptr noundef nonnull %4) #9
  %64 = load i64, ptr %53, align 8
  %65 = add nsw i64 %64, 20000000
  %66 = freeze i64 %65
  %67 = sdiv i64 %66, 1000000000
  %68 = load i64, ptr %4, align 8
  %69 = add nsw i64 %67, %68
  store i64 %69, ptr %4, align 8
  %70 = mul i64 %67, 1000000000
  %71 = sub i64 %66, %70
  store i64 %71, ptr %53, align 8
  %72 = call i32 @"\01_pthread_cond_timedwait"(ptr noundef nonnull %52, ptr noundef nonnull %44, ptr noundef nonnull %4) #9
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #9
  %73 = load ptr, ptr %54, align 8
  %74 = icmp eq ptr %73, null
  br i1 %74, label %85, label %75

75:
  %76 = load ptr, ptr %55, align 8
  %77 = load atomic i32, ptr %76 monotonic, align 8
  %78 = icmp eq i32 %77, 0
  br i1 %78, label %85, label %79

79:
  %80 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %44) #9
  %81 = load ptr, ptr %54, align 8
  %82 = load ptr, ptr %55, align 8
  %83 = call i32 %81(ptr noundef %82) #9
  %84 = call i32 @pthread_mutex_lock(ptr noundef nonnull %44) #9
  br label %85

85:
  %86 = load atomic i32, ptr %0 seq_cst, align 16
  %87 = icmp eq i32 %86, %1
  br i1 %87, label %88, label %56

88:
  %89 = atomicrmw sub ptr %46, i32 1 seq_cst, align 4
  %90 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %44) #9
  br label %91

91:
  ret void
}

declare i32 @clock_gettime(i32 noundef, ptr noundef) local_unnamed_addr #6

declare void @llvm.aarch64.hint(i32) #7

declare i32 @sched_yield() local_unnamed_addr #6

declare i32 @pthread_mutex_lock(ptr noundef) local_unnamed_addr #6

declare i32 @"\01_pthread_cond_wait"(ptr noundef, ptr noundef) local_unnamed_addr #6

declare i32 @"\01_pthread_cond_timedwait"(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #6

declare i32 @pthread_mutex_unlock(ptr noundef) local_unnamed_addr #6

declare i32 @pthread_cond_broadcast(ptr noundef) local_unnamed_addr #6

declare i32 @pthread_detach(ptr noundef) local_unnamed_addr #6

declare i64 @llvm.smax.i64(i64, i64) #8

declare i64 @llvm.smin.i64(i64, i64) #8

declare i64 @llvm.umin.i64(i64, i64) #8

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

