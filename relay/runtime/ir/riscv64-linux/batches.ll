; Written by tools/c_runtime.py from the C sources; do not edit.

%struct.Cell = type { %union.anon.12, i64 }
%union.anon.12 = type { ptr }
%struct.Reference = type { %union.anon.13, %union.anon.14 }
%union.anon.13 = type { ptr }
%union.anon.14 = type { ptr }
%struct.anon = type { %union.anon.8 }
%union.anon.8 = type { ptr }

@relay_task_count = external local_unnamed_addr constant i64, align 8
@relay_tasks = external local_unnamed_addr constant [0 x ptr], align 8
@relay_most_calls = external local_unnamed_addr constant i64, align 8

define i64 @relay_level(ptr noundef readonly captures(address) %0) local_unnamed_addr #0 {
  %2 = icmp ugt ptr %0, inttoptr (i64 4095 to ptr)
  br i1 %2, label %3, label %6

3:
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %5 = load i64, ptr %4, align 8
  br label %6

6:
  %7 = phi i64 [ %5, %3 ], [ 0, %1 ]
  ret i64 %7
}

define i64 @relay_done(ptr noundef readonly captures(none) %0) local_unnamed_addr #0 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 1160
  %3 = load i64, ptr %2, align 8
  ret i64 %3
}

define ptr @relay_place(ptr noundef %0, i64 noundef %1, i64 noundef %2) local_unnamed_addr #1 {
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 1160
  %5 = load i64, ptr %4, align 8
  %6 = xor i64 %5, -1
  %7 = add i64 %1, %6
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 1184
  %9 = load i64, ptr %8, align 8
  %10 = icmp ult i64 %7, %9
  br i1 %10, label %13, label %11, !prof !10

11:
  %12 = tail call fastcc i1 @add_rows(ptr noundef nonnull %0, i64 noundef %7) #14
  br i1 %12, label %13, label %20

13:
  %14 = getelementptr inbounds nuw i8, ptr %0, i64 1176
  %15 = load ptr, ptr %14, align 8
  %16 = load i64, ptr @relay_task_count, align 8
  %17 = mul nsw i64 %16, %7
  %18 = getelementptr %struct.Cell, ptr %15, i64 %17
  %19 = getelementptr %struct.Cell, ptr %18, i64 %2
  br label %20

20:
  %21 = phi ptr [ %19, %13 ], [ null, %11 ]
  ret ptr %21
}

define internal fastcc noundef i1 @add_rows(ptr noundef %0, i64 noundef range(i64 -9223372036854775808, 9223372036854775807) %1) unnamed_addr #2 {
  %3 = shl i64 %1, 1
  %4 = or i64 %3, 126
  %5 = add nsw i64 %4, 2
  %6 = load i64, ptr @relay_task_count, align 8
  %7 = shl nsw i64 %6, 4
  %8 = mul nsw i64 %7, %5
  %9 = tail call ptr @relay_carve(ptr noundef %0, i64 noundef %8) #15
  %10 = icmp ne ptr %9, null
  br i1 %10, label %11, label %21

11:
  tail call void @llvm.memset.p0.i64(ptr nonnull align 8 %9, i8 0, i64 %8, i1 false)
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 1184
  %13 = load i64, ptr %12, align 8
  %14 = icmp sgt i64 %13, 0
  br i1 %14, label %15, label %19

15:
  %16 = getelementptr inbounds nuw i8, ptr %0, i64 1176
  %17 = load ptr, ptr %16, align 8
  %18 = mul nsw i64 %13, %7
  tail call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 8 %9, ptr align 8 %17, i64 %18, i1 false)
  br label %19

19:
  %20 = getelementptr inbounds nuw i8, ptr %0, i64 1176
  store ptr %9, ptr %20, align 8
  store i64 %5, ptr %12, align 8
  br label %21

21:
  ret i1 %10
}

define i64 @relay_capacity(ptr noundef readonly captures(address_is_null) %0) local_unnamed_addr #0 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %6, label %3

3:
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %5 = load i64, ptr %4, align 8
  br label %6

6:
  %7 = phi i64 [ %5, %3 ], [ 0, %1 ]
  ret i64 %7
}

define ptr @relay_room(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef readonly captures(none) %3) local_unnamed_addr #1 {
  %5 = load ptr, ptr %1, align 8
  %6 = icmp eq ptr %5, null
  br i1 %6, label %13, label %7

7:
  %8 = getelementptr inbounds nuw i8, ptr %5, i64 24
  %9 = load i64, ptr %8, align 8
  %10 = getelementptr inbounds nuw i8, ptr %5, i64 40
  %11 = load i64, ptr %10, align 8
  %12 = icmp eq i64 %9, %11
  br i1 %12, label %13, label %15

13:
  %14 = tail call ptr %3(ptr noundef %0, ptr noundef nonnull %1, i64 noundef %2) #15
  br label %15

15:
  %16 = phi ptr [ %14, %13 ], [ %5, %7 ]
  ret ptr %16
}

define i32 @relay_await(ptr noundef %0) local_unnamed_addr #3 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 1168
  %3 = load i64, ptr %2, align 8
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 1160
  %5 = load i64, ptr %4, align 8
  %6 = sub nsw i64 %3, %5
  %7 = icmp slt i64 %6, 1
  br i1 %7, label %39, label %8

8:
  %9 = load i64, ptr @relay_task_count, align 8
  %10 = icmp sgt i64 %9, 0
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 1176
  br label %12

12:
  %13 = phi i64 [ 0, %8 ], [ %34, %33 ]
  br i1 %10, label %14, label %33

14:
  %15 = mul nuw nsw i64 %9, %13
  br label %16

16:
  %17 = phi i64 [ 0, %14 ], [ %31, %30 ]
  %18 = load ptr, ptr %11, align 8
  %19 = getelementptr %struct.Cell, ptr %18, i64 %15
  %20 = getelementptr %struct.Cell, ptr %19, i64 %17
  %21 = load ptr, ptr %20, align 8
  %22 = icmp eq ptr %21, null
  br i1 %22, label %30, label %23

23:
  %24 = getelementptr inbounds nuw i8, ptr %20, i64 8
  %25 = load i64, ptr %24, align 8
  %26 = getelementptr inbounds nuw ptr, ptr @relay_tasks, i64 %17
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %20, i8 0, i64 16, i1 false)
  %27 = load ptr, ptr %26, align 8
  %28 = tail call i32 %27(ptr noundef nonnull %0, ptr noundef nonnull %21, i64 noundef %25) #15
  %29 = icmp eq i32 %28, 0
  br i1 %29, label %30, label %39

30:
  %31 = add nuw nsw i64 %17, 1
  %32 = icmp eq i64 %31, %9
  br i1 %32, label %33, label %16

33:
  %34 = add nuw nsw i64 %13, 1
  %35 = icmp eq i64 %34, %6
  br i1 %35, label %36, label %12

36:
  %37 = load i64, ptr %2, align 8
  store i64 %37, ptr %4, align 8
  %38 = getelementptr inbounds nuw i8, ptr %0, i64 1192
  store i64 0, ptr %38, align 8
  br label %39

39:
  %40 = phi i32 [ 0, %1 ], [ 0, %36 ], [ %28, %23 ]
  ret i32 %40
}

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #4

define i32 @relay_note(ptr noundef %0, ptr noundef captures(none) %1, i64 noundef %2, i64 noundef %3) local_unnamed_addr #1 {
  %5 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %6 = load i64, ptr %5, align 8
  %7 = add nsw i64 %6, 1
  store i64 %7, ptr %5, align 8
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 1168
  %9 = load i64, ptr %8, align 8
  %10 = icmp sgt i64 %2, %9
  br i1 %10, label %11, label %12

11:
  store i64 %2, ptr %8, align 8
  br label %12

12:
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 1192
  %14 = load i64, ptr %13, align 8
  %15 = add nsw i64 %14, %3
  store i64 %15, ptr %13, align 8
  %16 = icmp sgt i64 %15, 16777216
  br i1 %16, label %17, label %19, !prof !15

17:
  %18 = tail call i32 @relay_await(ptr noundef nonnull %0)
  br label %19

19:
  %20 = phi i32 [ %18, %17 ], [ 0, %12 ]
  ret i32 %20
}

define ptr @relay_full_first(ptr noundef %0) local_unnamed_addr #5 {
  %2 = load i64, ptr @relay_most_calls, align 8
  br label %3

3:
  %4 = phi ptr [ null, %1 ], [ %7, %12 ]
  %5 = phi ptr [ %0, %1 ], [ %7, %12 ]
  %6 = getelementptr inbounds nuw i8, ptr %5, i64 16
  %7 = load ptr, ptr %6, align 8
  %8 = icmp eq ptr %7, null
  br i1 %8, label %12, label %9

9:
  %10 = getelementptr inbounds nuw i8, ptr %7, i64 40
  %11 = load i64, ptr %10, align 8
  br label %12

12:
  %13 = phi i64 [ %11, %9 ], [ 0, %3 ]
  %14 = icmp eq i64 %13, %2
  br i1 %14, label %3, label %15

15:
  %16 = icmp eq ptr %4, null
  br i1 %16, label %22, label %17

17:
  %18 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %19 = load ptr, ptr %18, align 8
  %20 = getelementptr inbounds nuw i8, ptr %4, i64 16
  %21 = load ptr, ptr %20, align 8
  store ptr %21, ptr %18, align 8
  store ptr %0, ptr %20, align 8
  br label %22

22:
  %23 = phi ptr [ %19, %17 ], [ %0, %15 ]
  ret ptr %23
}

define i64 @relay_part(ptr noundef readonly captures(none) %0, i64 noundef %1) local_unnamed_addr #0 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %4 = load i64, ptr %3, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %6 = load i64, ptr %5, align 8
  %7 = sub nsw i64 %4, %6
  %8 = load i64, ptr @relay_most_calls, align 8
  %9 = icmp eq i64 %7, %8
  br i1 %9, label %16, label %10

10:
  %11 = add i64 %1, -1
  %12 = add i64 %11, %8
  %13 = sdiv i64 %12, %8
  %14 = add i64 %11, %13
  %15 = sdiv i64 %14, %13
  br label %16

16:
  %17 = phi i64 [ %15, %10 ], [ %7, %2 ]
  ret i64 %17
}

define ptr @relay_inputs(ptr noundef readonly captures(ret: address, provenance) %0, i64 noundef %1, i64 noundef %2) local_unnamed_addr #0 {
  %4 = getelementptr inbounds i8, ptr %0, i64 %1
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %6 = load i64, ptr %5, align 8
  %7 = mul nsw i64 %6, %2
  %8 = getelementptr inbounds i8, ptr %4, i64 %7
  ret ptr %8
}

define void @relay_drop(ptr noundef %0, ptr noundef readonly captures(none) %1, i64 noundef %2, i64 noundef %3, i64 noundef %4, i64 noundef %5) local_unnamed_addr #6 {
  %7 = getelementptr inbounds i8, ptr %1, i64 %2
  %8 = getelementptr inbounds nuw i8, ptr %1, i64 40
  %9 = load i64, ptr %8, align 8
  %10 = mul nsw i64 %9, %3
  %11 = getelementptr inbounds i8, ptr %7, i64 %10
  %12 = getelementptr inbounds %struct.Reference, ptr %11, i64 %4
  %13 = icmp sgt i64 %5, 0
  br i1 %13, label %14, label %17

14:
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %16 = getelementptr inbounds nuw i8, ptr %0, i64 24
  br label %18

17:
  ret void

18:
  %19 = phi i64 [ 0, %14 ], [ %44, %43 ]
  %20 = getelementptr inbounds nuw %struct.Reference, ptr %12, i64 %19
  %21 = getelementptr inbounds nuw i8, ptr %20, i64 8
  %22 = load ptr, ptr %21, align 8
  %23 = icmp ugt ptr %22, inttoptr (i64 4095 to ptr)
  br i1 %23, label %24, label %43

24:
  %25 = load i32, ptr %22, align 8
  %26 = icmp eq i32 %25, 1
  br i1 %26, label %29, label %27

27:
  %28 = add i32 %25, -1
  store i32 %28, ptr %22, align 8
  br label %43

29:
  %30 = getelementptr inbounds nuw i8, ptr %22, i64 8
  %31 = load ptr, ptr %30, align 8
  %32 = icmp eq ptr %31, null
  br i1 %32, label %33, label %42

33:
  %34 = getelementptr inbounds nuw i8, ptr %22, i64 4
  %35 = load i16, ptr %34, align 4
  %36 = zext i16 %35 to i64
  %37 = getelementptr inbounds nuw %struct.anon, ptr %15, i64 %36
  %38 = load ptr, ptr %37, align 8
  %39 = getelementptr inbounds nuw i8, ptr %22, i64 16
  store ptr %38, ptr %39, align 8
  store ptr %22, ptr %37, align 8
  %40 = load i64, ptr %16, align 8
  %41 = add nsw i64 %40, -1
  store i64 %41, ptr %16, align 8
  br label %43

42:
  tail call void @relay_free_tree(ptr noundef %0, ptr noundef nonnull %22) #15
  br label %43

43:
  %44 = add nuw nsw i64 %19, 1
  %45 = icmp eq i64 %44, %5
  br i1 %45, label %17, label %18
}

define ptr @relay_listed(ptr noundef %0, ptr noundef readonly captures(ret: address, provenance) %1, i64 noundef %2, i64 noundef %3, i64 noundef %4, ptr noundef writeonly captures(none) initializes((0, 8)) %5) local_unnamed_addr #6 {
  store ptr null, ptr %5, align 8
  %7 = getelementptr inbounds nuw i8, ptr %1, i64 24
  %8 = load i64, ptr %7, align 8
  %9 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %10 = load i64, ptr %9, align 8
  %11 = sub nsw i64 %8, %10
  %12 = icmp sgt i64 %4, %11
  br i1 %12, label %20, label %13

13:
  %14 = getelementptr inbounds i8, ptr %1, i64 %2
  %15 = getelementptr inbounds nuw i8, ptr %1, i64 40
  %16 = load i64, ptr %15, align 8
  %17 = mul nsw i64 %16, %3
  %18 = getelementptr inbounds i8, ptr %14, i64 %17
  %19 = getelementptr inbounds %struct.Reference, ptr %18, i64 %10
  br label %50

20:
  %21 = shl nsw i64 %4, 4
  %22 = add nsw i64 %21, 64
  %23 = tail call ptr @relay_allocate_bytes(ptr noundef %0, i64 noundef %22) #15
  store ptr %23, ptr %5, align 8
  %24 = icmp eq ptr %23, null
  br i1 %24, label %50, label %25

25:
  %26 = getelementptr inbounds nuw i8, ptr %23, i64 64
  %27 = icmp sgt i64 %4, 0
  br i1 %27, label %28, label %50

28:
  %29 = phi ptr [ %48, %28 ], [ %1, %25 ]
  %30 = phi i64 [ %46, %28 ], [ 0, %25 ]
  %31 = sub nsw i64 %4, %30
  %32 = getelementptr inbounds nuw i8, ptr %29, i64 24
  %33 = load i64, ptr %32, align 8
  %34 = getelementptr inbounds nuw i8, ptr %29, i64 32
  %35 = load i64, ptr %34, align 8
  %36 = sub nsw i64 %33, %35
  %37 = tail call i64 @llvm.smin.i64(i64 %36, i64 %31)
  %38 = getelementptr inbounds i8, ptr %29, i64 %2
  %39 = getelementptr inbounds nuw i8, ptr %29, i64 40
  %40 = load i64, ptr %39, align 8
  %41 = mul nsw i64 %40, %3
  %42 = getelementptr inbounds i8, ptr %38, i64 %41
  %43 = getelementptr inbounds %struct.Reference, ptr %42, i64 %35
  %44 = getelementptr inbounds %struct.Reference, ptr %26, i64 %30
  %45 = shl i64 %37, 4
  tail call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 8 %44, ptr align 8 %43, i64 %45, i1 false)
  %46 = add nsw i64 %37, %30
  %47 = getelementptr inbounds nuw i8, ptr %29, i64 16
  %48 = load ptr, ptr %47, align 8
  %49 = icmp slt i64 %46, %4
  br i1 %49, label %28, label %50

50:
  %51 = phi ptr [ %19, %13 ], [ null, %20 ], [ %26, %25 ], [ %26, %28 ]
  ret ptr %51
}

declare ptr @relay_allocate_bytes(ptr noundef, i64 noundef) local_unnamed_addr #7

define range(i32 0, 2) i32 @relay_alike(ptr noundef readonly captures(none) %0, i64 noundef %1, i64 noundef %2, ptr noundef readnone captures(address) %3, i64 noundef %4) local_unnamed_addr #8 {
  %6 = icmp sgt i64 %4, 0
  br i1 %6, label %7, label %44

7:
  %8 = phi ptr [ %30, %26 ], [ %0, %5 ]
  %9 = phi i64 [ %28, %26 ], [ %4, %5 ]
  %10 = phi ptr [ %27, %26 ], [ %3, %5 ]
  %11 = getelementptr inbounds nuw i8, ptr %8, i64 24
  %12 = load i64, ptr %11, align 8
  %13 = getelementptr inbounds nuw i8, ptr %8, i64 32
  %14 = load i64, ptr %13, align 8
  %15 = sub nsw i64 %12, %14
  %16 = tail call i64 @llvm.smin.i64(i64 %15, i64 %9)
  %17 = getelementptr inbounds i8, ptr %8, i64 %1
  %18 = getelementptr inbounds nuw i8, ptr %8, i64 40
  %19 = load i64, ptr %18, align 8
  %20 = mul nsw i64 %19, %2
  %21 = getelementptr inbounds i8, ptr %17, i64 %20
  %22 = getelementptr inbounds %struct.Reference, ptr %21, i64 %14
  %23 = icmp sgt i64 %15, 0
  br i1 %23, label %24, label %26

24:
  %25 = tail call i64 @llvm.smax.i64(i64 %16, i64 1)
  br label %32

26:
  %27 = phi ptr [ %10, %7 ], [ %41, %40 ]
  %28 = sub nsw i64 %9, %16
  %29 = getelementptr inbounds nuw i8, ptr %8, i64 16
  %30 = load ptr, ptr %29, align 8
  %31 = icmp sgt i64 %28, 0
  br i1 %31, label %7, label %44

32:
  %33 = phi i64 [ %42, %40 ], [ 0, %24 ]
  %34 = phi ptr [ %41, %40 ], [ %10, %24 ]
  %35 = icmp eq ptr %34, null
  %36 = getelementptr inbounds nuw %struct.Reference, ptr %22, i64 %33
  %37 = load ptr, ptr %36, align 8
  br i1 %35, label %40, label %38

38:
  %39 = icmp eq ptr %37, %34
  br i1 %39, label %40, label %44

40:
  %41 = phi ptr [ %34, %38 ], [ %37, %32 ]
  %42 = add nuw nsw i64 %33, 1
  %43 = icmp eq i64 %42, %25
  br i1 %43, label %26, label %32

44:
  %45 = phi i32 [ 1, %5 ], [ 0, %38 ], [ 1, %26 ]
  ret i32 %45
}

define void @relay_gather(ptr noundef writeonly captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef %2, i64 noundef %3, i64 noundef %4, i64 noundef %5, i64 noundef %6) local_unnamed_addr #9 {
  %8 = icmp sgt i64 %6, 0
  br i1 %8, label %9, label %73

9:
  %10 = icmp eq i64 %4, 0
  %11 = icmp slt i64 %5, 4097
  %12 = icmp slt i64 %5, 64
  %13 = add nsw i64 %5, -64
  %14 = icmp eq i64 %5, 64
  br label %15

15:
  %16 = phi ptr [ %0, %9 ], [ %68, %67 ]
  %17 = phi ptr [ %1, %9 ], [ %71, %67 ]
  %18 = phi i64 [ %6, %9 ], [ %69, %67 ]
  %19 = getelementptr inbounds nuw i8, ptr %17, i64 24
  %20 = load i64, ptr %19, align 8
  %21 = getelementptr inbounds nuw i8, ptr %17, i64 32
  %22 = load i64, ptr %21, align 8
  %23 = sub nsw i64 %20, %22
  %24 = tail call i64 @llvm.smin.i64(i64 %23, i64 %18)
  %25 = getelementptr inbounds i8, ptr %17, i64 %2
  %26 = getelementptr inbounds nuw i8, ptr %17, i64 40
  %27 = load i64, ptr %26, align 8
  %28 = mul nsw i64 %27, %3
  %29 = getelementptr inbounds i8, ptr %25, i64 %28
  br i1 %10, label %35, label %30

30:
  %31 = mul nsw i64 %22, %5
  %32 = getelementptr inbounds i8, ptr %29, i64 %31
  %33 = mul nsw i64 %24, %5
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %16, ptr align 1 %32, i64 %33, i1 false)
  %34 = getelementptr inbounds i8, ptr %16, i64 %33
  br label %67

35:
  %36 = getelementptr inbounds %struct.Reference, ptr %29, i64 %22
  %37 = icmp sgt i64 %23, 0
  br i1 %37, label %38, label %67

38:
  %39 = phi ptr [ %65, %63 ], [ %16, %35 ]
  %40 = phi i64 [ %64, %63 ], [ 0, %35 ]
  %41 = add nuw nsw i64 %40, 4
  %42 = icmp slt i64 %41, %24
  %43 = and i1 %11, %42
  %44 = select i1 %43, i64 %41, i64 %40
  %45 = getelementptr inbounds nuw %struct.Reference, ptr %36, i64 %44
  %46 = getelementptr inbounds nuw %struct.Reference, ptr %36, i64 %40
  %47 = load ptr, ptr %46, align 8
  %48 = load ptr, ptr %45, align 8
  br i1 %12, label %50, label %49

49:
  br i1 %14, label %51, label %56

50:
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %39, ptr readonly align 1 %47, i64 %5, i1 false)
  br label %63

51:
  %52 = getelementptr inbounds nuw i8, ptr %39, i64 %5
  %53 = getelementptr inbounds i8, ptr %52, i64 -64
  %54 = getelementptr inbounds nuw i8, ptr %47, i64 %5
  %55 = getelementptr inbounds i8, ptr %54, i64 -64
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(64) %53, ptr noundef nonnull readonly align 1 dereferenceable(64) %55, i64 64, i1 false)
  br label %63

56:
  %57 = phi i64 [ %61, %56 ], [ 0, %49 ]
  %58 = getelementptr inbounds nuw i8, ptr %48, i64 %57
  tail call void @llvm.prefetch.p0(ptr readonly %58, i32 0, i32 2, i32 1)
  %59 = getelementptr inbounds nuw i8, ptr %39, i64 %57
  %60 = getelementptr inbounds nuw i8, ptr %47, i64 %57
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(64) %59, ptr noundef nonnull readonly align 1 dereferenceable(64) %60, i64 64, i1 false)
  %61 = add nuw nsw i64 %57, 64
  %62 = icmp slt i64 %61, %13
  br i1 %62, label %56, label %51

63:
  %64 = add nuw nsw i64 %40, 1
  %65 = getelementptr inbounds i8, ptr %39, i64 %5
  %66 = icmp eq i64 %64, %24
  br i1 %66, label %67, label %38

67:
  %68 = phi ptr [ %34, %30 ], [ %16, %35 ], [ %65, %63 ]
  %69 = sub nsw i64 %18, %24
  %70 = getelementptr inbounds nuw i8, ptr %17, i64 16
  %71 = load ptr, ptr %70, align 8
  %72 = icmp sgt i64 %69, 0
  br i1 %72, label %15, label %73

73:
  ret void
}

define void @relay_hand_out(ptr noundef writeonly captures(address) %0, ptr noundef readonly captures(address) %1, i64 noundef %2) local_unnamed_addr #10 {
  %4 = icmp eq ptr %0, %1
  br i1 %4, label %6, label %5

5:
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %0, ptr align 1 %1, i64 %2, i1 false)
  br label %6

6:
  ret void
}

declare ptr @relay_carve(ptr noundef, i64 noundef) local_unnamed_addr #7

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #11

declare void @relay_free_tree(ptr noundef, ptr noundef) local_unnamed_addr #7

declare void @llvm.prefetch.p0(ptr readonly captures(none), i32 immarg, i32 immarg, i32 immarg) #12

declare i64 @llvm.smin.i64(i64, i64) #13

declare i64 @llvm.smax.i64(i64, i64) #13

attributes #0 = { nounwind alwaysinline }
attributes #1 = { nounwind alwaysinline }
attributes #2 = { nounwind cold noinline optnone }
attributes #3 = { nounwind noinline }
attributes #4 = { nounwind }
attributes #5 = { nounwind }
attributes #6 = { nounwind }
attributes #7 = { nounwind }
attributes #8 = { nounwind }
attributes #9 = { nounwind }
attributes #10 = { nounwind alwaysinline }
attributes #11 = { nounwind }
attributes #12 = { nounwind }
attributes #13 = { nounwind }
attributes #14 = { nounwind cold }
attributes #15 = { nounwind }

!10 = !{!"branch_weights", !"expected", i32 2000, i32 1}
!15 = !{!"branch_weights", !"expected", i32 1, i32 2000}
