/* The sizes and offsets on which Python relies; `tests/runtime/test_layout.py` compares them. */
#include "batches.h"

#define CONSTANT(name, value) const int64_t name = (int64_t)(value);
#define OFFSET(name, structure, field) CONSTANT(name, offsetof(structure, field))

CONSTANT(TAGS, RELAY_TAGS)
CONSTANT(CAPACITY, RELAY_CAPACITY)
CONSTANT(STACK_EXHAUSTED, RELAY_STACK_EXHAUSTED)
CONSTANT(INTERRUPTED, RELAY_INTERRUPTED)

CONSTANT(CONTROL_BYTES, sizeof(ControlBlock))
OFFSET(CONTROL_LOOK, ControlBlock, look)

CONSTANT(RECORD_BYTES, sizeof(KernelRecord) + 8) /* a second word that stays 0 */
OFFSET(RECORD_CALL, KernelRecord, call)
OFFSET(RECORD_LOOK, KernelRecord, look)
OFFSET(RECORD_NEVER, KernelRecord, never)

CONSTANT(HEADER, HEADER_BYTES)
CONSTANT(DATA, DATA_OFFSET)
OFFSET(BLOCK_TAG, Block, tag)
OFFSET(BLOCK_NEXT, Block, next)

CONSTANT(CONTEXT, CONTEXT_BYTES)
CONSTANT(STOP, CONTEXT_BYTES + SEGMENT_BYTES)
CONSTANT(LARGEST_BLOCK, LARGEST_BYTES)
CONSTANT(SIZE_CLASSES, CLASSES)
OFFSET(CONTEXT_CONSTANTS, Context, constants)
OFFSET(CONTEXT_WORKSPACE, Context, workspace)
OFFSET(CONTEXT_LIMIT, Context, limit)

OFFSET(BATCH_NEXT, Batch, next)
OFFSET(BATCH_COUNT, Batch, count)
OFFSET(BATCH_TAKEN, Batch, taken)
OFFSET(BATCH_CAPACITY, Batch, capacity)
CONSTANT(BATCH_BYTES, sizeof(Batch))
CONSTANT(REFERENCE_BYTES, sizeof(Reference))
