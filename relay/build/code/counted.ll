; The entry of a program that has one stack and cannot inspect it, with the ABI of all entries.
;
; WebAssembly keeps calls on a separate stack that is invisible to programs. The context counts the
; remaining budget of that stack instead of holding an address.

define i32 @relay_run(ptr %inputs, ptr %outputs, ptr %constants, ptr %arena, ptr %workspace) {
  call void @relay_begin(ptr %arena, ptr %constants, ptr %workspace, ptr inttoptr (i64 $counted_bytes to ptr))
  %status = call i32 @relay_border(ptr %arena, ptr %inputs, ptr %outputs)
  call void @relay_close(ptr %arena, i32 %status)
  ret i32 %status
}

@__stack_low = external global i8               ; the linker's symbol for the end of the stack in memory
