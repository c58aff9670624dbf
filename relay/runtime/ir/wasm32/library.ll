; Written by tools/c_runtime.py from the C sources; do not edit.

%struct.Library = type { ptr, i64, i64, i64, i64, ptr, ptr, i64, ptr }
%struct.OpenOutput = type { i64, i64, i64 }
%struct.Status = type { i64, ptr }

@relay_library = external local_unnamed_addr constant %struct.Library, align 8
@relay_threads = external local_unnamed_addr global i64, align 8
@.str = private unnamed_addr constant [15 x i8] c"unknown status\00", align 1

define hidden i32 @relay_library_workspace_bytes() local_unnamed_addr #0 {
  %1 = load i64, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i32 16), align 8
  %2 = load i64, ptr @relay_threads, align 8
  %3 = load i64, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i32 24), align 8
  %4 = mul nsw i64 %3, %2
  %5 = add nsw i64 %4, %1
  %6 = load i64, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i32 8), align 8
  %7 = add nsw i64 %5, %6
  %8 = trunc i64 %7 to i32
  %9 = add i32 %8, 64
  ret i32 %9
}

define hidden i32 @relay_library_run(ptr noundef %0, ptr noundef %1, ptr noundef %2) local_unnamed_addr #1 {
  %4 = icmp eq ptr %2, null
  %5 = load i64, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i32 8), align 8
  br i1 %4, label %6, label %17

6:
  %7 = load i64, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i32 16), align 8
  %8 = load i64, ptr @relay_threads, align 8
  %9 = load i64, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i32 24), align 8
  %10 = mul nsw i64 %9, %8
  %11 = add nsw i64 %10, %7
  %12 = add nsw i64 %11, %5
  %13 = trunc i64 %12 to i32
  %14 = add i32 %13, 64
  %15 = tail call ptr @malloc(i32 noundef %14) #8
  %16 = icmp eq ptr %15, null
  br i1 %16, label %40, label %17

17:
  %18 = phi ptr [ %15, %6 ], [ %2, %3 ]
  %19 = ptrtoint ptr %18 to i32
  %20 = add i32 %19, 63
  %21 = and i32 %20, -64
  %22 = inttoptr i32 %21 to ptr
  %23 = trunc i64 %5 to i32
  %24 = getelementptr inbounds i8, ptr %22, i32 %23
  %25 = getelementptr inbounds i8, ptr %24, i32 -64
  tail call void @llvm.memset.p0.i32(ptr noundef nonnull align 8 dereferenceable(64) %25, i8 0, i32 64, i1 false)
  %26 = load ptr, ptr @relay_library, align 8
  %27 = tail call i32 @relay_run(ptr noundef %0, ptr noundef %1, ptr noundef %26, ptr noundef %22, ptr noundef %24) #8
  %28 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i32 44), align 4
  %29 = icmp eq ptr %28, null
  br i1 %29, label %37, label %30

30:
  %31 = icmp eq i32 %27, 0
  br i1 %31, label %32, label %34

32:
  %33 = tail call fastcc i32 @move_outputs(ptr noundef %1) #9
  br label %34

34:
  %35 = phi i32 [ %33, %32 ], [ %27, %30 ]
  %36 = tail call i32 %28(ptr noundef nonnull %22) #8
  br label %37

37:
  %38 = phi i32 [ %35, %34 ], [ %27, %17 ]
  br i1 %4, label %39, label %40

39:
  tail call void @free(ptr noundef nonnull %18) #8
  br label %40

40:
  %41 = phi i32 [ 1, %6 ], [ %38, %39 ], [ %38, %37 ]
  ret i32 %41
}

declare ptr @malloc(i32 noundef) local_unnamed_addr #2

declare void @llvm.memset.p0.i32(ptr writeonly captures(none), i8, i32, i1 immarg) #3

declare i32 @relay_run(ptr noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #2

define internal fastcc range(i32 0, 2) i32 @move_outputs(ptr noundef readonly captures(none) %0) unnamed_addr #1 {
  %2 = load i64, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i32 32), align 8
  %3 = trunc i64 %2 to i32
  %4 = alloca ptr, i32 %3, align 16
  %5 = icmp sgt i64 %2, 0
  br i1 %5, label %6, label %48

6:
  %7 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i32 40), align 8
  br label %10

8:
  %9 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i32 40), align 8
  br label %50

10:
  %11 = phi i1 [ true, %6 ], [ %42, %35 ]
  %12 = phi i64 [ 0, %6 ], [ %43, %35 ]
  %13 = trunc i64 %12 to i32
  %14 = getelementptr inbounds %struct.OpenOutput, ptr %7, i32 %13
  %15 = getelementptr inbounds nuw i8, ptr %14, i32 8
  %16 = load i64, ptr %15, align 8
  %17 = getelementptr inbounds nuw i8, ptr %14, i32 16
  %18 = load i64, ptr %17, align 8
  %19 = icmp sgt i64 %18, 0
  br i1 %19, label %20, label %35

20:
  %21 = load i64, ptr %14, align 8
  %22 = trunc i64 %21 to i32
  %23 = getelementptr inbounds ptr, ptr %0, i32 %22
  %24 = load ptr, ptr %23, align 4
  %25 = getelementptr inbounds nuw i8, ptr %24, i32 8
  br label %26

26:
  %27 = phi i64 [ 0, %20 ], [ %33, %26 ]
  %28 = phi i64 [ %16, %20 ], [ %32, %26 ]
  %29 = trunc i64 %27 to i32
  %30 = getelementptr inbounds i64, ptr %25, i32 %29
  %31 = load i64, ptr %30, align 8
  %32 = mul nsw i64 %31, %28
  %33 = add nuw nsw i64 %27, 1
  %34 = icmp eq i64 %33, %18
  br i1 %34, label %35, label %26

35:
  %36 = phi i64 [ %16, %10 ], [ %32, %26 ]
  %37 = tail call i64 @llvm.smax.i64(i64 %36, i64 1)
  %38 = trunc i64 %37 to i32
  %39 = tail call ptr @malloc(i32 noundef %38) #8
  %40 = getelementptr inbounds ptr, ptr %4, i32 %13
  store ptr %39, ptr %40, align 4
  %41 = icmp ne ptr %39, null
  %42 = and i1 %11, %41
  %43 = add nuw nsw i64 %12, 1
  %44 = icmp eq i64 %43, %2
  br i1 %44, label %8, label %10

45:
  %46 = xor i1 %42, true
  %47 = zext i1 %46 to i32
  br label %48

48:
  %49 = phi i32 [ 0, %1 ], [ %47, %45 ]
  ret i32 %49

50:
  %51 = phi i64 [ 0, %8 ], [ %85, %84 ]
  %52 = trunc i64 %51 to i32
  br i1 %42, label %56, label %53

53:
  %54 = getelementptr inbounds ptr, ptr %4, i32 %52
  %55 = load ptr, ptr %54, align 4
  tail call void @free(ptr noundef %55) #8
  br label %84

56:
  %57 = getelementptr inbounds %struct.OpenOutput, ptr %9, i32 %52
  %58 = load i64, ptr %57, align 8
  %59 = trunc i64 %58 to i32
  %60 = getelementptr inbounds ptr, ptr %0, i32 %59
  %61 = load ptr, ptr %60, align 4
  %62 = getelementptr inbounds ptr, ptr %4, i32 %52
  %63 = load ptr, ptr %62, align 4
  %64 = load ptr, ptr %61, align 8
  %65 = getelementptr inbounds nuw i8, ptr %57, i32 8
  %66 = load i64, ptr %65, align 8
  %67 = getelementptr inbounds nuw i8, ptr %57, i32 16
  %68 = load i64, ptr %67, align 8
  %69 = icmp sgt i64 %68, 0
  br i1 %69, label %70, label %81

70:
  %71 = getelementptr inbounds nuw i8, ptr %61, i32 8
  br label %72

72:
  %73 = phi i64 [ 0, %70 ], [ %79, %72 ]
  %74 = phi i64 [ %66, %70 ], [ %78, %72 ]
  %75 = trunc i64 %73 to i32
  %76 = getelementptr inbounds i64, ptr %71, i32 %75
  %77 = load i64, ptr %76, align 8
  %78 = mul nsw i64 %77, %74
  %79 = add nuw nsw i64 %73, 1
  %80 = icmp eq i64 %79, %68
  br i1 %80, label %81, label %72

81:
  %82 = phi i64 [ %66, %56 ], [ %78, %72 ]
  %83 = trunc i64 %82 to i32
  tail call void @llvm.memcpy.p0.p0.i32(ptr align 1 %63, ptr align 1 %64, i32 %83, i1 false)
  store ptr %63, ptr %61, align 8
  br label %84

84:
  %85 = add nuw nsw i64 %51, 1
  %86 = icmp eq i64 %85, %2
  br i1 %86, label %45, label %50
}

declare void @free(ptr noundef) local_unnamed_addr #2

define hidden void @relay_library_stop(ptr noundef %0) local_unnamed_addr #4 {
  %2 = ptrtoint ptr %0 to i32
  %3 = add i32 %2, 63
  %4 = and i32 %3, -64
  %5 = inttoptr i32 %4 to ptr
  %6 = load i64, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i32 8), align 8
  %7 = trunc i64 %6 to i32
  %8 = getelementptr inbounds i8, ptr %5, i32 %7
  %9 = getelementptr inbounds i8, ptr %8, i32 -64
  store atomic i32 1, ptr %9 seq_cst, align 4
  ret void
}

define hidden void @relay_library_set_threads(i32 noundef %0) local_unnamed_addr #1 {
  %2 = tail call i32 @llvm.smax.i32(i32 %0, i32 1)
  %3 = tail call i32 @llvm.umin.i32(i32 %2, i32 256)
  %4 = zext nneg i32 %3 to i64
  store i64 %4, ptr @relay_threads, align 8
  tail call void @relay_prepare_threads(i64 noundef %4) #8
  ret void
}

declare void @relay_prepare_threads(i64 noundef) local_unnamed_addr #2

define hidden ptr @relay_library_error(i32 noundef %0) local_unnamed_addr #5 {
  %2 = load i64, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i32 48), align 8
  %3 = icmp sgt i64 %2, 0
  br i1 %3, label %4, label %19

4:
  %5 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i32 56), align 8
  %6 = sext i32 %0 to i64
  br label %10

7:
  %8 = add nuw nsw i64 %11, 1
  %9 = icmp eq i64 %8, %2
  br i1 %9, label %19, label %10

10:
  %11 = phi i64 [ 0, %4 ], [ %8, %7 ]
  %12 = trunc i64 %11 to i32
  %13 = getelementptr inbounds %struct.Status, ptr %5, i32 %12
  %14 = load i64, ptr %13, align 8
  %15 = icmp eq i64 %14, %6
  br i1 %15, label %16, label %7

16:
  %17 = getelementptr inbounds nuw i8, ptr %13, i32 8
  %18 = load ptr, ptr %17, align 8
  br label %19

19:
  %20 = phi ptr [ %18, %16 ], [ @.str, %1 ], [ @.str, %7 ]
  ret ptr %20
}

declare void @llvm.memcpy.p0.p0.i32(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i32, i1 immarg) #6

declare i64 @llvm.smax.i64(i64, i64) #7

declare i32 @llvm.smax.i32(i32, i32) #7

declare i32 @llvm.umin.i32(i32, i32) #7

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

