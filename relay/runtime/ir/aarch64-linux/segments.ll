; Written by tools/c_runtime.py from the C sources; do not edit.

%struct.anon = type { %union.anon.6 }
%union.anon.6 = type { ptr }

define ptr @relay_carve(ptr noundef captures(none) %0, i64 noundef %1) local_unnamed_addr #0 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 56
  %4 = load ptr, ptr %3, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %6 = load ptr, ptr %5, align 8
  %7 = ptrtoint ptr %4 to i64
  %8 = ptrtoint ptr %6 to i64
  %9 = sub i64 %7, %8
  %10 = icmp slt i64 %9, %1
  br i1 %10, label %11, label %56

11:
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %13 = load ptr, ptr %12, align 8
  %14 = icmp eq ptr %13, null
  br i1 %14, label %20, label %15

15:
  %16 = getelementptr inbounds nuw i8, ptr %13, i64 8
  %17 = load i64, ptr %16, align 8
  %18 = shl nsw i64 %17, 1
  %19 = tail call noundef range(i64 -9223372036854775808, 16777217) i64 @llvm.smin.i64(i64 %18, i64 16777216)
  br label %20

20:
  %21 = phi i64 [ %19, %15 ], [ 1048576, %11 ]
  %22 = add nsw i64 %1, 64
  %23 = getelementptr inbounds nuw i8, ptr %0, i64 1049816
  br label %24

24:
  %25 = phi ptr [ null, %20 ], [ %27, %29 ]
  %26 = phi ptr [ %23, %20 ], [ %27, %29 ]
  %27 = load ptr, ptr %26, align 8
  %28 = icmp eq ptr %27, null
  br i1 %28, label %44, label %29

29:
  %30 = getelementptr inbounds nuw i8, ptr %27, i64 8
  %31 = load i64, ptr %30, align 8
  %32 = icmp slt i64 %31, %22
  br i1 %32, label %24, label %33

33:
  %34 = getelementptr inbounds nuw i8, ptr %27, i64 8
  %35 = icmp eq ptr %25, null
  %36 = load ptr, ptr %27, align 8
  br i1 %35, label %37, label %38

37:
  store ptr %36, ptr %23, align 8
  br label %39

38:
  store ptr %36, ptr %25, align 8
  br label %39

39:
  %40 = load i64, ptr %34, align 8
  %41 = getelementptr inbounds nuw i8, ptr %0, i64 1049808
  %42 = load i64, ptr %41, align 8
  %43 = sub i64 %42, %40
  store i64 %43, ptr %41, align 8
  br label %50

44:
  %45 = tail call range(i64 -9223372036854775744, -9223372036854775808) i64 @llvm.smax.i64(i64 range(i64 -9223372036854775744, -9223372036854775808) %22, i64 %21)
  %46 = tail call align 64 ptr @aligned_alloc(i64 noundef 64, i64 noundef %45) #6
  %47 = icmp eq ptr %46, null
  br i1 %47, label %59, label %48

48:
  %49 = getelementptr inbounds nuw i8, ptr %46, i64 8
  store i64 %45, ptr %49, align 8
  br label %50

50:
  %51 = phi ptr [ %46, %48 ], [ %27, %39 ]
  store ptr %13, ptr %51, align 8
  store ptr %51, ptr %12, align 8
  %52 = getelementptr inbounds nuw i8, ptr %51, i64 64
  store ptr %52, ptr %5, align 8
  %53 = getelementptr inbounds nuw i8, ptr %51, i64 8
  %54 = load i64, ptr %53, align 8
  %55 = getelementptr inbounds i8, ptr %51, i64 %54
  store ptr %55, ptr %3, align 8
  br label %56

56:
  %57 = phi ptr [ %52, %50 ], [ %6, %2 ]
  %58 = getelementptr inbounds i8, ptr %57, i64 %1
  store ptr %58, ptr %5, align 8
  br label %59

59:
  %60 = phi ptr [ %57, %56 ], [ null, %44 ]
  ret ptr %60
}

define ptr @relay_carve_block(ptr noundef captures(none) %0, i64 noundef %1, i64 noundef %2) local_unnamed_addr #0 {
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 56
  %5 = load ptr, ptr %4, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %7 = load ptr, ptr %6, align 8
  %8 = ptrtoint ptr %5 to i64
  %9 = ptrtoint ptr %7 to i64
  %10 = sub i64 %8, %9
  %11 = icmp slt i64 %10, %2
  br i1 %11, label %12, label %58

12:
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %14 = load ptr, ptr %13, align 8
  %15 = icmp eq ptr %14, null
  br i1 %15, label %21, label %16

16:
  %17 = getelementptr inbounds nuw i8, ptr %14, i64 8
  %18 = load i64, ptr %17, align 8
  %19 = shl nsw i64 %18, 1
  %20 = tail call noundef range(i64 -9223372036854775808, 16777217) i64 @llvm.smin.i64(i64 %19, i64 16777216)
  br label %21

21:
  %22 = phi i64 [ %20, %16 ], [ 1048576, %12 ]
  %23 = add nsw i64 %2, 64
  %24 = getelementptr inbounds nuw i8, ptr %0, i64 1049816
  br label %25

25:
  %26 = phi ptr [ null, %21 ], [ %28, %30 ]
  %27 = phi ptr [ %24, %21 ], [ %28, %30 ]
  %28 = load ptr, ptr %27, align 8
  %29 = icmp eq ptr %28, null
  br i1 %29, label %45, label %30

30:
  %31 = getelementptr inbounds nuw i8, ptr %28, i64 8
  %32 = load i64, ptr %31, align 8
  %33 = icmp slt i64 %32, %23
  br i1 %33, label %25, label %34

34:
  %35 = getelementptr inbounds nuw i8, ptr %28, i64 8
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
  %42 = getelementptr inbounds nuw i8, ptr %0, i64 1049808
  %43 = load i64, ptr %42, align 8
  %44 = sub i64 %43, %41
  store i64 %44, ptr %42, align 8
  br label %51

45:
  %46 = tail call range(i64 -9223372036854775744, -9223372036854775808) i64 @llvm.smax.i64(i64 range(i64 -9223372036854775744, -9223372036854775808) %23, i64 %22)
  %47 = tail call align 64 ptr @aligned_alloc(i64 noundef 64, i64 noundef %46) #6
  %48 = icmp eq ptr %47, null
  br i1 %48, label %65, label %49

49:
  %50 = getelementptr inbounds nuw i8, ptr %47, i64 8
  store i64 %46, ptr %50, align 8
  br label %51

51:
  %52 = phi ptr [ %47, %49 ], [ %28, %40 ]
  store ptr %14, ptr %52, align 8
  store ptr %52, ptr %13, align 8
  %53 = getelementptr inbounds nuw i8, ptr %52, i64 64
  store ptr %53, ptr %6, align 8
  %54 = getelementptr inbounds nuw i8, ptr %52, i64 8
  %55 = load i64, ptr %54, align 8
  %56 = getelementptr inbounds i8, ptr %52, i64 %55
  store ptr %56, ptr %4, align 8
  %57 = getelementptr inbounds i8, ptr %53, i64 %2
  store ptr %57, ptr %6, align 8
  br label %61

58:
  %59 = getelementptr inbounds i8, ptr %7, i64 %2
  store ptr %59, ptr %6, align 8
  %60 = icmp eq ptr %7, null
  br i1 %60, label %65, label %61

61:
  %62 = phi ptr [ %53, %51 ], [ %7, %58 ]
  %63 = trunc i64 %1 to i16
  %64 = getelementptr inbounds nuw i8, ptr %62, i64 4
  store i16 %63, ptr %64, align 4
  br label %65

65:
  %66 = phi ptr [ null, %58 ], [ %62, %61 ], [ null, %45 ]
  ret ptr %66
}

define noundef ptr @relay_allocate_bytes(ptr noundef captures(none) %0, i64 noundef %1) local_unnamed_addr #0 {
  %3 = icmp ugt i64 %1, 1099511627776
  br i1 %3, label %52, label %4

4:
  %5 = add nuw nsw i64 %1, 63
  %6 = lshr i64 %5, 6
  %7 = tail call i64 @llvm.umax.i64(i64 %6, i64 1)
  %8 = icmp samesign ult i64 %1, 1025
  %9 = add nsw i64 %7, -1
  br i1 %8, label %10, label %22

10:
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %12 = getelementptr inbounds nuw %struct.anon, ptr %11, i64 %9
  %13 = load ptr, ptr %12, align 8
  %14 = icmp eq ptr %13, null
  br i1 %14, label %18, label %15, !prof !9

15:
  %16 = getelementptr inbounds nuw i8, ptr %13, i64 16
  %17 = load ptr, ptr %16, align 8
  store ptr %17, ptr %12, align 8
  br label %45

18:
  %19 = shl nuw nsw i64 %7, 6
  %20 = tail call ptr @relay_carve_block(ptr noundef nonnull %0, i64 noundef %9, i64 noundef %19)
  %21 = icmp eq ptr %20, null
  br i1 %21, label %52, label %45, !prof !9

22:
  %23 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %9, i1 false)
  %24 = sub nsw i64 61, %23
  %25 = lshr exact i64 -9223372036854775808, %23
  %26 = sub nsw i64 %9, %25
  %27 = ashr i64 %26, %24
  %28 = shl nuw nsw i64 %23, 2
  %29 = sub nsw i64 %27, %28
  %30 = add nsw i64 %29, 252
  %31 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %32 = getelementptr inbounds %struct.anon, ptr %31, i64 %30
  %33 = load ptr, ptr %32, align 8
  %34 = icmp eq ptr %33, null
  br i1 %34, label %38, label %35, !prof !9

35:
  %36 = getelementptr inbounds nuw i8, ptr %33, i64 16
  %37 = load ptr, ptr %36, align 8
  store ptr %37, ptr %32, align 8
  br label %45

38:
  %39 = add nsw i64 %27, 1
  %40 = shl nsw i64 %39, %24
  %41 = add nsw i64 %40, %25
  %42 = shl nsw i64 %41, 6
  %43 = tail call ptr @relay_carve_block(ptr noundef nonnull %0, i64 noundef %30, i64 noundef %42)
  %44 = icmp eq ptr %43, null
  br i1 %44, label %52, label %45, !prof !9

45:
  %46 = phi ptr [ %20, %18 ], [ %13, %15 ], [ %33, %35 ], [ %43, %38 ]
  store i32 1, ptr %46, align 8
  %47 = getelementptr inbounds nuw i8, ptr %46, i64 6
  store i16 0, ptr %47, align 2
  %48 = getelementptr inbounds nuw i8, ptr %46, i64 8
  store ptr null, ptr %48, align 8
  %49 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %50 = load i64, ptr %49, align 8
  %51 = add nsw i64 %50, 1
  store i64 %51, ptr %49, align 8
  br label %52

52:
  %53 = phi ptr [ null, %2 ], [ null, %18 ], [ null, %38 ], [ %46, %45 ]
  ret ptr %53
}

declare i64 @llvm.ctlz.i64(i64, i1 immarg) #1

define void @relay_free_tree(ptr noundef %0, ptr noundef initializes((16, 24)) %1) local_unnamed_addr #2 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %4 = load ptr, ptr %3, align 8
  %5 = getelementptr inbounds nuw i8, ptr %1, i64 16
  store ptr %4, ptr %5, align 8
  store ptr %1, ptr %3, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %7 = load i64, ptr %6, align 8
  %8 = icmp eq i64 %7, 0
  br i1 %8, label %9, label %28

9:
  store i64 1, ptr %6, align 8
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 24
  br label %12

12:
  %13 = phi ptr [ %1, %9 ], [ %25, %12 ]
  %14 = getelementptr inbounds nuw i8, ptr %13, i64 16
  %15 = load ptr, ptr %14, align 8
  store ptr %15, ptr %3, align 8
  %16 = getelementptr inbounds nuw i8, ptr %13, i64 8
  %17 = load ptr, ptr %16, align 8
  tail call void %17(ptr noundef nonnull %0, ptr noundef nonnull %13) #7
  %18 = getelementptr inbounds nuw i8, ptr %13, i64 4
  %19 = load i16, ptr %18, align 4
  %20 = zext i16 %19 to i64
  %21 = getelementptr inbounds nuw %struct.anon, ptr %10, i64 %20
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

define void @relay_report(ptr noundef readonly captures(none) %0, i64 noundef %1, i64 noundef %2) local_unnamed_addr #3 {
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %5 = load ptr, ptr %4, align 8
  %6 = getelementptr inbounds nuw i8, ptr %5, i64 16
  store i64 %2, ptr %6, align 8
  %7 = load ptr, ptr %4, align 8
  %8 = getelementptr inbounds nuw i8, ptr %7, i64 24
  store i64 %1, ptr %8, align 8
  ret void
}

declare noalias noundef ptr @aligned_alloc(i64 allocalign noundef, i64 noundef) local_unnamed_addr #4

declare i64 @llvm.smax.i64(i64, i64) #5

declare i64 @llvm.smin.i64(i64, i64) #5

declare i64 @llvm.umax.i64(i64, i64) #5

attributes #0 = { nounwind }
attributes #1 = { nounwind }
attributes #2 = { nounwind }
attributes #3 = { nounwind }
attributes #4 = { nounwind }
attributes #5 = { nounwind }
attributes #6 = { nounwind }
attributes #7 = { nounwind }

!9 = !{!"branch_weights", !"expected", i32 1, i32 2000}
