/* The structures of deferred calls; `relay.build.code.batch_layout` lays out what follows a batch. */
#ifndef RELAY_BATCHES_H
#define RELAY_BATCHES_H

#include "heap.h"

/* A batch of calls; the inputs follow, those of all calls side by side. */
typedef struct Batch Batch;
struct Batch {
  uint32_t references;
  uint16_t size_class, tag;
  POINTER(Children *, children);
  POINTER(Batch *, next); /* the previous batch of the level and task */
  int64_t count;          /* of calls */
  int64_t taken;          /* of those, already flushed */
  int64_t capacity;
};

struct Cell {
  POINTER(Batch *, latest);
  int64_t count;
};

/* A tensor input of a call: its elements, and the block that owns them. */
typedef struct {
  POINTER(const char *, elements);
  POINTER(Block *, owner);
} Reference;

typedef int32_t Flush(Context *context, Batch *first, int64_t count);
typedef Batch *Begin(Context *context, Cell *cell, int64_t level);

/* Written for each program: its tasks, and how many calls run together. */
extern const int64_t relay_task_count, relay_most_calls;
extern Flush *const relay_tasks[];

#endif
