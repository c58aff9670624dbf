/* The memory of one call: vectors, a table of visited objects, an arena of blocks.
 *
 * Each part starts with memory of the call's frame, so that small values need no allocation, and
 * returns to that memory afterwards. Nothing here recurses, and blocks never move.
 */
#ifndef RELAY_BOUNDARY_MEMORY_H
#define RELAY_BOUNDARY_MEMORY_H

#include "boundary_signals.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define SEGMENT_BYTES (1 << 20)
#define GOLDEN 0x9E3779B97F4A7C15 /* 2^64 over the golden ratio mixes the upper bits well */

static void free_but(void *memory, void *first) {
  if (memory != first) free(memory);
}

static __attribute__((noinline, cold)) bool grow(Vector *vector, int64_t least) {
  int64_t room = 2 * vector->room > least ? 2 * vector->room : least;
  bool is_first = vector->bytes == vector->first;
  char *bytes = realloc(is_first ? NULL : vector->bytes, (size_t)room); /* moves pages, no bytes */
  if (bytes == NULL) return false;
  if (is_first && vector->used != 0) memcpy(bytes, vector->first, (size_t)vector->used);
  vector->bytes = bytes, vector->room = room;
  return true;
}

/* Return `bytes` more bytes at the end of a vector, or null if memory runs out. */
static void *append(Vector *vector, int64_t bytes) {
  int64_t used = vector->used;
  if (used + bytes > vector->room && !grow(vector, used + bytes)) return NULL;
  vector->used = used + bytes;
  return vector->bytes + used;
}

/* Return the last `bytes` bytes of a vector, and remove them; null if it is empty. */
static void *pop(Vector *vector, int64_t bytes) {
  if (vector->used == 0) return NULL;
  vector->used -= bytes;
  return vector->bytes + vector->used;
}

static void clear_vector(Vector *vector) {
  free_but(vector->bytes, vector->first);
  vector->bytes = vector->first, vector->room = vector->first_room, vector->used = 0;
}

/* Return the slot of an object as a value of a type, or the empty slot for it. */
static Slot *search(Slot *slots, int64_t mask, const void *object, const Type *type) {
  uint64_t other = (uint64_t)(uintptr_t)type;
  uint64_t key = (uint64_t)(uintptr_t)object ^ (other << 32 | other >> 32);
  for (uint64_t place = key * GOLDEN >> 32;; place++) {
    Slot *slot = &slots[place & (uint64_t)mask];
    if (slot->object == NULL || (slot->object == object && slot->type == type)) return slot;
  }
}

/* Double the number of slots; return false if memory runs out or a signal handler raised. */
static __attribute__((noinline, cold)) bool widen(Call *call) {
  Table *table = &call->places;
  int64_t count = 2 * (table->mask + 1);
  Slot *slots = calloc((size_t)count, sizeof(Slot));
  if (slots == NULL) return false;
  for (int64_t index = 0; index <= table->mask; index++) {
    Slot *slot = &table->slots[index];
    if (!goes_on(call, 1)) {
      free(slots);
      return false;
    }
    if (slot->object != NULL) *search(slots, count - 1, slot->object, slot->type) = *slot;
  }
  free_but(table->slots, table->first);
  table->slots = slots, table->mask = count - 1;
  return true;
}

/* Return the slot of an object, which is empty if it was not visited; null if memory runs out
 * or a signal handler raised. */
static Slot *slot_of(Call *call, const void *object, const Type *type) {
  Table *table = &call->places;
  if (2 * table->used > table->mask && !widen(call)) return NULL;
  return search(table->slots, table->mask, object, type);
}

static void fill_slot(Table *table, Slot *slot, const void *object, const Type *type, void *found) {
  *slot = (Slot){object, type, found};
  table->used++;
}

static void clear_table(Table *table) {
  if (table->used == 0) return;
  free_but(table->slots, table->first);
  memset(table->first, 0, (size_t)(table->first_mask + 1) * sizeof(Slot));
  table->slots = table->first, table->mask = table->first_mask, table->used = 0;
}

/* Return a block of `bytes` bytes, a multiple of 8, or null if memory runs out. */
static void *carve(Blocks *blocks, int64_t bytes) {
  if (blocks->end - blocks->next < bytes) {
    int64_t wanted = bytes + 8 > SEGMENT_BYTES ? bytes + 8 : SEGMENT_BYTES;
    void **segment = malloc((size_t)wanted);
    if (segment == NULL) return NULL;
    *segment = blocks->all;
    blocks->all = segment;
    blocks->next = (char *)segment + 8, blocks->end = (char *)segment + wanted;
  }
  blocks->next += bytes;
  return blocks->next - bytes;
}

static void clear_blocks(Blocks *blocks) {
  while (blocks->all != NULL) {
    void **segment = blocks->all;
    blocks->all = *segment;
    free(segment);
  }
  blocks->next = blocks->first, blocks->end = blocks->first_end;
}

#endif
