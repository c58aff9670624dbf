/* The short functions of the heap, which are linked with the text of each program and inlined in it. */
#include "heap.h"

#include <stddef.h>

extern inline Block *relay_allocate(Context *context, int64_t size_class, int64_t bytes, int64_t tag,
                                    Children *children);
extern inline void relay_give(Context *context, Block *block);
extern inline void relay_retain(Block *block);
extern inline void relay_release(Context *context, Block *block);

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

/* Return the quotient rounded down; division by zero gives zero. */
ALWAYS_INLINE int64_t relay_floor_divide(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return (int64_t)(0 - (uint64_t)a);
  int64_t quotient = a / b;
  return quotient - ((a ^ b) < 0 && quotient * b != a);
}
