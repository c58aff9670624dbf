; Signals while native code runs: the program periodically lets Python check for them.
;
; Python records a signal, and calls its handlers at the next check in its main thread, which does
; not happen while native code runs there. So a watching thread, which mostly sleeps, sets the stop
; word that the program polls, and the program then lets Python check. An exception from a handler
; stops the program; a handler that returns does not.

%Line = type { i32, i32, i64, i64, ptr, ptr, ptr, ptr, i32, i32 }
; the control block: stop word, padding; heap fields, see heap.ll; callbacks to check, to wait for
; another thread, and for its end; the other thread's request, and the answer

@watched = internal global ptr null               ; the control block of the call in the main thread
@owner = internal global i64 0                    ; that thread
@raised = global ptr null                         ; the exception of a handler
@started = internal global i1 false               ; whether the watching thread runs,
@sleeps = internal global i1 false                ; and whether it sleeps until the next call
@lock = internal global [64 x i8] zeroinitializer, align 16
@next_call = internal global [64 x i8] zeroinitializer, align 16
@far_lock = internal global [64 x i8] zeroinitializer, align 16
@far_news = internal global [64 x i8] zeroinitializer, align 16

declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_detach(i64)
declare i64 @pthread_self()
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @sigfillset(ptr)
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_broadcast(ptr)
declare i32 @nanosleep(ptr, ptr)

declare i32 @PyGILState_Ensure()
declare void @PyGILState_Release(i32)
declare i32 @PyErr_CheckSignals()
declare void @PyErr_Fetch(ptr, ptr, ptr)
declare void @PyErr_NormalizeException(ptr, ptr, ptr)
declare i32 @PyException_SetTraceback(ptr, ptr)
declare void @Py_DecRef(ptr)

; Call a program's entry in the main thread so that Python can check for signals while it runs. A
; handler may call another program; the outer call is watched again afterwards.
define i32 @relay_guarded(ptr %entry, ptr %inputs, ptr %outputs, ptr %constants, ptr %arena, ptr %workspace, ptr %line) {
  %look_at = getelementptr %Line, ptr %line, i64 0, i32 5
  %wait_at = getelementptr %Line, ptr %line, i64 0, i32 6
  %ended_at = getelementptr %Line, ptr %line, i64 0, i32 7
  %wish_at = getelementptr %Line, ptr %line, i64 0, i32 8
  store ptr @look, ptr %look_at
  store ptr @wait, ptr %wait_at
  store ptr @ended, ptr %ended_at
  store i32 0, ptr %wish_at
  %outer = call ptr @watch(ptr %line)
  %status = call i32 %entry(ptr %inputs, ptr %outputs, ptr %constants, ptr %arena, ptr %workspace)
  call ptr @watch(ptr %outer)
  store ptr null, ptr %look_at
  store ptr null, ptr %wait_at
  store ptr null, ptr %ended_at
  store volatile i32 0, ptr %line
  ret i32 %status
}

; ---- watching thread ----------------------------------------------------------------------------

; Make the thread watch the call with this control block, or none; return the previous one.
define internal ptr @watch(ptr %line) {
  call i32 @pthread_mutex_lock(ptr @lock)
  %former = load ptr, ptr @watched
  store ptr %line, ptr @watched
  %none = icmp eq ptr %line, null
  br i1 %none, label %end, label %some
some:
  %self = call i64 @pthread_self()
  store i64 %self, ptr @owner
  %runs = load i1, ptr @started
  br i1 %runs, label %wake, label %start
start:
  %well = call i1 @start()
  store i1 %well, ptr @started
  br label %end
wake:
  %sleeping = load i1, ptr @sleeps
  br i1 %sleeping, label %call, label %end
call:
  call i32 @pthread_cond_broadcast(ptr @next_call)
  br label %end
end:
  call i32 @pthread_mutex_unlock(ptr @lock)
  ret ptr %former
}

; Start the watching thread with signals blocked: they belong to Python's threads.
define internal i1 @start() cold noinline {
  %thread = alloca i64
  %all = alloca [128 x i8], align 16
  %old = alloca [128 x i8], align 16
  call i32 @sigfillset(ptr %all)
  call i32 @pthread_sigmask(i32 $sig_setmask, ptr %all, ptr %old)
  %failed = call i32 @pthread_create(ptr %thread, ptr null, ptr @ask, ptr null)
  call i32 @pthread_sigmask(i32 $sig_setmask, ptr %old, ptr null)
  %well = icmp eq i32 %failed, 0
  br i1 %well, label %detach, label %end
detach:
  %id = load i64, ptr %thread
  call i32 @pthread_detach(i64 %id)
  br label %end
end:
  ret i1 %well
}

; Set the stop word of the current call repeatedly; after some rounds without a call, wait for the
; next.
define internal ptr @ask(ptr %nothing) noreturn {
  %pause = alloca { i64, i64 }
  store { i64, i64 } { i64 0, i64 $pause }, ptr %pause
  br label %round
round:
  %idle = phi i64 [ 0, %0 ], [ 0, %set ], [ %more, %rest ]
  call i32 @nanosleep(ptr %pause, ptr null)
  call i32 @pthread_mutex_lock(ptr @lock)
  %line = load ptr, ptr @watched
  %none = icmp eq ptr %line, null
  br i1 %none, label %idles, label %set
set:
  store volatile i32 1, ptr %line
  call i32 @pthread_mutex_unlock(ptr @lock)
  br label %round
idles:
  %tired = icmp eq i64 %idle, $rounds
  br i1 %tired, label %sleep, label %rest
sleep:
  store i1 true, ptr @sleeps
  call i32 @pthread_cond_wait(ptr @next_call, ptr @lock)
  store i1 false, ptr @sleeps
  br label %rest
rest:
  %counted = phi i64 [ %idle, %idles ], [ -1, %sleep ]
  %more = add i64 %counted, 1
  call i32 @pthread_mutex_unlock(ptr @lock)
  br label %round
}

; Reset to a state without a thread: at the start, and in the child of a fork. A call in the forking
; thread continues there.
define void @relay_reset() {
  call i32 @pthread_mutex_init(ptr @lock, ptr null)
  call i32 @pthread_mutex_init(ptr @far_lock, ptr null)
  call i32 @pthread_cond_init(ptr @next_call, ptr null)
  call i32 @pthread_cond_init(ptr @far_news, ptr null)
  store i1 false, ptr @started
  store i1 false, ptr @sleeps
  %self = call i64 @pthread_self()
  %owner = load i64, ptr @owner
  %same = icmp eq i64 %self, %owner
  br i1 %same, label %end, label %forget
forget:
  store ptr null, ptr @watched
  br label %end
end:
  ret void
}

; ---- check for signals --------------------------------------------------------------------------

; The callback of a program whose stop word is set; it returns 0 to continue. Python checks only in
; the main thread; another thread, in which a deep program runs, requests a check from it.
define internal i32 @look(ptr %line) {
  %self = call i64 @pthread_self()
  %owner = load i64, ptr @owner
  %own = icmp eq i64 %self, %owner
  br i1 %own, label %here, label %there
here:
  %found = call i32 @look_here(ptr %line)
  ret i32 %found
there:
  %wish_at = getelementptr %Line, ptr %line, i64 0, i32 8
  %answer_at = getelementptr %Line, ptr %line, i64 0, i32 9
  call i32 @pthread_mutex_lock(ptr @far_lock)
  store i32 1, ptr %wish_at
  call i32 @pthread_cond_broadcast(ptr @far_news)
  br label %round
round:
  %wish = load i32, ptr %wish_at
  %open = icmp ne i32 %wish, 0
  br i1 %open, label %await, label %told
await:
  call i32 @pthread_cond_wait(ptr @far_news, ptr @far_lock)
  br label %round
told:
  %answer = load i32, ptr %answer_at
  call i32 @pthread_mutex_unlock(ptr @far_lock)
  ret i32 %answer
}

; Let Python check for signals, and keep the exception of a handler.
define internal i32 @look_here(ptr %line) {
  %type_at = alloca ptr
  %value_at = alloca ptr
  %trace_at = alloca ptr
  store volatile i32 0, ptr %line                 ; first, so that later requests are not lost
  %state = call i32 @PyGILState_Ensure()
  %found = call i32 @PyErr_CheckSignals()
  %quiet = icmp eq i32 %found, 0
  br i1 %quiet, label %end, label %keep
keep:
  call void @PyErr_Fetch(ptr %type_at, ptr %value_at, ptr %trace_at)
  call void @PyErr_NormalizeException(ptr %type_at, ptr %value_at, ptr %trace_at)
  %type = load ptr, ptr %type_at
  %value = load ptr, ptr %value_at
  %trace = load ptr, ptr %trace_at
  store ptr %value, ptr @raised
  call void @Py_DecRef(ptr %type)
  %untraced = icmp eq ptr %trace, null
  br i1 %untraced, label %end, label %set
set:
  call i32 @PyException_SetTraceback(ptr %value, ptr %trace)
  call void @Py_DecRef(ptr %trace)
  br label %end
end:
  %status = phi i32 [ 0, %0 ], [ $interrupted, %keep ], [ $interrupted, %set ]
  call void @PyGILState_Release(i32 %state)
  ret i32 %status
}

; Wait for the other thread of a call to end, and check for signals whenever it requests that.
define internal void @wait(ptr %line) {
  %wish_at = getelementptr %Line, ptr %line, i64 0, i32 8
  %answer_at = getelementptr %Line, ptr %line, i64 0, i32 9
  call i32 @pthread_mutex_lock(ptr @far_lock)
  br label %round
round:
  %wish = load i32, ptr %wish_at
  switch i32 %wish, label %end [ i32 0, label %await
                                 i32 1, label %serve ]
await:
  call i32 @pthread_cond_wait(ptr @far_news, ptr @far_lock)
  br label %round
serve:
  call i32 @pthread_mutex_unlock(ptr @far_lock)   ; a handler may run another deep program
  %answer = call i32 @look_here(ptr %line)
  call i32 @pthread_mutex_lock(ptr @far_lock)
  store i32 %answer, ptr %answer_at
  store i32 0, ptr %wish_at
  call i32 @pthread_cond_broadcast(ptr @far_news)
  br label %round
end:
  call i32 @pthread_mutex_unlock(ptr @far_lock)
  ret void
}

; Signal the end of the other thread.
define internal void @ended(ptr %line) {
  %wish_at = getelementptr %Line, ptr %line, i64 0, i32 8
  call i32 @pthread_mutex_lock(ptr @far_lock)
  store i32 2, ptr %wish_at
  call i32 @pthread_cond_broadcast(ptr @far_news)
  call i32 @pthread_mutex_unlock(ptr @far_lock)
  ret void
}
