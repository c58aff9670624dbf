; The memory of one call at the boundary: queued values, held objects, a table of visited objects,
; and the blocks that represent them.
;
; Each part starts with memory of the call's frame, so that small values need no allocation, and
; returns to that memory afterwards. Nothing here recurses, and memory that a pointer refers to
; never moves.

declare ptr @malloc(i64)
declare void @free(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i64 @llvm.umax.i64(i64, i64)

; Return `bytes` more bytes at the end of a vector, or null if memory runs out.
define internal ptr @append(ptr %vector, i64 %bytes) {
  %used_at = getelementptr %Vector, ptr %vector, i64 0, i32 1
  %room_at = getelementptr %Vector, ptr %vector, i64 0, i32 2
  %used = load i64, ptr %used_at
  %room = load i64, ptr %room_at
  %after = add i64 %used, %bytes
  %fits = icmp ule i64 %after, %room
  br i1 %fits, label %take, label %grow
grow:
  %grown = call i1 @grow(ptr %vector, i64 %after)
  br i1 %grown, label %take, label %fail
take:
  %bytes_at = load ptr, ptr %vector
  %place = getelementptr i8, ptr %bytes_at, i64 %used
  store i64 %after, ptr %used_at
  ret ptr %place
fail:
  ret ptr null
}

define internal i1 @grow(ptr %vector, i64 %least) noinline cold {
  %used_at = getelementptr %Vector, ptr %vector, i64 0, i32 1
  %room_at = getelementptr %Vector, ptr %vector, i64 0, i32 2
  %first_at = getelementptr %Vector, ptr %vector, i64 0, i32 3
  %old = load ptr, ptr %vector
  %used = load i64, ptr %used_at
  %room = load i64, ptr %room_at
  %first = load ptr, ptr %first_at
  %twice = shl i64 %room, 1
  %bytes = call i64 @llvm.umax.i64(i64 %twice, i64 %least)
  %new = call ptr @malloc(i64 %bytes)
  %none = icmp eq ptr %new, null
  br i1 %none, label %fail, label %move
move:
  call void @llvm.memcpy.p0.p0.i64(ptr %new, ptr %old, i64 %used, i1 false)
  call void @free_but(ptr %old, ptr %first)
  store ptr %new, ptr %vector
  store i64 %bytes, ptr %room_at
  ret i1 true
fail:
  ret i1 false
}

define internal void @free_but(ptr %memory, ptr %first) {
  %lent = icmp eq ptr %memory, %first
  br i1 %lent, label %end, label %give
give:
  call void @free(ptr %memory)
  br label %end
end:
  ret void
}

define internal void @clear_vector(ptr %vector) {
  %used_at = getelementptr %Vector, ptr %vector, i64 0, i32 1
  %room_at = getelementptr %Vector, ptr %vector, i64 0, i32 2
  %first_at = getelementptr %Vector, ptr %vector, i64 0, i32 3
  %bytes_at = getelementptr %Vector, ptr %vector, i64 0, i32 4
  %now = load ptr, ptr %vector
  %first = load ptr, ptr %first_at
  %bytes = load i64, ptr %bytes_at
  call void @free_but(ptr %now, ptr %first)
  store ptr %first, ptr %vector
  store i64 0, ptr %used_at
  store i64 %bytes, ptr %room_at
  ret void
}

; Return the slot of an object as a value of a type, or an empty slot; null if memory runs out.
define internal ptr @slot_of(ptr %table, ptr %object, ptr %type) {
  %mask_at = getelementptr %Table, ptr %table, i64 0, i32 1
  %used_at = getelementptr %Table, ptr %table, i64 0, i32 2
  %mask_now = load i64, ptr %mask_at
  %used = load i64, ptr %used_at
  %twice = shl i64 %used, 1
  %full = icmp ugt i64 %twice, %mask_now
  br i1 %full, label %grow, label %look
grow:
  %grown = call i1 @widen(ptr %table)
  br i1 %grown, label %look, label %fail
look:
  %slots = load ptr, ptr %table
  %mask = load i64, ptr %mask_at
  %found = call ptr @search(ptr %slots, i64 %mask, ptr %object, ptr %type)
  ret ptr %found
fail:
  ret ptr null
}

define internal ptr @search(ptr %slots, i64 %mask, ptr %object, ptr %type) {
  %a = ptrtoint ptr %object to i64
  %b = ptrtoint ptr %type to i64
  %turned = call i64 @llvm.fshl.i64(i64 %b, i64 %b, i64 32)
  %both = xor i64 %a, %turned
  %mixed = mul i64 %both, -7046029254386353131    ; 2^64 over the golden ratio: the upper bits are well mixed
  %hash = lshr i64 %mixed, 32
  br label %round
round:
  %place = phi i64 [ %hash, %0 ], [ %next, %other ]
  %index = and i64 %place, %mask
  %slot = getelementptr %Slot, ptr %slots, i64 %index
  %owner = load ptr, ptr %slot
  %empty = icmp eq ptr %owner, null
  br i1 %empty, label %end, label %compare
compare:
  %type_at = getelementptr %Slot, ptr %slot, i64 0, i32 1
  %as = load ptr, ptr %type_at
  %same_object = icmp eq ptr %owner, %object
  %same_type = icmp eq ptr %as, %type
  %same = and i1 %same_object, %same_type
  br i1 %same, label %end, label %other
other:
  %next = add i64 %index, 1
  br label %round
end:
  ret ptr %slot
}

define internal void @fill_slot(ptr %table, ptr %slot, ptr %object, ptr %type, ptr %found) {
  %type_at = getelementptr %Slot, ptr %slot, i64 0, i32 1
  %found_at = getelementptr %Slot, ptr %slot, i64 0, i32 2
  store ptr %object, ptr %slot
  store ptr %type, ptr %type_at
  store ptr %found, ptr %found_at
  %used_at = getelementptr %Table, ptr %table, i64 0, i32 2
  %used = load i64, ptr %used_at
  %more = add i64 %used, 1
  store i64 %more, ptr %used_at
  ret void
}

; Double the number of slots.
define internal i1 @widen(ptr %table) noinline cold {
  %mask_at = getelementptr %Table, ptr %table, i64 0, i32 1
  %first_at = getelementptr %Table, ptr %table, i64 0, i32 3
  %old = load ptr, ptr %table
  %old_mask = load i64, ptr %mask_at
  %first = load ptr, ptr %first_at
  %last = add i64 %old_mask, 1
  %count = shl i64 %last, 1
  %mask = sub i64 %count, 1
  %bytes = mul i64 %count, 24
  %new = call ptr @malloc(i64 %bytes)
  %none = icmp eq ptr %new, null
  br i1 %none, label %fail, label %clear
clear:
  call void @llvm.memset.p0.i64(ptr %new, i8 0, i64 %bytes, i1 false)
  br label %round
round:
  %index = phi i64 [ 0, %clear ], [ %next, %on ]
  %from = getelementptr %Slot, ptr %old, i64 %index
  %slot = load %Slot, ptr %from
  %object = extractvalue %Slot %slot, 0
  %empty = icmp eq ptr %object, null
  br i1 %empty, label %on, label %move
move:
  %type = extractvalue %Slot %slot, 1
  %to = call ptr @search(ptr %new, i64 %mask, ptr %object, ptr %type)
  store %Slot %slot, ptr %to
  br label %on
on:
  %next = add i64 %index, 1
  %done = icmp eq i64 %next, %last
  br i1 %done, label %end, label %round
end:
  call void @free_but(ptr %old, ptr %first)
  store ptr %new, ptr %table
  store i64 %mask, ptr %mask_at
  ret i1 true
fail:
  ret i1 false
}

; Remove all objects; do nothing if there are none.
define internal void @clear_table(ptr %table) {
  %mask_at = getelementptr %Table, ptr %table, i64 0, i32 1
  %used_at = getelementptr %Table, ptr %table, i64 0, i32 2
  %used = load i64, ptr %used_at
  %clean = icmp eq i64 %used, 0
  br i1 %clean, label %end, label %clear
clear:
  %first_at = getelementptr %Table, ptr %table, i64 0, i32 3
  %first_mask_at = getelementptr %Table, ptr %table, i64 0, i32 4
  %now = load ptr, ptr %table
  %first = load ptr, ptr %first_at
  %mask = load i64, ptr %first_mask_at
  call void @free_but(ptr %now, ptr %first)
  %count = add i64 %mask, 1
  %bytes = mul i64 %count, 24
  call void @llvm.memset.p0.i64(ptr %first, i8 0, i64 %bytes, i1 false)
  store ptr %first, ptr %table
  store i64 %mask, ptr %mask_at
  store i64 0, ptr %used_at
  br label %end
end:
  ret void
}

; Return a block of `bytes` bytes, a multiple of 8, or null if memory runs out.
define internal ptr @carve(ptr %chunks, i64 %bytes) {
  %end_at = getelementptr %Chunks, ptr %chunks, i64 0, i32 1
  %next = load ptr, ptr %chunks
  %end = load ptr, ptr %end_at
  %from = ptrtoint ptr %next to i64
  %to = ptrtoint ptr %end to i64
  %room = sub i64 %to, %from
  %fits = icmp uge i64 %room, %bytes
  br i1 %fits, label %cut, label %grow
grow:
  %all_at = getelementptr %Chunks, ptr %chunks, i64 0, i32 2
  %others = load ptr, ptr %all_at
  %with_link = add i64 %bytes, 8
  %size = call i64 @llvm.umax.i64(i64 %with_link, i64 $chunk)
  %chunk = call ptr @malloc(i64 %size)
  %none = icmp eq ptr %chunk, null
  br i1 %none, label %fail, label %link
link:
  store ptr %others, ptr %chunk
  store ptr %chunk, ptr %all_at
  %begin = getelementptr i8, ptr %chunk, i64 8
  %chunk_end = getelementptr i8, ptr %chunk, i64 %size
  store ptr %chunk_end, ptr %end_at
  br label %cut
cut:
  %block = phi ptr [ %next, %0 ], [ %begin, %link ]
  %rest = getelementptr i8, ptr %block, i64 %bytes
  store ptr %rest, ptr %chunks
  ret ptr %block
fail:
  ret ptr null
}

define internal void @clear_chunks(ptr %chunks) {
  %end_at = getelementptr %Chunks, ptr %chunks, i64 0, i32 1
  %all_at = getelementptr %Chunks, ptr %chunks, i64 0, i32 2
  %first_at = getelementptr %Chunks, ptr %chunks, i64 0, i32 3
  %first_end_at = getelementptr %Chunks, ptr %chunks, i64 0, i32 4
  br label %round
round:
  %chunk = load ptr, ptr %all_at
  %done = icmp eq ptr %chunk, null
  br i1 %done, label %finish, label %one
one:
  %others = load ptr, ptr %chunk
  store ptr %others, ptr %all_at
  call void @free(ptr %chunk)
  br label %round
finish:
  %first = load ptr, ptr %first_at
  %first_end = load ptr, ptr %first_end_at
  store ptr %first, ptr %chunks
  store ptr %first_end, ptr %end_at
  ret void
}

declare i64 @llvm.fshl.i64(i64, i64, i64)
