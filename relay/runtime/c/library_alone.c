/* The loops of a library on a machine without threads: on the thread of the caller. */
#include "library.h"

int64_t relay_threads = 1;

void relay_prepare_threads(int64_t threads) { (void)threads; }

int32_t relay_parallel_for(Body *body, void *closure, int64_t count, int64_t grain,
                           int32_t backwards, KernelRecord *record) {
  (void)grain, (void)backwards, (void)record;
  if (count > 0) body(closure, 0, count, 0);
  return 0;
}
