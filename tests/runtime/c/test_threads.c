/* The thread pool and the interrupts, with a Python that only counts, and a race that is seeded. */
#include "../../../relay/runtime/c/python_api.h"
#include "../../../relay/runtime/c/relay.h"
#include "../../../relay/runtime/c/system.h"
#include "check.h"

#include <stdatomic.h>

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

extern PyObject *relay_raised;

/* ---- Python ---- */

static _Atomic(int) looks, signals; /* checks so far, and signals that wait */
static PyObject exception;

int PyGILState_Ensure(void) { return 7; }
void PyGILState_Release(int state) { CHECK(state == 7); }
int PyErr_CheckSignals(void) {
  looks++;
  if (signals == 0) return 0;
  signals--;
  return -1;
}
void PyErr_Fetch(PyObject **type, PyObject **value, PyObject **trace) {
  *type = *value = &exception, *trace = NULL;
}
void PyErr_NormalizeException(PyObject **type, PyObject **value, PyObject **trace) {
  (void)type, (void)value, (void)trace;
}
int PyException_SetTraceback(PyObject *value, PyObject *trace) {
  (void)value, (void)trace;
  return 0;
}
void Py_DecRef(PyObject *object) { (void)object; }

/* ---- the pool ---- */

enum { COUNT = 1000 };

static int counts[COUNT];
static void mark(void *closure, int64_t begin, int64_t end, int64_t worker) {
  (void)worker;
  for (int64_t index = begin; index < end; index++) ((int *)closure)[index]++;
}

static ThreadResult caller(void *argument) {
  int own[COUNT] = {0};
  (void)argument;
  for (int round = 1; round <= 200; round++) {
    CHECK(relay_pool_run(mark, own, COUNT, 7, round % 2, 3, NULL) == 0);
    for (int index = 0; index < COUNT; index++) CHECK(own[index] == round);
  }
  return 0;
}

static void several_callers(void) {
  Thread threads[3];
  for (int index = 0; index < 3; index++) CHECK(thread_start(&threads[index], caller, NULL, 0));
  caller(NULL);
  for (int index = 0; index < 3; index++) thread_join(threads[index]);
}

/* ---- interrupts ---- */

static void pause_briefly(void) { nap(MILLISECOND); }

/* A program that polls, as programs and kernels do, until it is told to stop or 2 s pass. */
static int32_t endless(void **inputs, void **outputs, const void *constants, void *arena,
                       void *workspace) {
  ControlBlock *call = arena;
  (void)inputs, (void)outputs, (void)constants, (void)workspace;
  for (int round = 0; round < 2000; round++) {
    int32_t status = call->stop == 0 ? 0 : call->look(call);
    if (status != 0) return status;
    pause_briefly();
  }
  return 0;
}

static _Atomic(bool) begun;

/* The caller waits for the worker, and looks meanwhile. */
static void poll_until_stopped(void *closure, int64_t begin, int64_t end, int64_t worker) {
  KernelRecord *record = closure;
  (void)begin, (void)end;
  if (worker == 0) {
    while (!begun) pause_briefly();
    return;
  }
  begun = true;
  for (int round = 0; round < 2000; round++) {
    if (record->call->stop != 0 && record->call->stopped != 0) return;
    pause_briefly();
  }
  CHECK(!"the worker was stopped");
}

static int32_t parallel(void **inputs, void **outputs, const void *constants, void *arena,
                        void *workspace) {
  ControlBlock *call = arena;
  KernelRecord record = {.call = call, .look = call->look};
  (void)inputs, (void)outputs, (void)constants, (void)workspace;
  return relay_pool_run(poll_until_stopped, &record, 2, 1, 0, 2, &record);
}

static int32_t run(Entry *entry) {
  ControlBlock block = {0};
  return relay_guarded(entry, NULL, NULL, NULL, &block, NULL, &block);
}

static void interrupts(void) {
  signals = 1;
  CHECK(run(endless) == RELAY_INTERRUPTED && relay_raised == &exception && signals == 0);
  CHECK(looks > 0);
  signals = 1;
  CHECK(run(parallel) == RELAY_INTERRUPTED && signals == 0);
}

static int32_t short_program(void **inputs, void **outputs, const void *constants, void *arena,
                             void *workspace) {
  (void)inputs, (void)outputs, (void)constants, (void)arena, (void)workspace;
  return 0;
}

static void many_short_calls(void) {
  for (int round = 0; round < 20000; round++) {
    signals = 0;
    CHECK(run(short_program) == 0);
  }
}

static void units(void) {
  several_callers();
  CHECK(relay_pool_started() >= 3 && relay_pool_started() <= 4);
  interrupts();
  many_short_calls();
}

/* ---- forks ---- */

#ifdef _WIN32

static void with_fork(void) { units(); }

#else

static void fork_and_go_on(void) {
  pid_t child = fork();
  if (child == 0) {
    relay_pool_reset();
    relay_reset();
    memset(counts, 0, sizeof counts);
    CHECK(relay_pool_run(mark, counts, COUNT, 1, 0, 2, NULL) == 0 && counts[COUNT - 1] == 1);
    signals = 1;
    CHECK(run(endless) == RELAY_INTERRUPTED);
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* A callback that forks while a worker runs. */

static pid_t child_of_callback;
static _Atomic(bool) forked;

static int32_t fork_now(ControlBlock *call) {
  call->stop = 0;
  child_of_callback = fork();
  if (child_of_callback == 0) relay_pool_reset();
  forked = true;
  return 0;
}

static void hold(void *closure, int64_t begin, int64_t end, int64_t worker) {
  (void)closure, (void)begin, (void)end;
  if (worker != 0) begun = true;
  while (worker == 0 ? !begun : !forked) pause_briefly();
}

static void fork_in_a_callback(void) {
  ControlBlock block = {.stop = 1};
  KernelRecord record = {.call = &block, .look = fork_now};
  begun = forked = false;
  int32_t status = relay_pool_run(hold, NULL, 2, 1, 0, 2, &record);
  if (child_of_callback == 0) {
    memset(counts, 0, sizeof counts);
    CHECK(status == RELAY_STOPPED);
    CHECK(relay_pool_run(mark, counts, COUNT, 1, 0, 2, NULL) == 0 && counts[COUNT - 1] == 1);
    _exit(0);
  }
  CHECK(status == 0);
  CHECK(waitpid(child_of_callback, &status, 0) == child_of_callback && status == 0);
}

static void with_fork(void) {
  units();
  fork_and_go_on();
  fork_in_a_callback();
}

#endif

/* ---- a seeded race ---- */

static int shared;
static void add(void *closure, int64_t begin, int64_t end, int64_t worker) {
  (void)closure, (void)begin, (void)end;
  if (worker != 0) begun = true;
  while (!begun) pause_briefly(); /* or one thread might do all the work */
  shared++;
}

static void race(void) { relay_pool_run(add, NULL, 2, 1, 0, 2, NULL); }

int main(int count, char **arguments) {
  static const TestCase cases[] = {{"units", units}, {"with fork", with_fork}, {"race", race}};
  relay_pool_cpus = 4;
  relay_reset();
  return count == 2 ? run_case(cases, 3, arguments[1]) : 2;
}
