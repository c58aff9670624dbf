; Written by tools/c_runtime.py from the C sources; do not edit.

%struct.Library = type { ptr, i64, i64, i64, i64, ptr, ptr, i64, ptr }
%struct.OpenOutput = type { i64, i64, i64 }
%struct.Status = type { i64, ptr }

@relay_library = external local_unnamed_addr constant %struct.Library, align 8
@relay_threads = external local_unnamed_addr global i64, align 8
@.str = private unnamed_addr constant [15 x i8] c"unknown status\00", align 1

define range(i64 -9223372036854775744, -9223372036854775808) i64 @relay_library_workspace_bytes() local_unnamed_addr #0 {
  %1 = load i64, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i64 16), align 8
  %2 = load i64, ptr @relay_threads, align 8
  %3 = load i64, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i64 24), align 8
  %4 = mul nsw i64 %3, %2
  %5 = load i64, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i64 8), align 8
  %6 = add i64 %1, 64
  %7 = add i64 %6, %4
  %8 = add i64 %7, %5
  ret i64 %8
}

define i32 @relay_library_run(ptr noundef %0, ptr noundef %1, ptr noundef %2) local_unnamed_addr #1 {
  %4 = icmp eq ptr %2, null
  %5 = load i64, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i64 8), align 8
  br i1 %4, label %6, label %16

6:
  %7 = load i64, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i64 16), align 8
  %8 = load i64, ptr @relay_threads, align 8
  %9 = load i64, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i64 24), align 8
  %10 = mul nsw i64 %9, %8
  %11 = add i64 %7, 64
  %12 = add i64 %11, %10
  %13 = add i64 %12, %5
  %14 = tail call ptr @malloc(i64 noundef %13) #11
  %15 = icmp eq ptr %14, null
  br i1 %15, label %38, label %16

16:
  %17 = phi ptr [ %14, %6 ], [ %2, %3 ]
  %18 = ptrtoint ptr %17 to i64
  %19 = add i64 %18, 63
  %20 = and i64 %19, -64
  %21 = inttoptr i64 %20 to ptr
  %22 = getelementptr inbounds i8, ptr %21, i64 %5
  %23 = getelementptr inbounds i8, ptr %22, i64 -64
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(64) %23, i8 0, i64 64, i1 false)
  %24 = load ptr, ptr @relay_library, align 8
  %25 = tail call i32 @relay_run(ptr noundef %0, ptr noundef %1, ptr noundef %24, ptr noundef %21, ptr noundef %22) #12
  %26 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i64 48), align 8
  %27 = icmp eq ptr %26, null
  br i1 %27, label %35, label %28

28:
  %29 = icmp eq i32 %25, 0
  br i1 %29, label %30, label %32

30:
  %31 = tail call fastcc i32 @move_outputs(ptr noundef %1)
  br label %32

32:
  %33 = phi i32 [ %31, %30 ], [ %25, %28 ]
  %34 = tail call i32 %26(ptr noundef nonnull %21) #12
  br label %35

35:
  %36 = phi i32 [ %33, %32 ], [ %25, %16 ]
  br i1 %4, label %37, label %38

37:
  tail call void @free(ptr noundef nonnull %17)
  br label %38

38:
  %39 = phi i32 [ 1, %6 ], [ %36, %37 ], [ %36, %35 ]
  ret i32 %39
}

declare noalias noundef ptr @malloc(i64 noundef) local_unnamed_addr #2

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #3

declare i32 @relay_run(ptr noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #4

define internal fastcc range(i32 0, 2) i32 @move_outputs(ptr noundef readonly captures(none) %0) unnamed_addr #5 {
  %2 = load i64, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i64 32), align 8
  %3 = alloca ptr, i64 %2, align 16
  %4 = icmp sgt i64 %2, 0
  br i1 %4, label %5, label %43

5:
  %6 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i64 40), align 8
  br label %9

7:
  %8 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i64 40), align 8
  br label %45

9:
  %10 = phi i1 [ true, %5 ], [ %37, %31 ]
  %11 = phi i64 [ 0, %5 ], [ %38, %31 ]
  %12 = getelementptr inbounds nuw %struct.OpenOutput, ptr %6, i64 %11
  %13 = getelementptr inbounds nuw i8, ptr %12, i64 8
  %14 = load i64, ptr %13, align 8
  %15 = getelementptr inbounds nuw i8, ptr %12, i64 16
  %16 = load i64, ptr %15, align 8
  %17 = icmp sgt i64 %16, 0
  br i1 %17, label %18, label %31

18:
  %19 = load i64, ptr %12, align 8
  %20 = getelementptr inbounds ptr, ptr %0, i64 %19
  %21 = load ptr, ptr %20, align 8
  %22 = getelementptr inbounds nuw i8, ptr %21, i64 8
  br label %23

23:
  %24 = phi i64 [ 0, %18 ], [ %29, %23 ]
  %25 = phi i64 [ %14, %18 ], [ %28, %23 ]
  %26 = getelementptr inbounds nuw i64, ptr %22, i64 %24
  %27 = load i64, ptr %26, align 8
  %28 = mul nsw i64 %27, %25
  %29 = add nuw nsw i64 %24, 1
  %30 = icmp eq i64 %29, %16
  br i1 %30, label %31, label %23

31:
  %32 = phi i64 [ %14, %9 ], [ %28, %23 ]
  %33 = tail call i64 @llvm.smax.i64(i64 %32, i64 1)
  %34 = tail call ptr @malloc(i64 noundef %33) #11
  %35 = getelementptr inbounds nuw ptr, ptr %3, i64 %11
  store ptr %34, ptr %35, align 8
  %36 = icmp ne ptr %34, null
  %37 = and i1 %10, %36
  %38 = add nuw nsw i64 %11, 1
  %39 = icmp eq i64 %38, %2
  br i1 %39, label %7, label %9

40:
  %41 = xor i1 %37, true
  %42 = zext i1 %41 to i32
  br label %43

43:
  %44 = phi i32 [ 0, %1 ], [ %42, %40 ]
  ret i32 %44

45:
  %46 = phi i64 [ 0, %7 ], [ %76, %75 ]
  br i1 %37, label %50, label %47

47:
  %48 = getelementptr inbounds nuw ptr, ptr %3, i64 %46
  %49 = load ptr, ptr %48, align 8
  tail call void @free(ptr noundef %49)
  br label %75

50:
  %51 = getelementptr inbounds nuw %struct.OpenOutput, ptr %8, i64 %46
  %52 = load i64, ptr %51, align 8
  %53 = getelementptr inbounds ptr, ptr %0, i64 %52
  %54 = load ptr, ptr %53, align 8
  %55 = getelementptr inbounds nuw ptr, ptr %3, i64 %46
  %56 = load ptr, ptr %55, align 8
  %57 = load ptr, ptr %54, align 8
  %58 = getelementptr inbounds nuw i8, ptr %51, i64 8
  %59 = load i64, ptr %58, align 8
  %60 = getelementptr inbounds nuw i8, ptr %51, i64 16
  %61 = load i64, ptr %60, align 8
  %62 = icmp sgt i64 %61, 0
  br i1 %62, label %63, label %73

63:
  %64 = getelementptr inbounds nuw i8, ptr %54, i64 8
  br label %65

65:
  %66 = phi i64 [ 0, %63 ], [ %71, %65 ]
  %67 = phi i64 [ %59, %63 ], [ %70, %65 ]
  %68 = getelementptr inbounds nuw i64, ptr %64, i64 %66
  %69 = load i64, ptr %68, align 8
  %70 = mul nsw i64 %69, %67
  %71 = add nuw nsw i64 %66, 1
  %72 = icmp eq i64 %71, %61
  br i1 %72, label %73, label %65

73:
  %74 = phi i64 [ %59, %50 ], [ %70, %65 ]
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %56, ptr align 1 %57, i64 %74, i1 false)
  store ptr %56, ptr %54, align 8
  br label %75

75:
  %76 = add nuw nsw i64 %46, 1
  %77 = icmp eq i64 %76, %2
  br i1 %77, label %40, label %45
}

declare void @free(ptr allocptr noundef captures(none)) local_unnamed_addr #6

define void @relay_library_stop(ptr noundef %0) local_unnamed_addr #7 {
  %2 = ptrtoint ptr %0 to i64
  %3 = add i64 %2, 63
  %4 = and i64 %3, -64
  %5 = inttoptr i64 %4 to ptr
  %6 = load i64, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i64 8), align 8
  %7 = getelementptr inbounds i8, ptr %5, i64 %6
  %8 = getelementptr inbounds i8, ptr %7, i64 -64
  store atomic i32 1, ptr %8 seq_cst, align 4
  ret void
}

define void @relay_library_set_threads(i32 noundef %0) local_unnamed_addr #1 {
  %2 = tail call i32 @llvm.smax.i32(i32 %0, i32 1)
  %3 = tail call i32 @llvm.umin.i32(i32 %2, i32 256)
  %4 = zext nneg i32 %3 to i64
  store i64 %4, ptr @relay_threads, align 8
  tail call void @relay_prepare_threads(i64 noundef %4) #12
  ret void
}

declare void @relay_prepare_threads(i64 noundef) local_unnamed_addr #4

define ptr @relay_library_error(i32 noundef %0) local_unnamed_addr #8 {
  %2 = load i64, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i64 56), align 8
  %3 = icmp sgt i64 %2, 0
  br i1 %3, label %4, label %18

4:
  %5 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @relay_library, i64 64), align 8
  %6 = sext i32 %0 to i64
  br label %10

7:
  %8 = add nuw nsw i64 %11, 1
  %9 = icmp eq i64 %8, %2
  br i1 %9, label %18, label %10

10:
  %11 = phi i64 [ 0, %4 ], [ %8, %7 ]
  %12 = getelementptr inbounds nuw %struct.Status, ptr %5, i64 %11
  %13 = load i64, ptr %12, align 8
  %14 = icmp eq i64 %13, %6
  br i1 %14, label %15, label %7

15:
  %16 = getelementptr inbounds nuw i8, ptr %12, i64 8
  %17 = load ptr, ptr %16, align 8
  br label %18

18:
  %19 = phi ptr [ %17, %15 ], [ @.str, %1 ], [ @.str, %7 ]
  ret ptr %19
}

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #9

declare i64 @llvm.smax.i64(i64, i64) #10

declare i32 @llvm.smax.i32(i32, i32) #10

declare i32 @llvm.umin.i32(i32, i32) #10

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
attributes #11 = { nounwind }
attributes #12 = { nounwind }

