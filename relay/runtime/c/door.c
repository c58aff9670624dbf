/* The door of a program to the thread pool: each program links a copy with its own limit. */
#include "relay.h"

int64_t relay_threads = 1;

int32_t relay_parallel_for(Body *body, void *closure, int64_t count, KernelRecord *record) {
  return relay_pool_run(body, closure, count, relay_threads, record);
}
