/* The thread pool of the process.
 *
 * A bell is a binary semaphore that one thread rings and one other thread awaits. A waiter spins
 * for a bounded time, or not at all if there are more threads than CPUs, then sleeps.
 *
 * One job runs at a time. A thread that finds the pool busy (for a nested or simultaneous loop)
 * runs its loop alone, so no thread ever waits for the pool and there is no deadlock.
 */
#include "relay.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#define SPIN_NANOSECONDS 50000 /* about the time of waking a thread: longer spinning is useless */
#define LOOK_NANOSECONDS 20000000 /* between looks at the stop word while the caller waits */
#define SECOND 1000000000

enum { SILENT, RUNG, ASLEEP };

typedef struct {
  _Alignas(64) _Atomic(uint32_t) word;
  pthread_mutex_t mutex;
  pthread_cond_t rung;
} Bell;

static Bell bells[RELAY_CAPACITY]; /* bells[0] is the caller's */
static _Alignas(64) _Atomic(bool) busy;
static _Alignas(64) _Atomic(int64_t) pending; /* workers that have not finished the job */
static _Atomic(int64_t) started = 1;          /* existing threads, including the caller */
static _Atomic(bool) spins;
static int64_t cpus = 1;

static _Alignas(64) struct {
  Body *body;
  void *closure;
  int64_t count, threads;
} job;

/* ---- bells ---- */

static void bell_init(Bell *bell) {
  atomic_store_explicit(&bell->word, SILENT, memory_order_relaxed);
  pthread_mutex_init(&bell->mutex, NULL);
  pthread_cond_init(&bell->rung, NULL);
}

static void bell_ring(Bell *bell) {
  if (atomic_exchange_explicit(&bell->word, RUNG, memory_order_acq_rel) == ASLEEP) {
    pthread_mutex_lock(&bell->mutex); /* the waiter is inside the wait from here on */
    pthread_cond_signal(&bell->rung);
    pthread_mutex_unlock(&bell->mutex);
  }
}

static bool is_rung(Bell *bell) {
  return atomic_load_explicit(&bell->word, memory_order_acquire) == RUNG;
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * SECOND + time.tv_nsec;
}

static void pause_briefly(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Spin until the bell is rung or the time is up; return whether it was rung. */
static bool bell_spin(Bell *bell) {
  if (!atomic_load_explicit(&spins, memory_order_relaxed)) return is_rung(bell);
  int64_t end = now() + SPIN_NANOSECONDS;
  do {
    for (int polls = 0; polls < 64; polls++) { /* the clock is read once per 64 polls */
      if (is_rung(bell)) return true;
      pause_briefly();
    }
    sched_yield(); /* the awaited thread may need this CPU */
  } while (now() < end);
  return false;
}

/* Sleep until the bell is rung, or for a while. */
static void bell_doze(Bell *bell, bool for_a_while) {
  if (!for_a_while) {
    pthread_cond_wait(&bell->rung, &bell->mutex);
    return;
  }
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  int64_t nanoseconds = until.tv_nsec + LOOK_NANOSECONDS;
  until.tv_sec += nanoseconds / SECOND;
  until.tv_nsec = nanoseconds % SECOND;
  pthread_cond_timedwait(&bell->rung, &bell->mutex, &until);
}

static bool is_stopping(KernelRecord *record) {
  return record != NULL && record->look != NULL &&
         atomic_load_explicit(&record->call->stop, memory_order_relaxed) != 0;
}

/* Wait until the bell is rung. With a record, let its caller look while this thread waits. */
static void bell_wait(Bell *bell, KernelRecord *record) {
  if (!bell_spin(bell)) {
    pthread_mutex_lock(&bell->mutex);
    uint32_t word = SILENT;
    atomic_compare_exchange_strong(&bell->word, &word, ASLEEP);
    while (atomic_load_explicit(&bell->word, memory_order_acquire) == ASLEEP) {
      bell_doze(bell, record != NULL);
      if (is_stopping(record)) {
        pthread_mutex_unlock(&bell->mutex);
        record->look(record->call);
        pthread_mutex_lock(&bell->mutex);
      }
    }
    pthread_mutex_unlock(&bell->mutex);
  }
  atomic_store_explicit(&bell->word, SILENT, memory_order_release);
}

/* ---- workers ---- */

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Return the first iteration of a worker's share, which is contiguous. */
static int64_t first_of(int64_t worker) {
  int64_t each = job.count / job.threads, rest = job.count % job.threads;
  return each * worker + smaller(rest, worker);
}

static void run_share(int64_t worker) {
  job.body(job.closure, first_of(worker), first_of(worker + 1), worker);
}

static void *work(void *argument) {
  int64_t worker = (int64_t)(intptr_t)argument;
  for (;;) {
    bell_wait(&bells[worker], NULL);
    run_share(worker);
    if (atomic_fetch_sub_explicit(&pending, 1, memory_order_acq_rel) == 1) bell_ring(&bells[0]);
  }
  return NULL;
}

/* Start threads up to `wanted`, or to the limit of the system; return their number. Signals are
 * blocked in them: they belong to Python's threads. */
static int64_t grow(int64_t wanted) {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  int64_t have = started;
  for (; have < wanted; have++) {
    pthread_t thread;
    bell_init(&bells[have]);
    if (pthread_create(&thread, NULL, work, (void *)(intptr_t)have) != 0) break;
    pthread_detach(thread);
  }
  started = have;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return have;
}

/* ---- entry points ---- */

static void run_on(int64_t threads, KernelRecord *record) {
  atomic_store_explicit(&spins, threads <= cpus, memory_order_relaxed);
  atomic_store_explicit(&pending, threads - 1, memory_order_release);
  for (int64_t worker = 1; worker < threads; worker++) bell_ring(&bells[worker]);
  run_share(0);
  if (threads > 1) bell_wait(&bells[0], record);
}

/* Call body(closure, begin, end, worker) for disjoint ranges that cover 0…count, on up to `limit`
 * threads, with worker < min(limit, capacity). Always 0: a body cannot fail. */
int32_t relay_pool_run(Body *body, void *closure, int64_t count, int64_t limit,
                       KernelRecord *record) {
  int64_t wanted = smaller(smaller(limit, RELAY_CAPACITY), count);
  bool idle = false;
  if (wanted > 1 && atomic_compare_exchange_strong_explicit(
                        &busy, &idle, true, memory_order_acquire, memory_order_relaxed)) {
    int64_t have = started < wanted ? grow(wanted) : (int64_t)started;
    job.body = body, job.closure = closure, job.count = count;
    job.threads = smaller(have, wanted);
    run_on(job.threads, record);
    atomic_store_explicit(&busy, false, memory_order_release);
  } else if (count > 0) {
    body(closure, 0, count, 0);
  }
  return 0;
}

/* Reset the pool to a state without workers: at the start, and in the child of a fork. */
void relay_pool_reset(int64_t usable_cpus) {
  cpus = usable_cpus;
  started = 1;
  bell_init(&bells[0]);
  atomic_store_explicit(&busy, false, memory_order_release);
}

int64_t relay_pool_started(void) { return started; }
