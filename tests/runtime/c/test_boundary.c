/* The memory of a call at the boundary to Python: vectors, the table of visited objects, blocks. */
#include "../../../relay/runtime/c/boundary_memory.h"
#include "check.h"

static int signals; /* what Python says of them: not 0 after an exception of a handler */

int PyErr_CheckSignals(void) { return signals; }

enum { OBJECTS = 5000, SLOTS = 8 };

static void vectors(void) {
  char first[16];
  Vector vector = {first, 0, sizeof first, first, sizeof first};
  for (int64_t round = 0; round < 2; round++) { /* the second one begins with its first memory */
    for (int64_t index = 0; index < 10000; index++) *(int64_t *)append(&vector, 8) = index;
    for (int64_t index = 9999; index >= 0; index--) CHECK(*(int64_t *)pop(&vector, 8) == index);
    CHECK(pop(&vector, 8) == NULL);
    append(&vector, 8);
    clear_vector(&vector);
    CHECK(vector.bytes == first && vector.used == 0);
  }
}

static void tables(void) {
  static char objects[OBJECTS];
  Slot first[SLOTS] = {0};
  Type types[2];
  Call call = {.places = {first, SLOTS - 1, 0, first, SLOTS - 1}};
  for (int64_t index = 0; index < OBJECTS; index++) {
    Type *type = &types[index % 2];
    Slot *slot = slot_of(&call, &objects[index], type);
    CHECK(slot != NULL && slot->object == NULL);
    fill_slot(&call.places, slot, &objects[index], type, &objects[OBJECTS - 1 - index]);
  }
  for (int64_t index = 0; index < OBJECTS; index++) {
    Slot *slot = slot_of(&call, &objects[index], &types[index % 2]);
    CHECK(slot->object == &objects[index] && slot->found == &objects[OBJECTS - 1 - index]);
    CHECK(slot_of(&call, &objects[index], &types[1 - index % 2])->object == NULL);
  }
  clear_table(&call.places);
  CHECK(call.places.slots == first && slot_of(&call, &objects[0], &types[0])->object == NULL);
}

/* A handler's exception while the table grows leaves the table as it is. */
static void interrupted_tables(void) {
  static char objects[OBJECTS];
  Slot first[SLOTS] = {0};
  Type type;
  Call call = {.places = {first, SLOTS - 1, 0, first, SLOTS - 1}};
  signals = -1;
  int64_t used = 0;
  for (; used < OBJECTS; used++) {
    Slot *slot = slot_of(&call, &objects[used], &type);
    if (slot == NULL) break;
    fill_slot(&call.places, slot, &objects[used], &type, &objects[used]);
  }
  CHECK(used < OBJECTS && call.interrupted);
  for (int64_t index = 0; index < used; index++) {
    CHECK(search(call.places.slots, call.places.mask, &objects[index], &type)->object != NULL);
  }
  clear_table(&call.places);
  signals = 0;
}

static void blocks(void) {
  char first[256];
  Blocks arena = {first, first + sizeof first, NULL, first, first + sizeof first};
  for (int64_t bytes = 8; bytes < 3 * SEGMENT_BYTES; bytes = bytes * 3 / 8 * 8) {
    char *block = carve(&arena, bytes);
    CHECK(block != NULL && (uintptr_t)block % 8 == 0);
    memset(block, 1, (size_t)bytes);
  }
  clear_blocks(&arena);
  CHECK(arena.next == first && arena.all == NULL);
}

static void units(void) { vectors(), tables(), interrupted_tables(), blocks(); }

static void leak(void) {
  char first[8];
  Vector vector = {first, 0, sizeof first, first, sizeof first};
  append(&vector, 1000);
  vector.bytes = first; /* nobody frees what was allocated */
}

int main(int count, char **arguments) {
  static const TestCase cases[] = {{"units", units}, {"leak", leak}};
  return count == 2 ? run_case(cases, 2, arguments[1]) : 2;
}
