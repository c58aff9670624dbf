/* Signals while native code runs: the program periodically lets Python check for them.
 *
 * Python records a signal, and calls its handlers at the next check in its main thread, which does
 * not happen while native code runs there. So a watching thread, which mostly sleeps, sets the stop
 * word that the program polls, and the program then lets Python check. An exception from a handler
 * stops the program; a handler that returns does not.
 */
#include "python_api.h"
#include "relay.h"
#include "system.h"

#include <stdatomic.h>

/* Nanoseconds between checks: short enough for users, and if another thread never releases the GIL,
 * waiting 5 ms for it costs a fifth at most. */
#define PAUSE_NANOSECONDS (20 * MILLISECOND)

#define IDLE_ROUNDS 40 /* pauses without a call after which the thread sleeps until the next call */

PyObject *relay_raised; /* the exception of a handler */

static _Atomic(ControlBlock *) watched; /* the control block of the call in the main thread */
static _Atomic(bool) setting;           /* whether the watching thread sets a stop word */
static _Atomic(bool) sleeps;            /* whether it sleeps until the next call */
static _Atomic(bool) started;
static uint64_t owner; /* the main thread, in which a call is watched */
static Lock lock, far_lock;
static Condition next_call, far_news;

/* ---- check for signals ---- */

/* Keep the exception that is set, normalized. */
static void keep_exception(void) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace != NULL) {
    PyException_SetTraceback(value, trace);
    Py_DecRef(trace);
  }
  Py_DecRef(type);
  relay_raised = value;
}

/* Let Python check for signals, in the main thread. */
static int32_t look_here(ControlBlock *call) {
  if (call->stopped != 0) return (int32_t)call->stopped;
  call->stop = 0; /* first, so that later requests are not lost */
  int state = PyGILState_Ensure();
  if (PyErr_CheckSignals() != 0) {
    keep_exception();
    call->stopped = RELAY_INTERRUPTED;
    call->stop = 1; /* workers of a loop read the word before `stopped` */
  }
  PyGILState_Release(state);
  return (int32_t)call->stopped;
}

/* Let the main thread look while a deep program runs in this other thread. */
static int32_t look_there(ControlBlock *call) {
  lock_enter(&far_lock);
  call->request = 1;
  wake_all(&far_news);
  while (call->request != 0) sleep_until_woken(&far_news, &far_lock);
  int32_t answer = call->answer;
  lock_leave(&far_lock);
  return answer;
}

static int32_t look(ControlBlock *call) {
  return this_thread() == owner ? look_here(call) : look_there(call);
}

/* Wait for the other thread of a call to end, and look whenever it requests that. */
static void wait_for_end(ControlBlock *call) {
  lock_enter(&far_lock);
  while (call->request != 2) {
    if (call->request == 0) {
      sleep_until_woken(&far_news, &far_lock);
      continue;
    }
    lock_leave(&far_lock); /* a handler may run another deep program */
    int32_t answer = look_here(call);
    lock_enter(&far_lock);
    call->answer = answer;
    call->request = 0;
    wake_all(&far_news);
  }
  lock_leave(&far_lock);
}

static void ended(ControlBlock *call) {
  lock_enter(&far_lock);
  call->request = 2;
  wake_all(&far_news);
  lock_leave(&far_lock);
}

/* ---- watching thread ---- */

/* Set the stop word of the watched call; return whether there is one. The caller of a program waits
 * for `setting` before it frees the control block. */
static bool set_word(void) {
  setting = true;
  ControlBlock *call = watched;
  if (call != NULL) call->stop = 1;
  setting = false;
  return call != NULL;
}

static void sleep_until_call(void) {
  lock_enter(&lock);
  sleeps = true;
  while (watched == NULL) sleep_until_woken(&next_call, &lock);
  sleeps = false;
  lock_leave(&lock);
}

static ThreadResult watch_calls(void *nothing) {
  (void)nothing;
  int idle = 0;
  for (;;) {
    nap(PAUSE_NANOSECONDS);
    idle = set_word() ? 0 : idle + 1;
    if (idle > IDLE_ROUNDS) {
      sleep_until_call();
      idle = 0;
    }
  }
  return 0;
}

static bool start(void) {
  Thread thread;
  bool runs = thread_start(&thread, watch_calls, NULL, 0);
  if (runs) thread_detach(thread);
  return runs;
}

static void wake(void) {
  lock_enter(&lock);
  if (!started) started = start();
  wake_all(&next_call);
  lock_leave(&lock);
}

/* ---- entry points ---- */

/* Watch a call in the main thread, so that Python can check for signals while it runs; return the
 * call that was watched. A handler may make another call; the outer one is watched again then. */
ControlBlock *relay_watch(ControlBlock *call) {
  call->look = look, call->wait = wait_for_end, call->ended = ended;
  call->request = 0;
  owner = this_thread();
  ControlBlock *outer = atomic_exchange(&watched, call);
  if (sleeps || !started) wake();
  return outer;
}

/* Watch the outer call again; return the trap with which the inner one stopped, or was too late to
 * stop: then there is an exception, too. */
int32_t relay_unwatch(ControlBlock *call, ControlBlock *outer) {
  atomic_store(&watched, outer);
  while (setting) yield();
  int32_t stopped = (int32_t)call->stopped;
  call->look = NULL, call->wait = NULL, call->ended = NULL;
  call->stop = call->stopped = 0;
  return stopped;
}

/* Call a program's entry in the main thread, watched. */
int32_t relay_guarded(Entry *entry, void **inputs, void **outputs, const void *constants,
                      void *arena, void *workspace, ControlBlock *call) {
  ControlBlock *outer = relay_watch(call);
  int32_t status = entry(inputs, outputs, constants, arena, workspace);
  int32_t stopped = relay_unwatch(call, outer);
  return status == 0 ? stopped : status;
}

/* Reset to a state without a thread: at the start, and in the child of a fork. A call in the
 * forking thread continues there. */
void relay_reset(void) {
  lock_init(&lock);
  lock_init(&far_lock);
  condition_init(&next_call);
  condition_init(&far_news);
  started = sleeps = setting = false;
  if (this_thread() != owner) watched = NULL;
}
