; Written by tools/c_runtime.py from the C sources; do not edit.

%struct.anon = type { %union.anon.6 }
%union.anon.6 = type { ptr }

define dso_local ptr @relay_carve(ptr noundef captures(none) %0, i64 noundef %1) local_unnamed_addr #0 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 56
  %4 = load ptr, ptr %3, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %6 = load ptr, ptr %5, align 8
  %7 = ptrtoint ptr %4 to i64
  %8 = ptrtoint ptr %6 to i64
  %9 = sub i64 %7, %8
  %10 = icmp slt i64 %9, %1
  br i1 %10, label %11, label %15

11:
  %12 = tail call fastcc i1 @grow(ptr noundef nonnull %0, i64 noundef %1) #12
  br i1 %12, label %13, label %18

13:
  %14 = load ptr, ptr %5, align 8
  br label %15

15:
  %16 = phi ptr [ %14, %13 ], [ %6, %2 ]
  %17 = getelementptr inbounds i8, ptr %16, i64 %1
  store ptr %17, ptr %5, align 8
  br label %18

18:
  %19 = phi ptr [ %16, %15 ], [ null, %11 ]
  ret ptr %19
}

define internal fastcc noundef i1 @grow(ptr noundef captures(none) %0, i64 noundef %1) unnamed_addr #1 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %4 = load ptr, ptr %3, align 8
  %5 = icmp eq ptr %4, null
  br i1 %5, label %11, label %6

6:
  %7 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %8 = load i64, ptr %7, align 8
  %9 = shl nsw i64 %8, 1
  %10 = tail call noundef range(i64 -9223372036854775808, 16777217) i64 @llvm.smin.i64(i64 %9, i64 16777216)
  br label %11

11:
  %12 = phi i64 [ %10, %6 ], [ 1048576, %2 ]
  %13 = add nsw i64 %1, 64
  %14 = tail call fastcc ptr @kept_segment(ptr noundef nonnull %0, i64 noundef %13) #12
  %15 = icmp eq ptr %14, null
  br i1 %15, label %16, label %22

16:
  %17 = tail call range(i64 -9223372036854775744, -9223372036854775808) i64 @llvm.smax.i64(i64 range(i64 -9223372036854775744, -9223372036854775808) %13, i64 %12)
  %18 = tail call ptr @_aligned_malloc(i64 noundef %17, i64 noundef 64) #13
  %19 = icmp eq ptr %18, null
  br i1 %19, label %30, label %20

20:
  %21 = getelementptr inbounds nuw i8, ptr %18, i64 8
  store i64 %17, ptr %21, align 8
  br label %22

22:
  %23 = phi ptr [ %18, %20 ], [ %14, %11 ]
  store ptr %4, ptr %23, align 8
  store ptr %23, ptr %3, align 8
  %24 = getelementptr inbounds nuw i8, ptr %23, i64 64
  %25 = getelementptr inbounds nuw i8, ptr %0, i64 48
  store ptr %24, ptr %25, align 8
  %26 = getelementptr inbounds nuw i8, ptr %23, i64 8
  %27 = load i64, ptr %26, align 8
  %28 = getelementptr inbounds i8, ptr %23, i64 %27
  %29 = getelementptr inbounds nuw i8, ptr %0, i64 56
  store ptr %28, ptr %29, align 8
  br label %30

30:
  %31 = phi i1 [ true, %22 ], [ false, %16 ]
  ret i1 %31
}

define dso_local noundef ptr @relay_allocate(ptr noundef captures(none) %0, i64 noundef %1, i64 noundef %2, i64 noundef %3, ptr noundef %4) local_unnamed_addr #2 {
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %7 = getelementptr inbounds %struct.anon, ptr %6, i64 %1
  %8 = load ptr, ptr %7, align 8
  %9 = icmp eq ptr %8, null
  br i1 %9, label %13, label %10, !prof !10

10:
  %11 = getelementptr inbounds nuw i8, ptr %8, i64 16
  %12 = load ptr, ptr %11, align 8
  store ptr %12, ptr %7, align 8
  br label %16

13:
  %14 = tail call fastcc ptr @carve_block(ptr noundef nonnull %0, i64 noundef %1, i64 noundef %2) #12
  %15 = icmp eq ptr %14, null
  br i1 %15, label %24, label %16, !prof !10

16:
  %17 = phi ptr [ %8, %10 ], [ %14, %13 ]
  store i32 1, ptr %17, align 8
  %18 = trunc i64 %3 to i16
  %19 = getelementptr inbounds nuw i8, ptr %17, i64 6
  store i16 %18, ptr %19, align 2
  %20 = getelementptr inbounds nuw i8, ptr %17, i64 8
  store ptr %4, ptr %20, align 8
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %22 = load i64, ptr %21, align 8
  %23 = add nsw i64 %22, 1
  store i64 %23, ptr %21, align 8
  br label %24

24:
  %25 = phi ptr [ %17, %16 ], [ null, %13 ]
  ret ptr %25
}

define internal fastcc ptr @carve_block(ptr noundef captures(none) %0, i64 noundef %1, i64 noundef %2) unnamed_addr #1 {
  %4 = tail call ptr @relay_carve(ptr noundef %0, i64 noundef %2)
  %5 = icmp eq ptr %4, null
  br i1 %5, label %9, label %6

6:
  %7 = trunc i64 %1 to i16
  %8 = getelementptr inbounds nuw i8, ptr %4, i64 4
  store i16 %7, ptr %8, align 4
  br label %9

9:
  ret ptr %4
}

define dso_local noundef ptr @relay_allocate_bytes(ptr noundef captures(none) %0, i64 noundef %1) local_unnamed_addr #0 {
  %3 = icmp ugt i64 %1, 1099511627776
  br i1 %3, label %53, label %4

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
  br i1 %14, label %18, label %15, !prof !10

15:
  %16 = getelementptr inbounds nuw i8, ptr %13, i64 16
  %17 = load ptr, ptr %16, align 8
  store ptr %17, ptr %12, align 8
  br label %46

18:
  %19 = shl nuw nsw i64 %7, 6
  %20 = tail call fastcc ptr @carve_block(ptr noundef nonnull %0, i64 noundef %9, i64 noundef %19) #12
  %21 = icmp eq ptr %20, null
  br i1 %21, label %53, label %46, !prof !10

22:
  %23 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %9, i1 true)
  %24 = xor i64 %23, 63
  %25 = sub nuw nsw i64 61, %23
  %26 = shl nuw nsw i64 1, %24
  %27 = sub nsw i64 %9, %26
  %28 = ashr i64 %27, %25
  %29 = shl nuw nsw i64 %23, 2
  %30 = sub nsw i64 %28, %29
  %31 = add nsw i64 %30, 252
  %32 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %33 = getelementptr inbounds %struct.anon, ptr %32, i64 %31
  %34 = load ptr, ptr %33, align 8
  %35 = icmp eq ptr %34, null
  br i1 %35, label %39, label %36, !prof !10

36:
  %37 = getelementptr inbounds nuw i8, ptr %34, i64 16
  %38 = load ptr, ptr %37, align 8
  store ptr %38, ptr %33, align 8
  br label %46

39:
  %40 = add nsw i64 %28, 1
  %41 = shl nsw i64 %40, %25
  %42 = add nsw i64 %41, %26
  %43 = shl nsw i64 %42, 6
  %44 = tail call fastcc ptr @carve_block(ptr noundef nonnull %0, i64 noundef %31, i64 noundef %43) #12
  %45 = icmp eq ptr %44, null
  br i1 %45, label %53, label %46, !prof !10

46:
  %47 = phi ptr [ %20, %18 ], [ %13, %15 ], [ %34, %36 ], [ %44, %39 ]
  store i32 1, ptr %47, align 8
  %48 = getelementptr inbounds nuw i8, ptr %47, i64 6
  store i16 0, ptr %48, align 2
  %49 = getelementptr inbounds nuw i8, ptr %47, i64 8
  store ptr null, ptr %49, align 8
  %50 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %51 = load i64, ptr %50, align 8
  %52 = add nsw i64 %51, 1
  store i64 %52, ptr %50, align 8
  br label %53

53:
  %54 = phi ptr [ null, %2 ], [ null, %18 ], [ null, %39 ], [ %47, %46 ]
  ret ptr %54
}

declare i64 @llvm.ctlz.i64(i64, i1 immarg) #3

define dso_local void @relay_give(ptr noundef captures(none) %0, ptr noundef initializes((16, 24)) %1) local_unnamed_addr #4 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %4 = getelementptr inbounds nuw i8, ptr %1, i64 4
  %5 = load i16, ptr %4, align 4
  %6 = zext i16 %5 to i64
  %7 = getelementptr inbounds nuw %struct.anon, ptr %3, i64 %6
  %8 = load ptr, ptr %7, align 8
  %9 = getelementptr inbounds nuw i8, ptr %1, i64 16
  store ptr %8, ptr %9, align 8
  store ptr %1, ptr %7, align 8
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %11 = load i64, ptr %10, align 8
  %12 = add nsw i64 %11, -1
  store i64 %12, ptr %10, align 8
  ret void
}

define dso_local void @relay_retain(ptr noundef captures(address) %0) local_unnamed_addr #4 {
  %2 = icmp ugt ptr %0, inttoptr (i64 4095 to ptr)
  br i1 %2, label %3, label %6

3:
  %4 = load i32, ptr %0, align 8
  %5 = add i32 %4, 1
  store i32 %5, ptr %0, align 8
  br label %6

6:
  ret void
}

define dso_local void @relay_release(ptr noundef %0, ptr noundef %1) local_unnamed_addr #2 {
  %3 = icmp ugt ptr %1, inttoptr (i64 4095 to ptr)
  br i1 %3, label %4, label %25

4:
  %5 = load i32, ptr %1, align 8
  %6 = icmp eq i32 %5, 1
  br i1 %6, label %9, label %7

7:
  %8 = add i32 %5, -1
  store i32 %8, ptr %1, align 8
  br label %25

9:
  %10 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %11 = load ptr, ptr %10, align 8
  %12 = icmp eq ptr %11, null
  br i1 %12, label %13, label %24

13:
  %14 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %15 = getelementptr inbounds nuw i8, ptr %1, i64 4
  %16 = load i16, ptr %15, align 4
  %17 = zext i16 %16 to i64
  %18 = getelementptr inbounds nuw %struct.anon, ptr %14, i64 %17
  %19 = load ptr, ptr %18, align 8
  %20 = getelementptr inbounds nuw i8, ptr %1, i64 16
  store ptr %19, ptr %20, align 8
  store ptr %1, ptr %18, align 8
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %22 = load i64, ptr %21, align 8
  %23 = add nsw i64 %22, -1
  store i64 %23, ptr %21, align 8
  br label %25

24:
  tail call fastcc void @free_tree(ptr noundef %0, ptr noundef nonnull %1)
  br label %25

25:
  ret void
}

define internal fastcc void @free_tree(ptr noundef %0, ptr noundef initializes((16, 24)) %1) unnamed_addr #0 {
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
  tail call void %17(ptr noundef nonnull %0, ptr noundef nonnull %13) #13
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

define dso_local noundef ptr @relay_own(ptr noundef %0, ptr noundef readonly captures(address) %1, ptr noundef %2, i64 noundef %3) local_unnamed_addr #5 {
  %5 = icmp ugt ptr %2, inttoptr (i64 4095 to ptr)
  br i1 %5, label %6, label %12

6:
  %7 = getelementptr inbounds nuw i8, ptr %2, i64 64
  %8 = icmp eq ptr %1, %7
  %9 = load i32, ptr %2, align 8
  %10 = icmp eq i32 %9, 1
  %11 = select i1 %10, i1 %8, i1 false
  br i1 %11, label %39, label %12

12:
  %13 = tail call ptr @relay_allocate_bytes(ptr noundef %0, i64 noundef %3)
  %14 = icmp eq ptr %13, null
  br i1 %14, label %39, label %15

15:
  %16 = getelementptr inbounds nuw i8, ptr %13, i64 64
  %17 = add nsw i64 %3, -64
  tail call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 1 %16, ptr align 1 %1, i64 %17, i1 false)
  br i1 %5, label %18, label %39

18:
  %19 = load i32, ptr %2, align 8
  %20 = icmp eq i32 %19, 1
  br i1 %20, label %23, label %21

21:
  %22 = add i32 %19, -1
  store i32 %22, ptr %2, align 8
  br label %39

23:
  %24 = getelementptr inbounds nuw i8, ptr %2, i64 8
  %25 = load ptr, ptr %24, align 8
  %26 = icmp eq ptr %25, null
  br i1 %26, label %27, label %38

27:
  %28 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %29 = getelementptr inbounds nuw i8, ptr %2, i64 4
  %30 = load i16, ptr %29, align 4
  %31 = zext i16 %30 to i64
  %32 = getelementptr inbounds nuw %struct.anon, ptr %28, i64 %31
  %33 = load ptr, ptr %32, align 8
  %34 = getelementptr inbounds nuw i8, ptr %2, i64 16
  store ptr %33, ptr %34, align 8
  store ptr %2, ptr %32, align 8
  %35 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %36 = load i64, ptr %35, align 8
  %37 = add nsw i64 %36, -1
  store i64 %37, ptr %35, align 8
  br label %39

38:
  tail call fastcc void @free_tree(ptr noundef %0, ptr noundef nonnull %2)
  br label %39

39:
  %40 = phi ptr [ %2, %6 ], [ null, %12 ], [ %13, %38 ], [ %13, %27 ], [ %13, %15 ], [ %13, %21 ]
  ret ptr %40
}

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #6

define dso_local void @relay_report(ptr noundef readonly captures(none) %0, i64 noundef %1, i64 noundef %2) local_unnamed_addr #7 {
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %5 = load ptr, ptr %4, align 8
  %6 = getelementptr inbounds nuw i8, ptr %5, i64 16
  store i64 %2, ptr %6, align 8
  %7 = load ptr, ptr %4, align 8
  %8 = getelementptr inbounds nuw i8, ptr %7, i64 24
  store i64 %1, ptr %8, align 8
  ret void
}

define dso_local i64 @relay_floor_divide(i64 noundef %0, i64 noundef %1) local_unnamed_addr #8 {
  switch i64 %1, label %5 [
    i64 0, label %14
    i64 -1, label %3
  ]

3:
  %4 = sub i64 0, %0
  br label %14

5:
  %6 = sdiv i64 %0, %1
  %7 = xor i64 %1, %0
  %8 = icmp slt i64 %7, 0
  %9 = mul nsw i64 %6, %1
  %10 = icmp ne i64 %9, %0
  %11 = select i1 %8, i1 %10, i1 false
  %12 = sext i1 %11 to i64
  %13 = add i64 %6, %12
  br label %14

14:
  %15 = phi i64 [ %13, %5 ], [ %4, %3 ], [ %1, %2 ]
  ret i64 %15
}

define internal fastcc ptr @kept_segment(ptr noundef captures(none) %0, i64 noundef range(i64 -9223372036854775744, -9223372036854775808) %1) unnamed_addr #9 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 1049816
  br label %4

4:
  %5 = phi ptr [ null, %2 ], [ %7, %9 ]
  %6 = phi ptr [ %3, %2 ], [ %7, %9 ]
  %7 = load ptr, ptr %6, align 8
  %8 = icmp eq ptr %7, null
  br i1 %8, label %24, label %9

9:
  %10 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %11 = load i64, ptr %10, align 8
  %12 = icmp slt i64 %11, %1
  br i1 %12, label %4, label %13

13:
  %14 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %15 = icmp eq ptr %5, null
  %16 = load ptr, ptr %7, align 8
  br i1 %15, label %17, label %18

17:
  store ptr %16, ptr %3, align 8
  br label %19

18:
  store ptr %16, ptr %5, align 8
  br label %19

19:
  %20 = load i64, ptr %14, align 8
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 1049808
  %22 = load i64, ptr %21, align 8
  %23 = sub i64 %22, %20
  store i64 %23, ptr %21, align 8
  br label %24

24:
  ret ptr %7
}

declare dso_local ptr @_aligned_malloc(i64 noundef, i64 noundef) local_unnamed_addr #10

declare i64 @llvm.smax.i64(i64, i64) #11

declare i64 @llvm.smin.i64(i64, i64) #11

declare i64 @llvm.umax.i64(i64, i64) #11

attributes #0 = { nounwind noinline }
attributes #1 = { nounwind cold noinline optnone }
attributes #2 = { nounwind alwaysinline }
attributes #3 = { nounwind }
attributes #4 = { nounwind alwaysinline }
attributes #5 = { nounwind }
attributes #6 = { nounwind }
attributes #7 = { nounwind cold noinline optnone }
attributes #8 = { nounwind alwaysinline }
attributes #9 = { nounwind cold noinline optnone }
attributes #10 = { nounwind }
attributes #11 = { nounwind }
attributes #12 = { nounwind cold }
attributes #13 = { nounwind }

!10 = !{!"branch_weights", !"expected", i32 1, i32 2000}
