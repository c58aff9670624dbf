/* The functions of a library of a model, which get its name. */
#include "library.h"

#define NO_MEMORY 1

/* What a caller passes for an output of dynamic sizes. */
typedef struct {
  void *elements;
  int64_t sizes[];
} Output;

/* Return the arena in the memory of a call: its first address that is aligned to a cache line. */
static char *arena_of(void *memory) {
  return (char *)(((uintptr_t)memory + LINE - 1) & ~(uintptr_t)(LINE - 1));
}

static ControlBlock *control_of(char *arena) {
  return (ControlBlock *)(arena + relay_library.arena_bytes - LINE);
}

/* ---- outputs of dynamic sizes ---- */

static int64_t bytes_of(const OpenOutput *open, const Output *output) {
  int64_t bytes = open->bytes;
  for (int64_t axis = 0; axis < open->sizes; axis++) bytes *= output->sizes[axis];
  return bytes;
}

/* Move outputs from the heap of the program to memory of their own. */
static int32_t move_outputs(void **outputs) {
  void *moved[relay_library.open_count];
  bool complete = true;
  for (int64_t index = 0; index < relay_library.open_count; index++) {
    const OpenOutput *open = &relay_library.open[index];
    int64_t bytes = bytes_of(open, outputs[open->index]);
    moved[index] = malloc((size_t)(bytes > 0 ? bytes : 1));
    complete &= moved[index] != NULL;
  }
  for (int64_t index = 0; index < relay_library.open_count; index++) {
    const OpenOutput *open = &relay_library.open[index];
    Output *output = outputs[open->index];
    if (!complete) {
      free(moved[index]);
      continue;
    }
    __builtin_memcpy(moved[index], output->elements, (size_t)bytes_of(open, output));
    output->elements = moved[index];
  }
  return complete ? 0 : NO_MEMORY;
}

/* ---- entry points ---- */

size_t relay_library_workspace_bytes(void) {
  const Library *library = &relay_library;
  int64_t scratch = library->shared_bytes + relay_threads * library->worker_bytes;
  return (size_t)(library->arena_bytes + scratch + LINE);
}

int32_t relay_library_run(void **inputs, void **outputs, void *workspace) {
  void *memory = workspace;
  if (memory == NULL) memory = malloc(relay_library_workspace_bytes());
  if (memory == NULL) return NO_MEMORY;
  char *arena = arena_of(memory);
  __builtin_memset(control_of(arena), 0, LINE);
  char *scratch = arena + relay_library.arena_bytes;
  int32_t status = relay_run(inputs, outputs, relay_library.weights, arena, scratch);
  if (relay_library.finish != NULL) {
    if (status == 0) status = move_outputs(outputs);
    relay_library.finish(arena);
  }
  if (workspace == NULL) free(memory);
  return status;
}

void relay_library_stop(void *workspace) { control_of(arena_of(workspace))->stop = 1; }

void relay_library_set_threads(int32_t threads) {
  relay_threads = threads < 1 ? 1 : threads > RELAY_CAPACITY ? RELAY_CAPACITY : threads;
  relay_prepare_threads(relay_threads);
}

const char *relay_library_error(int32_t status) {
  for (int64_t index = 0; index < relay_library.status_count; index++) {
    const Status *each = &relay_library.statuses[index];
    if (each->number == status) return each->meaning;
  }
  return "unknown status";
}
