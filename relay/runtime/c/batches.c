/* Deferred calls, in the order of their levels.
 *
 * They are collected in batches of one level and task, with the layout of
 * `relay.build.code.batch_layout`. The table has a row for each level that is not flushed; a row has,
 * for each task, the number of calls and the latest batch, which leads to the previous one. A level
 * depends on lower ones only: levels are flushed one after another, and the calls of one level and
 * task together.
 */
#include "batches.h"

#define NO_MEMORY 1
#define MOST_BYTES (16LL << 20) /* of operands and results of deferred calls: about the cache size */
#define ROWS_AHEAD 4            /* rows prefetched ahead while rows are copied */
#define LONGEST_AHEAD 4096      /* bytes of such a row; the hardware prefetches longer ones */

/* An input in a batch: its offset is that of all inputs, and `each` the bytes per call before it. */
#define INPUT int64_t offset, int64_t each

/* ---- deferral ---- */

/* Return the level of the deferred call that computes the tensor in a block. */
ALWAYS_INLINE int64_t relay_level(const Block *block) {
  return is_block(block) ? *(const int64_t *)((const char *)block + HEADER_BYTES) : 0;
}

/* Return the level up to which all calls are flushed. */
ALWAYS_INLINE int64_t relay_done(const Context *context) { return context->done; }

static inline Cell *cell_of(Context *context, int64_t row, int64_t task) {
  return &context->table[row * relay_task_count + task];
}

/* Grow the table to more than `row` rows, and to at least twice its size; the old table stays in its
 * segment until the program ends. */
static __attribute__((noinline, cold)) bool add_rows(Context *context, int64_t row) {
  int64_t rows = 2 * (row | 63) + 2, row_bytes = relay_task_count * (int64_t)sizeof(Cell);
  Cell *table = relay_carve(context, rows * row_bytes);
  if (table == NULL) return false;
  __builtin_memset(table, 0, (size_t)(rows * row_bytes));
  if (context->rows > 0) __builtin_memcpy(table, context->table, (size_t)(context->rows * row_bytes));
  context->table = table, context->rows = rows;
  return true;
}

/* Return the cell of a level and a task in the table, which grows as needed; null if memory runs
 * out. */
ALWAYS_INLINE Cell *relay_place(Context *context, int64_t level, int64_t task) {
  int64_t row = level - context->done - 1;
  bool fits = (uint64_t)row < (uint64_t)context->rows;
  if (__builtin_expect(!fits, 0) && !add_rows(context, row)) return NULL;
  return cell_of(context, row, task);
}

/* Return the capacity of a batch, or 0 for null. */
ALWAYS_INLINE int64_t relay_capacity(const Batch *batch) {
  return batch == NULL ? 0 : batch->capacity;
}

/* Return the latest batch of a cell if it has room for a call, else a new one; null if memory runs
 * out. */
ALWAYS_INLINE Batch *relay_room(Context *context, Cell *cell, int64_t level, Begin *begin) {
  Batch *latest = cell->latest;
  if (latest != NULL && latest->count != latest->capacity) return latest;
  return begin(context, cell, level);
}

/* Flush all deferred calls. */
__attribute__((noinline)) int32_t relay_await(Context *context) {
  int64_t levels = context->top - context->done;
  if (levels <= 0) return 0;
  for (int64_t row = 0; row < levels; row++) {
    for (int64_t task = 0; task < relay_task_count; task++) {
      Cell *cell = cell_of(context, row, task), taken = *cell;
      if (taken.latest == NULL) continue;
      cell->latest = NULL, cell->count = 0;
      int32_t status = relay_tasks[task](context, taken.latest, taken.count);
      if (status != 0) return status;
    }
  }
  context->done = context->top;
  context->held = 0;
  return 0;
}

/* Count one more deferred call with `bytes` bytes of operands and results. If all of them exceed
 * MOST_BYTES, flush: cache misses would cost more than larger batches save. */
ALWAYS_INLINE int32_t relay_note(Context *context, Cell *cell, int64_t level, int64_t bytes) {
  cell->count++;
  if (level > context->top) context->top = level;
  context->held += bytes;
  return __builtin_expect(context->held > MOST_BYTES, 0) ? relay_await(context) : 0;
}

/* ---- selection of the calls that run together ---- */

/* Move the full batches of `relay_most_calls` calls before the latest batch unless that is full;
 * return the first one. The calls of a full batch run together, and write their results in place. */
Batch *relay_full_first(Batch *latest) {
  Batch *last = NULL, *at = latest;
  while (relay_capacity(at->next) == relay_most_calls) last = at = at->next;
  if (last == NULL) return latest;
  Batch *first = latest->next;
  latest->next = last->next;
  last->next = latest;
  return first;
}

/* Return how many of `left` calls run next: those of the first batch if they are `relay_most_calls`,
 * else at most that many, in parts of equal size. */
ALWAYS_INLINE int64_t relay_part(const Batch *first, int64_t left) {
  int64_t waiting = first->count - first->taken, most = relay_most_calls;
  if (waiting == most) return waiting;
  int64_t parts = (left + most - 1) / most;
  return (left + parts - 1) / parts;
}

/* ---- inputs ---- */

/* Return the address of one input of the calls of a batch. */
ALWAYS_INLINE char *relay_inputs(Batch *batch, INPUT) {
  return (char *)batch + offset + batch->capacity * each;
}

/* Return the calls of a batch that are not flushed, but at most `left`. */
static inline int64_t waiting_in(const Batch *batch, int64_t left) {
  int64_t waiting = batch->count - batch->taken;
  return waiting < left ? waiting : left;
}

/* Return the references to an input of the calls of a batch that are not flushed. */
static inline const Reference *references_in(Batch *batch, INPUT) {
  return (const Reference *)relay_inputs(batch, offset, each) + batch->taken;
}

/* Release the references to one input of `count` calls of a batch, starting at call `from`. */
void relay_drop(Context *context, Batch *batch, INPUT, int64_t from, int64_t count) {
  const Reference *references = (const Reference *)relay_inputs(batch, offset, each) + from;
  for (int64_t call = 0; call < count; call++) relay_release(context, references[call].owner);
}

/* Return the list of the addresses of an input of `count` calls, starting with the first call of a
 * batch that is not flushed. It is in that batch if all calls are; else it is copied to a new block,
 * which is stored at `owner`. Return null if memory runs out. */
const Reference *relay_listed(Context *context, Batch *batch, INPUT, int64_t count, Block **owner) {
  *owner = NULL;
  if (waiting_in(batch, count) == count) return references_in(batch, offset, each);
  int64_t bytes = count * (int64_t)sizeof(Reference);
  Block *block = *owner = relay_allocate_bytes(context, bytes + DATA_OFFSET);
  if (block == NULL) return NULL;
  Reference *list = (Reference *)((char *)block + DATA_OFFSET);
  for (int64_t call = 0; call < count; batch = batch->next) {
    int64_t part = waiting_in(batch, count - call);
    const Reference *from = references_in(batch, offset, each);
    __builtin_memcpy(list + call, from, (size_t)part * sizeof(Reference));
    call += part;
  }
  return list;
}

/* Whether `count` calls have the same tensor as an input, which must be `tensor` unless that is
 * null. */
int32_t relay_alike(Batch *batch, INPUT, const char *tensor, int64_t count) {
  for (; count > 0; batch = batch->next) {
    int64_t part = waiting_in(batch, count);
    const Reference *references = references_in(batch, offset, each);
    for (int64_t call = 0; call < part; call++) {
      if (tensor != NULL && references[call].elements != tensor) return false;
      tensor = references[call].elements;
    }
    count -= part;
  }
  return true;
}

typedef struct {
  char bytes[LINE];
} Line;

/* Copy a row, and prefetch another one: rows are scattered, so hardware does not prefetch them. */
static inline void copy_row(char *to, const char *from, const char *ahead, int64_t bytes) {
  if (bytes < LINE) {
    __builtin_memcpy(to, from, (size_t)bytes);
    return;
  }
  for (int64_t at = 0; at < bytes - LINE; at += LINE) {
    __builtin_prefetch(ahead + at, 0, 2);
    *(Line *)(to + at) = *(const Line *)(from + at);
  }
  *(Line *)(to + bytes - LINE) = *(const Line *)(from + bytes - LINE);
}

/* Copy the rows of one input of the calls of a batch; return the place behind them. */
static char *gather_part(char *to, const Reference *references, int64_t part, int64_t bytes) {
  for (int64_t call = 0; call < part; call++, to += bytes) {
    bool pays = call + ROWS_AHEAD < part && bytes <= LONGEST_AHEAD;
    const Reference *ahead = &references[pays ? call + ROWS_AHEAD : call];
    copy_row(to, references[call].elements, ahead->elements, bytes);
  }
  return to;
}

/* Copy one input of `count` calls into contiguous rows of `bytes` bytes, starting with the first call
 * of a batch that is not flushed. A number is in the batch itself. */
void relay_gather(char *to, Batch *batch, INPUT, int64_t is_number, int64_t bytes, int64_t count) {
  for (; count > 0; batch = batch->next) {
    int64_t part = waiting_in(batch, count);
    if (is_number) {
      const char *from = relay_inputs(batch, offset, each) + batch->taken * bytes;
      __builtin_memcpy(to, from, (size_t)(part * bytes));
      to += part * bytes;
    } else {
      to = gather_part(to, references_in(batch, offset, each), part, bytes);
    }
    count -= part;
  }
}

/* Copy rows to their promised address, unless they were written there. */
ALWAYS_INLINE void relay_hand_out(char *to, const char *from, int64_t bytes) {
  if (to != from) __builtin_memcpy(to, from, (size_t)bytes);
}
