/* The start and the end of a program with a heap.
 *
 * The context is at the start of the arena, followed by the first segment of the heap, so that small
 * programs never allocate memory. A program that keeps its results keeps the heap until
 * `relay_finish` is called; otherwise all memory is freed when the call ends, with or without a trap.
 *
 * A program that exhausts the caller's stack starts again in a thread with a large stack: nothing
 * that it has done until then is visible outside. The system guards the end of that stack.
 * WebAssembly keeps calls on a separate stack that is invisible to programs: the context counts the
 * remaining bytes of that stack instead of holding an address.
 */
#define _GNU_SOURCE
#include "heap.h"

#include <stddef.h>

#define NEAR_BYTES (192 << 10)   /* used of the caller's stack, if it has that many */
#define KERNEL_BYTES (48 << 10)  /* for kernels, which do not check a small stack */
#define FAR_BYTES (1 << 29)      /* address space only: pages are committed when used */
#define MARGIN (1 << 20)         /* bytes of the big stack for kernels and the system */
#define COUNTED_BYTES (640 << 10) /* of WebAssembly calls: browsers and Node have about a megabyte */

static void begin(Context *context, const void *constants, KernelRecord *workspace,
                       char *limit) {
  char *first = (char *)context + CONTEXT_BYTES;
  __builtin_memset(context, 0, sizeof(Context));
  context->constants = constants;
  context->workspace = workspace;
  context->limit = limit;
  context->next = is_block(first) ? first : (char *)RELAY_TAGS; /* smaller values are tags */
  context->end = (char *)control_of(context);
  POISON(context->next, context->end - context->next);
  workspace->call = control_of(context);
  workspace->look = control_of(context)->look;
}

/* Free all segments but the first, or keep them for the next call; the count of live blocks remains
 * for inspection. The oldest segment comes first in the list of kept ones, so that a call with the
 * same allocations as the previous one finds segments in the order in which it needs them. */
int32_t relay_finish(Context *context) {
  ControlBlock *call = control_of(context);
  UNPOISON(context, (char *)call - (char *)context);
  while (context->segments != NULL) {
    Segment *segment = context->segments;
    context->segments = segment->next;
    UNPOISON(segment, segment->bytes);
    if (call->kept_bytes + (uint64_t)segment->bytes <= call->keep_bytes) {
      call->kept_bytes += (uint64_t)segment->bytes;
      segment->next = call->kept;
      call->kept = segment;
    } else {
      free(segment);
    }
  }
  return 0;
}

/* Free the segments that were kept for a next call. */
int32_t relay_forget(Context *context) {
  ControlBlock *call = control_of(context);
  while (call->kept != NULL) {
    Segment *segment = call->kept;
    call->kept = segment->next;
    free(segment);
  }
  call->kept_bytes = 0;
  return 0;
}

/* Run the program once; the heap is finished unless the caller still has to read results on it. */
static int32_t run(Context *context, void **inputs, void **outputs) {
  int32_t status = relay_border(context, inputs, outputs);
  if (status != 0 || !relay_keeps_results) relay_finish(context);
  return status;
}

#ifdef __wasm__

int32_t relay_run(void **inputs, void **outputs, const void *constants, void *arena,
                  void *workspace) {
  begin(arena, constants, workspace, (char *)COUNTED_BYTES);
  return run(arena, inputs, outputs);
}

#else

#include "system.h"

#ifdef __linux__
#include <stdatomic.h>
#include <unistd.h>
#endif

/* The operands of `relay_run`, and its status. */
typedef struct {
  void **inputs, **outputs;
  const void *constants;
  Context *context;
  KernelRecord *workspace;
  int32_t status;
} Far;

static void tell(Notice *notice, Context *context) {
  if (notice != NULL) notice(control_of(context));
}

static ThreadResult run_far(void *argument) {
  Far *far = argument;
  char *limit = (char *)__builtin_frame_address(0) - (FAR_BYTES - MARGIN);
  begin(far->context, far->constants, far->workspace, limit);
  far->status = run(far->context, far->inputs, far->outputs);
  tell(control_of(far->context)->ended, far->context);
  return 0;
}

/* Run in a thread with a large stack, and wait for it; without a thread do nothing. */
static void run_elsewhere(Far *far) {
  Thread thread;
  if (!thread_start(&thread, run_far, far, FAR_BYTES)) return;
  tell(control_of(far->context)->wait, far->context);
  thread_join(thread);
}

/* Return the lowest address that a program may use of its caller's stack: `low`, or the stack's end
 * if that is above. The main thread has a large stack; for other threads the system is queried.
 * Whether a thread is the main one is determined once, because that takes as long as a short
 * program. */
static char *stack_limit(char *low) {
#ifdef __linux__
  static _Atomic(pthread_t) main_thread;
  pthread_t self = pthread_self();
  pthread_attr_t attributes;
  void *begin;
  size_t bytes;
  if (self == atomic_load_explicit(&main_thread, memory_order_relaxed)) return low;
  if (getpid() == gettid()) {
    atomic_store_explicit(&main_thread, self, memory_order_relaxed);
    return low;
  }
  if (pthread_getattr_np(self, &attributes) != 0) return low;
  pthread_attr_getstack(&attributes, &begin, &bytes);
  pthread_attr_destroy(&attributes);
  char *edge = (char *)begin + KERNEL_BYTES;
  if (edge > low) return edge;
#endif
  return low;
}

/* The entry of the program. */
int32_t relay_run(void **inputs, void **outputs, const void *constants, void *arena,
                  void *workspace) {
  char *low = (char *)__builtin_frame_address(0) - NEAR_BYTES;
  begin(arena, constants, workspace, relay_asks_stack ? stack_limit(low) : low);
  int32_t status = run(arena, inputs, outputs);
  if (status != RELAY_STACK_EXHAUSTED && status < relay_exhausted_from) return status;
  Far far = {inputs, outputs, constants, arena, workspace, status};
  run_elsewhere(&far);
  return far.status;
}

#endif
