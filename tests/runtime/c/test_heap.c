/* The heap and deferred calls of a program, and faults that AddressSanitizer must find in them. */
#include "../../../relay/runtime/c/batches.h"
#include "../../../relay/runtime/c/system.h"
#include "check.h"

const uint8_t relay_keeps_results = 0, relay_asks_stack = 1;
const int32_t relay_exhausted_from = 100;

const int64_t relay_task_count = 1, relay_most_calls = 64;
static int32_t flush(Context *context, Batch *first, int64_t count);
Flush *const relay_tasks[] = {flush};

Block *relay_own(Context *context, const char *elements, Block *block, int64_t bytes);
int64_t relay_floor_divide(int64_t a, int64_t b);
Cell *relay_place(Context *context, int64_t level, int64_t task);
int32_t relay_note(Context *context, Cell *cell, int64_t level, int64_t bytes);
int32_t relay_await(Context *context);
int32_t relay_run(void **inputs, void **outputs, const void *constants, void *arena,
                  void *workspace);
int32_t relay_finish(Context *context);
int32_t relay_forget(Context *context);

/* ---- a program: its body is the case that runs ---- */

static int32_t (*body)(Context *context);
int32_t relay_border(Context *context, void **inputs, void **outputs) {
  (void)inputs, (void)outputs;
  return body(context);
}

static void *arena;

static void *new_arena(void) {
  size_t bytes = (size_t)CONTEXT_BYTES + SEGMENT_BYTES + sizeof(ControlBlock);
  void *made = aligned_alloc(LINE, bytes);
  memset(control_of(made), 0, sizeof(ControlBlock));
  control_of(made)->keep_bytes = 64 << 20;
  return made;
}

/* Run a body as a program; return its status. Some calls keep their memory for the next one. */
static int32_t call(int32_t (*program)(Context *context)) {
  KernelRecord workspace;
  body = program;
  if (arena == NULL) arena = new_arena();
  return relay_run(NULL, NULL, NULL, arena, &workspace);
}

static void end(void) {
  relay_forget(arena);
  free(arena);
}

/* ---- blocks ---- */

static char *data(Block *block) { return (char *)block + DATA_OFFSET; }

static int32_t many_sizes(Context *context) {
  Block *blocks[400];
  for (int64_t index = 0; index < 400; index++) {
    int64_t bytes = DATA_OFFSET + index * index * 7;
    blocks[index] = relay_allocate_bytes(context, bytes);
    CHECK(blocks[index] != NULL && (uintptr_t)blocks[index] % LINE == 0);
    memset(data(blocks[index]), (int)index, (size_t)(bytes - DATA_OFFSET));
  }
  CHECK(context->live == 400);
  for (int64_t index = 1; index < 400; index++) CHECK(*data(blocks[index]) == (char)index);
  for (int64_t index = 0; index < 400; index += 2) relay_release(context, blocks[index]);
  for (int64_t index = 0; index < 400; index += 2) {
    blocks[index] = relay_allocate_bytes(context, DATA_OFFSET + index * index * 7);
  }
  for (int64_t index = 0; index < 400; index++) relay_release(context, blocks[index]);
  CHECK(context->live == 0);
  return 0;
}

static int32_t sizes_beyond_all(Context *context) {
  CHECK(relay_allocate_bytes(context, LARGEST_BYTES + 1) == NULL);
  CHECK(relay_allocate_bytes(context, -1) == NULL);
  CHECK(relay_allocate_bytes(context, INT64_MIN) == NULL);
  CHECK(context->live == 0);
  return 0;
}

static void release_next(Context *context, Block *block) {
  relay_release(context, *(Block **)((char *)block + HEADER_BYTES));
}

static void release_both(Context *context, Block *block) {
  Block **held = (Block **)((char *)block + HEADER_BYTES);
  relay_release(context, held[0]);
  relay_release(context, held[1]);
}

/* Return a list of `count` blocks, each of which holds the next one. */
static Block *list_of(Context *context, int64_t count) {
  Block *list = NULL;
  while (count-- > 0) {
    Block *block = relay_allocate(context, 0, 64, 1, release_next);
    if (block == NULL) return NULL;
    *(Block **)((char *)block + HEADER_BYTES) = list;
    list = block;
  }
  return list;
}

static int32_t long_lists(Context *context) {
  Block *list = list_of(context, 300000);
  relay_retain(list);
  relay_release(context, list);
  CHECK(context->live == 300000);
  relay_release(context, list);
  CHECK(context->live == 0);
  return 0;
}

static int32_t leaves_blocks(Context *context) {
  CHECK(list_of(context, 100000) != NULL);
  return 1; /* a trap: the heap goes as a whole */
}

static int32_t copies(Context *context) {
  Block *block = relay_allocate_bytes(context, DATA_OFFSET + 100);
  memset(data(block), 7, 100);
  CHECK(relay_own(context, data(block), block, DATA_OFFSET + 100) == block);
  relay_retain(block);
  Block *copy = relay_own(context, data(block), block, DATA_OFFSET + 100);
  CHECK(copy != block && data(copy)[99] == 7 && block->count == 1);
  relay_release(context, copy);
  relay_release(context, block);
  return 0;
}

static int32_t division(Context *context) {
  (void)context;
  for (int64_t a = -7; a <= 7; a++) {
    CHECK(relay_floor_divide(a, 0) == 0);
    for (int64_t b = 1; b <= 4; b++) {
      int64_t quotient = relay_floor_divide(a, b);
      CHECK(quotient * b <= a && a < (quotient + 1) * b);
      CHECK(relay_floor_divide(-a, -b) == quotient);
    }
  }
  CHECK(relay_floor_divide(INT64_MIN, -1) == INT64_MIN);
  return 0;
}

/* ---- deferred calls ---- */

static int64_t flushed;
static int32_t flush(Context *context, Batch *first, int64_t count) {
  (void)context, (void)first;
  flushed += count;
  return 0;
}

static int32_t levels(Context *context) {
  char batch[64] = {0};
  for (int64_t level = 1; level <= 500; level++) {
    Cell *cell = relay_place(context, level, 0);
    *(void **)cell = batch;
    CHECK(relay_note(context, cell, level, 100) == 0);
  }
  CHECK(flushed == 0 && relay_await(context) == 0 && flushed == 500);
  CHECK(context->done == 500 && relay_await(context) == 0 && flushed == 500);
  return 0;
}

/* ---- deep recursion ---- */

static int64_t deep_runs;
static int64_t descend(Context *context, int64_t depth) {
  char frame[4096];
  if ((char *)__builtin_frame_address(0) < context->limit) return -1;
  int64_t status = depth == 0 ? 0 : descend(context, depth - 1);
  __asm__ volatile("" : : "r"(frame)); /* or a compiler makes a loop of it */
  return status;
}

static int32_t deep(Context *context) {
  deep_runs++;
  return descend(context, 1000) < 0 ? RELAY_STACK_EXHAUSTED : 0;
}

/* ---- programs in several threads ---- */

static int32_t deep_with_list(Context *context) {
  Block *list = list_of(context, 20000);
  int64_t status = descend(context, 100);
  relay_release(context, list);
  return status < 0 ? RELAY_STACK_EXHAUSTED : 0;
}

static ThreadResult calls(void *nothing) {
  void *own = new_arena();
  (void)nothing;
  for (int round = 0; round < 20; round++) {
    KernelRecord workspace;
    CHECK(relay_run(NULL, NULL, NULL, own, &workspace) == 0);
  }
  relay_forget(own);
  free(own);
  return 0;
}

static void several_threads(void) {
  Thread threads[3];
  body = deep_with_list;
  for (int index = 0; index < 3; index++) CHECK(thread_start(&threads[index], calls, NULL, 0));
  calls(NULL);
  for (int index = 0; index < 3; index++) thread_join(threads[index]);
}

/* ---- random use ---- */

enum { HELD = 1000 };
static uint64_t state;

static int64_t random_below(int64_t limit) {
  state = state * 6364136223846793005 + 1442695040888963407;
  return (int64_t)(state >> 33) % limit;
}

/* Return a block that holds up to two others, or data of a random size. */
static Block *random_block(Context *context, Block *left, Block *right) {
  if (random_below(2) == 0) {
    int64_t bytes = DATA_OFFSET + random_below(1 << random_below(18));
    Block *block = relay_allocate_bytes(context, bytes);
    memset(data(block), 5, (size_t)(bytes - DATA_OFFSET));
    return block;
  }
  Block *block = relay_allocate(context, 0, 64, 1, release_both);
  Block **held = (Block **)((char *)block + HEADER_BYTES);
  relay_retain(held[0] = left);
  relay_retain(held[1] = right);
  return block;
}

static int32_t random_use(Context *context) {
  static Block *held[HELD];
  memset(held, 0, sizeof held);
  for (int64_t step = 0; step < 20000; step++) {
    Block **place = &held[random_below(HELD)];
    Block *old = *place;
    *place = random_block(context, held[random_below(HELD)], held[random_below(HELD)]);
    relay_release(context, old);
  }
  if (random_below(4) == 0) return 1; /* a trap: the heap goes as a whole */
  for (int64_t index = 0; index < HELD; index++) relay_release(context, held[index]);
  CHECK(context->live == 0);
  return 0;
}

static void random_programs(uint64_t count) {
  for (uint64_t seed = 1; seed <= count; seed++) {
    state = seed;
    call(random_use);
  }
}

static void random_calls(void) {
  random_programs(500);
  end();
}

static void units(void) {
  int32_t (*const programs[])(Context *) = {many_sizes, sizes_beyond_all, long_lists, copies,
                                            division,   levels,           long_lists};
  for (size_t index = 0; index < sizeof programs / sizeof *programs; index++) {
    CHECK(call(programs[index]) == 0);
  }
  CHECK(call(leaves_blocks) == 1);
  random_programs(3);
  CHECK(call(deep) == 0 && deep_runs == 2);
  end();
}

/* ---- seeded faults ---- */

static int32_t overflows(Context *context) {
  Block *block = relay_allocate_bytes(context, DATA_OFFSET + 64);
  relay_allocate_bytes(context, DATA_OFFSET + 64);
  data(block)[64] = 1;
  return 0;
}

static int32_t uses_freed(Context *context) {
  Block *block = relay_allocate_bytes(context, DATA_OFFSET + 64);
  relay_release(context, block);
  data(block)[0] = 1;
  return 0;
}

static int32_t uses_unallocated(Context *context) {
  relay_allocate_bytes(context, 64);
  context->next[100] = 1;
  return 0;
}

static int32_t grows(Context *context) { return list_of(context, 100000) == NULL; }

static void overflow(void) { call(overflows), end(); }
static void use_after_free(void) { call(uses_freed), end(); }
static void beyond_all_blocks(void) { call(uses_unallocated), end(); }
static void leak(void) {
  call(grows);
  control_of(arena)->kept = NULL; /* nobody frees what was kept */
  end();
}

int main(int count, char **arguments) {
  static const TestCase cases[] = {{"units", units},
                               {"overflow", overflow},
                               {"use after free", use_after_free},
                               {"beyond all blocks", beyond_all_blocks},
                               {"leak", leak},
                               {"several threads", several_threads},
                               {"random calls", random_calls}};
  return count == 2 ? run_case(cases, 7, arguments[1]) : 2;
}
