; Ctrl-C while native code runs: the program is told to stop, then whoever listened hears of it.
;
; One call at a time is guarded: that of the thread to which Python gives its signals.

@stop = internal global ptr null          ; the word that stops the guarded call
@former = internal global [256 x i8] zeroinitializer, align 16  ; who listened before, as a call found it
@action = internal global [256 x i8] zeroinitializer, align 16  ; what replaces that: the same, but ours

declare i32 @sigaction(i32, ptr, ptr)

; A program looks at its word where it begins a function again; nothing else happens to it here.
define internal void @on_interrupt(i32 %signal, ptr %details, ptr %state) {
  %word = load volatile ptr, ptr @stop
  store volatile i32 1, ptr %word
  %former = load volatile ptr, ptr @former  ; the first field of the structure wherever there is one
  call void %former(i32 %signal, ptr %details, ptr %state)
  ret void
}

; Call a program's entry so that the signal stops it; the former handler is there again afterwards.
; A signal that is ignored, or ends the process, keeps its meaning. Asking the system costs as much as
; a short program: what one call has found is taken to be so in the next, and looked at when it is gone.
define i32 @relay_guarded(ptr %entry, ptr %inputs, ptr %outputs, ptr %constants, ptr %arena, ptr %workspace, ptr %word) {
  %old = alloca [256 x i8], align 16
  call void @llvm.memset.p0.i64(ptr %old, i8 0, i64 256, i1 false)
  %expected = load ptr, ptr @former
  %first = icmp eq ptr %expected, null
  br i1 %first, label %ask, label %set
ask:
  call i32 @sigaction(i32 $interrupt, ptr null, ptr %old)
  %hears_now = call i1 @listen(ptr %old)
  br i1 %hears_now, label %set, label %plain
set:
  store volatile ptr %word, ptr @stop
  call i32 @sigaction(i32 $interrupt, ptr @action, ptr %old)
  %difference = call i32 @memcmp(ptr %old, ptr @former, i64 256)
  %same = icmp eq i32 %difference, 0
  br i1 %same, label %run, label %other
other:
  %hears = call i1 @listen(ptr %old)
  br i1 %hears, label %again, label %undo
again:
  call i32 @sigaction(i32 $interrupt, ptr @action, ptr null)
  br label %run
run:
  %ended = call i32 %entry(ptr %inputs, ptr %outputs, ptr %constants, ptr %arena, ptr %workspace)
  call i32 @sigaction(i32 $interrupt, ptr %old, ptr null)
  store volatile i32 0, ptr %word
  ret i32 %ended
undo:
  call i32 @sigaction(i32 $interrupt, ptr %old, ptr null)
  store volatile i32 0, ptr %word
  br label %plain
plain:
  %status = call i32 %entry(ptr %inputs, ptr %outputs, ptr %constants, ptr %arena, ptr %workspace)
  ret i32 %status
}

; Whether somebody listens; then who it is, and what replaces them, is noted.
define internal i1 @listen(ptr %found) {
  %handler = load ptr, ptr %found
  %number = ptrtoint ptr %handler to i64
  %listens = icmp ugt i64 %number, 1      ; neither the default nor to be ignored
  br i1 %listens, label %note, label %end
note:
  call void @llvm.memcpy.p0.p0.i64(ptr @former, ptr %found, i64 256, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr @action, ptr %found, i64 256, i1 false)
  store ptr @on_interrupt, ptr @action
  br label %end
end:
  ret i1 %listens
}

declare i32 @memcmp(ptr, ptr, i64)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
