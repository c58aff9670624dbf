; Written by tools/c_runtime.py from the C sources; do not edit.

%struct.Worker = type { i32, i32, ptr, i64, %struct.Lock, %struct.Lock, [24 x i8] }
%struct.Lock = type { ptr }
%struct.Loop = type { ptr, ptr, ptr, i64, i64, i64, i64, i8, i64, ptr }
%struct.Share = type { i64, i64, i64, [40 x i8] }

@relay_pool_cpus = dso_local local_unnamed_addr global i64 1, align 8
@epoch = internal global i64 0, align 8
@callers = internal global i64 0, align 8
@started = internal global i64 0, align 8
@growing = internal global i8 0, align 1
@workers = internal global [255 x %struct.Worker] zeroinitializer, align 64

define dso_local range(i32 -1, 1) i32 @relay_pool_run(ptr noundef %0, ptr noundef %1, i64 noundef %2, i64 noundef %3, i32 noundef %4, i64 noundef %5, ptr noundef %6) local_unnamed_addr #0 {
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
  %3 = alloca ptr, i64 %1, align 8
  %4 = atomicrmw add ptr @callers, i64 1 seq_cst, align 8
  %5 = load atomic i64, ptr @callers seq_cst, align 8
  %6 = mul nsw i64 %5, %1
  %7 = load atomic i64, ptr @relay_pool_cpus seq_cst, align 8
  %8 = add nsw i64 %7, -1
  %9 = tail call noundef i64 @llvm.smin.i64(i64 %6, i64 %8)
  %10 = tail call noundef i64 @llvm.smax.i64(i64 %1, i64 %9)
  %11 = load atomic i64, ptr @started seq_cst, align 8
  %12 = icmp slt i64 %11, %10
  br i1 %12, label %13, label %33

13:
  %14 = cmpxchg ptr @growing, i8 0, i8 1 seq_cst seq_cst, align 1
  %15 = extractvalue { i8, i1 } %14, 1
  br i1 %15, label %16, label %33

16:
  %17 = load atomic i64, ptr @started seq_cst, align 8
  %18 = icmp slt i64 %17, %10
  br i1 %18, label %19, label %32

19:
  %20 = load atomic i64, ptr @started seq_cst, align 8
  %21 = getelementptr inbounds %struct.Worker, ptr @workers, i64 %20
  %22 = getelementptr inbounds nuw i8, ptr %21, i64 24
  tail call void @InitializeSRWLock(ptr noundef nonnull %22) #9
  %23 = getelementptr inbounds nuw i8, ptr %21, i64 32
  tail call void @InitializeConditionVariable(ptr noundef nonnull %23) #9
  store atomic i32 0, ptr %21 seq_cst, align 64
  %24 = getelementptr inbounds nuw i8, ptr %21, i64 4
  store atomic i32 0, ptr %24 seq_cst, align 4
  %25 = tail call ptr @CreateThread(ptr noundef null, i64 noundef 0, ptr noundef nonnull @work, ptr noundef nonnull %21, i32 noundef 0, ptr noundef null) #9
  %26 = icmp eq ptr %25, null
  br i1 %26, label %32, label %27

27:
  %28 = tail call i32 @CloseHandle(ptr noundef nonnull %25) #9
  %29 = atomicrmw add ptr @started, i64 1 seq_cst, align 8
  %30 = load atomic i64, ptr @started seq_cst, align 8
  %31 = icmp slt i64 %30, %10
  br i1 %31, label %19, label %32

32:
  store atomic i8 0, ptr @growing seq_cst, align 1
  br label %33

33:
  %34 = load atomic i64, ptr @started seq_cst, align 8
  %35 = icmp sgt i64 %34, 0
  br i1 %35, label %38, label %36

36:
  %37 = getelementptr inbounds nuw i8, ptr %0, i64 48
  store i64 1, ptr %37, align 8
  br label %62

38:
  %39 = phi i64 [ %51, %50 ], [ 0, %33 ]
  %40 = phi i64 [ %52, %50 ], [ 0, %33 ]
  %41 = getelementptr inbounds nuw %struct.Worker, ptr @workers, i64 %40
  %42 = load atomic i32, ptr %41 acquire, align 64
  %43 = icmp eq i32 %42, 0
  br i1 %43, label %44, label %50

44:
  %45 = cmpxchg ptr %41, i32 0, i32 1 seq_cst seq_cst, align 64
  %46 = extractvalue { i32, i1 } %45, 1
  br i1 %46, label %47, label %50

47:
  %48 = add nsw i64 %39, 1
  %49 = getelementptr inbounds ptr, ptr %3, i64 %39
  store ptr %41, ptr %49, align 8
  br label %50

50:
  %51 = phi i64 [ %48, %47 ], [ %39, %44 ], [ %39, %38 ]
  %52 = add nuw nsw i64 %40, 1
  %53 = icmp slt i64 %52, %34
  %54 = icmp slt i64 %51, %1
  %55 = select i1 %53, i1 %54, i1 false
  br i1 %55, label %38, label %56

56:
  %57 = add nsw i64 %51, 1
  %58 = getelementptr inbounds nuw i8, ptr %0, i64 48
  store i64 %57, ptr %58, align 8
  %59 = icmp sgt i64 %51, 0
  br i1 %59, label %60, label %62

60:
  %61 = call fastcc i32 @run_with(ptr noundef %0, ptr noundef %3)
  br label %68

62:
  %63 = load ptr, ptr %0, align 8
  %64 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %65 = load ptr, ptr %64, align 8
  %66 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %67 = load i64, ptr %66, align 8
  tail call void %63(ptr noundef %65, i64 noundef 0, i64 noundef %67, i64 noundef 0) #9
  br label %68

68:
  %69 = phi i32 [ %61, %60 ], [ 0, %62 ]
  %70 = load atomic i64, ptr @epoch seq_cst, align 8
  %71 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %72 = load i64, ptr %71, align 8
  %73 = icmp eq i64 %70, %72
  br i1 %73, label %74, label %76

74:
  %75 = atomicrmw sub ptr @callers, i64 1 seq_cst, align 8
  br label %76

76:
  ret i32 %69
}

declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

define dso_local void @relay_pool_reset() local_unnamed_addr #4 {
  store atomic i64 0, ptr @callers seq_cst, align 8
  store atomic i64 0, ptr @started seq_cst, align 8
  store atomic i8 0, ptr @growing seq_cst, align 1
  %1 = atomicrmw add ptr @epoch, i64 1 seq_cst, align 8
  ret void
}

define dso_local range(i64 -9223372036854775807, -9223372036854775808) i64 @relay_pool_started() local_unnamed_addr #4 {
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
  br i1 %14, label %15, label %125

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
  %38 = phi i64 [ %33, %35 ], [ %119, %118 ]
  %39 = icmp sgt i64 %38, 0
  br i1 %39, label %40, label %125

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
  %52 = atomicrmw add ptr %50, i64 1 monotonic, align 64
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
  %88 = atomicrmw add ptr %50, i64 1 monotonic, align 64
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
  br i1 %99, label %100, label %125

100:
  %101 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %102 = getelementptr inbounds nuw i8, ptr %0, i64 16
  br label %127

103:
  %104 = phi i64 [ %108, %118 ], [ 0, %35 ]
  %105 = getelementptr inbounds nuw ptr, ptr %1, i64 %104
  %106 = load ptr, ptr %105, align 8
  %107 = getelementptr inbounds nuw i8, ptr %106, i64 8
  store ptr %0, ptr %107, align 8
  %108 = add nuw nsw i64 %104, 1
  %109 = load ptr, ptr %105, align 8
  %110 = getelementptr inbounds nuw i8, ptr %109, i64 16
  store i64 %108, ptr %110, align 16
  %111 = load ptr, ptr %105, align 8
  store atomic i32 2, ptr %111 seq_cst, align 64
  %112 = getelementptr inbounds nuw i8, ptr %111, i64 4
  %113 = load atomic i32, ptr %112 seq_cst, align 4
  %114 = icmp eq i32 %113, 0
  br i1 %114, label %118, label %115

115:
  %116 = getelementptr inbounds nuw i8, ptr %111, i64 24
  call void @AcquireSRWLockExclusive(ptr noundef nonnull %116) #9
  %117 = getelementptr inbounds nuw i8, ptr %111, i64 32
  call void @WakeAllConditionVariable(ptr noundef nonnull %117) #9
  call void @ReleaseSRWLockExclusive(ptr noundef nonnull %116) #9
  br label %118

118:
  %119 = load i64, ptr %3, align 8
  %120 = add nsw i64 %119, -1
  %121 = icmp slt i64 %108, %120
  br i1 %121, label %103, label %37

122:
  %123 = xor i1 %146, true
  %124 = sext i1 %123 to i32
  br label %125

125:
  %126 = phi i32 [ 0, %98 ], [ %124, %122 ], [ 0, %37 ], [ 0, %2 ]
  ret i32 %126

127:
  %128 = phi i64 [ 0, %100 ], [ %147, %144 ]
  %129 = phi i1 [ true, %100 ], [ %146, %144 ]
  %130 = getelementptr inbounds nuw ptr, ptr %1, i64 %128
  %131 = load ptr, ptr %130, align 8
  %132 = load atomic i64, ptr @epoch seq_cst, align 8
  %133 = load i64, ptr %101, align 8
  %134 = icmp eq i64 %132, %133
  br i1 %134, label %135, label %144

135:
  %136 = cmpxchg ptr %131, i32 2, i32 0 seq_cst seq_cst, align 64
  %137 = extractvalue { i32, i1 } %136, 1
  br i1 %137, label %144, label %138

138:
  %139 = load ptr, ptr %102, align 8
  call fastcc void @await(ptr noundef %131, i32 noundef 4, ptr noundef %139)
  %140 = load atomic i64, ptr @epoch seq_cst, align 8
  %141 = load i64, ptr %101, align 8
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

define internal noundef i32 @work(ptr noundef %0) #5 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 4
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 32
  br label %7

7:
  tail call fastcc void @await(ptr noundef %0, i32 noundef 2, ptr noundef null)
  %8 = cmpxchg ptr %0, i32 2, i32 3 seq_cst seq_cst, align 64
  %9 = extractvalue { i32, i1 } %8, 1
  br i1 %9, label %10, label %80

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
  tail call void %64(ptr noundef %65, i64 noundef %54, i64 noundef %63, i64 noundef %12) #9
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
  br i1 %78, label %80, label %79

79:
  tail call void @AcquireSRWLockExclusive(ptr noundef nonnull %5) #9
  tail call void @WakeAllConditionVariable(ptr noundef nonnull %6) #9
  tail call void @ReleaseSRWLockExclusive(ptr noundef nonnull %5) #9
  br label %80

80:
  br label %7
}

declare dso_local void @InitializeSRWLock(ptr noundef) local_unnamed_addr #6

declare dso_local void @InitializeConditionVariable(ptr noundef) local_unnamed_addr #6

declare dso_local ptr @CreateThread(ptr noundef, i64 noundef, ptr noundef, ptr noundef, i32 noundef, ptr noundef) local_unnamed_addr #6

define internal fastcc void @await(ptr noundef %0, i32 noundef range(i32 2, 5) %1, ptr noundef readonly captures(address_is_null) %2) unnamed_addr #0 {
  %4 = alloca i64, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = load atomic i64, ptr @epoch seq_cst, align 8
  %9 = load atomic i32, ptr %0 acquire, align 64
  %10 = icmp eq i32 %9, %1
  br i1 %10, label %92, label %11

11:
  %12 = load atomic i64, ptr @started seq_cst, align 8
  %13 = load atomic i64, ptr @callers seq_cst, align 8
  %14 = tail call noundef i64 @llvm.smax.i64(i64 %13, i64 1)
  %15 = add nsw i64 %14, %12
  %16 = load atomic i64, ptr @relay_pool_cpus seq_cst, align 8
  %17 = icmp sgt i64 %15, %16
  br i1 %17, label %58, label %18

18:
  call void @llvm.lifetime.start.p0(ptr nonnull %6) #9
  call void @llvm.lifetime.start.p0(ptr nonnull %7) #9
  %19 = call i32 @QueryPerformanceCounter(ptr noundef nonnull %6) #9
  %20 = call i32 @QueryPerformanceFrequency(ptr noundef nonnull %7) #9
  %21 = load i64, ptr %6, align 8
  %22 = load i64, ptr %7, align 8
  %23 = freeze i64 %21
  %24 = freeze i64 %22
  %25 = sdiv i64 %23, %24
  %26 = mul nsw i64 %25, 1000000000
  %27 = mul i64 %25, %24
  %28 = sub i64 %23, %27
  %29 = mul nsw i64 %28, 1000000000
  %30 = sdiv i64 %29, %22
  call void @llvm.lifetime.end.p0(ptr nonnull %7) #9
  call void @llvm.lifetime.end.p0(ptr nonnull %6) #9
  %31 = add i64 %26, 50000
  %32 = add i64 %31, %30
  br label %33

33:
  %34 = phi i32 [ 0, %18 ], [ %41, %40 ]
  %35 = load atomic i32, ptr %0 acquire, align 64
  %36 = icmp eq i32 %35, %1
  br i1 %36, label %92, label %37

37:
  call void @llvm.aarch64.hint(i32 1)
  %38 = add nuw nsw i32 %34, 1
  %39 = icmp eq i32 %38, 64
  br i1 %39, label %42, label %40

40:
  %41 = phi i32 [ %38, %37 ], [ 0, %42 ]
  br label %33

42:
  %43 = call i32 @SwitchToThread() #9
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #9
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #9
  %44 = call i32 @QueryPerformanceCounter(ptr noundef nonnull %4) #9
  %45 = call i32 @QueryPerformanceFrequency(ptr noundef nonnull %5) #9
  %46 = load i64, ptr %4, align 8
  %47 = load i64, ptr %5, align 8
  %48 = freeze i64 %46
  %49 = freeze i64 %47
  %50 = sdiv i64 %48, %49
  %51 = mul nsw i64 %50, 1000000000
  %52 = mul i64 %50, %49
  %53 = sub i64 %48, %52
  %54 = mul nsw i64 %53, 1000000000
  %55 = sdiv i64 %54, %47
  %56 = add nsw i64 %55, %51
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #9
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #9
  %57 = icmp slt i64 %56, %32
  br i1 %57, label %40, label %58

58:
  %59 = getelementptr inbounds nuw i8, ptr %0, i64 24
  call void @AcquireSRWLockExclusive(ptr noundef nonnull %59) #9
  %60 = getelementptr inbounds nuw i8, ptr %0, i64 4
  %61 = atomicrmw add ptr %60, i32 1 seq_cst, align 4
  %62 = load atomic i32, ptr %0 seq_cst, align 64
  %63 = icmp eq i32 %62, %1
  br i1 %63, label %90, label %64

64:
  %65 = icmp eq ptr %2, null
  %66 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %67 = getelementptr inbounds nuw i8, ptr %2, i64 40
  %68 = getelementptr inbounds nuw i8, ptr %2, i64 32
  br label %69

69:
  %70 = load atomic i64, ptr @epoch seq_cst, align 8
  %71 = icmp eq i64 %70, %8
  br i1 %71, label %72, label %90

72:
  br i1 %65, label %73, label %75

73:
  %74 = call i32 @SleepConditionVariableSRW(ptr noundef nonnull %66, ptr noundef nonnull %59, i32 noundef -1, i32 noundef 0) #9
  br label %87

75:
  %76 = call i32 @SleepConditionVariableSRW(ptr noundef nonnull %66, ptr noundef nonnull %59, i32 noundef 20, i32 noundef 0) #9
  %77 = load ptr, ptr %67, align 8
  %78 = icmp eq ptr %77, null
  br i1 %78, label %87, label %79

79:
  %80 = load ptr, ptr %68, align 8
  %81 = load atomic i32, ptr %80 monotonic, align 8
  %82 = icmp eq i32 %81, 0
  br i1 %82, label %87, label %83

83:
  call void @ReleaseSRWLockExclusive(ptr noundef nonnull %59) #9
  %84 = load ptr, ptr %67, align 8
  %85 = load ptr, ptr %68, align 8
  %86 = call i32 %84(ptr noundef %85) #9
  call void @AcquireSRWLockExclusive(ptr noundef nonnull %59) #9
  br label %87

87:
  %88 = load atomic i32, ptr %0 seq_cst, align 64
  %89 = icmp eq i32 %88, %1
  br i1 %89, label %90, label %69

90:
  %91 = atomicrmw sub ptr %60, i32 1 seq_cst, align 4
  call void @ReleaseSRWLockExclusive(ptr noundef nonnull %59) #9
  br label %92

92:
  ret void
}

declare dso_local i32 @QueryPerformanceCounter(ptr noundef) local_unnamed_addr #6

declare dso_local i32 @QueryPerformanceFrequency(ptr noundef) local_unnamed_addr #6

declare void @llvm.aarch64.hint(i32) #7

declare dso_local i32 @SwitchToThread() local_unnamed_addr #6

declare dso_local void @AcquireSRWLockExclusive(ptr noundef) local_unnamed_addr #6

declare dso_local i32 @SleepConditionVariableSRW(ptr noundef, ptr noundef, i32 noundef, i32 noundef) local_unnamed_addr #6

declare dso_local void @ReleaseSRWLockExclusive(ptr noundef) local_unnamed_addr #6

declare dso_local void @WakeAllConditionVariable(ptr noundef) local_unnamed_addr #6

declare dso_local i32 @CloseHandle(ptr noundef) local_unnamed_addr #6

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

