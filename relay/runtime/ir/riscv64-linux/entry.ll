; Written by tools/c_runtime.py from the C sources; do not edit.

%struct.__sigset_t = type { [16 x i64] }
%union.pthread_attr_t = type { i64, [48 x i8] }
%struct.Far = type { ptr, ptr, ptr, ptr, ptr, i32 }

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
  %6 = alloca %struct.__sigset_t, align 8
  %7 = alloca %struct.__sigset_t, align 8
  %8 = alloca %union.pthread_attr_t, align 8
  %9 = alloca i64, align 8
  %10 = alloca %union.pthread_attr_t, align 8
  %11 = alloca ptr, align 8
  %12 = alloca i64, align 8
  %13 = alloca %struct.Far, align 8
  %14 = tail call ptr @llvm.frameaddress.p0(i32 0)
  %15 = getelementptr inbounds i8, ptr %14, i64 -196608
  %16 = load i8, ptr @relay_asks_stack, align 1
  %17 = icmp eq i8 %16, 0
  br i1 %17, label %39, label %18

18:
  %19 = tail call i64 @pthread_self() #9
  call void @llvm.lifetime.start.p0(ptr nonnull %10) #10
  call void @llvm.lifetime.start.p0(ptr nonnull %11) #10
  call void @llvm.lifetime.start.p0(ptr nonnull %12) #10
  %20 = load i64, ptr @stack_limit.main_thread, align 8
  %21 = icmp eq i64 %19, %20
  br i1 %21, label %37, label %22

22:
  %23 = tail call i32 @getpid() #10
  %24 = tail call i32 @gettid() #10
  %25 = icmp eq i32 %23, %24
  br i1 %25, label %26, label %27

26:
  store i64 %19, ptr @stack_limit.main_thread, align 8
  br label %37

27:
  %28 = call i32 @pthread_getattr_np(i64 noundef %19, ptr noundef nonnull %10) #10
  %29 = icmp eq i32 %28, 0
  br i1 %29, label %30, label %37

30:
  %31 = call i32 @pthread_attr_getstack(ptr noundef nonnull %10, ptr noundef nonnull %11, ptr noundef nonnull %12) #10
  %32 = call i32 @pthread_attr_destroy(ptr noundef nonnull %10) #10
  %33 = load ptr, ptr %11, align 8
  %34 = getelementptr inbounds nuw i8, ptr %33, i64 49152
  %35 = icmp ugt ptr %34, %15
  %36 = select i1 %35, ptr %34, ptr %15
  br label %37

37:
  %38 = phi ptr [ %36, %30 ], [ %15, %26 ], [ %15, %18 ], [ %15, %27 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %12) #10
  call void @llvm.lifetime.end.p0(ptr nonnull %11) #10
  call void @llvm.lifetime.end.p0(ptr nonnull %10) #10
  br label %39

39:
  %40 = phi ptr [ %38, %37 ], [ %15, %5 ]
  %41 = getelementptr inbounds nuw i8, ptr %3, i64 1216
  %42 = getelementptr inbounds nuw i8, ptr %3, i64 24
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(1176) %42, i8 0, i64 1176, i1 false)
  store ptr %2, ptr %3, align 8
  %43 = getelementptr inbounds nuw i8, ptr %3, i64 8
  store ptr %4, ptr %43, align 8
  %44 = getelementptr inbounds nuw i8, ptr %3, i64 16
  store ptr %40, ptr %44, align 8
  %45 = icmp ugt ptr %41, inttoptr (i64 4095 to ptr)
  %46 = select i1 %45, ptr %41, ptr inttoptr (i64 4096 to ptr)
  %47 = getelementptr inbounds nuw i8, ptr %3, i64 48
  store ptr %46, ptr %47, align 8
  %48 = getelementptr inbounds nuw i8, ptr %3, i64 1049792
  %49 = getelementptr inbounds nuw i8, ptr %3, i64 56
  store ptr %48, ptr %49, align 8
  %50 = getelementptr inbounds nuw i8, ptr %4, i64 32
  store ptr %48, ptr %50, align 8
  %51 = getelementptr inbounds nuw i8, ptr %3, i64 1049824
  %52 = load ptr, ptr %51, align 8
  %53 = getelementptr inbounds nuw i8, ptr %4, i64 40
  store ptr %52, ptr %53, align 8
  %54 = call i32 @relay_border(ptr noundef nonnull %3, ptr noundef %0, ptr noundef %1) #10
  %55 = icmp eq i32 %54, 0
  %56 = load i8, ptr @relay_keeps_results, align 1
  %57 = icmp ne i8 %56, 0
  %58 = select i1 %55, i1 %57, i1 false
  br i1 %58, label %82, label %59

59:
  %60 = getelementptr inbounds nuw i8, ptr %3, i64 64
  %61 = load ptr, ptr %60, align 8
  %62 = icmp eq ptr %61, null
  br i1 %62, label %82, label %63

63:
  %64 = getelementptr inbounds nuw i8, ptr %3, i64 1049808
  %65 = getelementptr inbounds nuw i8, ptr %3, i64 1049800
  %66 = getelementptr inbounds nuw i8, ptr %3, i64 1049816
  br label %67

67:
  %68 = phi ptr [ %61, %63 ], [ %80, %79 ]
  %69 = load ptr, ptr %68, align 8
  store ptr %69, ptr %60, align 8
  %70 = getelementptr inbounds nuw i8, ptr %68, i64 8
  %71 = load i64, ptr %64, align 8
  %72 = load i64, ptr %70, align 8
  %73 = add i64 %72, %71
  %74 = load i64, ptr %65, align 8
  %75 = icmp ugt i64 %73, %74
  br i1 %75, label %78, label %76

76:
  store i64 %73, ptr %64, align 8
  %77 = load ptr, ptr %66, align 8
  store ptr %77, ptr %68, align 8
  store ptr %68, ptr %66, align 8
  br label %79

78:
  call void @free(ptr noundef nonnull %68)
  br label %79

79:
  %80 = load ptr, ptr %60, align 8
  %81 = icmp eq ptr %80, null
  br i1 %81, label %82, label %67

82:
  %83 = icmp ne i32 %54, 2
  %84 = load i32, ptr @relay_exhausted_from, align 4
  %85 = icmp slt i32 %54, %84
  %86 = select i1 %83, i1 %85, i1 false
  br i1 %86, label %114, label %87

87:
  call void @llvm.lifetime.start.p0(ptr nonnull %13) #10
  store ptr %0, ptr %13, align 8
  %88 = getelementptr inbounds nuw i8, ptr %13, i64 8
  store ptr %1, ptr %88, align 8
  %89 = getelementptr inbounds nuw i8, ptr %13, i64 16
  store ptr %2, ptr %89, align 8
  %90 = getelementptr inbounds nuw i8, ptr %13, i64 24
  store ptr %3, ptr %90, align 8
  %91 = getelementptr inbounds nuw i8, ptr %13, i64 32
  store ptr %4, ptr %91, align 8
  %92 = getelementptr inbounds nuw i8, ptr %13, i64 40
  store i32 %54, ptr %92, align 8
  %93 = getelementptr inbounds nuw i8, ptr %13, i64 44
  store i32 0, ptr %93, align 4
  call void @llvm.lifetime.start.p0(ptr nonnull %9) #10
  call void @llvm.lifetime.start.p0(ptr nonnull %6) #10
  call void @llvm.lifetime.start.p0(ptr nonnull %7) #10
  call void @llvm.lifetime.start.p0(ptr nonnull %8) #10
  %94 = call i32 @sigfillset(ptr noundef nonnull %6) #10
  %95 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %6, ptr noundef nonnull %7) #10
  %96 = call i32 @pthread_attr_init(ptr noundef nonnull %8) #10
  %97 = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %8, i64 noundef 536870912) #10
  %98 = call i32 @pthread_create(ptr noundef nonnull %9, ptr noundef nonnull %8, ptr noundef nonnull @run_far, ptr noundef nonnull %13) #10
  %99 = icmp eq i32 %98, 0
  %100 = call i32 @pthread_attr_destroy(ptr noundef nonnull %8) #10
  %101 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %7, ptr noundef null) #10
  call void @llvm.lifetime.end.p0(ptr nonnull %8) #10
  call void @llvm.lifetime.end.p0(ptr nonnull %7) #10
  call void @llvm.lifetime.end.p0(ptr nonnull %6) #10
  br i1 %99, label %102, label %112

102:
  %103 = load ptr, ptr %90, align 8
  %104 = getelementptr inbounds nuw i8, ptr %103, i64 1049832
  %105 = load ptr, ptr %104, align 8
  %106 = icmp eq ptr %105, null
  br i1 %106, label %109, label %107

107:
  %108 = getelementptr inbounds nuw i8, ptr %103, i64 1049792
  call void %105(ptr noundef nonnull %108) #10
  br label %109

109:
  %110 = load i64, ptr %9, align 8
  %111 = call i32 @pthread_join(i64 noundef %110, ptr noundef null) #10
  br label %112

112:
  call void @llvm.lifetime.end.p0(ptr nonnull %9) #10
  %113 = load i32, ptr %92, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %13) #10
  br label %114

114:
  %115 = phi i32 [ %113, %112 ], [ %54, %82 ]
  ret i32 %115
}

declare ptr @llvm.frameaddress.p0(i32 immarg) #4

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #5

declare i64 @pthread_self() local_unnamed_addr #6

declare i32 @getpid() local_unnamed_addr #7

declare i32 @gettid() local_unnamed_addr #7

declare i32 @pthread_getattr_np(i64 noundef, ptr noundef) local_unnamed_addr #7

declare i32 @pthread_attr_getstack(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #7

declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr #7

declare i32 @relay_border(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #8

define internal noalias noundef ptr @run_far(ptr noundef captures(none) %0) #3 {
  %2 = tail call ptr @llvm.frameaddress.p0(i32 0)
  %3 = getelementptr inbounds i8, ptr %2, i64 -535822336
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %5 = load ptr, ptr %4, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %7 = load ptr, ptr %6, align 8
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %9 = load ptr, ptr %8, align 8
  %10 = getelementptr inbounds nuw i8, ptr %5, i64 1216
  %11 = getelementptr inbounds nuw i8, ptr %5, i64 24
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(1176) %11, i8 0, i64 1176, i1 false)
  store ptr %7, ptr %5, align 8
  %12 = getelementptr inbounds nuw i8, ptr %5, i64 8
  store ptr %9, ptr %12, align 8
  %13 = getelementptr inbounds nuw i8, ptr %5, i64 16
  store ptr %3, ptr %13, align 8
  %14 = icmp ugt ptr %10, inttoptr (i64 4095 to ptr)
  %15 = select i1 %14, ptr %10, ptr inttoptr (i64 4096 to ptr)
  %16 = getelementptr inbounds nuw i8, ptr %5, i64 48
  store ptr %15, ptr %16, align 8
  %17 = getelementptr inbounds nuw i8, ptr %5, i64 1049792
  %18 = getelementptr inbounds nuw i8, ptr %5, i64 56
  store ptr %17, ptr %18, align 8
  %19 = getelementptr inbounds nuw i8, ptr %9, i64 32
  store ptr %17, ptr %19, align 8
  %20 = getelementptr inbounds nuw i8, ptr %5, i64 1049824
  %21 = load ptr, ptr %20, align 8
  %22 = getelementptr inbounds nuw i8, ptr %9, i64 40
  store ptr %21, ptr %22, align 8
  %23 = load ptr, ptr %4, align 8
  %24 = load ptr, ptr %0, align 8
  %25 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %26 = load ptr, ptr %25, align 8
  %27 = tail call i32 @relay_border(ptr noundef %23, ptr noundef %24, ptr noundef %26) #10
  %28 = icmp eq i32 %27, 0
  %29 = load i8, ptr @relay_keeps_results, align 1
  %30 = icmp ne i8 %29, 0
  %31 = select i1 %28, i1 %30, i1 false
  br i1 %31, label %55, label %32

32:
  %33 = getelementptr inbounds nuw i8, ptr %23, i64 64
  %34 = load ptr, ptr %33, align 8
  %35 = icmp eq ptr %34, null
  br i1 %35, label %55, label %36

36:
  %37 = getelementptr inbounds nuw i8, ptr %23, i64 1049808
  %38 = getelementptr inbounds nuw i8, ptr %23, i64 1049800
  %39 = getelementptr inbounds nuw i8, ptr %23, i64 1049816
  br label %40

40:
  %41 = phi ptr [ %34, %36 ], [ %53, %52 ]
  %42 = load ptr, ptr %41, align 8
  store ptr %42, ptr %33, align 8
  %43 = getelementptr inbounds nuw i8, ptr %41, i64 8
  %44 = load i64, ptr %37, align 8
  %45 = load i64, ptr %43, align 8
  %46 = add i64 %45, %44
  %47 = load i64, ptr %38, align 8
  %48 = icmp ugt i64 %46, %47
  br i1 %48, label %51, label %49

49:
  store i64 %46, ptr %37, align 8
  %50 = load ptr, ptr %39, align 8
  store ptr %50, ptr %41, align 8
  store ptr %41, ptr %39, align 8
  br label %52

51:
  tail call void @free(ptr noundef nonnull %41)
  br label %52

52:
  %53 = load ptr, ptr %33, align 8
  %54 = icmp eq ptr %53, null
  br i1 %54, label %55, label %40

55:
  %56 = getelementptr inbounds nuw i8, ptr %0, i64 40
  store i32 %27, ptr %56, align 8
  %57 = load ptr, ptr %4, align 8
  %58 = getelementptr inbounds nuw i8, ptr %57, i64 1049840
  %59 = load ptr, ptr %58, align 8
  %60 = icmp eq ptr %59, null
  br i1 %60, label %63, label %61

61:
  %62 = getelementptr inbounds nuw i8, ptr %57, i64 1049792
  tail call void %59(ptr noundef nonnull %62) #10
  br label %63

63:
  ret ptr null
}

declare i32 @sigfillset(ptr noundef) local_unnamed_addr #7

declare i32 @pthread_sigmask(i32 noundef signext, ptr noundef, ptr noundef) local_unnamed_addr #7

declare i32 @pthread_attr_init(ptr noundef) local_unnamed_addr #7

declare i32 @pthread_attr_setstacksize(ptr noundef, i64 noundef) local_unnamed_addr #7

declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #7

declare i32 @pthread_join(i64 noundef, ptr noundef) local_unnamed_addr #8

attributes #0 = { nounwind }
attributes #1 = { nounwind }
attributes #2 = { nounwind }
attributes #3 = { nounwind }
attributes #4 = { nounwind }
attributes #5 = { nounwind }
attributes #6 = { nounwind }
attributes #7 = { nounwind }
attributes #8 = { nounwind }
attributes #9 = { nounwind }
attributes #10 = { nounwind }

