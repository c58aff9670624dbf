; Written by tools/c_runtime.py from the C sources; do not edit.

%struct.anon = type { %union.anon.6 }
%union.anon.6 = type { i64 }

define hidden ptr @relay_carve(ptr noundef captures(none) %0, i64 noundef %1) local_unnamed_addr #0 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i32 56
  %4 = load ptr, ptr %3, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i32 48
  %6 = load ptr, ptr %5, align 8
  %7 = ptrtoint ptr %4 to i32
  %8 = ptrtoint ptr %6 to i32
  %9 = sub i32 %7, %8
  %10 = sext i32 %9 to i64
  %11 = icmp sgt i64 %1, %10
  br i1 %11, label %12, label %61

12:
  %13 = getelementptr inbounds nuw i8, ptr %0, i32 64
  %14 = load ptr, ptr %13, align 8
  %15 = icmp eq ptr %14, null
  br i1 %15, label %21, label %16

16:
  %17 = getelementptr inbounds nuw i8, ptr %14, i32 8
  %18 = load i64, ptr %17, align 8
  %19 = shl nsw i64 %18, 1
  %20 = tail call noundef range(i64 -9223372036854775808, 16777217) i64 @llvm.smin.i64(i64 %19, i64 16777216)
  br label %21

21:
  %22 = phi i64 [ %20, %16 ], [ 1048576, %12 ]
  %23 = add nsw i64 %1, 64
  %24 = getelementptr inbounds nuw i8, ptr %0, i32 1049816
  br label %25

25:
  %26 = phi ptr [ null, %21 ], [ %28, %30 ]
  %27 = phi ptr [ %24, %21 ], [ %28, %30 ]
  %28 = load ptr, ptr %27, align 8
  %29 = icmp eq ptr %28, null
  br i1 %29, label %45, label %30

30:
  %31 = getelementptr inbounds nuw i8, ptr %28, i32 8
  %32 = load i64, ptr %31, align 8
  %33 = icmp slt i64 %32, %23
  br i1 %33, label %25, label %34

34:
  %35 = getelementptr inbounds nuw i8, ptr %28, i32 8
  %36 = icmp eq ptr %26, null
  %37 = load ptr, ptr %28, align 8
  br i1 %36, label %38, label %39

38:
  store ptr %37, ptr %24, align 8
  br label %40

39:
  store ptr %37, ptr %26, align 8
  br label %40

40:
  %41 = load i64, ptr %35, align 8
  %42 = getelementptr inbounds nuw i8, ptr %0, i32 1049808
  %43 = load i64, ptr %42, align 8
  %44 = sub i64 %43, %41
  store i64 %44, ptr %42, align 8
  br label %54

45:
  %46 = tail call range(i64 -2147483583, -9223372036854775808) i64 @llvm.smax.i64(i64 range(i64 -2147483583, -9223372036854775808) %23, i64 %22)
  %47 = icmp sgt i64 %1, 2147483583
  br i1 %47, label %65, label %48

48:
  %49 = trunc nsw i64 %46 to i32
  %50 = tail call ptr @aligned_alloc(i32 noundef 64, i32 noundef %49) #5
  %51 = icmp eq ptr %50, null
  br i1 %51, label %65, label %52

52:
  %53 = getelementptr inbounds nuw i8, ptr %50, i32 8
  store i64 %46, ptr %53, align 8
  br label %54

54:
  %55 = phi ptr [ %50, %52 ], [ %28, %40 ]
  store ptr %14, ptr %55, align 8
  store ptr %55, ptr %13, align 8
  %56 = getelementptr inbounds nuw i8, ptr %55, i32 64
  store ptr %56, ptr %5, align 8
  %57 = getelementptr inbounds nuw i8, ptr %55, i32 8
  %58 = load i64, ptr %57, align 8
  %59 = trunc i64 %58 to i32
  %60 = getelementptr inbounds i8, ptr %55, i32 %59
  store ptr %60, ptr %3, align 8
  br label %61

61:
  %62 = phi ptr [ %56, %54 ], [ %6, %2 ]
  %63 = trunc i64 %1 to i32
  %64 = getelementptr inbounds i8, ptr %62, i32 %63
  store ptr %64, ptr %5, align 8
  br label %65

65:
  %66 = phi ptr [ %62, %61 ], [ null, %48 ], [ null, %45 ]
  ret ptr %66
}

define hidden ptr @relay_carve_block(ptr noundef captures(none) %0, i64 noundef %1, i64 noundef %2) local_unnamed_addr #0 {
  %4 = getelementptr inbounds nuw i8, ptr %0, i32 56
  %5 = load ptr, ptr %4, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i32 48
  %7 = load ptr, ptr %6, align 8
  %8 = ptrtoint ptr %5 to i32
  %9 = ptrtoint ptr %7 to i32
  %10 = sub i32 %8, %9
  %11 = sext i32 %10 to i64
  %12 = icmp sgt i64 %2, %11
  br i1 %12, label %13, label %64

13:
  %14 = getelementptr inbounds nuw i8, ptr %0, i32 64
  %15 = load ptr, ptr %14, align 8
  %16 = icmp eq ptr %15, null
  br i1 %16, label %22, label %17

17:
  %18 = getelementptr inbounds nuw i8, ptr %15, i32 8
  %19 = load i64, ptr %18, align 8
  %20 = shl nsw i64 %19, 1
  %21 = tail call noundef range(i64 -9223372036854775808, 16777217) i64 @llvm.smin.i64(i64 %20, i64 16777216)
  br label %22

22:
  %23 = phi i64 [ %21, %17 ], [ 1048576, %13 ]
  %24 = add nsw i64 %2, 64
  %25 = getelementptr inbounds nuw i8, ptr %0, i32 1049816
  br label %26

26:
  %27 = phi ptr [ null, %22 ], [ %29, %31 ]
  %28 = phi ptr [ %25, %22 ], [ %29, %31 ]
  %29 = load ptr, ptr %28, align 8
  %30 = icmp eq ptr %29, null
  br i1 %30, label %46, label %31

31:
  %32 = getelementptr inbounds nuw i8, ptr %29, i32 8
  %33 = load i64, ptr %32, align 8
  %34 = icmp slt i64 %33, %24
  br i1 %34, label %26, label %35

35:
  %36 = getelementptr inbounds nuw i8, ptr %29, i32 8
  %37 = icmp eq ptr %27, null
  %38 = load ptr, ptr %29, align 8
  br i1 %37, label %39, label %40

39:
  store ptr %38, ptr %25, align 8
  br label %41

40:
  store ptr %38, ptr %27, align 8
  br label %41

41:
  %42 = load i64, ptr %36, align 8
  %43 = getelementptr inbounds nuw i8, ptr %0, i32 1049808
  %44 = load i64, ptr %43, align 8
  %45 = sub i64 %44, %42
  store i64 %45, ptr %43, align 8
  br label %55

46:
  %47 = tail call range(i64 -2147483583, -9223372036854775808) i64 @llvm.smax.i64(i64 range(i64 -2147483583, -9223372036854775808) %24, i64 %23)
  %48 = icmp sgt i64 %2, 2147483583
  br i1 %48, label %72, label %49

49:
  %50 = trunc nsw i64 %47 to i32
  %51 = tail call ptr @aligned_alloc(i32 noundef 64, i32 noundef %50) #5
  %52 = icmp eq ptr %51, null
  br i1 %52, label %72, label %53

53:
  %54 = getelementptr inbounds nuw i8, ptr %51, i32 8
  store i64 %47, ptr %54, align 8
  br label %55

55:
  %56 = phi ptr [ %51, %53 ], [ %29, %41 ]
  store ptr %15, ptr %56, align 8
  store ptr %56, ptr %14, align 8
  %57 = getelementptr inbounds nuw i8, ptr %56, i32 64
  store ptr %57, ptr %6, align 8
  %58 = getelementptr inbounds nuw i8, ptr %56, i32 8
  %59 = load i64, ptr %58, align 8
  %60 = trunc i64 %59 to i32
  %61 = getelementptr inbounds i8, ptr %56, i32 %60
  store ptr %61, ptr %4, align 8
  %62 = trunc i64 %2 to i32
  %63 = getelementptr inbounds i8, ptr %57, i32 %62
  store ptr %63, ptr %6, align 8
  br label %68

64:
  %65 = trunc i64 %2 to i32
  %66 = getelementptr inbounds i8, ptr %7, i32 %65
  store ptr %66, ptr %6, align 8
  %67 = icmp eq ptr %7, null
  br i1 %67, label %72, label %68

68:
  %69 = phi ptr [ %57, %55 ], [ %7, %64 ]
  %70 = trunc i64 %1 to i16
  %71 = getelementptr inbounds nuw i8, ptr %69, i32 4
  store i16 %70, ptr %71, align 4
  br label %72

72:
  %73 = phi ptr [ null, %64 ], [ %69, %68 ], [ null, %49 ], [ null, %46 ]
  ret ptr %73
}

define hidden noundef ptr @relay_allocate_bytes(ptr noundef captures(none) %0, i64 noundef %1) local_unnamed_addr #0 {
  %3 = icmp ugt i64 %1, 1099511627776
  br i1 %3, label %54, label %4

4:
  %5 = add nuw nsw i64 %1, 63
  %6 = lshr i64 %5, 6
  %7 = tail call i64 @llvm.umax.i64(i64 %6, i64 1)
  %8 = icmp samesign ult i64 %1, 1025
  %9 = add nsw i64 %7, -1
  br i1 %8, label %10, label %23

10:
  %11 = getelementptr inbounds nuw i8, ptr %0, i32 72
  %12 = trunc nuw nsw i64 %9 to i32
  %13 = getelementptr inbounds %struct.anon, ptr %11, i32 %12
  %14 = load ptr, ptr %13, align 8
  %15 = icmp eq ptr %14, null
  br i1 %15, label %19, label %16, !prof !9

16:
  %17 = getelementptr inbounds nuw i8, ptr %14, i32 16
  %18 = load ptr, ptr %17, align 8
  store ptr %18, ptr %13, align 8
  br label %47

19:
  %20 = shl nuw nsw i64 %7, 6
  %21 = tail call ptr @relay_carve_block(ptr noundef nonnull %0, i64 noundef %9, i64 noundef %20) #6
  %22 = icmp eq ptr %21, null
  br i1 %22, label %54, label %47, !prof !9

23:
  %24 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %9, i1 false)
  %25 = sub nsw i64 61, %24
  %26 = lshr exact i64 -9223372036854775808, %24
  %27 = sub nsw i64 %9, %26
  %28 = ashr i64 %27, %25
  %29 = shl nuw nsw i64 %24, 2
  %30 = sub nsw i64 %28, %29
  %31 = add nsw i64 %30, 252
  %32 = getelementptr inbounds nuw i8, ptr %0, i32 72
  %33 = trunc i64 %31 to i32
  %34 = getelementptr inbounds %struct.anon, ptr %32, i32 %33
  %35 = load ptr, ptr %34, align 8
  %36 = icmp eq ptr %35, null
  br i1 %36, label %40, label %37, !prof !9

37:
  %38 = getelementptr inbounds nuw i8, ptr %35, i32 16
  %39 = load ptr, ptr %38, align 8
  store ptr %39, ptr %34, align 8
  br label %47

40:
  %41 = add nsw i64 %28, 1
  %42 = shl nsw i64 %41, %25
  %43 = add nsw i64 %42, %26
  %44 = shl nsw i64 %43, 6
  %45 = tail call ptr @relay_carve_block(ptr noundef nonnull %0, i64 noundef %31, i64 noundef %44) #6
  %46 = icmp eq ptr %45, null
  br i1 %46, label %54, label %47, !prof !9

47:
  %48 = phi ptr [ %21, %19 ], [ %14, %16 ], [ %35, %37 ], [ %45, %40 ]
  store i32 1, ptr %48, align 8
  %49 = getelementptr inbounds nuw i8, ptr %48, i32 6
  store i16 0, ptr %49, align 2
  %50 = getelementptr inbounds nuw i8, ptr %48, i32 8
  store ptr null, ptr %50, align 8
  %51 = getelementptr inbounds nuw i8, ptr %0, i32 24
  %52 = load i64, ptr %51, align 8
  %53 = add nsw i64 %52, 1
  store i64 %53, ptr %51, align 8
  br label %54

54:
  %55 = phi ptr [ null, %2 ], [ null, %19 ], [ null, %40 ], [ %48, %47 ]
  ret ptr %55
}

declare i64 @llvm.ctlz.i64(i64, i1 immarg) #1

define hidden void @relay_free_tree(ptr noundef %0, ptr noundef initializes((16, 20)) %1) local_unnamed_addr #0 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i32 32
  %4 = load ptr, ptr %3, align 8
  %5 = getelementptr inbounds nuw i8, ptr %1, i32 16
  store ptr %4, ptr %5, align 8
  store ptr %1, ptr %3, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i32 40
  %7 = load i64, ptr %6, align 8
  %8 = icmp eq i64 %7, 0
  br i1 %8, label %9, label %28

9:
  store i64 1, ptr %6, align 8
  %10 = getelementptr inbounds nuw i8, ptr %0, i32 72
  %11 = getelementptr inbounds nuw i8, ptr %0, i32 24
  br label %12

12:
  %13 = phi ptr [ %1, %9 ], [ %25, %12 ]
  %14 = getelementptr inbounds nuw i8, ptr %13, i32 16
  %15 = load ptr, ptr %14, align 8
  store ptr %15, ptr %3, align 8
  %16 = getelementptr inbounds nuw i8, ptr %13, i32 8
  %17 = load ptr, ptr %16, align 8
  tail call void %17(ptr noundef nonnull %0, ptr noundef nonnull %13) #5
  %18 = getelementptr inbounds nuw i8, ptr %13, i32 4
  %19 = load i16, ptr %18, align 4
  %20 = zext i16 %19 to i32
  %21 = getelementptr inbounds nuw %struct.anon, ptr %10, i32 %20
  %22 = load ptr, ptr %21, align 8
  store ptr %22, ptr %14, align 8
  store ptr %13, ptr %21, align 8
  %23 = load i64, ptr %11, align 8
  %24 = add nsw i64 %23, -1
  store i64 %24, ptr %11, align 8
  %25 = load ptr, ptr %3, align 8
  %26 = icmp eq ptr %25, null
  br i1 %26, label %27, label %12

27:
  store i64 0, ptr %6, align 8
  br label %28

28:
  ret void
}

define hidden void @relay_report(ptr noundef readonly captures(none) %0, i64 noundef %1, i64 noundef %2) local_unnamed_addr #2 {
  %4 = getelementptr inbounds nuw i8, ptr %0, i32 8
  %5 = load ptr, ptr %4, align 8
  %6 = getelementptr inbounds nuw i8, ptr %5, i32 16
  store i64 %2, ptr %6, align 8
  %7 = load ptr, ptr %4, align 8
  %8 = getelementptr inbounds nuw i8, ptr %7, i32 24
  store i64 %1, ptr %8, align 8
  ret void
}

declare ptr @aligned_alloc(i32 noundef, i32 noundef) local_unnamed_addr #3

declare i64 @llvm.smax.i64(i64, i64) #4

declare i64 @llvm.smin.i64(i64, i64) #4

declare i64 @llvm.umax.i64(i64, i64) #4

attributes #0 = { nounwind }
attributes #1 = { nounwind }
attributes #2 = { nounwind }
attributes #3 = { nounwind }
attributes #4 = { nounwind }
attributes #5 = { nounwind }
attributes #6 = { nounwind }

!9 = !{!"branch_weights", !"expected", i32 1, i32 2000}
