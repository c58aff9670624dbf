; Written by tools/c_runtime.py from the C sources; do not edit.

%struct.Cell = type { %union.anon.12, i64 }
%union.anon.12 = type { i64 }
%struct.Reference = type { %union.anon.13, %union.anon.14 }
%union.anon.13 = type { i64 }
%union.anon.14 = type { i64 }
%struct.anon = type { %union.anon.8 }
%union.anon.8 = type { i64 }

@relay_task_count = external local_unnamed_addr constant i64, align 8
@relay_tasks = external local_unnamed_addr constant [0 x ptr], align 4
@relay_most_calls = external local_unnamed_addr constant i64, align 8

define hidden i64 @relay_level(ptr noundef readonly captures(address) %0) local_unnamed_addr #0 {
  %2 = icmp ugt ptr %0, inttoptr (i32 4095 to ptr)
  br i1 %2, label %3, label %6

3:
  %4 = getelementptr inbounds nuw i8, ptr %0, i32 24
  %5 = load i64, ptr %4, align 8
  br label %6

6:
  %7 = phi i64 [ %5, %3 ], [ 0, %1 ]
  ret i64 %7
}

define hidden i64 @relay_done(ptr noundef readonly captures(none) %0) local_unnamed_addr #0 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i32 1160
  %3 = load i64, ptr %2, align 8
  ret i64 %3
}

define hidden ptr @relay_place(ptr noundef %0, i64 noundef %1, i64 noundef %2) local_unnamed_addr #1 {
  %4 = getelementptr inbounds nuw i8, ptr %0, i32 1160
  %5 = load i64, ptr %4, align 8
  %6 = xor i64 %5, -1
  %7 = add i64 %1, %6
  %8 = getelementptr inbounds nuw i8, ptr %0, i32 1184
  %9 = load i64, ptr %8, align 8
  %10 = icmp ult i64 %7, %9
  br i1 %10, label %13, label %11, !prof !6

11:
  %12 = tail call fastcc i1 @add_rows(ptr noundef nonnull %0, i64 noundef %7) #14
  br i1 %12, label %13, label %21

13:
  %14 = getelementptr inbounds nuw i8, ptr %0, i32 1176
  %15 = load ptr, ptr %14, align 8
  %16 = load i64, ptr @relay_task_count, align 8
  %17 = mul nsw i64 %16, %7
  %18 = add nsw i64 %17, %2
  %19 = trunc i64 %18 to i32
  %20 = getelementptr inbounds %struct.Cell, ptr %15, i32 %19
  br label %21

21:
  %22 = phi ptr [ %20, %13 ], [ null, %11 ]
  ret ptr %22
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
  br i1 %10, label %11, label %23

11:
  %12 = trunc i64 %8 to i32
  tail call void @llvm.memset.p0.i32(ptr nonnull align 8 %9, i8 0, i32 %12, i1 false)
  %13 = getelementptr inbounds nuw i8, ptr %0, i32 1184
  %14 = load i64, ptr %13, align 8
  %15 = icmp sgt i64 %14, 0
  br i1 %15, label %16, label %21

16:
  %17 = getelementptr inbounds nuw i8, ptr %0, i32 1176
  %18 = load ptr, ptr %17, align 8
  %19 = mul nsw i64 %14, %7
  %20 = trunc i64 %19 to i32
  tail call void @llvm.memcpy.p0.p0.i32(ptr nonnull align 8 %9, ptr align 8 %18, i32 %20, i1 false)
  br label %21

21:
  %22 = getelementptr inbounds nuw i8, ptr %0, i32 1176
  store ptr %9, ptr %22, align 8
  store i64 %5, ptr %13, align 8
  br label %23

23:
  ret i1 %10
}

define hidden i64 @relay_capacity(ptr noundef readonly captures(address_is_null) %0) local_unnamed_addr #0 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %6, label %3

3:
  %4 = getelementptr inbounds nuw i8, ptr %0, i32 40
  %5 = load i64, ptr %4, align 8
  br label %6

6:
  %7 = phi i64 [ %5, %3 ], [ 0, %1 ]
  ret i64 %7
}

define hidden ptr @relay_room(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef readonly captures(none) %3) local_unnamed_addr #1 {
  %5 = load ptr, ptr %1, align 8
  %6 = icmp eq ptr %5, null
  br i1 %6, label %13, label %7

7:
  %8 = getelementptr inbounds nuw i8, ptr %5, i32 24
  %9 = load i64, ptr %8, align 8
  %10 = getelementptr inbounds nuw i8, ptr %5, i32 40
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

define hidden i32 @relay_await(ptr noundef %0) local_unnamed_addr #3 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i32 1168
  %3 = load i64, ptr %2, align 8
  %4 = getelementptr inbounds nuw i8, ptr %0, i32 1160
  %5 = load i64, ptr %4, align 8
  %6 = sub nsw i64 %3, %5
  %7 = icmp slt i64 %6, 1
  br i1 %7, label %41, label %8

8:
  %9 = load i64, ptr @relay_task_count, align 8
  %10 = icmp sgt i64 %9, 0
  %11 = getelementptr inbounds nuw i8, ptr %0, i32 1176
  br label %12

12:
  %13 = phi i64 [ 0, %8 ], [ %36, %35 ]
  br i1 %10, label %14, label %35

14:
  %15 = mul nuw nsw i64 %9, %13
  br label %16

16:
  %17 = phi i64 [ 0, %14 ], [ %33, %32 ]
  %18 = load ptr, ptr %11, align 8
  %19 = add nuw nsw i64 %15, %17
  %20 = trunc i64 %19 to i32
  %21 = getelementptr inbounds %struct.Cell, ptr %18, i32 %20
  %22 = load ptr, ptr %21, align 8
  %23 = icmp eq ptr %22, null
  br i1 %23, label %32, label %24

24:
  %25 = getelementptr inbounds nuw i8, ptr %21, i32 8
  %26 = load i64, ptr %25, align 8
  store ptr null, ptr %21, align 8
  store i64 0, ptr %25, align 8
  %27 = trunc i64 %17 to i32
  %28 = getelementptr inbounds ptr, ptr @relay_tasks, i32 %27
  %29 = load ptr, ptr %28, align 4
  %30 = tail call i32 %29(ptr noundef nonnull %0, ptr noundef nonnull %22, i64 noundef %26) #15
  %31 = icmp eq i32 %30, 0
  br i1 %31, label %32, label %41

32:
  %33 = add nuw nsw i64 %17, 1
  %34 = icmp eq i64 %33, %9
  br i1 %34, label %35, label %16

35:
  %36 = add nuw nsw i64 %13, 1
  %37 = icmp eq i64 %36, %6
  br i1 %37, label %38, label %12

38:
  %39 = load i64, ptr %2, align 8
  store i64 %39, ptr %4, align 8
  %40 = getelementptr inbounds nuw i8, ptr %0, i32 1192
  store i64 0, ptr %40, align 8
  br label %41

41:
  %42 = phi i32 [ 0, %1 ], [ 0, %38 ], [ %30, %24 ]
  ret i32 %42
}

declare void @llvm.memcpy.p0.p0.i32(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i32, i1 immarg) #4

define hidden i32 @relay_note(ptr noundef %0, ptr noundef captures(none) %1, i64 noundef %2, i64 noundef %3) local_unnamed_addr #1 {
  %5 = getelementptr inbounds nuw i8, ptr %1, i32 8
  %6 = load i64, ptr %5, align 8
  %7 = add nsw i64 %6, 1
  store i64 %7, ptr %5, align 8
  %8 = getelementptr inbounds nuw i8, ptr %0, i32 1168
  %9 = load i64, ptr %8, align 8
  %10 = icmp sgt i64 %2, %9
  br i1 %10, label %11, label %12

11:
  store i64 %2, ptr %8, align 8
  br label %12

12:
  %13 = getelementptr inbounds nuw i8, ptr %0, i32 1192
  %14 = load i64, ptr %13, align 8
  %15 = add nsw i64 %14, %3
  store i64 %15, ptr %13, align 8
  %16 = icmp sgt i64 %15, 16777216
  br i1 %16, label %17, label %19, !prof !11

17:
  %18 = tail call i32 @relay_await(ptr noundef nonnull %0) #16
  br label %19

19:
  %20 = phi i32 [ %18, %17 ], [ 0, %12 ]
  ret i32 %20
}

define hidden ptr @relay_full_first(ptr noundef %0) local_unnamed_addr #5 {
  %2 = load i64, ptr @relay_most_calls, align 8
  br label %3

3:
  %4 = phi ptr [ null, %1 ], [ %7, %12 ]
  %5 = phi ptr [ %0, %1 ], [ %7, %12 ]
  %6 = getelementptr inbounds nuw i8, ptr %5, i32 16
  %7 = load ptr, ptr %6, align 8
  %8 = icmp eq ptr %7, null
  br i1 %8, label %12, label %9

9:
  %10 = getelementptr inbounds nuw i8, ptr %7, i32 40
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
  %18 = getelementptr inbounds nuw i8, ptr %0, i32 16
  %19 = load ptr, ptr %18, align 8
  %20 = getelementptr inbounds nuw i8, ptr %4, i32 16
  %21 = load ptr, ptr %20, align 8
  store ptr %21, ptr %18, align 8
  store ptr %0, ptr %20, align 8
  br label %22

22:
  %23 = phi ptr [ %19, %17 ], [ %0, %15 ]
  ret ptr %23
}

define hidden i64 @relay_part(ptr noundef readonly captures(none) %0, i64 noundef %1) local_unnamed_addr #0 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i32 24
  %4 = load i64, ptr %3, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i32 32
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

define hidden ptr @relay_inputs(ptr noundef readonly captures(ret: address, provenance) %0, i64 noundef %1, i64 noundef %2) local_unnamed_addr #0 {
  %4 = trunc i64 %1 to i32
  %5 = getelementptr inbounds i8, ptr %0, i32 %4
  %6 = getelementptr inbounds nuw i8, ptr %0, i32 40
  %7 = load i64, ptr %6, align 8
  %8 = mul nsw i64 %7, %2
  %9 = trunc i64 %8 to i32
  %10 = getelementptr inbounds i8, ptr %5, i32 %9
  ret ptr %10
}

define hidden void @relay_drop(ptr noundef %0, ptr noundef readonly captures(none) %1, i64 noundef %2, i64 noundef %3, i64 noundef %4, i64 noundef %5) local_unnamed_addr #6 {
  %7 = trunc i64 %2 to i32
  %8 = getelementptr inbounds i8, ptr %1, i32 %7
  %9 = getelementptr inbounds nuw i8, ptr %1, i32 40
  %10 = load i64, ptr %9, align 8
  %11 = mul nsw i64 %10, %3
  %12 = trunc i64 %11 to i32
  %13 = getelementptr inbounds i8, ptr %8, i32 %12
  %14 = trunc i64 %4 to i32
  %15 = getelementptr inbounds %struct.Reference, ptr %13, i32 %14
  %16 = icmp sgt i64 %5, 0
  br i1 %16, label %17, label %20

17:
  %18 = getelementptr inbounds nuw i8, ptr %0, i32 72
  %19 = getelementptr inbounds nuw i8, ptr %0, i32 24
  br label %21

20:
  ret void

21:
  %22 = phi i64 [ 0, %17 ], [ %48, %47 ]
  %23 = trunc i64 %22 to i32
  %24 = getelementptr inbounds %struct.Reference, ptr %15, i32 %23
  %25 = getelementptr inbounds nuw i8, ptr %24, i32 8
  %26 = load ptr, ptr %25, align 8
  %27 = icmp ugt ptr %26, inttoptr (i32 4095 to ptr)
  br i1 %27, label %28, label %47

28:
  %29 = load i32, ptr %26, align 8
  %30 = icmp eq i32 %29, 1
  br i1 %30, label %33, label %31

31:
  %32 = add i32 %29, -1
  store i32 %32, ptr %26, align 8
  br label %47

33:
  %34 = getelementptr inbounds nuw i8, ptr %26, i32 8
  %35 = load ptr, ptr %34, align 8
  %36 = icmp eq ptr %35, null
  br i1 %36, label %37, label %46

37:
  %38 = getelementptr inbounds nuw i8, ptr %26, i32 4
  %39 = load i16, ptr %38, align 4
  %40 = zext i16 %39 to i32
  %41 = getelementptr inbounds nuw %struct.anon, ptr %18, i32 %40
  %42 = load ptr, ptr %41, align 8
  %43 = getelementptr inbounds nuw i8, ptr %26, i32 16
  store ptr %42, ptr %43, align 8
  store ptr %26, ptr %41, align 8
  %44 = load i64, ptr %19, align 8
  %45 = add nsw i64 %44, -1
  store i64 %45, ptr %19, align 8
  br label %47

46:
  tail call void @relay_free_tree(ptr noundef %0, ptr noundef nonnull %26) #15
  br label %47

47:
  %48 = add nuw nsw i64 %22, 1
  %49 = icmp eq i64 %48, %5
  br i1 %49, label %20, label %21
}

define hidden ptr @relay_listed(ptr noundef %0, ptr noundef readonly captures(ret: address, provenance) %1, i64 noundef %2, i64 noundef %3, i64 noundef %4, ptr noundef writeonly captures(none) initializes((0, 4)) %5) local_unnamed_addr #6 {
  store ptr null, ptr %5, align 4
  %7 = getelementptr inbounds nuw i8, ptr %1, i32 24
  %8 = load i64, ptr %7, align 8
  %9 = getelementptr inbounds nuw i8, ptr %1, i32 32
  %10 = load i64, ptr %9, align 8
  %11 = sub nsw i64 %8, %10
  %12 = icmp sgt i64 %4, %11
  br i1 %12, label %23, label %13

13:
  %14 = trunc i64 %2 to i32
  %15 = getelementptr inbounds i8, ptr %1, i32 %14
  %16 = getelementptr inbounds nuw i8, ptr %1, i32 40
  %17 = load i64, ptr %16, align 8
  %18 = mul nsw i64 %17, %3
  %19 = trunc i64 %18 to i32
  %20 = getelementptr inbounds i8, ptr %15, i32 %19
  %21 = trunc i64 %10 to i32
  %22 = getelementptr inbounds %struct.Reference, ptr %20, i32 %21
  br label %59

23:
  %24 = shl nsw i64 %4, 4
  %25 = add nsw i64 %24, 64
  %26 = tail call ptr @relay_allocate_bytes(ptr noundef %0, i64 noundef %25) #15
  store ptr %26, ptr %5, align 4
  %27 = icmp eq ptr %26, null
  br i1 %27, label %59, label %28

28:
  %29 = getelementptr inbounds nuw i8, ptr %26, i32 64
  %30 = icmp sgt i64 %4, 0
  br i1 %30, label %31, label %59

31:
  %32 = trunc i64 %2 to i32
  br label %33

33:
  %34 = phi ptr [ %1, %31 ], [ %57, %33 ]
  %35 = phi i64 [ 0, %31 ], [ %55, %33 ]
  %36 = sub nsw i64 %4, %35
  %37 = getelementptr inbounds nuw i8, ptr %34, i32 24
  %38 = load i64, ptr %37, align 8
  %39 = getelementptr inbounds nuw i8, ptr %34, i32 32
  %40 = load i64, ptr %39, align 8
  %41 = sub nsw i64 %38, %40
  %42 = tail call i64 @llvm.smin.i64(i64 %41, i64 %36)
  %43 = getelementptr inbounds i8, ptr %34, i32 %32
  %44 = getelementptr inbounds nuw i8, ptr %34, i32 40
  %45 = load i64, ptr %44, align 8
  %46 = mul nsw i64 %45, %3
  %47 = trunc i64 %46 to i32
  %48 = getelementptr inbounds i8, ptr %43, i32 %47
  %49 = trunc i64 %40 to i32
  %50 = getelementptr inbounds %struct.Reference, ptr %48, i32 %49
  %51 = trunc i64 %35 to i32
  %52 = getelementptr inbounds %struct.Reference, ptr %29, i32 %51
  %53 = trunc i64 %42 to i32
  %54 = shl i32 %53, 4
  tail call void @llvm.memcpy.p0.p0.i32(ptr nonnull align 8 %52, ptr align 8 %50, i32 %54, i1 false)
  %55 = add nsw i64 %42, %35
  %56 = getelementptr inbounds nuw i8, ptr %34, i32 16
  %57 = load ptr, ptr %56, align 8
  %58 = icmp slt i64 %55, %4
  br i1 %58, label %33, label %59

59:
  %60 = phi ptr [ %22, %13 ], [ null, %23 ], [ %29, %28 ], [ %29, %33 ]
  ret ptr %60
}

declare ptr @relay_allocate_bytes(ptr noundef, i64 noundef) local_unnamed_addr #7

define hidden range(i32 0, 2) i32 @relay_alike(ptr noundef readonly captures(none) %0, i64 noundef %1, i64 noundef %2, ptr noundef readnone captures(address) %3, i64 noundef %4) local_unnamed_addr #8 {
  %6 = icmp sgt i64 %4, 0
  br i1 %6, label %7, label %50

7:
  %8 = trunc i64 %1 to i32
  br label %9

9:
  %10 = phi ptr [ %0, %7 ], [ %34, %30 ]
  %11 = phi i64 [ %4, %7 ], [ %32, %30 ]
  %12 = phi ptr [ %3, %7 ], [ %31, %30 ]
  %13 = getelementptr inbounds nuw i8, ptr %10, i32 24
  %14 = load i64, ptr %13, align 8
  %15 = getelementptr inbounds nuw i8, ptr %10, i32 32
  %16 = load i64, ptr %15, align 8
  %17 = sub nsw i64 %14, %16
  %18 = tail call i64 @llvm.smin.i64(i64 %17, i64 %11)
  %19 = getelementptr inbounds i8, ptr %10, i32 %8
  %20 = getelementptr inbounds nuw i8, ptr %10, i32 40
  %21 = load i64, ptr %20, align 8
  %22 = mul nsw i64 %21, %2
  %23 = trunc i64 %22 to i32
  %24 = getelementptr inbounds i8, ptr %19, i32 %23
  %25 = trunc i64 %16 to i32
  %26 = getelementptr inbounds %struct.Reference, ptr %24, i32 %25
  %27 = icmp sgt i64 %17, 0
  br i1 %27, label %28, label %30

28:
  %29 = tail call i64 @llvm.smax.i64(i64 %18, i64 1)
  br label %36

30:
  %31 = phi ptr [ %12, %9 ], [ %47, %45 ]
  %32 = sub nsw i64 %11, %18
  %33 = getelementptr inbounds nuw i8, ptr %10, i32 16
  %34 = load ptr, ptr %33, align 8
  %35 = icmp sgt i64 %32, 0
  br i1 %35, label %9, label %50

36:
  %37 = phi i64 [ %48, %45 ], [ 0, %28 ]
  %38 = phi ptr [ %47, %45 ], [ %12, %28 ]
  %39 = icmp eq ptr %38, null
  %40 = trunc i64 %37 to i32
  br i1 %39, label %45, label %41

41:
  %42 = getelementptr inbounds %struct.Reference, ptr %26, i32 %40
  %43 = load ptr, ptr %42, align 8
  %44 = icmp eq ptr %43, %38
  br i1 %44, label %45, label %50

45:
  %46 = getelementptr inbounds %struct.Reference, ptr %26, i32 %40
  %47 = load ptr, ptr %46, align 8
  %48 = add nuw nsw i64 %37, 1
  %49 = icmp eq i64 %48, %29
  br i1 %49, label %30, label %36

50:
  %51 = phi i32 [ 1, %5 ], [ 0, %41 ], [ 1, %30 ]
  ret i32 %51
}

define hidden void @relay_gather(ptr noundef writeonly captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef %2, i64 noundef %3, i64 noundef %4, i64 noundef %5, i64 noundef %6) local_unnamed_addr #9 {
  %8 = icmp sgt i64 %6, 0
  br i1 %8, label %9, label %82

9:
  %10 = icmp eq i64 %4, 0
  %11 = trunc i64 %2 to i32
  %12 = icmp slt i64 %5, 4097
  %13 = icmp slt i64 %5, 64
  %14 = add nsw i64 %5, -64
  %15 = icmp eq i64 %5, 64
  %16 = trunc i64 %5 to i32
  br label %17

17:
  %18 = phi ptr [ %0, %9 ], [ %77, %76 ]
  %19 = phi ptr [ %1, %9 ], [ %80, %76 ]
  %20 = phi i64 [ %6, %9 ], [ %78, %76 ]
  %21 = getelementptr inbounds nuw i8, ptr %19, i32 24
  %22 = load i64, ptr %21, align 8
  %23 = getelementptr inbounds nuw i8, ptr %19, i32 32
  %24 = load i64, ptr %23, align 8
  %25 = sub nsw i64 %22, %24
  %26 = tail call i64 @llvm.smin.i64(i64 %25, i64 %20)
  %27 = getelementptr inbounds i8, ptr %19, i32 %11
  %28 = getelementptr inbounds nuw i8, ptr %19, i32 40
  %29 = load i64, ptr %28, align 8
  %30 = mul nsw i64 %29, %3
  %31 = trunc i64 %30 to i32
  %32 = getelementptr inbounds i8, ptr %27, i32 %31
  br i1 %10, label %40, label %33

33:
  %34 = mul nsw i64 %24, %5
  %35 = trunc i64 %34 to i32
  %36 = getelementptr inbounds i8, ptr %32, i32 %35
  %37 = mul nsw i64 %26, %5
  %38 = trunc i64 %37 to i32
  tail call void @llvm.memcpy.p0.p0.i32(ptr align 1 %18, ptr align 1 %36, i32 %38, i1 false)
  %39 = getelementptr inbounds i8, ptr %18, i32 %38
  br label %76

40:
  %41 = trunc i64 %24 to i32
  %42 = getelementptr inbounds %struct.Reference, ptr %32, i32 %41
  %43 = icmp sgt i64 %25, 0
  br i1 %43, label %44, label %76

44:
  %45 = phi ptr [ %74, %72 ], [ %18, %40 ]
  %46 = phi i64 [ %73, %72 ], [ 0, %40 ]
  %47 = add nuw nsw i64 %46, 4
  %48 = icmp slt i64 %47, %26
  %49 = and i1 %12, %48
  %50 = select i1 %49, i64 %47, i64 %46
  %51 = trunc i64 %50 to i32
  %52 = getelementptr inbounds %struct.Reference, ptr %42, i32 %51
  %53 = trunc i64 %46 to i32
  %54 = getelementptr inbounds %struct.Reference, ptr %42, i32 %53
  %55 = load ptr, ptr %54, align 8
  %56 = load ptr, ptr %52, align 8
  br i1 %13, label %58, label %57

57:
  br i1 %15, label %59, label %64

58:
  tail call void @llvm.memcpy.p0.p0.i32(ptr align 1 %45, ptr readonly align 1 %55, i32 %16, i1 false)
  br label %72

59:
  %60 = getelementptr inbounds i8, ptr %45, i32 %16
  %61 = getelementptr inbounds i8, ptr %60, i32 -64
  %62 = getelementptr inbounds i8, ptr %55, i32 %16
  %63 = getelementptr inbounds i8, ptr %62, i32 -64
  tail call void @llvm.memcpy.p0.p0.i32(ptr noundef nonnull align 1 dereferenceable(64) %61, ptr noundef nonnull readonly align 1 dereferenceable(64) %63, i32 64, i1 false)
  br label %72

64:
  %65 = phi i64 [ %70, %64 ], [ 0, %57 ]
  %66 = trunc i64 %65 to i32
  %67 = getelementptr inbounds i8, ptr %56, i32 %66
  tail call void @llvm.prefetch.p0(ptr readonly %67, i32 0, i32 2, i32 1)
  %68 = getelementptr inbounds i8, ptr %45, i32 %66
  %69 = getelementptr inbounds i8, ptr %55, i32 %66
  tail call void @llvm.memcpy.p0.p0.i32(ptr noundef nonnull align 1 dereferenceable(64) %68, ptr noundef nonnull readonly align 1 dereferenceable(64) %69, i32 64, i1 false)
  %70 = add nuw nsw i64 %65, 64
  %71 = icmp slt i64 %70, %14
  br i1 %71, label %64, label %59

72:
  %73 = add nuw nsw i64 %46, 1
  %74 = getelementptr inbounds i8, ptr %45, i32 %16
  %75 = icmp eq i64 %73, %26
  br i1 %75, label %76, label %44

76:
  %77 = phi ptr [ %39, %33 ], [ %18, %40 ], [ %74, %72 ]
  %78 = sub nsw i64 %20, %26
  %79 = getelementptr inbounds nuw i8, ptr %19, i32 16
  %80 = load ptr, ptr %79, align 8
  %81 = icmp sgt i64 %78, 0
  br i1 %81, label %17, label %82

82:
  ret void
}

define hidden void @relay_hand_out(ptr noundef writeonly captures(address) %0, ptr noundef readonly captures(address) %1, i64 noundef %2) local_unnamed_addr #10 {
  %4 = icmp eq ptr %0, %1
  br i1 %4, label %7, label %5

5:
  %6 = trunc i64 %2 to i32
  tail call void @llvm.memcpy.p0.p0.i32(ptr align 1 %0, ptr align 1 %1, i32 %6, i1 false)
  br label %7

7:
  ret void
}

declare ptr @relay_carve(ptr noundef, i64 noundef) local_unnamed_addr #7

declare void @llvm.memset.p0.i32(ptr writeonly captures(none), i8, i32, i1 immarg) #11

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
attributes #16 = { nounwind }

!6 = !{!"branch_weights", !"expected", i32 2000, i32 1}
!11 = !{!"branch_weights", !"expected", i32 1, i32 2000}
