/* The structures and functions that native programs, kernels, this runtime and Python share.
 *
 * A pointer takes 8 bytes on every machine, so that offsets do not depend on the machine.
 */
#ifndef RELAY_H
#define RELAY_H

#include <stdbool.h>
#include <stdint.h>

/* Smaller words are tags of constructors without fields, not addresses of blocks. */
#define RELAY_TAGS 4096

/* A cache line, to which kernels want their memory to be aligned. */
#define LINE 64

/* A field of a structure: a pointer padded to 8 bytes. */
#define POINTER(type, name) union { type name; uint64_t name##_bits; }

/* Traps that all programs have: see `relay.runtime.code.traps`. */
#define RELAY_STACK_EXHAUSTED 2
#define RELAY_INTERRUPTED 5

/* The status of a kernel that was stopped. */
#define RELAY_STOPPED -1

/* The most threads that one loop can use. */
#define RELAY_CAPACITY 256

typedef struct Context Context;
typedef struct Block Block;
typedef struct ControlBlock ControlBlock;

/* A callback: return 0 to continue the program, or the trap with which it stops. */
typedef int32_t Look(ControlBlock *call);
typedef void Notice(ControlBlock *call);

/* What the caller of a program shares with it; the last 64 bytes of the program's arena. */
struct ControlBlock {
  _Atomic(uint32_t) stop;    /* not 0: the program calls `look`, or stops if that is null */
  _Atomic(uint32_t) stopped; /* the trap with which the call stops, 0 until then */
  uint64_t keep_bytes;       /* heap bytes to keep for the next call */
  uint64_t kept_bytes;       /* heap bytes kept */
  POINTER(void *, kept);     /* their segments */
  POINTER(Look *, look);
  POINTER(Notice *, wait);   /* the program continues in another thread; return when that ends */
  POINTER(Notice *, ended);  /* called in that thread at its end */
  int32_t request;           /* of that thread: 1 to look, 2 when it has ended */
  int32_t answer;
};

/* The start of the workspace of a kernel that reports faults or that may run long. */
typedef struct {
  _Atomic(int64_t) number;           /* the operator's, of the fault; 0 for none */
  int64_t axis, index, size;         /* the rest of the fault */
  POINTER(ControlBlock *, call);     /* its first word is polled */
  POINTER(Look *, look);             /* null: a call whose word is set stops at once */
  uint64_t never;                    /* the word of kernels that nobody stops */
} KernelRecord;

/* Release the references that a block of one layout holds. */
typedef void Children(Context *context, Block *block);

/* The head of a block of a program's heap; what follows depends on its layout. */
struct Block {
  uint32_t count;
  uint16_t size_class, tag;
  POINTER(Children *, children); /* null if it holds no references */
  union {
    POINTER(Block *, next); /* of a free block; other blocks use the word for themselves */
    int64_t mark;           /* not 0 in a block of an argument that is not complete */
  };
};

/* The body of a parallel loop; `worker` is 0 in the thread that runs the kernel. */
typedef void Body(void *closure, int64_t begin, int64_t end, int64_t worker);

/* The entry of a program. */
typedef int32_t Entry(void **inputs, void **outputs, const void *constants, void *arena,
                      void *workspace);

int32_t relay_pool_run(Body *body, void *closure, int64_t count, int64_t grain, int32_t backwards,
                       int64_t limit, KernelRecord *record);
void relay_pool_reset(void);
int64_t relay_pool_started(void);
int64_t relay_pool_now(void);
extern _Atomic(int64_t) relay_pool_cpus;

ControlBlock *relay_watch(ControlBlock *call);
int32_t relay_unwatch(ControlBlock *call, ControlBlock *outer);
int32_t relay_guarded(Entry *entry, void **inputs, void **outputs, const void *constants,
                      void *arena, void *workspace, ControlBlock *call);
void relay_reset(void);

#endif
