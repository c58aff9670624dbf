/* The slow parts of the heap: memory of the C library, sizes known at run time, trees of blocks.
 *
 * They are compiled once for a machine, and linked with each program. Segments are kept for the next
 * call, up to the number of bytes that the caller sets in the control block; that call then requests
 * no pages from the system.
 */
#include "heap.h"

#include <stddef.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

#define LARGE_SEGMENT (4LL << 20)   /* of at least one or two large pages */
#define PAGE_BYTES ((uintptr_t)1 << 16) /* a multiple of the page size of every machine */

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Ask the system for large pages, which it maps and frees in a fraction of the time. */
static void prefer_large_pages(const void *memory, int64_t bytes) {
#ifdef __linux__
  uintptr_t begin = ((uintptr_t)memory + PAGE_BYTES - 1) & -PAGE_BYTES;
  uintptr_t end = ((uintptr_t)memory + (uintptr_t)bytes) & -PAGE_BYTES;
  madvise((void *)begin, end - begin, MADV_HUGEPAGE); /* without them the program runs slower */
#else
  (void)memory, (void)bytes;
#endif
}

static Segment *new_segment(int64_t bytes) {
  if (bytes > INTPTR_MAX) return NULL;
  Segment *segment = aligned_alloc(LINE, (size_t)bytes);
  if (segment == NULL) return NULL;
  if (bytes >= LARGE_SEGMENT) prefer_large_pages(segment, bytes);
  segment->bytes = bytes;
  return segment;
}

/* Take the first kept segment of at least `bytes` bytes, or return null. */
static Segment *kept_segment(Context *context, int64_t bytes) {
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
static bool grow(Context *context, int64_t bytes) {
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
void *relay_carve(Context *context, int64_t bytes) {
  int64_t taken = bytes + REDZONE;
  if (context->end - context->next < taken && !grow(context, taken)) return NULL;
  char *memory = context->next;
  context->next += taken;
  UNPOISON(memory, bytes);
  return memory;
}

/* Return a new block, or null if memory runs out. */
Block *relay_carve_block(Context *context, int64_t size_class, int64_t bytes) {
  Block *block = relay_carve(context, bytes);
  if (block != NULL) block->size_class = (uint16_t)size_class;
  return block;
}

/* Return a block for a run-time size, with the class of `relay.runtime.code.heap_layout.size_class`; null
 * also if the size is larger than any class. */
Block *relay_allocate_bytes(Context *context, int64_t bytes) {
  if ((uint64_t)bytes > LARGEST_BYTES) return NULL;
  int64_t units = larger((bytes + UNIT - 1) / UNIT, 1);
  if (units <= SMALL_UNITS) return relay_allocate(context, units - 1, units * UNIT, 0, NULL);
  int64_t last = units - 1, power = 63 - __builtin_clzll((uint64_t)last);
  int64_t step = 1LL << (power - 2), quarter = ((last - (1LL << power)) >> (power - 2)) + 1;
  int64_t size_class = SMALL_UNITS + 4 * (power - 4) + quarter - 1;
  return relay_allocate(context, size_class, ((1LL << power) + quarter * step) * UNIT, 0, NULL);
}

/* Free a block and all blocks that die with it, with a list instead of recursion. */
void relay_free_tree(Context *context, Block *block) {
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

/* Write two mismatching sizes as a fault, as a kernel does for a failed bounds check. */
void relay_report(Context *context, int64_t wanted, int64_t found) {
  context->workspace->index = found;
  context->workspace->size = wanted;
}
