/* The door of a program to the thread pool: each program links a copy with its own limit. */
#include "relay.h"

int64_t relay_threads = 1;

int32_t relay_parallel_for(Body *body, void *closure, int64_t count, int64_t grain,
                           int32_t backwards, KernelRecord *record) {
  return relay_pool_run(body, closure, count, grain, backwards, relay_threads, record);
}
