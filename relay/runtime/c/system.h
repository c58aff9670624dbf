/* Threads, locks and clocks of the system: POSIX or Windows. */
#ifndef RELAY_SYSTEM_H
#define RELAY_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SECOND 1000000000LL
#define MILLISECOND 1000000LL

#ifdef _WIN32

/* Declared here, because functions of its headers are called through tables of imports, which code
 * that is linked into a running process does not have. */
typedef struct {
  void *state;
} Lock, Condition;
typedef void *Thread;
typedef uint32_t ThreadResult;
typedef ThreadResult ThreadBody(void *argument);

#define FOREVER 0xFFFFFFFF
#define STACK_IS_RESERVED 0x10000 /* pages are committed when used */

void InitializeSRWLock(Lock *lock);
void AcquireSRWLockExclusive(Lock *lock);
void ReleaseSRWLockExclusive(Lock *lock);
void InitializeConditionVariable(Condition *condition);
int SleepConditionVariableSRW(Condition *condition, Lock *lock, uint32_t milliseconds,
                              uint32_t flags);
void WakeAllConditionVariable(Condition *condition);
Thread CreateThread(void *security, size_t stack_bytes, ThreadBody *body, void *argument,
                    uint32_t flags, uint32_t *number);
uint32_t WaitForSingleObject(Thread thread, uint32_t milliseconds);
int CloseHandle(Thread thread);
uint32_t GetCurrentThreadId(void);
int SwitchToThread(void);
void Sleep(uint32_t milliseconds);
int QueryPerformanceCounter(int64_t *ticks);
int QueryPerformanceFrequency(int64_t *ticks_per_second);

static inline void lock_init(Lock *lock) { InitializeSRWLock(lock); }
static inline void lock_enter(Lock *lock) { AcquireSRWLockExclusive(lock); }
static inline void lock_leave(Lock *lock) { ReleaseSRWLockExclusive(lock); }

static inline void condition_init(Condition *condition) { InitializeConditionVariable(condition); }
static inline void wake_all(Condition *condition) { WakeAllConditionVariable(condition); }

static inline void sleep_until_woken(Condition *condition, Lock *lock) {
  SleepConditionVariableSRW(condition, lock, FOREVER, 0);
}

static inline void sleep_at_most(Condition *condition, Lock *lock, int64_t nanoseconds) {
  SleepConditionVariableSRW(condition, lock, (uint32_t)(nanoseconds / MILLISECOND), 0);
}

/* Start a thread with a stack of some bytes, or the usual ones for 0; return whether it runs. */
static inline bool thread_start(Thread *thread, ThreadBody *body, void *argument, size_t bytes) {
  *thread = CreateThread(NULL, bytes, body, argument, bytes == 0 ? 0 : STACK_IS_RESERVED, NULL);
  return *thread != NULL;
}

static inline void thread_detach(Thread thread) { CloseHandle(thread); }

static inline void thread_join(Thread thread) {
  WaitForSingleObject(thread, FOREVER);
  CloseHandle(thread);
}

static inline uint64_t this_thread(void) { return GetCurrentThreadId(); }
static inline void yield(void) { SwitchToThread(); }
static inline void nap(int64_t nanoseconds) { Sleep((uint32_t)(nanoseconds / MILLISECOND)); }

static inline int64_t now(void) {
  int64_t ticks, each;
  QueryPerformanceCounter(&ticks);
  QueryPerformanceFrequency(&each);
  return ticks / each * SECOND + ticks % each * SECOND / each;
}

#else

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

typedef pthread_mutex_t Lock;
typedef pthread_cond_t Condition;
typedef pthread_t Thread;
typedef void *ThreadResult;
typedef ThreadResult ThreadBody(void *argument);

static inline void lock_init(Lock *lock) { pthread_mutex_init(lock, NULL); }
static inline void lock_enter(Lock *lock) { pthread_mutex_lock(lock); }
static inline void lock_leave(Lock *lock) { pthread_mutex_unlock(lock); }

static inline void condition_init(Condition *condition) { pthread_cond_init(condition, NULL); }
static inline void wake_all(Condition *condition) { pthread_cond_broadcast(condition); }

static inline void sleep_until_woken(Condition *condition, Lock *lock) {
  pthread_cond_wait(condition, lock);
}

static inline void sleep_at_most(Condition *condition, Lock *lock, int64_t nanoseconds) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  nanoseconds += until.tv_nsec;
  until.tv_sec += nanoseconds / SECOND;
  until.tv_nsec = nanoseconds % SECOND;
  pthread_cond_timedwait(condition, lock, &until);
}

/* Start a thread with a stack of some bytes, or the usual ones for 0; return whether it runs.
 * Signals are blocked in it: they belong to the threads of the caller's program. */
static inline bool thread_start(Thread *thread, ThreadBody *body, void *argument, size_t bytes) {
  sigset_t all, old;
  pthread_attr_t attributes;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pthread_attr_init(&attributes);
  if (bytes != 0) pthread_attr_setstacksize(&attributes, bytes);
  bool runs = pthread_create(thread, &attributes, body, argument) == 0;
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return runs;
}

static inline void thread_detach(Thread thread) { pthread_detach(thread); }
static inline void thread_join(Thread thread) { pthread_join(thread, NULL); }
static inline uint64_t this_thread(void) { return (uint64_t)(uintptr_t)pthread_self(); }
static inline void yield(void) { sched_yield(); }

static inline void nap(int64_t nanoseconds) {
  struct timespec pause = {nanoseconds / SECOND, nanoseconds % SECOND};
  nanosleep(&pause, NULL);
}

static inline int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * SECOND + time.tv_nsec;
}

#endif

#endif
