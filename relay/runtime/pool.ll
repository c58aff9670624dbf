; The thread pool of the process, in LLVM IR, so that no C compiler is needed.
;
; A *bell* is a binary semaphore that one thread rings and one other thread awaits:
;   word 0: silent;  1: rung;  2: silent, and the waiter sleeps on the condition variable.
; A waiter spins for at most $spin_ns nanoseconds (not at all when @idle_spin is off), then sleeps.
;
; One job runs at a time. A thread that finds the pool busy (for a nested or simultaneous loop) runs
; its loop alone, so no thread ever waits for the pool and there is no deadlock.

%Bell = type { i32, [60 x i8], [64 x i8], [64 x i8] }  ; word, mutex, condition variable

@bells = internal global [$capacity x %Bell] zeroinitializer, align 64  ; [0] is the caller's
@busy = internal global i32 0, align 64        ; 1 while a job runs
@pending = internal global i32 0, align 64     ; workers that have not finished the job
@started = internal global i64 1, align 64     ; existing threads, including the caller
@cpus = internal global i64 1                  ; the number of threads that can run simultaneously
@idle_spin = internal global i32 0             ; whether spinning is enabled: threads <= cpus
@body = internal global ptr null, align 64     ; the job: body, closure, iterations, threads
@closure = internal global ptr null
@count = internal global i64 0
@threads = internal global i64 1

declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_detach(i64)
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_signal(ptr)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @sigfillset(ptr)
declare i32 @sched_yield()
declare i32 @clock_gettime(i32, ptr)
$declare_pause

; ---- bells -------------------------------------------------------------------------------------

define internal void @bell_init(ptr %bell) {
  %mutex = getelementptr %Bell, ptr %bell, i64 0, i32 2
  %condition = getelementptr %Bell, ptr %bell, i64 0, i32 3
  store i32 0, ptr %bell
  call i32 @pthread_mutex_init(ptr %mutex, ptr null)
  call i32 @pthread_cond_init(ptr %condition, ptr null)
  ret void
}

define internal void @bell_ring(ptr %bell) {
  %old = atomicrmw xchg ptr %bell, i32 1 acq_rel
  %sleeps = icmp eq i32 %old, 2
  br i1 %sleeps, label %wake, label %done
wake:
  %mutex = getelementptr %Bell, ptr %bell, i64 0, i32 2
  %condition = getelementptr %Bell, ptr %bell, i64 0, i32 3
  call i32 @pthread_mutex_lock(ptr %mutex)      ; the waiter is inside cond_wait from here on
  call i32 @pthread_cond_signal(ptr %condition)
  call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %done
done:
  ret void
}

define internal i64 @now() {
  %time = alloca { i64, i64 }
  call i32 @clock_gettime(i32 $clock, ptr %time)
  %seconds = load i64, ptr %time
  %rest = getelementptr { i64, i64 }, ptr %time, i64 0, i32 1
  %nanoseconds = load i64, ptr %rest
  %scaled = mul i64 %seconds, 1000000000
  %sum = add i64 %scaled, %nanoseconds
  ret i64 %sum
}

; Spin until the bell is rung or the time is up; return whether it was rung.
define internal i1 @bell_spin(ptr %bell) {
  %welcome = load atomic i32, ptr @idle_spin monotonic, align 4
  %at_all = icmp ne i32 %welcome, 0
  br i1 %at_all, label %begin, label %check_once
check_once:
  %word_once = load atomic i32, ptr %bell acquire, align 4
  %rung_once = icmp eq i32 %word_once, 1
  ret i1 %rung_once
begin:
  %start = call i64 @now()
  br label %round
round:                                          ; the clock is read once per 64 polls
  %looks = phi i32 [ 0, %begin ], [ 0, %clock ], [ %more, %pause ]
  %word = load atomic i32, ptr %bell acquire, align 4
  %rung = icmp eq i32 %word, 1
  br i1 %rung, label %yes, label %pause
pause:
  $call_pause
  %more = add i32 %looks, 1
  %often = icmp ult i32 %more, 64
  br i1 %often, label %round, label %clock
clock:                                          ; the awaited thread may need this CPU
  call i32 @sched_yield()
  %time = call i64 @now()
  %passed = sub i64 %time, %start
  %early = icmp ult i64 %passed, $spin_ns
  br i1 %early, label %round, label %no
yes:
  ret i1 true
no:
  ret i1 false
}

define internal void @bell_wait(ptr %bell) {
  %rung = call i1 @bell_spin(ptr %bell)
  br i1 %rung, label %done, label %doze
doze:
  %mutex = getelementptr %Bell, ptr %bell, i64 0, i32 2
  %condition = getelementptr %Bell, ptr %bell, i64 0, i32 3
  call i32 @pthread_mutex_lock(ptr %mutex)
  cmpxchg ptr %bell, i32 0, i32 2 acq_rel acquire
  br label %look
look:
  %word = load atomic i32, ptr %bell acquire, align 4
  %asleep = icmp eq i32 %word, 2
  br i1 %asleep, label %sleep, label %awake
sleep:
  call i32 @pthread_cond_wait(ptr %condition, ptr %mutex)
  br label %look
awake:
  call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %done
done:
  store atomic i32 0, ptr %bell release, align 4
  ret void
}

; ---- workers -----------------------------------------------------------------------------------

; Run one thread's share of the job: iterations count*worker/threads up to count*(worker+1)/threads.
define internal void @share(i64 %worker) {
  %body = load ptr, ptr @body
  %closure = load ptr, ptr @closure
  %count = load i64, ptr @count
  %threads = load i64, ptr @threads
  %next = add i64 %worker, 1
  %quotient = udiv i64 %count, %threads
  %rest = urem i64 %count, %threads
  %begin_whole = mul i64 %quotient, %worker
  %begin_extra = call i64 @llvm.umin.i64(i64 %rest, i64 %worker)
  %begin = add i64 %begin_whole, %begin_extra
  %end_whole = mul i64 %quotient, %next
  %end_extra = call i64 @llvm.umin.i64(i64 %rest, i64 %next)
  %end = add i64 %end_whole, %end_extra
  call void %body(ptr %closure, i64 %begin, i64 %end, i64 %worker)
  ret void
}
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)

define internal ptr @work(ptr %argument) noreturn {
  %worker = ptrtoint ptr %argument to i64
  %bell = getelementptr %Bell, ptr @bells, i64 %worker
  br label %next
next:
  call void @bell_wait(ptr %bell)
  call void @share(i64 %worker)
  %before = atomicrmw sub ptr @pending, i32 1 acq_rel
  %last = icmp eq i32 %before, 1
  br i1 %last, label %finish, label %next
finish:
  call void @bell_ring(ptr @bells)
  br label %next
}

; Start threads up to %wanted, or to the limit of the system; return their number. Signals are
; blocked in them: they belong to Python's threads.
define internal i64 @grow(i64 %wanted) {
  %thread = alloca i64
  %all = alloca [128 x i8], align 16
  %old = alloca [128 x i8], align 16
  %first = load i64, ptr @started
  call i32 @sigfillset(ptr %all)
  call i32 @pthread_sigmask(i32 $sig_setmask, ptr %all, ptr %old)
  br label %more
more:
  %have = phi i64 [ %first, %0 ], [ %now, %created ]
  %enough = icmp uge i64 %have, %wanted
  br i1 %enough, label %done, label %create
create:
  %bell = getelementptr %Bell, ptr @bells, i64 %have
  call void @bell_init(ptr %bell)
  %argument = inttoptr i64 %have to ptr
  %failed = call i32 @pthread_create(ptr %thread, ptr null, ptr @work, ptr %argument)
  %ok = icmp eq i32 %failed, 0
  br i1 %ok, label %created, label %done
created:
  %id = load i64, ptr %thread
  call i32 @pthread_detach(i64 %id)
  %now = add i64 %have, 1
  store i64 %now, ptr @started
  br label %more
done:
  call i32 @pthread_sigmask(i32 $sig_setmask, ptr %old, ptr null)
  ret i64 %have
}

; ---- entry point --------------------------------------------------------------------------------

; Call body(closure, begin, end, worker) for disjoint ranges that cover 0…count, on up to %limit
; threads. worker < min(limit, capacity). Always 0: a body cannot fail.
define i32 @relay_pool_run(ptr %body, ptr %closure, i64 %count, i64 %limit) {
  %bounded = call i64 @llvm.umin.i64(i64 %limit, i64 $capacity)
  %wanted = call i64 @llvm.smin.i64(i64 %bounded, i64 %count)
  %many = icmp sgt i64 %wanted, 1
  br i1 %many, label %try, label %alone
try:
  %claim = cmpxchg ptr @busy, i32 0, i32 1 acquire monotonic
  %claimed = extractvalue { i32, i1 } %claim, 1
  br i1 %claimed, label %own, label %alone
alone:
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %serial, label %nothing
serial:
  call void %body(ptr %closure, i64 0, i64 %count, i64 0)
  ret i32 0
nothing:
  ret i32 0
own:
  %started = load i64, ptr @started
  %short = icmp ult i64 %started, %wanted
  br i1 %short, label %start, label %post
start:
  %grown = call i64 @grow(i64 %wanted)
  br label %post
post:
  %have = phi i64 [ %started, %own ], [ %grown, %start ]
  %threads = call i64 @llvm.umin.i64(i64 %have, i64 %wanted)
  %cpus = load i64, ptr @cpus
  %roomy = icmp ule i64 %threads, %cpus
  %spin = zext i1 %roomy to i32
  store atomic i32 %spin, ptr @idle_spin monotonic, align 4
  store ptr %body, ptr @body
  store ptr %closure, ptr @closure
  store i64 %count, ptr @count
  store i64 %threads, ptr @threads
  %helpers = sub i64 %threads, 1
  %helpers32 = trunc i64 %helpers to i32
  store atomic i32 %helpers32, ptr @pending release, align 4
  br label %ring
ring:
  %worker = phi i64 [ 1, %post ], [ %following, %rang ]
  %all_rung = icmp uge i64 %worker, %threads
  br i1 %all_rung, label %mine, label %rang
rang:
  %bell = getelementptr %Bell, ptr @bells, i64 %worker
  call void @bell_ring(ptr %bell)
  %following = add i64 %worker, 1
  br label %ring
mine:
  call void @share(i64 0)
  %helped = icmp ugt i64 %threads, 1
  br i1 %helped, label %await, label %release
await:
  call void @bell_wait(ptr @bells)
  br label %release
release:
  store atomic i32 0, ptr @busy release, align 4
  ret i32 0
}

; Reset the pool to a state without workers: at the start, and in the child of a fork.
define void @relay_pool_reset(i64 %cpus) {
  store i64 %cpus, ptr @cpus
  store i64 1, ptr @started
  call void @bell_init(ptr @bells)
  store atomic i32 0, ptr @busy release, align 4
  ret void
}

define i64 @relay_pool_started() {
  %started = load atomic i64, ptr @started acquire, align 8
  ret i64 %started
}
