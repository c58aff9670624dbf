; Deferred calls, in the order of their levels.
;
; They are collected in batches of one level and task, with the layout of
; `relay.build.code.batch_layout`. The table has a row for each level that is not flushed; a row
; has, for each task, the number of calls and the latest batch, whose `next` pointer leads to the
; previous one. A level depends on lower ones only: levels are flushed one after another, and the
; calls of one level and task together.

; Return the level of the deferred call that computes the tensor in a block.
define internal i64 @relay_level(ptr %block) alwaysinline {
  %number = ptrtoint ptr %block to i64
  %is_block = icmp uge i64 %number, 4096
  br i1 %is_block, label %read, label %end
read:
  %level_at = getelementptr i8, ptr %block, i64 $level_offset
  %found = load i64, ptr %level_at
  br label %end
end:
  %level = phi i64 [ 0, %0 ], [ %found, %read ]
  ret i64 %level
}

; Return the level up to which all calls are flushed.
define internal i64 @relay_done(ptr %ctx) alwaysinline {
  %done_at = getelementptr %Context, ptr %ctx, i64 0, i32 10
  %done = load i64, ptr %done_at
  ret i64 %done
}

; Return the cell of a level and a task in the table, which grows as needed; null if memory runs
; out.
define internal ptr @relay_place(ptr %ctx, i64 %level, i64 %task) alwaysinline {
  %done = call i64 @relay_done(ptr %ctx)
  %above = sub i64 %level, %done
  %row = sub i64 %above, 1
  %rows_at = getelementptr %Context, ptr %ctx, i64 0, i32 13
  %rows = load i64, ptr %rows_at
  %fits = icmp ult i64 %row, %rows
  br i1 %fits, label %find, label %grow, !prof !1
grow:
  %status = call i32 @relay_more_rows(ptr %ctx, i64 %row)
  %grown = icmp eq i32 %status, 0
  br i1 %grown, label %find, label %fail
fail:
  ret ptr null
find:
  %cell = call ptr @relay_cell(ptr %ctx, i64 %row, i64 %task)
  ret ptr %cell
}

; Return the capacity of a batch, or 0 for null.
define internal i64 @relay_capacity(ptr %batch) alwaysinline {
  %none = icmp eq ptr %batch, null
  br i1 %none, label %end, label %look
look:
  %capacity_at = getelementptr i8, ptr %batch, i64 $capacity_offset
  %found = load i64, ptr %capacity_at
  br label %end
end:
  %capacity = phi i64 [ 0, %0 ], [ %found, %look ]
  ret i64 %capacity
}

; Return the latest batch of a cell if it has room for a call, else a new one; null if memory runs
; out.
define internal ptr @relay_room(ptr %ctx, ptr %cell, i64 %level, ptr %begin) alwaysinline {
  %latest = load ptr, ptr %cell
  %none = icmp eq ptr %latest, null
  br i1 %none, label %new, label %look
look:
  %capacity = call i64 @relay_capacity(ptr %latest)
  %count_at = getelementptr i8, ptr %latest, i64 $count_offset
  %count = load i64, ptr %count_at
  %full = icmp eq i64 %count, %capacity
  br i1 %full, label %new, label %end
new:
  %begun = call ptr %begin(ptr %ctx, ptr %cell, i64 %level)
  br label %end
end:
  %batch = phi ptr [ %latest, %look ], [ %begun, %new ]
  ret ptr %batch
}

; Count one more deferred call with `bytes` bytes of operands and results. If all of them exceed
; $most_bytes, flush: cache misses would cost more than larger batches save.
define internal i32 @relay_note(ptr %ctx, ptr %cell, i64 %level, i64 %bytes) alwaysinline {
  %count_at = getelementptr { ptr, i64 }, ptr %cell, i64 0, i32 1
  %count = load i64, ptr %count_at
  %more = add i64 %count, 1
  store i64 %more, ptr %count_at
  %top_at = getelementptr %Context, ptr %ctx, i64 0, i32 11
  %top = load i64, ptr %top_at
  %new_top = call i64 @llvm.smax.i64(i64 %top, i64 %level)
  store i64 %new_top, ptr %top_at
  %held_at = getelementptr %Context, ptr %ctx, i64 0, i32 14
  %held = load i64, ptr %held_at
  %all_held = add i64 %held, %bytes
  store i64 %all_held, ptr %held_at
  %enough = icmp ugt i64 %all_held, $most_bytes
  br i1 %enough, label %now, label %later, !prof !0
now:
  %waited = call i32 @relay_await(ptr %ctx)
  ret i32 %waited
later:
  ret i32 0
}

; Return the cell of a level and a task in the table.
define internal ptr @relay_cell(ptr %ctx, i64 %row, i64 %task) alwaysinline {
  %table_at = getelementptr %Context, ptr %ctx, i64 0, i32 12
  %table = load ptr, ptr %table_at
  %cell = getelementptr [$tasks x { ptr, i64 }], ptr %table, i64 %row, i64 %task
  ret ptr %cell
}

; Grow the table to more than `row` rows, and to at least twice its size; the old table stays in its
; chunk until the program ends.
define internal i32 @relay_more_rows(ptr %ctx, i64 %row) noinline cold {
  %table_at = getelementptr %Context, ptr %ctx, i64 0, i32 12
  %rows_at = getelementptr %Context, ptr %ctx, i64 0, i32 13
  %old = load ptr, ptr %table_at
  %old_rows = load i64, ptr %rows_at
  %enough = or i64 %row, 63
  %rows_1 = mul i64 %enough, 2
  %rows = add i64 %rows_1, 2
  %bytes = mul i64 %rows, $row_bytes
  %table = call ptr @relay_carve(ptr %ctx, i64 0, i64 %bytes)
  %none = icmp eq ptr %table, null
  br i1 %none, label %fail, label %fill
fail:
  ret i32 $no_memory
fill:
  call void @llvm.memset.p0.i64(ptr align 64 %table, i8 0, i64 %bytes, i1 false)
  %old_bytes = mul i64 %old_rows, $row_bytes
  call void @llvm.memcpy.p0.p0.i64(ptr %table, ptr %old, i64 %old_bytes, i1 false)
  store ptr %table, ptr %table_at
  store i64 %rows, ptr %rows_at
  ret i32 0
}

; Flush all deferred calls.
define internal i32 @relay_await(ptr %ctx) noinline {
  %done_at = getelementptr %Context, ptr %ctx, i64 0, i32 10
  %top_at = getelementptr %Context, ptr %ctx, i64 0, i32 11
  %done = load i64, ptr %done_at
  %top = load i64, ptr %top_at
  %levels = sub i64 %top, %done
  %any = icmp sgt i64 %levels, 0
  br i1 %any, label %level, label %end
level:
  %row = phi i64 [ 0, %0 ], [ %next_row, %level_end ]
  br label %task
task:
  %number = phi i64 [ 0, %level ], [ %next_number, %task_end ]
  %cell = call ptr @relay_cell(ptr %ctx, i64 %row, i64 %number)
  %first = load ptr, ptr %cell
  %empty = icmp eq ptr %first, null
  br i1 %empty, label %task_end, label %carry_out
carry_out:
  %count_at = getelementptr { ptr, i64 }, ptr %cell, i64 0, i32 1
  %count = load i64, ptr %count_at
  store ptr null, ptr %cell
  store i64 0, ptr %count_at
  %function_at = getelementptr ptr, ptr @relay_tasks, i64 %number
  %function = load ptr, ptr %function_at
  %status = call i32 %function(ptr %ctx, ptr %first, i64 %count)
  %good = icmp eq i32 %status, 0
  br i1 %good, label %task_end, label %fail
fail:
  ret i32 %status
task_end:
  %next_number = add i64 %number, 1
  %more_tasks = icmp ult i64 %next_number, $tasks
  br i1 %more_tasks, label %task, label %level_end
level_end:
  %next_row = add i64 %row, 1
  %more_levels = icmp ult i64 %next_row, %levels
  br i1 %more_levels, label %level, label %finish
finish:
  store i64 %top, ptr %done_at
  %held_at = getelementptr %Context, ptr %ctx, i64 0, i32 14
  store i64 0, ptr %held_at
  br label %end
end:
  ret i32 0
}

!1 = !{!"branch_weights", i32 2000, i32 1}
