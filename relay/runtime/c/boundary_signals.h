/* Signals during the work at the call boundary, whose length grows with the values. */
#ifndef RELAY_BOUNDARY_SIGNALS_H
#define RELAY_BOUNDARY_SIGNALS_H

#include "boundary.h"

#define MOST_WORK 4096  /* between two checks for signals, in a millisecond or two */
#define WORK_BYTES 1024 /* copied in about the time of one field */

/* Count work, and let Python handle signals, which it does in the main thread only, after enough of
 * it; return false if a handler raised an exception. */
static bool goes_on(Call *call, int64_t work) {
  call->work += work;
  if (call->work < MOST_WORK) return true;
  call->work = 0;
  call->interrupted = PyErr_CheckSignals() != 0;
  return !call->interrupted;
}

#endif
