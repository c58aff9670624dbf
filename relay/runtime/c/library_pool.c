/* The loops of a library that uses threads: it has a pool of its own. */
#include "library.h"

#include <pthread.h>
#include <stdatomic.h>

int64_t relay_threads = 1;

/* The caller wants as many threads as it has CPUs for them. */
void relay_prepare_threads(int64_t threads) {
  static _Atomic(bool) ready;
  relay_pool_cpus = threads;
  if (!atomic_exchange(&ready, true)) pthread_atfork(NULL, NULL, relay_pool_reset);
}

int32_t relay_parallel_for(Body *body, void *closure, int64_t count, int64_t grain,
                           int32_t backwards, KernelRecord *record) {
  return relay_pool_run(body, closure, count, grain, backwards, relay_threads, record);
}
