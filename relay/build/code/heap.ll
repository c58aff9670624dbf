; The heap of one running program: linked into each program, so that LLVM can inline its short
; functions.
;
; A context belongs to one call, so nothing here is atomic. Blocks are multiples of 64 bytes, are
; carved from chunks of the C library's memory, and return to the free list of their size class. A
; pointer below 4096 is not a block: it is null, or the tag of a constructor without fields. The
; control block after the first chunk outlives the call: up to the number of bytes that the caller
; sets, chunks are kept for the next call, which then requests no new pages from the system.

%Block = type { i32, i16, i16, ptr, ptr }         ; count, size class, tag, children, next
%Context = type { ptr, ptr, ptr,                  ; constants, workspace, lowest stack address
                  i64, ptr, i64,                  ; live blocks, blocks to free, whether freeing is in progress
                  ptr, ptr, ptr,                  ; next free byte, end of its chunk, all chunks
                  [$classes x ptr],               ; free blocks by size class
                  i64, i64, ptr, i64, i64 }       ; deferred calls: see waiting.ll

%Chunk = type { ptr, i64 }                        ; the next one, bytes
; control block: stop word, bytes to keep, bytes kept, their chunks; see control_block.py
%Line = type { i64, i64, i64, ptr }

declare void @free(ptr)

; Return a block of `size` bytes with one reference, or null if memory runs out.
define internal ptr @relay_allocate(ptr %ctx, i64 %class, i64 %size, i16 %tag, ptr %children) alwaysinline {
  %list = getelementptr %Context, ptr %ctx, i64 0, i32 9, i64 %class
  %first = load ptr, ptr %list
  %none = icmp eq ptr %first, null
  br i1 %none, label %slow, label %fast, !prof !0
slow:
  %new = call ptr @relay_carve(ptr %ctx, i64 %class, i64 %size)
  br label %found
fast:
  %next_at = getelementptr %Block, ptr %first, i64 0, i32 4
  %next = load ptr, ptr %next_at
  store ptr %next, ptr %list
  br label %found
found:
  %block = phi ptr [ %new, %slow ], [ %first, %fast ]
  %failed = icmp eq ptr %block, null
  br i1 %failed, label %end, label %fill, !prof !0
fill:
  store i32 1, ptr %block
  %tag_at = getelementptr %Block, ptr %block, i64 0, i32 2
  store i16 %tag, ptr %tag_at
  %children_at = getelementptr %Block, ptr %block, i64 0, i32 3
  store ptr %children, ptr %children_at
  %live_at = getelementptr %Context, ptr %ctx, i64 0, i32 3
  %live = load i64, ptr %live_at
  %more = add i64 %live, 1
  store i64 %more, ptr %live_at
  br label %end
end:
  ret ptr %block
}

; The same for a run-time size, with the class of `relay.runtime.code.heap_layout.size_class`.
; Null also if the size is larger than any class.
define internal ptr @relay_allocate_bytes(ptr %ctx, i64 %bytes) noinline {
  %huge = icmp ugt i64 %bytes, $largest_block
  br i1 %huge, label %fail, label %measure
fail:
  ret ptr null
measure:
  %padded = add i64 %bytes, 63
  %rounded = lshr i64 %padded, 6
  %units = call i64 @llvm.umax.i64(i64 %rounded, i64 1)
  %is_small = icmp ule i64 %units, 16
  br i1 %is_small, label %small, label %large
small:
  %small_class = sub i64 %units, 1
  %small_size = shl i64 %units, 6
  br label %take
large:
  %last = sub i64 %units, 1
  %zeros = call i64 @llvm.ctlz.i64(i64 %last, i1 true)
  %power = sub i64 63, %zeros
  %shift = sub i64 %power, 2
  %base = shl i64 1, %power
  %step = shl i64 1, %shift
  %over = sub i64 %last, %base
  %below = lshr i64 %over, %shift
  %quarter = add i64 %below, 1
  %steps = shl i64 %quarter, %shift
  %large_units = add i64 %base, %steps
  %large_size = shl i64 %large_units, 6
  %fours = shl i64 %power, 2
  %from = add i64 %quarter, -1                    ; 16 + 4 * (power - 4) + quarter - 1
  %large_class = add i64 %fours, %from
  br label %take
take:
  %class = phi i64 [ %small_class, %small ], [ %large_class, %large ]
  %size = phi i64 [ %small_size, %small ], [ %large_size, %large ]
  %block = call ptr @relay_allocate(ptr %ctx, i64 %class, i64 %size, i16 0, ptr null)
  ret ptr %block
}

; Carve a new block from the current chunk, or from a new chunk if that is too small.
define internal ptr @relay_carve(ptr %ctx, i64 %class, i64 %size) noinline cold {
  %next_at = getelementptr %Context, ptr %ctx, i64 0, i32 6
  %end_at = getelementptr %Context, ptr %ctx, i64 0, i32 7
  %next = load ptr, ptr %next_at
  %end = load ptr, ptr %end_at
  %from = ptrtoint ptr %next to i64
  %to = ptrtoint ptr %end to i64
  %room = sub i64 %to, %from
  %fits = icmp uge i64 %room, %size
  br i1 %fits, label %cut, label %grow
grow:
  %chunks_at = getelementptr %Context, ptr %ctx, i64 0, i32 8
  %others = load ptr, ptr %chunks_at
  %first = icmp eq ptr %others, null
  %other = ptrtoint ptr %others to i64
  %last_bytes = sub i64 %to, %other
  %twice = mul i64 %last_bytes, 2
  %grown = select i1 %first, i64 $chunk, i64 %twice
  %wanted = call i64 @llvm.umin.i64(i64 %grown, i64 $largest_chunk)
  %with_link = add i64 %size, 64
  %bytes = call i64 @llvm.umax.i64(i64 %with_link, i64 %wanted)
  %spare = call ptr @relay_spare_chunk(ptr %ctx, i64 %with_link)
  %no_spare = icmp eq ptr %spare, null
  br i1 %no_spare, label %ask, label %link
ask:
  %new = call ptr @relay_chunk(i64 %bytes)
  %none = icmp eq ptr %new, null
  br i1 %none, label %fail, label %note
fail:
  ret ptr null
note:
  %new_bytes_at = getelementptr %Chunk, ptr %new, i64 0, i32 1
  store i64 %bytes, ptr %new_bytes_at
  br label %link
link:
  %chunk = phi ptr [ %spare, %grow ], [ %new, %note ]
  store ptr %others, ptr %chunk
  store ptr %chunk, ptr %chunks_at
  %begin = getelementptr i8, ptr %chunk, i64 64
  %chunk_bytes_at = getelementptr %Chunk, ptr %chunk, i64 0, i32 1
  %chunk_bytes = load i64, ptr %chunk_bytes_at
  %chunk_end = getelementptr i8, ptr %chunk, i64 %chunk_bytes
  store ptr %chunk_end, ptr %end_at
  br label %cut
cut:
  %block = phi ptr [ %next, %0 ], [ %begin, %link ]
  %rest = getelementptr i8, ptr %block, i64 %size
  store ptr %rest, ptr %next_at
  %class_at = getelementptr %Block, ptr %block, i64 0, i32 1
  %short = trunc i64 %class to i16
  store i16 %short, ptr %class_at
  ret ptr %block
}

; Take the first kept chunk of at least `bytes` bytes, or return null.
define internal ptr @relay_spare_chunk(ptr %ctx, i64 %bytes) noinline cold {
  %line = getelementptr i8, ptr %ctx, i64 $heap_bytes
  %list = getelementptr %Line, ptr %line, i64 0, i32 3
  br label %look
look:
  %at = phi ptr [ %list, %0 ], [ %chunk, %next ]
  %chunk = load ptr, ptr %at
  %none = icmp eq ptr %chunk, null
  br i1 %none, label %end, label %one
one:
  %has_at = getelementptr %Chunk, ptr %chunk, i64 0, i32 1
  %has = load i64, ptr %has_at
  %fits = icmp uge i64 %has, %bytes
  br i1 %fits, label %take, label %next
next:
  br label %look
take:
  %others = load ptr, ptr %chunk
  store ptr %others, ptr %at
  %kept_at = getelementptr %Line, ptr %line, i64 0, i32 2
  %kept = load i64, ptr %kept_at
  %less = sub i64 %kept, %has
  store i64 %less, ptr %kept_at
  br label %end
end:
  ret ptr %chunk
}

define internal void @relay_retain(ptr %block) alwaysinline {
  %number = ptrtoint ptr %block to i64
  %is_block = icmp uge i64 %number, 4096
  br i1 %is_block, label %count, label %end
count:
  %old = load i32, ptr %block
  %new = add i32 %old, 1
  store i32 %new, ptr %block
  br label %end
end:
  ret void
}

define internal void @relay_release(ptr %ctx, ptr %block) alwaysinline {
  %number = ptrtoint ptr %block to i64
  %is_block = icmp uge i64 %number, 4096
  br i1 %is_block, label %count, label %end
count:
  %old = load i32, ptr %block
  %last = icmp eq i32 %old, 1
  br i1 %last, label %free, label %keep
keep:
  %new = sub i32 %old, 1
  store i32 %new, ptr %block
  br label %end
free:
  %children_at = getelementptr %Block, ptr %block, i64 0, i32 3
  %children = load ptr, ptr %children_at
  %leaf = icmp eq ptr %children, null
  br i1 %leaf, label %give, label %tree
give:
  call void @relay_give(ptr %ctx, ptr %block)
  br label %end
tree:
  call void @relay_free(ptr %ctx, ptr %block)
  br label %end
end:
  ret void
}

; Return a block of `bytes` bytes for an in-place update of a tensor, and take over its reference:
; the same block if there is no other reference to it, else a copy; null if memory runs out.
define internal ptr @relay_own(ptr %ctx, ptr %elements, ptr %block, i64 %bytes) {
  %number = ptrtoint ptr %block to i64
  %is_block = icmp uge i64 %number, 4096
  br i1 %is_block, label %look, label %copy
look:
  %count = load i32, ptr %block
  %alone = icmp eq i32 %count, 1
  %begin = getelementptr i8, ptr %block, i64 $data
  %whole = icmp eq ptr %elements, %begin          ; not a part of a larger block
  %own = and i1 %alone, %whole
  br i1 %own, label %keep, label %copy
keep:
  ret ptr %block
copy:
  %new = call ptr @relay_allocate_bytes(ptr %ctx, i64 %bytes)
  %none = icmp eq ptr %new, null
  br i1 %none, label %fail, label %fill, !prof !0
fill:
  %to = getelementptr i8, ptr %new, i64 $data
  %rest = sub i64 %bytes, $data
  call void @llvm.memcpy.p0.p0.i64(ptr align 64 %to, ptr %elements, i64 %rest, i1 false)
  call void @relay_release(ptr %ctx, ptr %block)
  ret ptr %new
fail:
  ret ptr null
}

; Put a block on the free list of its size class.
define internal void @relay_give(ptr %ctx, ptr %block) alwaysinline {
  %class_at = getelementptr %Block, ptr %block, i64 0, i32 1
  %short = load i16, ptr %class_at
  %class = zext i16 %short to i64
  %list = getelementptr %Context, ptr %ctx, i64 0, i32 9, i64 %class
  %first = load ptr, ptr %list
  %next_at = getelementptr %Block, ptr %block, i64 0, i32 4
  store ptr %first, ptr %next_at
  store ptr %block, ptr %list
  %live_at = getelementptr %Context, ptr %ctx, i64 0, i32 3
  %live = load i64, ptr %live_at
  %less = sub i64 %live, 1
  store i64 %less, ptr %live_at
  ret void
}

; Free a block and all blocks that die with it, with a worklist instead of recursion.
define internal void @relay_free(ptr %ctx, ptr %block) noinline {
  %pending_at = getelementptr %Context, ptr %ctx, i64 0, i32 4
  %others = load ptr, ptr %pending_at
  %link = getelementptr %Block, ptr %block, i64 0, i32 4
  store ptr %others, ptr %link
  store ptr %block, ptr %pending_at
  %busy_at = getelementptr %Context, ptr %ctx, i64 0, i32 5
  %busy = load i64, ptr %busy_at
  %nested = icmp ne i64 %busy, 0
  br i1 %nested, label %end, label %begin
begin:
  store i64 1, ptr %busy_at
  br label %round
round:
  %top = load ptr, ptr %pending_at
  %done = icmp eq ptr %top, null
  br i1 %done, label %finish, label %one
one:
  %next_at = getelementptr %Block, ptr %top, i64 0, i32 4
  %next = load ptr, ptr %next_at
  store ptr %next, ptr %pending_at
  %children_at = getelementptr %Block, ptr %top, i64 0, i32 3
  %children = load ptr, ptr %children_at
  call void %children(ptr %ctx, ptr %top)
  call void @relay_give(ptr %ctx, ptr %top)
  br label %round
finish:
  store i64 0, ptr %busy_at
  br label %end
end:
  ret void
}

; Write two mismatching sizes as a fault record, as a kernel does for a failed bounds check.
define internal void @relay_report(ptr %ctx, i64 %wanted, i64 %found) noinline cold {
  %workspace_at = getelementptr %Context, ptr %ctx, i64 0, i32 1
  %workspace = load ptr, ptr %workspace_at
  %found_at = getelementptr i64, ptr %workspace, i64 2
  %wanted_at = getelementptr i64, ptr %workspace, i64 3
  store i64 %found, ptr %found_at
  store i64 %wanted, ptr %wanted_at
  ret void
}

; Return the quotient rounded down; division by zero gives zero.
define internal i64 @relay_floor_divide(i64 %a, i64 %b) alwaysinline {
  %none = icmp eq i64 %b, 0
  %by = select i1 %none, i64 1, i64 %b
  %quotient = sdiv i64 %a, %by
  %back = mul i64 %quotient, %by
  %rest = sub i64 %a, %back
  %exact = icmp eq i64 %rest, 0
  %signs = xor i64 %a, %by
  %mixed = icmp slt i64 %signs, 0
  %inexact = xor i1 %exact, true
  %above = and i1 %mixed, %inexact
  %less = sext i1 %above to i64
  %floor = add i64 %quotient, %less
  %found = select i1 %none, i64 0, i64 %floor
  ret i64 %found
}

declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.ctlz.i64(i64, i1)
declare { i64, i1 } @llvm.umul.with.overflow.i64(i64, i64)
declare { i64, i1 } @llvm.sadd.with.overflow.i64(i64, i64)
declare { i64, i1 } @llvm.ssub.with.overflow.i64(i64, i64)
declare { i64, i1 } @llvm.smul.with.overflow.i64(i64, i64)

!0 = !{!"branch_weights", i32 1, i32 2000}
