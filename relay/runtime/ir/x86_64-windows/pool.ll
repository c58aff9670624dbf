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
  %3 = alloca ptr, i64 %1, align 16
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
  tail call void @InitializeSRWLock(ptr noundef nonnull %22) #7
  %23 = getelementptr inbounds nuw i8, ptr %21, i64 32
  tail call void @InitializeConditionVariable(ptr noundef nonnull %23) #7
  store atomic i32 0, ptr %21 seq_cst, align 64
  %24 = getelementptr inbounds nuw i8, ptr %21, i64 4
  store atomic i32 0, ptr %24 seq_cst, align 4
  %25 = tail call ptr @CreateThread(ptr noundef null, i64 noundef 0, ptr noundef nonnull @work, ptr noundef nonnull %21, i32 noundef 0, ptr noundef null) #7
  %26 = icmp eq ptr %25, null
  br i1 %26, label %32, label %27

27:
  %28 = tail call i32 @CloseHandle(ptr noundef nonnull %25) #7
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
  tail call void %63(ptr noundef %65, i64 noundef 0, i64 noundef %67, i64 noundef 0) #7
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
  %9 = sdiv i64 %8, %4
  %10 = srem i64 %8, %4
  %11 = icmp sgt i64 %4, 0
  br i1 %11, label %12, label %122

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
  %35 = phi i64 [ %30, %32 ], [ %116, %115 ]
  %36 = icmp sgt i64 %35, 0
  br i1 %36, label %37, label %122

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
  br i1 %96, label %97, label %122

97:
  %98 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %99 = getelementptr inbounds nuw i8, ptr %0, i64 16
  br label %124

100:
  %101 = phi i64 [ %105, %115 ], [ 0, %32 ]
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
  br i1 %111, label %115, label %112

112:
  %113 = getelementptr inbounds nuw i8, ptr %108, i64 24
  call void @AcquireSRWLockExclusive(ptr noundef nonnull %113) #7
  %114 = getelementptr inbounds nuw i8, ptr %108, i64 32
  call void @WakeAllConditionVariable(ptr noundef nonnull %114) #7
  call void @ReleaseSRWLockExclusive(ptr noundef nonnull %113) #7
  br label %115

115:
  %116 = load i64, ptr %3, align 8
  %117 = add nsw i64 %116, -1
  %118 = icmp slt i64 %105, %117
  br i1 %118, label %100, label %34

119:
  %120 = xor i1 %143, true
  %121 = sext i1 %120 to i32
  br label %122

122:
  %123 = phi i32 [ 0, %95 ], [ %121, %119 ], [ 0, %34 ], [ 0, %2 ]
  ret i32 %123

124:
  %125 = phi i64 [ 0, %97 ], [ %144, %141 ]
  %126 = phi i1 [ true, %97 ], [ %143, %141 ]
  %127 = getelementptr inbounds nuw ptr, ptr %1, i64 %125
  %128 = load ptr, ptr %127, align 8
  %129 = load atomic i64, ptr @epoch seq_cst, align 8
  %130 = load i64, ptr %98, align 8
  %131 = icmp eq i64 %129, %130
  br i1 %131, label %132, label %141

132:
  %133 = cmpxchg ptr %128, i32 2, i32 0 seq_cst seq_cst, align 64
  %134 = extractvalue { i32, i1 } %133, 1
  br i1 %134, label %141, label %135

135:
  %136 = load ptr, ptr %99, align 8
  call fastcc void @await(ptr noundef %128, i32 noundef 4, ptr noundef %136)
  %137 = load atomic i64, ptr @epoch seq_cst, align 8
  %138 = load i64, ptr %98, align 8
  %139 = icmp eq i64 %137, %138
  br i1 %139, label %140, label %141

140:
  store atomic i32 0, ptr %128 release, align 64
  br label %141

141:
  %142 = phi i1 [ false, %124 ], [ true, %140 ], [ true, %132 ], [ false, %135 ]
  %143 = and i1 %126, %142
  %144 = add nuw nsw i64 %125, 1
  %145 = load i64, ptr %3, align 8
  %146 = add nsw i64 %145, -1
  %147 = icmp slt i64 %144, %146
  br i1 %147, label %124, label %119
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
  br i1 %78, label %80, label %79

79:
  tail call void @AcquireSRWLockExclusive(ptr noundef nonnull %5) #7
  tail call void @WakeAllConditionVariable(ptr noundef nonnull %6) #7
  tail call void @ReleaseSRWLockExclusive(ptr noundef nonnull %5) #7
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
  br i1 %10, label %86, label %11

11:
  %12 = load atomic i64, ptr @started seq_cst, align 8
  %13 = load atomic i64, ptr @callers seq_cst, align 8
  %14 = tail call noundef i64 @llvm.smax.i64(i64 %13, i64 1)
  %15 = add nsw i64 %14, %12
  %16 = load atomic i64, ptr @relay_pool_cpus seq_cst, align 8
  %17 = icmp sgt i64 %15, %16
  br i1 %17, label %52, label %18

18:
  call void @llvm.lifetime.start.p0(ptr nonnull %6) #7
  call void @llvm.lifetime.start.p0(ptr nonnull %7) #7
  %19 = call i32 @QueryPerformanceCounter(ptr noundef nonnull %6) #7
  %20 = call i32 @QueryPerformanceFrequency(ptr noundef nonnull %7) #7
  %21 = load i64, ptr %6, align 8
  %22 = load i64, ptr %7, align 8
  %23 = sdiv i64 %21, %22
  %24 = mul nsw i64 %23, 1000000000
  %25 = srem i64 %21, %22
  %26 = mul nsw i64 %25, 1000000000
  %27 = sdiv i64 %26, %22
  call void @llvm.lifetime.end.p0(ptr nonnull %7) #7
  call void @llvm.lifetime.end.p0(ptr nonnull %6) #7
  %28 = add i64 %24, 50000
  %29 = add i64 %28, %27
  br label %30

30:
  %31 = phi i32 [ 0, %18 ], [ %38, %37 ]
  %32 = load atomic i32, ptr %0 acquire, align 64
  %33 = icmp eq i32 %32, %1
  br i1 %33, label %86, label %34

34:
  call void @llvm.x86.sse2.pause()
  %35 = add nuw nsw i32 %31, 1
  %36 = icmp eq i32 %35, 64
  br i1 %36, label %39, label %37

37:
  %38 = phi i32 [ %35, %34 ], [ 0, %39 ]
  br label %30

39:
  %40 = call i32 @SwitchToThread() #7
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #7
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #7
  %41 = call i32 @QueryPerformanceCounter(ptr noundef nonnull %4) #7
  %42 = call i32 @QueryPerformanceFrequency(ptr noundef nonnull %5) #7
  %43 = load i64, ptr %4, align 8
  %44 = load i64, ptr %5, align 8
  %45 = sdiv i64 %43, %44
  %46 = mul nsw i64 %45, 1000000000
  %47 = srem i64 %43, %44
  %48 = mul nsw i64 %47, 1000000000
  %49 = sdiv i64 %48, %44
  %50 = add nsw i64 %49, %46
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #7
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #7
  %51 = icmp slt i64 %50, %29
  br i1 %51, label %37, label %52

52:
  %53 = getelementptr inbounds nuw i8, ptr %0, i64 24
  call void @AcquireSRWLockExclusive(ptr noundef nonnull %53) #7
  %54 = getelementptr inbounds nuw i8, ptr %0, i64 4
  %55 = atomicrmw add ptr %54, i32 1 seq_cst, align 4
  %56 = load atomic i32, ptr %0 seq_cst, align 64
  %57 = icmp eq i32 %56, %1
  br i1 %57, label %84, label %58

58:
  %59 = icmp eq ptr %2, null
  %60 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %61 = getelementptr inbounds nuw i8, ptr %2, i64 40
  %62 = getelementptr inbounds nuw i8, ptr %2, i64 32
  br label %63

63:
  %64 = load atomic i64, ptr @epoch seq_cst, align 8
  %65 = icmp eq i64 %64, %8
  br i1 %65, label %66, label %84

66:
  br i1 %59, label %67, label %69

67:
  %68 = call i32 @SleepConditionVariableSRW(ptr noundef nonnull %60, ptr noundef nonnull %53, i32 noundef -1, i32 noundef 0) #7
  br label %81

69:
  %70 = call i32 @SleepConditionVariableSRW(ptr noundef nonnull %60, ptr noundef nonnull %53, i32 noundef 20, i32 noundef 0) #7
  %71 = load ptr, ptr %61, align 8
  %72 = icmp eq ptr %71, null
  br i1 %72, label %81, label %73

73:
  %74 = load ptr, ptr %62, align 8
  %75 = load atomic i32, ptr %74 monotonic, align 8
  %76 = icmp eq i32 %75, 0
  br i1 %76, label %81, label %77

77:
  call void @ReleaseSRWLockExclusive(ptr noundef nonnull %53) #7
  %78 = load ptr, ptr %61, align 8
  %79 = load ptr, ptr %62, align 8
  %80 = call i32 %78(ptr noundef %79) #7
  call void @AcquireSRWLockExclusive(ptr noundef nonnull %53) #7
  br label %81

81:
  %82 = load atomic i32, ptr %0 seq_cst, align 64
  %83 = icmp eq i32 %82, %1
  br i1 %83, label %84, label %63

84:
  %85 = atomicrmw sub ptr %54, i32 1 seq_cst, align 4
  call void @ReleaseSRWLockExclusive(ptr noundef nonnull %53) #7
  br label %86

86:
  ret void
}

declare dso_local i32 @QueryPerformanceCounter(ptr noundef) local_unnamed_addr #6

declare dso_local i32 @QueryPerformanceFrequency(ptr noundef) local_unnamed_addr #6

declare void @llvm.x86.sse2.pause() #7

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

