; Written by tools/c_runtime.py from the C sources; do not edit.

%struct._opaque_pthread_attr_t = type { i64, [56 x i8] }
%struct.Far = type { ptr, ptr, ptr, ptr, ptr, i32 }

@relay_exhausted_from = external local_unnamed_addr constant i32, align 4
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
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  %8 = alloca %struct._opaque_pthread_attr_t, align 8
  %9 = alloca ptr, align 8
  %10 = alloca %struct.Far, align 8
  %11 = tail call ptr @llvm.frameaddress.p0(i32 0)
  %12 = getelementptr inbounds i8, ptr %11, i64 -196608
  %13 = getelementptr inbounds nuw i8, ptr %3, i64 1216
  %14 = getelementptr inbounds nuw i8, ptr %3, i64 24
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(1176) %14, i8 0, i64 1176, i1 false)
  store ptr %2, ptr %3, align 8
  %15 = getelementptr inbounds nuw i8, ptr %3, i64 8
  store ptr %4, ptr %15, align 8
  %16 = getelementptr inbounds nuw i8, ptr %3, i64 16
  store ptr %12, ptr %16, align 8
  %17 = icmp ugt ptr %13, inttoptr (i64 4095 to ptr)
  %18 = select i1 %17, ptr %13, ptr inttoptr (i64 4096 to ptr)
  %19 = getelementptr inbounds nuw i8, ptr %3, i64 48
  store ptr %18, ptr %19, align 8
  %20 = getelementptr inbounds nuw i8, ptr %3, i64 1049792
  %21 = getelementptr inbounds nuw i8, ptr %3, i64 56
  store ptr %20, ptr %21, align 8
  %22 = getelementptr inbounds nuw i8, ptr %4, i64 32
  store ptr %20, ptr %22, align 8
  %23 = getelementptr inbounds nuw i8, ptr %3, i64 1049824
  %24 = load ptr, ptr %23, align 8
  %25 = getelementptr inbounds nuw i8, ptr %4, i64 40
  store ptr %24, ptr %25, align 8
  %26 = tail call i32 @relay_border(ptr noundef nonnull %3, ptr noundef %0, ptr noundef %1) #7
  %27 = icmp eq i32 %26, 0
  %28 = load i8, ptr @relay_keeps_results, align 1
  %29 = icmp ne i8 %28, 0
  %30 = select i1 %27, i1 %29, i1 false
  br i1 %30, label %54, label %31

31:
  %32 = getelementptr inbounds nuw i8, ptr %3, i64 64
  %33 = load ptr, ptr %32, align 8
  %34 = icmp eq ptr %33, null
  br i1 %34, label %54, label %35

35:
  %36 = getelementptr inbounds nuw i8, ptr %3, i64 1049808
  %37 = getelementptr inbounds nuw i8, ptr %3, i64 1049800
  %38 = getelementptr inbounds nuw i8, ptr %3, i64 1049816
  br label %39

39:
  %40 = phi ptr [ %33, %35 ], [ %52, %51 ]
  %41 = load ptr, ptr %40, align 8
  store ptr %41, ptr %32, align 8
  %42 = getelementptr inbounds nuw i8, ptr %40, i64 8
  %43 = load i64, ptr %36, align 8
  %44 = load i64, ptr %42, align 8
  %45 = add i64 %44, %43
  %46 = load i64, ptr %37, align 8
  %47 = icmp ugt i64 %45, %46
  br i1 %47, label %50, label %48

48:
  store i64 %45, ptr %36, align 8
  %49 = load ptr, ptr %38, align 8
  store ptr %49, ptr %40, align 8
  store ptr %40, ptr %38, align 8
  br label %51

50:
  tail call void @free(ptr noundef nonnull %40)
  br label %51

51:
  %52 = load ptr, ptr %32, align 8
  %53 = icmp eq ptr %52, null
  br i1 %53, label %54, label %39

54:
  %55 = icmp ne i32 %26, 2
  %56 = load i32, ptr @relay_exhausted_from, align 4
  %57 = icmp slt i32 %26, %56
  %58 = select i1 %55, i1 %57, i1 false
  br i1 %58, label %85, label %59

59:
  call void @llvm.lifetime.start.p0(ptr nonnull %10) #7
  store ptr %0, ptr %10, align 8
  %60 = getelementptr inbounds nuw i8, ptr %10, i64 8
  store ptr %1, ptr %60, align 8
  %61 = getelementptr inbounds nuw i8, ptr %10, i64 16
  store ptr %2, ptr %61, align 8
  %62 = getelementptr inbounds nuw i8, ptr %10, i64 24
  store ptr %3, ptr %62, align 8
  %63 = getelementptr inbounds nuw i8, ptr %10, i64 32
  store ptr %4, ptr %63, align 8
  %64 = getelementptr inbounds nuw i8, ptr %10, i64 40
  store i32 %26, ptr %64, align 8
  %65 = getelementptr inbounds nuw i8, ptr %10, i64 44
  store i32 0, ptr %65, align 4
  call void @llvm.lifetime.start.p0(ptr nonnull %9) #7
  call void @llvm.lifetime.start.p0(ptr nonnull %6) #7
  call void @llvm.lifetime.start.p0(ptr nonnull %7) #7
  call void @llvm.lifetime.start.p0(ptr nonnull %8) #7
  store i32 -1, ptr %6, align 4
  %66 = call i32 @"\01_pthread_sigmask"(i32 noundef 3, ptr noundef nonnull %6, ptr noundef nonnull %7) #7
  %67 = call i32 @pthread_attr_init(ptr noundef nonnull %8) #7
  %68 = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %8, i64 noundef 536870912) #7
  %69 = call i32 @pthread_create(ptr noundef nonnull %9, ptr noundef nonnull %8, ptr noundef nonnull @run_far, ptr noundef nonnull %10) #7
  %70 = icmp eq i32 %69, 0
  %71 = call i32 @pthread_attr_destroy(ptr noundef nonnull %8) #7
  %72 = call i32 @"\01_pthread_sigmask"(i32 noundef 3, ptr noundef nonnull %7, ptr noundef null) #7
  call void @llvm.lifetime.end.p0(ptr nonnull %8) #7
  call void @llvm.lifetime.end.p0(ptr nonnull %7) #7
  call void @llvm.lifetime.end.p0(ptr nonnull %6) #7
  br i1 %70, label %73, label %83

73:
  %74 = load ptr, ptr %62, align 8
  %75 = getelementptr inbounds nuw i8, ptr %74, i64 1049832
  %76 = load ptr, ptr %75, align 8
  %77 = icmp eq ptr %76, null
  br i1 %77, label %80, label %78

78:
  %79 = getelementptr inbounds nuw i8, ptr %74, i64 1049792
  call void %76(ptr noundef nonnull %79) #7
  br label %80

80:
  %81 = load ptr, ptr %9, align 8
  %82 = call i32 @"\01_pthread_join"(ptr noundef %81, ptr noundef null) #7
  br label %83

83:
  call void @llvm.lifetime.end.p0(ptr nonnull %9) #7
  %84 = load i32, ptr %64, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %10) #7
  br label %85

85:
  %86 = phi i32 [ %84, %83 ], [ %26, %54 ]
  ret i32 %86
}

declare ptr @llvm.frameaddress.p0(i32 immarg) #4

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #5

declare i32 @relay_border(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #6

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
  %27 = tail call i32 @relay_border(ptr noundef %23, ptr noundef %24, ptr noundef %26) #7
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
  tail call void %59(ptr noundef nonnull %62) #7
  br label %63

63:
  ret ptr null
}

declare i32 @"\01_pthread_sigmask"(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr #6

declare i32 @pthread_attr_init(ptr noundef) local_unnamed_addr #6

declare i32 @pthread_attr_setstacksize(ptr noundef, i64 noundef) local_unnamed_addr #6

declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #6

declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr #6

declare i32 @"\01_pthread_join"(ptr noundef, ptr noundef) local_unnamed_addr #6

attributes #0 = { nounwind }
attributes #1 = { nounwind }
attributes #2 = { nounwind }
attributes #3 = { nounwind }
attributes #4 = { nounwind }
attributes #5 = { nounwind }
attributes #6 = { nounwind }
attributes #7 = { nounwind }

