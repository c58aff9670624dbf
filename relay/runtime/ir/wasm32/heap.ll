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
  br i1 %11, label %12, label %16

12:
  %13 = tail call fastcc i1 @grow(ptr noundef nonnull %0, i64 noundef %1) #12
  br i1 %13, label %14, label %20

14:
  %15 = load ptr, ptr %5, align 8
  br label %16

16:
  %17 = phi ptr [ %15, %14 ], [ %6, %2 ]
  %18 = trunc i64 %1 to i32
  %19 = getelementptr inbounds i8, ptr %17, i32 %18
  store ptr %19, ptr %5, align 8
  br label %20

20:
  %21 = phi ptr [ %17, %16 ], [ null, %12 ]
  ret ptr %21
}

define internal fastcc noundef i1 @grow(ptr noundef captures(none) %0, i64 noundef range(i64 -2147483647, -9223372036854775808) %1) unnamed_addr #1 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i32 64
  %4 = load ptr, ptr %3, align 8
  %5 = icmp eq ptr %4, null
  br i1 %5, label %11, label %6

6:
  %7 = getelementptr inbounds nuw i8, ptr %4, i32 8
  %8 = load i64, ptr %7, align 8
  %9 = shl nsw i64 %8, 1
  %10 = tail call noundef range(i64 -9223372036854775808, 16777217) i64 @llvm.smin.i64(i64 %9, i64 16777216)
  br label %11

11:
  %12 = phi i64 [ %10, %6 ], [ 1048576, %2 ]
  %13 = add nsw i64 %1, 64
  %14 = tail call fastcc ptr @kept_segment(ptr noundef nonnull %0, i64 noundef %13) #12
  %15 = icmp eq ptr %14, null
  br i1 %15, label %16, label %25

16:
  %17 = tail call range(i64 -2147483583, -9223372036854775808) i64 @llvm.smax.i64(i64 range(i64 -2147483583, -9223372036854775808) %13, i64 %12)
  %18 = icmp sgt i64 %1, 2147483583
  br i1 %18, label %34, label %19

19:
  %20 = trunc nsw i64 %17 to i32
  %21 = tail call ptr @aligned_alloc(i32 noundef 64, i32 noundef %20) #13
  %22 = icmp eq ptr %21, null
  br i1 %22, label %34, label %23

23:
  %24 = getelementptr inbounds nuw i8, ptr %21, i32 8
  store i64 %17, ptr %24, align 8
  br label %25

25:
  %26 = phi ptr [ %21, %23 ], [ %14, %11 ]
  store ptr %4, ptr %26, align 8
  store ptr %26, ptr %3, align 8
  %27 = getelementptr inbounds nuw i8, ptr %26, i32 64
  %28 = getelementptr inbounds nuw i8, ptr %0, i32 48
  store ptr %27, ptr %28, align 8
  %29 = getelementptr inbounds nuw i8, ptr %26, i32 8
  %30 = load i64, ptr %29, align 8
  %31 = trunc i64 %30 to i32
  %32 = getelementptr inbounds i8, ptr %26, i32 %31
  %33 = getelementptr inbounds nuw i8, ptr %0, i32 56
  store ptr %32, ptr %33, align 8
  br label %34

34:
  %35 = phi i1 [ true, %25 ], [ false, %19 ], [ false, %16 ]
  ret i1 %35
}

define hidden noundef ptr @relay_allocate(ptr noundef captures(none) %0, i64 noundef %1, i64 noundef %2, i64 noundef %3, ptr noundef %4) local_unnamed_addr #2 {
  %6 = getelementptr inbounds nuw i8, ptr %0, i32 72
  %7 = trunc i64 %1 to i32
  %8 = getelementptr inbounds %struct.anon, ptr %6, i32 %7
  %9 = load ptr, ptr %8, align 8
  %10 = icmp eq ptr %9, null
  br i1 %10, label %14, label %11, !prof !6

11:
  %12 = getelementptr inbounds nuw i8, ptr %9, i32 16
  %13 = load ptr, ptr %12, align 8
  store ptr %13, ptr %8, align 8
  br label %17

14:
  %15 = tail call fastcc ptr @carve_block(ptr noundef nonnull %0, i64 noundef %1, i64 noundef %2) #12
  %16 = icmp eq ptr %15, null
  br i1 %16, label %25, label %17, !prof !6

17:
  %18 = phi ptr [ %9, %11 ], [ %15, %14 ]
  store i32 1, ptr %18, align 8
  %19 = trunc i64 %3 to i16
  %20 = getelementptr inbounds nuw i8, ptr %18, i32 6
  store i16 %19, ptr %20, align 2
  %21 = getelementptr inbounds nuw i8, ptr %18, i32 8
  store ptr %4, ptr %21, align 8
  %22 = getelementptr inbounds nuw i8, ptr %0, i32 24
  %23 = load i64, ptr %22, align 8
  %24 = add nsw i64 %23, 1
  store i64 %24, ptr %22, align 8
  br label %25

25:
  %26 = phi ptr [ %18, %17 ], [ null, %14 ]
  ret ptr %26
}

define internal fastcc ptr @carve_block(ptr noundef captures(none) %0, i64 noundef %1, i64 noundef %2) unnamed_addr #1 {
  %4 = tail call ptr @relay_carve(ptr noundef %0, i64 noundef %2) #14
  %5 = icmp eq ptr %4, null
  br i1 %5, label %9, label %6

6:
  %7 = trunc i64 %1 to i16
  %8 = getelementptr inbounds nuw i8, ptr %4, i32 4
  store i16 %7, ptr %8, align 4
  br label %9

9:
  ret ptr %4
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
  br i1 %15, label %19, label %16, !prof !6

16:
  %17 = getelementptr inbounds nuw i8, ptr %14, i32 16
  %18 = load ptr, ptr %17, align 8
  store ptr %18, ptr %13, align 8
  br label %47

19:
  %20 = shl nuw nsw i64 %7, 6
  %21 = tail call fastcc ptr @carve_block(ptr noundef nonnull %0, i64 noundef %9, i64 noundef %20) #12
  %22 = icmp eq ptr %21, null
  br i1 %22, label %54, label %47, !prof !6

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
  br i1 %36, label %40, label %37, !prof !6

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
  %45 = tail call fastcc ptr @carve_block(ptr noundef nonnull %0, i64 noundef %31, i64 noundef %44) #12
  %46 = icmp eq ptr %45, null
  br i1 %46, label %54, label %47, !prof !6

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

declare i64 @llvm.ctlz.i64(i64, i1 immarg) #3

define hidden void @relay_give(ptr noundef captures(none) %0, ptr noundef initializes((16, 20)) %1) local_unnamed_addr #4 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i32 72
  %4 = getelementptr inbounds nuw i8, ptr %1, i32 4
  %5 = load i16, ptr %4, align 4
  %6 = zext i16 %5 to i32
  %7 = getelementptr inbounds nuw %struct.anon, ptr %3, i32 %6
  %8 = load ptr, ptr %7, align 8
  %9 = getelementptr inbounds nuw i8, ptr %1, i32 16
  store ptr %8, ptr %9, align 8
  store ptr %1, ptr %7, align 8
  %10 = getelementptr inbounds nuw i8, ptr %0, i32 24
  %11 = load i64, ptr %10, align 8
  %12 = add nsw i64 %11, -1
  store i64 %12, ptr %10, align 8
  ret void
}

define hidden void @relay_retain(ptr noundef captures(address) %0) local_unnamed_addr #4 {
  %2 = icmp ugt ptr %0, inttoptr (i32 4095 to ptr)
  br i1 %2, label %3, label %6

3:
  %4 = load i32, ptr %0, align 8
  %5 = add i32 %4, 1
  store i32 %5, ptr %0, align 8
  br label %6

6:
  ret void
}

define hidden void @relay_release(ptr noundef %0, ptr noundef %1) local_unnamed_addr #2 {
  %3 = icmp ugt ptr %1, inttoptr (i32 4095 to ptr)
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
  %10 = getelementptr inbounds nuw i8, ptr %1, i32 8
  %11 = load ptr, ptr %10, align 8
  %12 = icmp eq ptr %11, null
  br i1 %12, label %13, label %24

13:
  %14 = getelementptr inbounds nuw i8, ptr %0, i32 72
  %15 = getelementptr inbounds nuw i8, ptr %1, i32 4
  %16 = load i16, ptr %15, align 4
  %17 = zext i16 %16 to i32
  %18 = getelementptr inbounds nuw %struct.anon, ptr %14, i32 %17
  %19 = load ptr, ptr %18, align 8
  %20 = getelementptr inbounds nuw i8, ptr %1, i32 16
  store ptr %19, ptr %20, align 8
  store ptr %1, ptr %18, align 8
  %21 = getelementptr inbounds nuw i8, ptr %0, i32 24
  %22 = load i64, ptr %21, align 8
  %23 = add nsw i64 %22, -1
  store i64 %23, ptr %21, align 8
  br label %25

24:
  tail call fastcc void @free_tree(ptr noundef %0, ptr noundef nonnull %1) #14
  br label %25

25:
  ret void
}

define internal fastcc void @free_tree(ptr noundef %0, ptr noundef initializes((16, 20)) %1) unnamed_addr #0 {
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
  tail call void %17(ptr noundef nonnull %0, ptr noundef nonnull %13) #13
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

define hidden noundef ptr @relay_own(ptr noundef %0, ptr noundef readonly captures(address) %1, ptr noundef %2, i64 noundef %3) local_unnamed_addr #5 {
  %5 = icmp ugt ptr %2, inttoptr (i32 4095 to ptr)
  br i1 %5, label %6, label %12

6:
  %7 = getelementptr inbounds nuw i8, ptr %2, i32 64
  %8 = icmp eq ptr %1, %7
  %9 = load i32, ptr %2, align 8
  %10 = icmp eq i32 %9, 1
  %11 = select i1 %10, i1 %8, i1 false
  br i1 %11, label %40, label %12

12:
  %13 = tail call ptr @relay_allocate_bytes(ptr noundef %0, i64 noundef %3) #14
  %14 = icmp eq ptr %13, null
  br i1 %14, label %40, label %15

15:
  %16 = getelementptr inbounds nuw i8, ptr %13, i32 64
  %17 = trunc i64 %3 to i32
  %18 = add i32 %17, -64
  tail call void @llvm.memcpy.p0.p0.i32(ptr nonnull align 1 %16, ptr align 1 %1, i32 %18, i1 false)
  br i1 %5, label %19, label %40

19:
  %20 = load i32, ptr %2, align 8
  %21 = icmp eq i32 %20, 1
  br i1 %21, label %24, label %22

22:
  %23 = add i32 %20, -1
  store i32 %23, ptr %2, align 8
  br label %40

24:
  %25 = getelementptr inbounds nuw i8, ptr %2, i32 8
  %26 = load ptr, ptr %25, align 8
  %27 = icmp eq ptr %26, null
  br i1 %27, label %28, label %39

28:
  %29 = getelementptr inbounds nuw i8, ptr %0, i32 72
  %30 = getelementptr inbounds nuw i8, ptr %2, i32 4
  %31 = load i16, ptr %30, align 4
  %32 = zext i16 %31 to i32
  %33 = getelementptr inbounds nuw %struct.anon, ptr %29, i32 %32
  %34 = load ptr, ptr %33, align 8
  %35 = getelementptr inbounds nuw i8, ptr %2, i32 16
  store ptr %34, ptr %35, align 8
  store ptr %2, ptr %33, align 8
  %36 = getelementptr inbounds nuw i8, ptr %0, i32 24
  %37 = load i64, ptr %36, align 8
  %38 = add nsw i64 %37, -1
  store i64 %38, ptr %36, align 8
  br label %40

39:
  tail call fastcc void @free_tree(ptr noundef %0, ptr noundef nonnull %2) #14
  br label %40

40:
  %41 = phi ptr [ %2, %6 ], [ null, %12 ], [ %13, %39 ], [ %13, %28 ], [ %13, %15 ], [ %13, %22 ]
  ret ptr %41
}

declare void @llvm.memcpy.p0.p0.i32(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i32, i1 immarg) #6

define hidden void @relay_report(ptr noundef readonly captures(none) %0, i64 noundef %1, i64 noundef %2) local_unnamed_addr #7 {
  %4 = getelementptr inbounds nuw i8, ptr %0, i32 8
  %5 = load ptr, ptr %4, align 8
  %6 = getelementptr inbounds nuw i8, ptr %5, i32 16
  store i64 %2, ptr %6, align 8
  %7 = load ptr, ptr %4, align 8
  %8 = getelementptr inbounds nuw i8, ptr %7, i32 24
  store i64 %1, ptr %8, align 8
  ret void
}

define hidden i64 @relay_floor_divide(i64 noundef %0, i64 noundef %1) local_unnamed_addr #8 {
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

define internal fastcc ptr @kept_segment(ptr noundef captures(none) %0, i64 noundef range(i64 -2147483583, -9223372036854775808) %1) unnamed_addr #9 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i32 1049816
  br label %4

4:
  %5 = phi ptr [ null, %2 ], [ %7, %9 ]
  %6 = phi ptr [ %3, %2 ], [ %7, %9 ]
  %7 = load ptr, ptr %6, align 8
  %8 = icmp eq ptr %7, null
  br i1 %8, label %24, label %9

9:
  %10 = getelementptr inbounds nuw i8, ptr %7, i32 8
  %11 = load i64, ptr %10, align 8
  %12 = icmp slt i64 %11, %1
  br i1 %12, label %4, label %13

13:
  %14 = getelementptr inbounds nuw i8, ptr %7, i32 8
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
  %21 = getelementptr inbounds nuw i8, ptr %0, i32 1049808
  %22 = load i64, ptr %21, align 8
  %23 = sub i64 %22, %20
  store i64 %23, ptr %21, align 8
  br label %24

24:
  ret ptr %7
}

declare ptr @aligned_alloc(i32 noundef, i32 noundef) local_unnamed_addr #10

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
attributes #14 = { nounwind }

!6 = !{!"branch_weights", !"expected", i32 1, i32 2000}
