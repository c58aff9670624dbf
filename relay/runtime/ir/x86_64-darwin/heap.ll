; Written by tools/c_runtime.py from the C sources; do not edit.

%struct.anon = type { %union.anon.8 }
%union.anon.8 = type { ptr }

define noundef ptr @relay_allocate(ptr noundef %0, i64 noundef %1, i64 noundef %2, i64 noundef %3, ptr noundef %4) local_unnamed_addr #0 {
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %7 = getelementptr inbounds %struct.anon, ptr %6, i64 %1
  %8 = load ptr, ptr %7, align 8
  %9 = icmp eq ptr %8, null
  br i1 %9, label %13, label %10, !prof !6

10:
  %11 = getelementptr inbounds nuw i8, ptr %8, i64 16
  %12 = load ptr, ptr %11, align 8
  store ptr %12, ptr %7, align 8
  br label %16

13:
  %14 = tail call ptr @relay_carve_block(ptr noundef nonnull %0, i64 noundef %1, i64 noundef %2) #6
  %15 = icmp eq ptr %14, null
  br i1 %15, label %24, label %16, !prof !6

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

define void @relay_give(ptr noundef captures(none) %0, ptr noundef initializes((16, 24)) %1) local_unnamed_addr #1 {
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

define void @relay_retain(ptr noundef captures(address) %0) local_unnamed_addr #1 {
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

define void @relay_release(ptr noundef %0, ptr noundef %1) local_unnamed_addr #0 {
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
  tail call void @relay_free_tree(ptr noundef %0, ptr noundef nonnull %1) #6
  br label %25

25:
  ret void
}

define ptr @relay_own(ptr noundef %0, ptr noundef readonly captures(address) %1, ptr noundef %2, i64 noundef %3) local_unnamed_addr #2 {
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
  %13 = tail call ptr @relay_allocate_bytes(ptr noundef %0, i64 noundef %3) #6
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
  tail call void @relay_free_tree(ptr noundef %0, ptr noundef nonnull %2) #6
  br label %39

39:
  %40 = phi ptr [ %2, %6 ], [ null, %12 ], [ %13, %38 ], [ %13, %27 ], [ %13, %15 ], [ %13, %21 ]
  ret ptr %40
}

declare ptr @relay_allocate_bytes(ptr noundef, i64 noundef) local_unnamed_addr #3

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #4

define i64 @relay_floor_divide(i64 noundef %0, i64 noundef %1) local_unnamed_addr #5 {
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

declare ptr @relay_carve_block(ptr noundef, i64 noundef, i64 noundef) local_unnamed_addr #3

declare void @relay_free_tree(ptr noundef, ptr noundef) local_unnamed_addr #3

attributes #0 = { nounwind alwaysinline }
attributes #1 = { nounwind alwaysinline }
attributes #2 = { nounwind }
attributes #3 = { nounwind }
attributes #4 = { nounwind }
attributes #5 = { nounwind alwaysinline }
attributes #6 = { nounwind }

!6 = !{!"branch_weights", !"expected", i32 1, i32 2000}
