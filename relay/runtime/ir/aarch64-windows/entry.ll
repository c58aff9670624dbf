; Written by tools/c_runtime.py from the C sources; do not edit.

%struct.Far = type { ptr, ptr, ptr, ptr, ptr, i32 }

@relay_exhausted_from = external local_unnamed_addr constant i32, align 4
@relay_keeps_results = external local_unnamed_addr constant i8, align 1

define dso_local noundef i32 @relay_finish(ptr noundef captures(none) %0) local_unnamed_addr #0 {
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
  tail call void @_aligned_free(ptr noundef nonnull %10) #5
  br label %21

21:
  %22 = load ptr, ptr %2, align 8
  %23 = icmp eq ptr %22, null
  br i1 %23, label %24, label %9

24:
  ret i32 0
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

declare dso_local void @_aligned_free(ptr noundef) local_unnamed_addr #2

declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

define dso_local noundef i32 @relay_forget(ptr noundef captures(none) %0) local_unnamed_addr #0 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 1049816
  %3 = load ptr, ptr %2, align 8
  %4 = icmp eq ptr %3, null
  br i1 %4, label %10, label %5

5:
  %6 = phi ptr [ %8, %5 ], [ %3, %1 ]
  %7 = load ptr, ptr %6, align 8
  store ptr %7, ptr %2, align 8
  tail call void @_aligned_free(ptr noundef nonnull %6) #5
  %8 = load ptr, ptr %2, align 8
  %9 = icmp eq ptr %8, null
  br i1 %9, label %10, label %5

10:
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 1049808
  store i64 0, ptr %11, align 8
  ret i32 0
}

define dso_local i32 @relay_run(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef initializes((0, 1200)) %3, ptr noundef %4) local_unnamed_addr #0 {
  %6 = alloca %struct.Far, align 8
  %7 = tail call ptr @llvm.frameaddress.p0(i32 0)
  %8 = getelementptr inbounds i8, ptr %7, i64 -196608
  %9 = getelementptr inbounds nuw i8, ptr %3, i64 1216
  %10 = getelementptr inbounds nuw i8, ptr %3, i64 24
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(1176) %10, i8 0, i64 1176, i1 false)
  store ptr %2, ptr %3, align 8
  %11 = getelementptr inbounds nuw i8, ptr %3, i64 8
  store ptr %4, ptr %11, align 8
  %12 = getelementptr inbounds nuw i8, ptr %3, i64 16
  store ptr %8, ptr %12, align 8
  %13 = icmp ugt ptr %9, inttoptr (i64 4095 to ptr)
  %14 = select i1 %13, ptr %9, ptr inttoptr (i64 4096 to ptr)
  %15 = getelementptr inbounds nuw i8, ptr %3, i64 48
  store ptr %14, ptr %15, align 8
  %16 = getelementptr inbounds nuw i8, ptr %3, i64 1049792
  %17 = getelementptr inbounds nuw i8, ptr %3, i64 56
  store ptr %16, ptr %17, align 8
  %18 = getelementptr inbounds nuw i8, ptr %4, i64 32
  store ptr %16, ptr %18, align 8
  %19 = getelementptr inbounds nuw i8, ptr %3, i64 1049824
  %20 = load ptr, ptr %19, align 8
  %21 = getelementptr inbounds nuw i8, ptr %4, i64 40
  store ptr %20, ptr %21, align 8
  %22 = tail call i32 @relay_border(ptr noundef nonnull %3, ptr noundef %0, ptr noundef %1) #5
  %23 = icmp eq i32 %22, 0
  %24 = load i8, ptr @relay_keeps_results, align 1
  %25 = icmp ne i8 %24, 0
  %26 = select i1 %23, i1 %25, i1 false
  br i1 %26, label %50, label %27

27:
  %28 = getelementptr inbounds nuw i8, ptr %3, i64 64
  %29 = load ptr, ptr %28, align 8
  %30 = icmp eq ptr %29, null
  br i1 %30, label %50, label %31

31:
  %32 = getelementptr inbounds nuw i8, ptr %3, i64 1049808
  %33 = getelementptr inbounds nuw i8, ptr %3, i64 1049800
  %34 = getelementptr inbounds nuw i8, ptr %3, i64 1049816
  br label %35

35:
  %36 = phi ptr [ %29, %31 ], [ %48, %47 ]
  %37 = load ptr, ptr %36, align 8
  store ptr %37, ptr %28, align 8
  %38 = getelementptr inbounds nuw i8, ptr %36, i64 8
  %39 = load i64, ptr %32, align 8
  %40 = load i64, ptr %38, align 8
  %41 = add i64 %40, %39
  %42 = load i64, ptr %33, align 8
  %43 = icmp ugt i64 %41, %42
  br i1 %43, label %46, label %44

44:
  store i64 %41, ptr %32, align 8
  %45 = load ptr, ptr %34, align 8
  store ptr %45, ptr %36, align 8
  store ptr %36, ptr %34, align 8
  br label %47

46:
  tail call void @_aligned_free(ptr noundef nonnull %36) #5
  br label %47

47:
  %48 = load ptr, ptr %28, align 8
  %49 = icmp eq ptr %48, null
  br i1 %49, label %50, label %35

50:
  %51 = icmp ne i32 %22, 2
  %52 = load i32, ptr @relay_exhausted_from, align 4
  %53 = icmp slt i32 %22, %52
  %54 = select i1 %51, i1 %53, i1 false
  br i1 %54, label %76, label %55

55:
  call void @llvm.lifetime.start.p0(ptr nonnull %6) #5
  store ptr %0, ptr %6, align 8
  %56 = getelementptr inbounds nuw i8, ptr %6, i64 8
  store ptr %1, ptr %56, align 8
  %57 = getelementptr inbounds nuw i8, ptr %6, i64 16
  store ptr %2, ptr %57, align 8
  %58 = getelementptr inbounds nuw i8, ptr %6, i64 24
  store ptr %3, ptr %58, align 8
  %59 = getelementptr inbounds nuw i8, ptr %6, i64 32
  store ptr %4, ptr %59, align 8
  %60 = getelementptr inbounds nuw i8, ptr %6, i64 40
  store i32 %22, ptr %60, align 8
  %61 = getelementptr inbounds nuw i8, ptr %6, i64 44
  store i32 0, ptr %61, align 4
  %62 = call ptr @CreateThread(ptr noundef null, i64 noundef 536870912, ptr noundef nonnull @run_far, ptr noundef nonnull %6, i32 noundef 65536, ptr noundef null) #5
  %63 = icmp eq ptr %62, null
  br i1 %63, label %74, label %64

64:
  %65 = load ptr, ptr %58, align 8
  %66 = getelementptr inbounds nuw i8, ptr %65, i64 1049832
  %67 = load ptr, ptr %66, align 8
  %68 = icmp eq ptr %67, null
  br i1 %68, label %71, label %69

69:
  %70 = getelementptr inbounds nuw i8, ptr %65, i64 1049792
  call void %67(ptr noundef nonnull %70) #5
  br label %71

71:
  %72 = call i32 @WaitForSingleObject(ptr noundef nonnull %62, i32 noundef -1) #5
  %73 = call i32 @CloseHandle(ptr noundef nonnull %62) #5
  br label %74

74:
  %75 = load i32, ptr %60, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %6) #5
  br label %76

76:
  %77 = phi i32 [ %75, %74 ], [ %22, %50 ]
  ret i32 %77
}

declare ptr @llvm.frameaddress.p0(i32 immarg) #3

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #4

declare dso_local i32 @relay_border(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #2

define internal noundef i32 @run_far(ptr noundef captures(none) %0) #0 {
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
  %27 = tail call i32 @relay_border(ptr noundef %23, ptr noundef %24, ptr noundef %26) #5
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
  tail call void @_aligned_free(ptr noundef nonnull %41) #5
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
  tail call void %59(ptr noundef nonnull %62) #5
  br label %63

63:
  ret i32 0
}

declare dso_local ptr @CreateThread(ptr noundef, i64 noundef, ptr noundef, ptr noundef, i32 noundef, ptr noundef) local_unnamed_addr #2

declare dso_local i32 @WaitForSingleObject(ptr noundef, i32 noundef) local_unnamed_addr #2

declare dso_local i32 @CloseHandle(ptr noundef) local_unnamed_addr #2

attributes #0 = { nounwind }
attributes #1 = { nounwind }
attributes #2 = { nounwind }
attributes #3 = { nounwind }
attributes #4 = { nounwind }
attributes #5 = { nounwind }

