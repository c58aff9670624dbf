/* What a library of a model defines: `relay/runtime/library/library_data.py` writes it. */
#ifndef RELAY_LIBRARY_H
#define RELAY_LIBRARY_H

#include "relay.h"

#include <stddef.h>

void *malloc(size_t bytes);
void free(void *memory);

/* An output of dynamic sizes. */
typedef struct {
  int64_t index;
  int64_t bytes; /* if all dynamic sizes are 1 */
  int64_t sizes; /* how many are dynamic */
} OpenOutput;

typedef struct {
  int64_t number;
  const char *meaning;
} Status;

typedef struct {
  const void *weights;
  int64_t arena_bytes;  /* with the control block at the end */
  int64_t shared_bytes; /* of the workspace, and for each thread */
  int64_t worker_bytes;
  int64_t open_count;
  const OpenOutput *open;
  int32_t (*finish)(void *arena); /* frees the heap; null if there are no open outputs */
  int64_t status_count;
  const Status *statuses;
} Library;

extern const Library relay_library;
extern int64_t relay_threads; /* the most of a loop */

int32_t relay_run(void **inputs, void **outputs, const void *constants, void *arena,
                  void *workspace);
void relay_prepare_threads(int64_t threads);

#endif
