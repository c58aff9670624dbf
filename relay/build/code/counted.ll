; The entry of a program that has one stack and cannot see it: the ABI of every program's entry.
;
; WebAssembly keeps calls on a stack of its own, of which a program is told nothing. What it may use
; of that is counted in the context, in place of an address.

define i32 @relay_run(ptr %inputs, ptr %outputs, ptr %constants, ptr %arena, ptr %workspace) {
  call void @relay_begin(ptr %arena, ptr %constants, ptr %workspace, ptr inttoptr (i64 $counted_bytes to ptr))
  %status = call i32 @relay_border(ptr %arena, ptr %inputs, ptr %outputs)
  call void @relay_close(ptr %arena, i32 %status)
  ret i32 %status
}

@__stack_low = external global i8               ; the linker's name for the end of the stack in memory
