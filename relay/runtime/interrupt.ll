; Ctrl-C while native code runs: the program is told to stop, then whoever listened hears of it.
;
; One call at a time is guarded: that of the thread to which Python gives its signals.

@stop = internal global ptr null          ; the word that stops the guarded call
@former = internal global ptr null        ; the handler that was there, which is called too
@action = internal global [256 x i8] zeroinitializer, align 16  ; what replaces it: as it was, but ours

declare i32 @sigaction(i32, ptr, ptr)

; A program looks at its word where it begins a function again; nothing else happens to it here.
define internal void @on_interrupt(i32 %signal, ptr %details, ptr %state) {
  %word = load volatile ptr, ptr @stop
  store volatile i32 1, ptr %word
  %former = load volatile ptr, ptr @former
  call void %former(i32 %signal, ptr %details, ptr %state)
  ret void
}

; Call a program's entry so that the signal stops it; the former handler is there again afterwards.
; A signal that is ignored, or ends the process, keeps its meaning.
define i32 @relay_guarded(ptr %entry, ptr %inputs, ptr %outputs, ptr %constants, ptr %arena, ptr %workspace, ptr %word) {
  %old = alloca [256 x i8], align 16
  call i32 @sigaction(i32 $interrupt, ptr null, ptr %old)
  %handler = load ptr, ptr %old           ; the first field of the structure wherever there is one
  %number = ptrtoint ptr %handler to i64
  %listens = icmp ugt i64 %number, 1      ; neither the default nor to be ignored
  br i1 %listens, label %guard, label %plain
plain:
  %status = call i32 %entry(ptr %inputs, ptr %outputs, ptr %constants, ptr %arena, ptr %workspace)
  ret i32 %status
guard:
  call void @llvm.memcpy.p0.p0.i64(ptr @action, ptr %old, i64 256, i1 false)
  store volatile ptr %handler, ptr @former
  store volatile ptr %word, ptr @stop
  store ptr @on_interrupt, ptr @action
  call i32 @sigaction(i32 $interrupt, ptr @action, ptr null)
  %ended = call i32 %entry(ptr %inputs, ptr %outputs, ptr %constants, ptr %arena, ptr %workspace)
  call i32 @sigaction(i32 $interrupt, ptr %old, ptr null)
  store volatile i32 0, ptr %word
  ret i32 %ended
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
