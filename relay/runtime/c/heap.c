/* The heap of one running program: linked into each program, so that its short functions are inlined.
 *
 * Blocks are multiples of 64 bytes, are carved from segments of the C library's memory, and return
 * to the free list of their size class. A pointer below RELAY_TAGS is not a block: it is null, or
 * the tag of a constructor without fields. Segments are kept for the next call, up to the number of
 * bytes that the caller sets in the control block; that call then requests no pages from the system.
 */
#include "heap.h"

#include "sanitizers.h"

#include <stddef.h>

#define UNIT 64 /* bytes: a cache line, and the widest vector */
#define SMALL_UNITS 16

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static Segment *new_segment(int64_t bytes) {
  if (bytes > INTPTR_MAX) return NULL;
  Segment *segment = aligned_alloc(LINE, (size_t)bytes);
  if (segment != NULL) segment->bytes = bytes;
  return segment;
}

/* Take the first kept segment of at least `bytes` bytes, or return null. */
static SLOW Segment *kept_segment(Context *context, int64_t bytes) {
  ControlBlock *call = control_of(context);
  Segment *former = NULL;
  for (Segment *segment = call->kept; segment != NULL; segment = segment->next) {
    if (segment->bytes >= bytes) {
      if (former == NULL) {
        call->kept = segment->next;
      } else {
        former->next = segment->next;
      }
      call->kept_bytes -= (uint64_t)segment->bytes;
      return segment;
    }
    former = segment;
  }
  return NULL;
}

/* Begin a segment with room for `bytes` bytes: twice as large as the last one. */
static SLOW bool grow(Context *context, int64_t bytes) {
  Segment *last = context->segments;
  int64_t wanted = last == NULL ? SEGMENT_BYTES : smaller(2 * last->bytes, LARGEST_SEGMENT);
  Segment *segment = kept_segment(context, bytes + LINE);
  if (segment == NULL) segment = new_segment(larger(bytes + LINE, wanted));
  if (segment == NULL) return false;
  segment->next = last;
  context->segments = segment;
  context->next = (char *)segment + LINE;
  context->end = (char *)segment + segment->bytes;
  POISON(context->next, context->end - context->next);
  return true;
}

/* Return new memory of the heap, or null if memory runs out. */
__attribute__((noinline)) void *relay_carve(Context *context, int64_t bytes) {
  int64_t taken = bytes + REDZONE;
  if (context->end - context->next < taken && !grow(context, taken)) return NULL;
  char *memory = context->next;
  context->next += taken;
  UNPOISON(memory, bytes);
  return memory;
}

static SLOW Block *carve_block(Context *context, int64_t size_class, int64_t bytes) {
  Block *block = relay_carve(context, bytes);
  if (block != NULL) block->size_class = (uint16_t)size_class;
  return block;
}

/* Return a block of `bytes` bytes, the size of its class, with one reference, or null if memory runs
 * out. */
ALWAYS_INLINE Block *relay_allocate(Context *context, int64_t size_class, int64_t bytes,
                                    int64_t tag, Children *children) {
  Block *block = context->lists[size_class].first;
  if (__builtin_expect(block != NULL, 1)) {
    UNPOISON(block, bytes);
    context->lists[size_class].first = block->next;
  } else {
    block = carve_block(context, size_class, bytes);
    if (__builtin_expect(block == NULL, 0)) return NULL;
  }
  block->count = 1;
  block->tag = (uint16_t)tag;
  block->children = children;
  context->live++;
  return block;
}

/* The same for a run-time size, with the class of `relay.runtime.code.heap_layout.size_class`; null
 * also if the size is larger than any class. */
__attribute__((noinline)) Block *relay_allocate_bytes(Context *context, int64_t bytes) {
  if ((uint64_t)bytes > LARGEST_BYTES) return NULL;
  int64_t units = larger((bytes + UNIT - 1) / UNIT, 1);
  if (units <= SMALL_UNITS) return relay_allocate(context, units - 1, units * UNIT, 0, NULL);
  int64_t last = units - 1, power = 63 - __builtin_clzll((uint64_t)last);
  int64_t step = 1LL << (power - 2), quarter = ((last - (1LL << power)) >> (power - 2)) + 1;
  int64_t size_class = SMALL_UNITS + 4 * (power - 4) + quarter - 1;
  return relay_allocate(context, size_class, ((1LL << power) + quarter * step) * UNIT, 0, NULL);
}

/* Return the bytes of the blocks of a class. */
static inline int64_t class_bytes(int64_t size_class) {
  if (size_class < SMALL_UNITS) return (size_class + 1) * UNIT;
  int64_t power = (size_class - SMALL_UNITS) / 4 + 4, quarter = (size_class - SMALL_UNITS) % 4 + 1;
  return ((1LL << power) + quarter * (1LL << (power - 2))) * UNIT;
}

/* Put a block on the free list of its size class. */
ALWAYS_INLINE void relay_give(Context *context, Block *block) {
  block->next = context->lists[block->size_class].first;
  context->lists[block->size_class].first = block;
  context->live--;
  POISON((char *)block + HEADER_BYTES, class_bytes(block->size_class) - HEADER_BYTES);
}

/* Free a block and all blocks that die with it, with a list instead of recursion. */
static __attribute__((noinline)) void free_tree(Context *context, Block *block) {
  block->next = context->pending;
  context->pending = block;
  if (context->freeing) return;
  context->freeing = true;
  while ((block = context->pending) != NULL) {
    context->pending = block->next;
    block->children(context, block);
    relay_give(context, block);
  }
  context->freeing = false;
}

ALWAYS_INLINE void relay_retain(Block *block) {
  if (is_block(block)) block->count++;
}

ALWAYS_INLINE void relay_release(Context *context, Block *block) {
  if (!is_block(block)) return;
  if (block->count != 1) {
    block->count--;
  } else if (block->children == NULL) {
    relay_give(context, block);
  } else {
    free_tree(context, block);
  }
}

/* Return a block of `bytes` bytes for an in-place update of a tensor, and take over its reference:
 * the same block if there is no other reference to it, else a copy; null if memory runs out. */
Block *relay_own(Context *context, const char *elements, Block *block, int64_t bytes) {
  bool is_whole = elements == (char *)block + DATA_OFFSET; /* not a part of a larger block */
  if (is_block(block) && block->count == 1 && is_whole) return block;
  Block *copy = relay_allocate_bytes(context, bytes);
  if (copy == NULL) return NULL;
  __builtin_memcpy((char *)copy + DATA_OFFSET, elements, (size_t)(bytes - DATA_OFFSET));
  relay_release(context, block);
  return copy;
}

/* Write two mismatching sizes as a fault, as a kernel does for a failed bounds check. */
SLOW void relay_report(Context *context, int64_t wanted, int64_t found) {
  context->workspace->index = found;
  context->workspace->size = wanted;
}

/* Return the quotient rounded down; division by zero gives zero. */
ALWAYS_INLINE int64_t relay_floor_divide(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return (int64_t)(0 - (uint64_t)a);
  int64_t quotient = a / b;
  return quotient - ((a ^ b) < 0 && quotient * b != a);
}
