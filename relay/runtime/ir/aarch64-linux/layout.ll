; Written by tools/c_runtime.py from the C sources; do not edit.

@TAGS = local_unnamed_addr constant i64 4096, align 8
@CAPACITY = local_unnamed_addr constant i64 256, align 8
@STACK_EXHAUSTED = local_unnamed_addr constant i64 2, align 8
@INTERRUPTED = local_unnamed_addr constant i64 5, align 8
@CONTROL_BYTES = local_unnamed_addr constant i64 64, align 8
@CONTROL_LOOK = local_unnamed_addr constant i64 32, align 8
@RECORD_BYTES = local_unnamed_addr constant i64 64, align 8
@RECORD_CALL = local_unnamed_addr constant i64 32, align 8
@RECORD_LOOK = local_unnamed_addr constant i64 40, align 8
@RECORD_NEVER = local_unnamed_addr constant i64 48, align 8
@HEADER = local_unnamed_addr constant i64 24, align 8
@DATA = local_unnamed_addr constant i64 64, align 8
@BLOCK_TAG = local_unnamed_addr constant i64 6, align 8
@BLOCK_NEXT = local_unnamed_addr constant i64 16, align 8
@CONTEXT = local_unnamed_addr constant i64 1216, align 8
@STOP = local_unnamed_addr constant i64 1049792, align 8
@LARGEST_BLOCK = local_unnamed_addr constant i64 1099511627776, align 8
@SIZE_CLASSES = local_unnamed_addr constant i64 136, align 8
@CONTEXT_CONSTANTS = local_unnamed_addr constant i64 0, align 8
@CONTEXT_WORKSPACE = local_unnamed_addr constant i64 8, align 8
@CONTEXT_LIMIT = local_unnamed_addr constant i64 16, align 8
@BATCH_NEXT = local_unnamed_addr constant i64 16, align 8
@BATCH_COUNT = local_unnamed_addr constant i64 24, align 8
@BATCH_TAKEN = local_unnamed_addr constant i64 32, align 8
@BATCH_CAPACITY = local_unnamed_addr constant i64 40, align 8
@BATCH_BYTES = local_unnamed_addr constant i64 48, align 8
@REFERENCE_BYTES = local_unnamed_addr constant i64 16, align 8

