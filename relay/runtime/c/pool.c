/* The thread pool of the process.
 *
 * A loop is divided into chunks of iterations that depend only on the loop. Each of its threads has
 * a share of adjacent chunks, so that one loop after another finds its data in the caches; a thread
 * that is done with its share takes chunks that are left in those of the others.
 *
 * A loop claims the workers that are idle when it begins, and releases them when it ends, so callers
 * share the pool without waiting for each other. A worker that has not begun by then, perhaps
 * because it has to be woken, is not needed anymore: its share has been taken.
 */
#include "relay.h"
#include "system.h"

#include <stdatomic.h>

#define SPIN_NANOSECONDS 50000 /* about the time of waking a thread: longer spinning is useless */
#define LOOK_NANOSECONDS (20 * MILLISECOND) /* between looks at the stop word while a caller waits */

/* The chunks of a thread that are not taken. */
typedef struct {
  _Alignas(64) _Atomic(int64_t) next;
  int64_t first, end;
} Share;

typedef struct {
  Body *body;
  void *closure;
  KernelRecord *record;
  int64_t count, grain, chunks, threads;
  bool backwards;
  uint64_t epoch;
  Share *shares;
} Loop;

enum { IDLE, CLAIMED, OFFERED, RUNNING, DONE };

/* A thread of the pool; `word` is its state, and the others belong to the loop that claimed it. */
typedef struct {
  _Alignas(64) _Atomic(uint32_t) word;
  _Atomic(int32_t) sleepers; /* the threads that wait for a change of the word */
  Loop *loop;
  int64_t number;
  Lock lock;
  Condition changed;
} Worker;

static Worker workers[RELAY_CAPACITY - 1];
static _Atomic(int64_t) started;  /* workers that exist */
static _Atomic(bool) growing;
static _Atomic(int64_t) callers;  /* loops that run */
static _Atomic(uint64_t) epoch;   /* how often the pool was reset */
_Atomic(int64_t) relay_pool_cpus = 1; /* that the process may use */

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* ---- waiting ---- */

static void pause_briefly(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __builtin_arm_yield();
#endif
}

static bool is_in_state(Worker *worker, uint32_t word) {
  return atomic_load_explicit(&worker->word, memory_order_acquire) == word;
}

/* Spin until a worker is in a state or the time is up, but not if there are more threads than CPUs;
 * return whether it is. */
static bool spin(Worker *worker, uint32_t word) {
  if (is_in_state(worker, word)) return true;
  if (started + larger(callers, 1) > relay_pool_cpus) return false;
  int64_t end = now() + SPIN_NANOSECONDS;
  do {
    for (int polls = 0; polls < 64; polls++) { /* the clock is read once per 64 polls */
      if (is_in_state(worker, word)) return true;
      pause_briefly();
    }
    yield(); /* the awaited thread may need this CPU */
  } while (now() < end);
  return false;
}

static bool is_stopping(const KernelRecord *record) {
  return record != NULL && record->look != NULL &&
         atomic_load_explicit(&record->call->stop, memory_order_relaxed) != 0;
}

/* Sleep until the word of a worker changes, at most for a while if there is a record, whose caller
 * then looks. */
static void doze(Worker *worker, KernelRecord *record) {
  if (record == NULL) {
    sleep_until_woken(&worker->changed, &worker->lock);
    return;
  }
  sleep_at_most(&worker->changed, &worker->lock, LOOK_NANOSECONDS);
  if (is_stopping(record)) {
    lock_leave(&worker->lock);
    record->look(record->call);
    lock_enter(&worker->lock);
  }
}

/* Wait until a worker is in a state, or until the pool is reset. */
static void await(Worker *worker, uint32_t word, KernelRecord *record) {
  uint64_t before = epoch;
  if (spin(worker, word)) return;
  lock_enter(&worker->lock);
  atomic_fetch_add(&worker->sleepers, 1);
  while (atomic_load(&worker->word) != word && epoch == before) doze(worker, record);
  atomic_fetch_sub(&worker->sleepers, 1);
  lock_leave(&worker->lock);
}

/* Change the state of a worker, and wake the thread that sleeps until then. */
static void change(Worker *worker, uint32_t word) {
  atomic_store(&worker->word, word);
  if (atomic_load(&worker->sleepers) != 0) {
    lock_enter(&worker->lock); /* the sleeper is inside the wait from here on */
    wake_all(&worker->changed);
    lock_leave(&worker->lock);
  }
}

/* ---- workers ---- */

static bool ends_early(const Loop *loop) {
  return loop->record != NULL &&
         atomic_load_explicit(&loop->record->number, memory_order_relaxed) != 0;
}

/* Run a chunk; the last one has the rest of the iterations, too. */
static void run_chunk(const Loop *loop, int64_t chunk, int64_t worker) {
  int64_t begin = chunk * loop->grain;
  int64_t end = chunk == loop->chunks - 1 ? loop->count : begin + loop->grain;
  loop->body(loop->closure, begin, end, worker);
}

/* Run the chunks of the own share, then those that are left in the others. */
static void run_chunks(const Loop *loop, int64_t worker) {
  for (int64_t turn = 0, owner = worker; turn < loop->threads; turn++) {
    Share *share = &loop->shares[owner];
    for (;;) {
      int64_t taken = atomic_fetch_add_explicit(&share->next, 1, memory_order_relaxed);
      if (taken >= share->end || ends_early(loop)) break;
      run_chunk(loop, loop->backwards ? share->first + share->end - 1 - taken : taken, worker);
    }
    owner = owner + 1 == loop->threads ? 0 : owner + 1;
  }
}

static ThreadResult work(void *argument) {
  Worker *self = argument;
  for (;;) {
    await(self, OFFERED, NULL);
    uint32_t word = OFFERED;
    if (!atomic_compare_exchange_strong(&self->word, &word, RUNNING)) continue; /* withdrawn */
    run_chunks(self->loop, self->number);
    change(self, DONE);
  }
  return 0;
}

/* Start workers up to `wanted`, or to the limit of the system. */
static void grow(int64_t wanted) {
  bool free = false;
  if (started >= wanted || !atomic_compare_exchange_strong(&growing, &free, true)) return;
  for (; started < wanted; started++) {
    Worker *worker = &workers[started];
    Thread thread;
    lock_init(&worker->lock);
    condition_init(&worker->changed);
    worker->word = IDLE;
    worker->sleepers = 0;
    if (!thread_start(&thread, work, worker, 0)) break;
    thread_detach(thread);
  }
  growing = false;
}

/* ---- loops ---- */

/* Claim idle workers, at most `wanted`; return how many. */
static int64_t claim(Worker **claimed, int64_t wanted) {
  int64_t count = 0, all = started;
  for (int64_t index = 0; index < all && count < wanted; index++) {
    uint32_t word = IDLE;
    if (is_in_state(&workers[index], IDLE) &&
        atomic_compare_exchange_strong(&workers[index].word, &word, CLAIMED)) {
      claimed[count++] = &workers[index];
    }
  }
  return count;
}

/* Release a worker, which may not have begun; return whether it still exists: not in a process that
 * was forked during the loop. */
static bool release(Worker *worker, Loop *loop) {
  if (epoch != loop->epoch) return false;
  uint32_t word = OFFERED;
  if (atomic_compare_exchange_strong(&worker->word, &word, IDLE)) return true;
  await(worker, DONE, loop->record);
  if (epoch != loop->epoch) return false;
  atomic_store_explicit(&worker->word, IDLE, memory_order_release);
  return true;
}

/* Give each thread a share of adjacent chunks. */
static void divide(Loop *loop) {
  int64_t each = loop->chunks / loop->threads, rest = loop->chunks % loop->threads;
  for (int64_t thread = 0; thread < loop->threads; thread++) {
    int64_t first = each * thread + smaller(rest, thread);
    loop->shares[thread].next = loop->shares[thread].first = first;
    loop->shares[thread].end = first + each + (thread < rest);
  }
}

/* Run a loop with claimed workers; return 0, or that it was stopped because they got lost. */
static int32_t run_with(Loop *loop, Worker **claimed) {
  Share shares[loop->threads];
  loop->shares = shares;
  divide(loop);
  for (int64_t index = 0; index < loop->threads - 1; index++) {
    claimed[index]->loop = loop, claimed[index]->number = index + 1;
    change(claimed[index], OFFERED);
  }
  run_chunks(loop, 0);
  bool complete = true;
  for (int64_t index = 0; index < loop->threads - 1; index++) {
    complete &= release(claimed[index], loop);
  }
  return complete ? 0 : RELAY_STOPPED;
}

static __attribute__((noinline)) int32_t run_shared(Loop *loop, int64_t wanted) {
  Worker *claimed[wanted];
  int32_t status = 0;
  callers++;
  grow(larger(wanted, smaller(wanted * callers, relay_pool_cpus - 1)));
  loop->threads = claim(claimed, wanted) + 1;
  if (loop->threads > 1) {
    status = run_with(loop, claimed);
  } else {
    loop->body(loop->closure, 0, loop->count, 0);
  }
  if (epoch == loop->epoch) callers--;
  return status;
}

/* ---- entry points ---- */

/* Call body(closure, begin, end, worker) for disjoint ranges that cover 0…count: chunks of `grain`
 * iterations, or fewer than twice as many, on up to `limit` threads, with worker < min(limit,
 * capacity). A thread takes its chunks from the last to the first if the loop runs backwards. Return
 * 0, or RELAY_STOPPED in a process that was forked by a callback of the loop, without workers. */
int32_t relay_pool_run(Body *body, void *closure, int64_t count, int64_t grain, int32_t backwards,
                       int64_t limit, KernelRecord *record) {
  grain = larger(grain, 1);
  int64_t chunks = count / grain;
  int64_t wanted = smaller(smaller(limit, RELAY_CAPACITY), chunks) - 1;
  if (wanted > 0) {
    Loop loop = {body, closure, record, count, grain, chunks, 1, backwards != 0, epoch, NULL};
    return run_shared(&loop, wanted);
  }
  if (count > 0) body(closure, 0, count, 0);
  return 0;
}

/* Reset the pool to a state without workers, in the child of a fork. */
void relay_pool_reset(void) {
  started = callers = 0;
  growing = false;
  epoch++;
}

/* Return the number of existing threads, including the caller. */
int64_t relay_pool_started(void) { return started + 1; }

/* Return the time in nanoseconds of a clock that never goes back. */
int64_t relay_pool_now(void) { return now(); }
