; Flushing the deferred calls of one level and task: the selection of calls that run together, the
; gathering of their inputs, and the distribution of their results.

; Release the references to one input of `count` calls of a batch, starting at call `from`.
define internal void @relay_drop(ptr %ctx, ptr %batch, i64 %base, i64 %each, i64 %from, i64 %count) {
  %inputs = call ptr @relay_inputs(ptr %batch, i64 %base, i64 %each)
  %skipped = mul i64 %from, $reference_bytes
  %first = getelementptr i8, ptr %inputs, i64 %skipped
  br label %one
one:
  %i = phi i64 [ 0, %0 ], [ %i.next, %one ]
  %distance = mul i64 %i, $reference_bytes
  %at = getelementptr i8, ptr %first, i64 %distance
  %owner_at = getelementptr i8, ptr %at, i64 8
  %owner = load ptr, ptr %owner_at
  call void @relay_release(ptr %ctx, ptr %owner)
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %count
  br i1 %more, label %one, label %end
end:
  ret void
}

; Return the address of one input of the calls of a batch.
define internal ptr @relay_inputs(ptr %batch, i64 %base, i64 %each) alwaysinline {
  %capacity_at = getelementptr i8, ptr %batch, i64 $capacity_offset
  %capacity = load i64, ptr %capacity_at
  %before = mul i64 %capacity, %each
  %offset = add i64 %base, %before
  %inputs = getelementptr i8, ptr %batch, i64 %offset
  ret ptr %inputs
}

; Return the span of an input of the next `left` calls in a batch: its address for the first call
; that is not flushed, and the number of these calls in the batch. An input has `size` bytes in a
; batch.
define internal { ptr, i64 } @relay_span(ptr %batch, i64 %base, i64 %each, i64 %size, i64 %left) alwaysinline {
  %calls_at = getelementptr i8, ptr %batch, i64 $count_offset
  %calls = load i64, ptr %calls_at
  %taken_at = getelementptr i8, ptr %batch, i64 $taken_offset
  %taken = load i64, ptr %taken_at
  %waiting = sub i64 %calls, %taken
  %part = call i64 @llvm.umin.i64(i64 %waiting, i64 %left)
  %inputs = call ptr @relay_inputs(ptr %batch, i64 %base, i64 %each)
  %skipped = mul i64 %taken, %size
  %from = getelementptr i8, ptr %inputs, i64 %skipped
  %begin = insertvalue { ptr, i64 } poison, ptr %from, 0
  %span = insertvalue { ptr, i64 } %begin, i64 %part, 1
  ret { ptr, i64 } %span
}

; Move the full batches of $most_calls calls before the latest batch unless that is full; return the
; first one. The calls of a full batch run together, and write their results in place.
define internal ptr @relay_full_first(ptr %latest) {
  br label %look
look:
  %last = phi ptr [ null, %0 ], [ %next, %look_on ]
  %at = phi ptr [ %latest, %0 ], [ %next, %look_on ]
  %next_at = getelementptr i8, ptr %at, i64 $next_offset
  %next = load ptr, ptr %next_at
  %capacity = call i64 @relay_capacity(ptr %next)
  %is_full = icmp eq i64 %capacity, $most_calls
  br i1 %is_full, label %look_on, label %found
look_on:
  br label %look
found:
  %none = icmp eq ptr %last, null
  br i1 %none, label %as_it_is, label %move
as_it_is:
  ret ptr %latest
move:
  %latest_next = getelementptr i8, ptr %latest, i64 $next_offset
  %first = load ptr, ptr %latest_next
  store ptr %next, ptr %latest_next
  store ptr %latest, ptr %next_at
  ret ptr %first
}

; Return how many of `left` calls run next: those of the first batch if they are $most_calls, else
; at most $most_calls, in parts of equal size.
define internal i64 @relay_part(ptr %first, i64 %left) alwaysinline {
  %count_at = getelementptr i8, ptr %first, i64 $count_offset
  %count = load i64, ptr %count_at
  %taken_at = getelementptr i8, ptr %first, i64 $taken_offset
  %taken = load i64, ptr %taken_at
  %waiting = sub i64 %count, %taken
  %is_full = icmp eq i64 %waiting, $most_calls
  br i1 %is_full, label %whole, label %share
whole:
  ret i64 %waiting
share:
  %before = sub i64 %left, 1
  %full = udiv i64 %before, $most_calls
  %parts = add i64 %full, 1
  %rest = add i64 %left, %parts
  %more = sub i64 %rest, 1
  %part = udiv i64 %more, %parts
  ret i64 %part
}

; Copy rows to their promised address, unless they were written there.
define internal void @relay_hand_out(ptr %to, ptr %from, i64 %bytes) alwaysinline {
  %there = icmp eq ptr %to, %from
  br i1 %there, label %end, label %copy
copy:
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %bytes, i1 false)
  br label %end
end:
  ret void
}

; Return the list of the addresses of an input of `count` calls, starting with the first call of a
; batch that is not flushed. It is in that batch if all calls are; else it is copied to a new block,
; which is stored at `owner`. Return null if memory runs out.
define internal ptr @relay_listed(ptr %ctx, ptr %first, i64 %base, i64 %each, i64 %count, ptr %owner) {
  store ptr null, ptr %owner
  br label %begin
begin:
  %batch = phi ptr [ %first, %0 ], [ %next, %copy ]
  %i = phi i64 [ 0, %0 ], [ %i.end, %copy ]
  %list = phi ptr [ null, %0 ], [ %to, %copy ]
  %left = sub i64 %count, %i
  %span = call { ptr, i64 } @relay_span(ptr %batch, i64 %base, i64 %each, i64 $reference_bytes, i64 %left)
  %from = extractvalue { ptr, i64 } %span, 0
  %part = extractvalue { ptr, i64 } %span, 1
  %i.end = add i64 %i, %part
  %is_first = icmp eq ptr %list, null
  br i1 %is_first, label %look, label %copy
look:
  %is_all = icmp eq i64 %part, %count
  br i1 %is_all, label %here, label %allocate
here:
  ret ptr %from
allocate:
  %list_bytes = mul i64 %count, $reference_bytes
  %bytes = add i64 %list_bytes, $data_offset
  %block = call ptr @relay_allocate_bytes(ptr %ctx, i64 %bytes)
  %none = icmp eq ptr %block, null
  br i1 %none, label %fail, label %begin_list
fail:
  ret ptr null
begin_list:
  store ptr %block, ptr %owner
  %elements = getelementptr i8, ptr %block, i64 $data_offset
  br label %copy
copy:
  %to = phi ptr [ %list, %begin ], [ %elements, %begin_list ]
  %distance = mul i64 %i, $reference_bytes
  %place = getelementptr i8, ptr %to, i64 %distance
  %part_bytes = mul i64 %part, $reference_bytes
  call void @llvm.memcpy.p0.p0.i64(ptr %place, ptr %from, i64 %part_bytes, i1 false)
  %next_at = getelementptr i8, ptr %batch, i64 $next_offset
  %next = load ptr, ptr %next_at
  %others = icmp ult i64 %i.end, %count
  br i1 %others, label %begin, label %end
end:
  ret ptr %to
}

; Whether `count` calls have the same tensor as an input, which must be `tensor` unless that is
; null.
define internal i1 @relay_alike(ptr %first, i64 %base, i64 %each, ptr %tensor, i64 %count) {
  br label %begin
begin:
  %batch = phi ptr [ %first, %0 ], [ %next, %batch_end ]
  %left = phi i64 [ %count, %0 ], [ %left.next, %batch_end ]
  %before = phi ptr [ %tensor, %0 ], [ %elements, %batch_end ]
  %span = call { ptr, i64 } @relay_span(ptr %batch, i64 %base, i64 %each, i64 $reference_bytes, i64 %left)
  %from = extractvalue { ptr, i64 } %span, 0
  %part = extractvalue { ptr, i64 } %span, 1
  br label %one
one:
  %k = phi i64 [ 0, %begin ], [ %k.next, %same ]
  %last = phi ptr [ %before, %begin ], [ %elements, %same ]
  %distance = mul i64 %k, $reference_bytes
  %at = getelementptr i8, ptr %from, i64 %distance
  %elements = load ptr, ptr %at
  %none = icmp eq ptr %last, null
  %equal = icmp eq ptr %elements, %last
  %good = or i1 %none, %equal
  br i1 %good, label %same, label %differ
same:
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %part
  br i1 %more, label %one, label %batch_end
batch_end:
  %next_at = getelementptr i8, ptr %batch, i64 $next_offset
  %next = load ptr, ptr %next_at
  %left.next = sub i64 %left, %part
  %others = icmp ne i64 %left.next, 0
  br i1 %others, label %begin, label %found
found:
  ret i1 true
differ:
  ret i1 false
}

; Copy a row, and prefetch another one: rows are scattered, so hardware does not prefetch them.
define internal void @relay_copy_row(ptr %to, ptr %from, ptr %ahead, i64 %nbytes) alwaysinline {
  %is_short = icmp ult i64 %nbytes, 64
  br i1 %is_short, label %short, label %long
short:
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %nbytes, i1 false)
  ret void
long:
  %last = sub i64 %nbytes, 64
  br label %part
part:
  %i = phi i64 [ 0, %long ], [ %i.next, %part ]
  %ahead_at = getelementptr i8, ptr %ahead, i64 %i
  call void @llvm.prefetch.p0(ptr %ahead_at, i32 0, i32 2, i32 1)
  %from_at = getelementptr i8, ptr %from, i64 %i
  %to_at = getelementptr i8, ptr %to, i64 %i
  %line = load <64 x i8>, ptr %from_at, align 1
  store <64 x i8> %line, ptr %to_at, align 1
  %i.next = add i64 %i, 64
  %more = icmp ult i64 %i.next, %last
  br i1 %more, label %part, label %rest
rest:
  %from_last = getelementptr i8, ptr %from, i64 %last
  %to_last = getelementptr i8, ptr %to, i64 %last
  %line_last = load <64 x i8>, ptr %from_last, align 1
  store <64 x i8> %line_last, ptr %to_last, align 1
  ret void
}

; Copy one input of `count` calls into contiguous rows, starting with the first call of a batch that
; is not flushed. An input has `size` bytes in a batch: its value if it is a number, else its
; address.
define internal void @relay_gather(ptr %to, ptr %first, i64 %base, i64 %each, i64 %size, i1 %is_number, i64 %nbytes, i64 %count) {
  br label %begin
begin:
  %batch = phi ptr [ %first, %0 ], [ %next, %batch_end ]
  %i = phi i64 [ 0, %0 ], [ %i.end, %batch_end ]
  %left = sub i64 %count, %i
  %span = call { ptr, i64 } @relay_span(ptr %batch, i64 %base, i64 %each, i64 %size, i64 %left)
  %rest = extractvalue { ptr, i64 } %span, 0
  %part = extractvalue { ptr, i64 } %span, 1
  %i.end = add i64 %i, %part
  br label %one
one:
  %k = phi i64 [ %i, %begin ], [ %k.next, %copied ]
  %at = phi ptr [ %rest, %begin ], [ %at.next, %copied ]
  %distance = mul i64 %k, %nbytes
  %place = getelementptr i8, ptr %to, i64 %distance
  br i1 %is_number, label %copy, label %follow
follow:
  %elements = load ptr, ptr %at
  %k.ahead = add i64 %k, $rows_ahead
  %is_there = icmp ult i64 %k.ahead, %i.end
  %is_near = icmp ule i64 %nbytes, $longest_ahead
  %pays = and i1 %is_there, %is_near
  %skip = select i1 %pays, i64 $bytes_ahead, i64 0
  %at.ahead = getelementptr i8, ptr %at, i64 %skip
  %elements_ahead = load ptr, ptr %at.ahead
  br label %copy
copy:
  %from = phi ptr [ %at, %one ], [ %elements, %follow ]
  %ahead = phi ptr [ %at, %one ], [ %elements_ahead, %follow ]
  call void @relay_copy_row(ptr %place, ptr %from, ptr %ahead, i64 %nbytes)
  br label %copied
copied:
  %k.next = add i64 %k, 1
  %at.next = getelementptr i8, ptr %at, i64 %size
  %more = icmp ult i64 %k.next, %i.end
  br i1 %more, label %one, label %batch_end
batch_end:
  %next_at = getelementptr i8, ptr %batch, i64 $next_offset
  %next = load ptr, ptr %next_at
  %others = icmp ult i64 %i.end, %count
  br i1 %others, label %begin, label %end
end:
  ret void
}

declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
