/* The heap of one running program, and the constants of the program that it is linked into.
 *
 * Blocks are multiples of 64 bytes, are carved from segments of the C library's memory, and return
 * to the free list of their size class. A pointer below RELAY_TAGS is not a block: it is null, or
 * the tag of a constructor without fields.
 */
#ifndef RELAY_HEAP_H
#define RELAY_HEAP_H

#include "relay.h"
#include "sanitizers.h"

#include <stddef.h>

#define UNIT 64                     /* bytes of a block: a cache line, and the widest vector */
#define SMALL_UNITS 16
#define CLASSES 136                 /* size classes: 16 small ones, then four per power of two */
#define LARGEST_BYTES (1LL << 40)   /* of a block: the largest size class */
#define SEGMENT_BYTES (1LL << 20)   /* the first segment, which is in the arena */
#define LARGEST_SEGMENT (16LL << 20)
#define HEADER_BYTES 24
#define DATA_OFFSET 64 /* of a tensor's elements in its block */

#ifdef _WIN32 /* where aligned memory is freed by a function of its own */
void *_aligned_malloc(size_t bytes, size_t alignment);
void _aligned_free(void *memory);
#define aligned_alloc(alignment, bytes) _aligned_malloc(bytes, alignment)
#define free(memory) _aligned_free(memory)
#else
void *aligned_alloc(size_t alignment, size_t bytes);
void free(void *memory);
#endif

typedef struct Segment Segment;

/* Memory of the C library from which blocks are carved; it begins with this, in a cache line. */
struct Segment {
  POINTER(Segment *, next);
  int64_t bytes;
};

/* A level and task of deferred calls: the latest batch, and the number of calls in all batches. */
typedef struct Cell Cell;

/* The state of one call. It belongs to that call, so nothing here is atomic. */
struct Context {
  POINTER(const void *, constants);
  POINTER(KernelRecord *, workspace); /* begins with the record of the kernels */
  POINTER(char *, limit);             /* the lowest stack address, or the bytes left on WebAssembly */
  int64_t live;                       /* blocks in use, for inspection */
  POINTER(Block *, pending);          /* blocks to free */
  int64_t freeing;                    /* whether that is in progress */
  POINTER(char *, next);              /* free byte */
  POINTER(char *, end);               /* of its segment */
  POINTER(Segment *, segments);       /* all but the first */
  struct {
    POINTER(Block *, first);
  } lists[CLASSES]; /* free blocks */
  int64_t done;          /* the level up to which all deferred calls are flushed */
  int64_t top;           /* the highest level of a deferred call */
  POINTER(Cell *, table); /* a row of tasks for each level above `done` */
  int64_t rows;
  int64_t held; /* bytes of operands and results of deferred calls */
};

#define ALWAYS_INLINE __attribute__((always_inline))
#define CONTEXT_BYTES ((int64_t)((sizeof(Context) + LINE - 1) / LINE * LINE))

/* Return the control block, which follows the first segment. */
static inline ControlBlock *control_of(Context *context) {
  return (ControlBlock *)((char *)context + CONTEXT_BYTES + SEGMENT_BYTES);
}

ALWAYS_INLINE inline bool is_block(const void *word) { return (uintptr_t)word >= RELAY_TAGS; }

/* segments.c */
void *relay_carve(Context *context, int64_t bytes);
Block *relay_carve_block(Context *context, int64_t size_class, int64_t bytes);
Block *relay_allocate_bytes(Context *context, int64_t bytes);
void relay_free_tree(Context *context, Block *block);
void relay_report(Context *context, int64_t wanted, int64_t found);

/* Return a block of `bytes` bytes, the size of its class, with one reference, or null if memory runs
 * out. */
ALWAYS_INLINE inline Block *relay_allocate(Context *context, int64_t size_class, int64_t bytes,
                                           int64_t tag, Children *children) {
  Block *block = context->lists[size_class].first;
  if (__builtin_expect(block != NULL, 1)) {
    UNPOISON(block, bytes);
    context->lists[size_class].first = block->next;
  } else {
    block = relay_carve_block(context, size_class, bytes);
    if (__builtin_expect(block == NULL, 0)) return NULL;
  }
  block->count = 1;
  block->tag = (uint16_t)tag;
  block->children = children;
  context->live++;
  return block;
}

/* Return the bytes of the blocks of a class. */
ALWAYS_INLINE inline int64_t class_bytes(int64_t size_class) {
  if (size_class < SMALL_UNITS) return (size_class + 1) * UNIT;
  int64_t power = (size_class - SMALL_UNITS) / 4 + 4, quarter = (size_class - SMALL_UNITS) % 4 + 1;
  return ((1LL << power) + quarter * (1LL << (power - 2))) * UNIT;
}

/* Put a block on the free list of its size class. */
ALWAYS_INLINE inline void relay_give(Context *context, Block *block) {
  block->next = context->lists[block->size_class].first;
  context->lists[block->size_class].first = block;
  context->live--;
  POISON((char *)block + HEADER_BYTES, class_bytes(block->size_class) - HEADER_BYTES);
}

ALWAYS_INLINE inline void relay_retain(Block *block) {
  if (is_block(block)) block->count++;
}

ALWAYS_INLINE inline void relay_release(Context *context, Block *block) {
  if (!is_block(block)) return;
  if (block->count != 1) {
    block->count--;
  } else if (block->children == NULL) {
    relay_give(context, block);
  } else {
    relay_free_tree(context, block);
  }
}

/* Written for each program. */
extern const uint8_t relay_keeps_results; /* results stay on the heap until `relay_finish` */
extern const uint8_t relay_asks_stack;    /* the size of the caller's stack is queried */
extern const int32_t relay_exhausted_from; /* traps from this number on report a deep recursion */
int32_t relay_border(Context *context, void **inputs, void **outputs);

#endif
