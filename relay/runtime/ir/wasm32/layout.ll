; Written by tools/c_runtime.py from the C sources; do not edit.

@TAGS = hidden local_unnamed_addr constant i64 4096, align 8
@CAPACITY = hidden local_unnamed_addr constant i64 256, align 8
@STACK_EXHAUSTED = hidden local_unnamed_addr constant i64 2, align 8
@INTERRUPTED = hidden local_unnamed_addr constant i64 5, align 8
@CONTROL_BYTES = hidden local_unnamed_addr constant i64 64, align 8
@CONTROL_LOOK = hidden local_unnamed_addr constant i64 32, align 8
@RECORD_BYTES = hidden local_unnamed_addr constant i64 64, align 8
@RECORD_CALL = hidden local_unnamed_addr constant i64 32, align 8
@RECORD_LOOK = hidden local_unnamed_addr constant i64 40, align 8
@RECORD_NEVER = hidden local_unnamed_addr constant i64 48, align 8
@HEADER = hidden local_unnamed_addr constant i64 24, align 8
@DATA = hidden local_unnamed_addr constant i64 64, align 8
@BLOCK_TAG = hidden local_unnamed_addr constant i64 6, align 8
@BLOCK_NEXT = hidden local_unnamed_addr constant i64 16, align 8
@CONTEXT = hidden local_unnamed_addr constant i64 1216, align 8
@STOP = hidden local_unnamed_addr constant i64 1049792, align 8
@LARGEST_BLOCK = hidden local_unnamed_addr constant i64 1099511627776, align 8
@SIZE_CLASSES = hidden local_unnamed_addr constant i64 136, align 8
@CONTEXT_CONSTANTS = hidden local_unnamed_addr constant i64 0, align 8
@CONTEXT_WORKSPACE = hidden local_unnamed_addr constant i64 8, align 8
@CONTEXT_LIMIT = hidden local_unnamed_addr constant i64 16, align 8
@BATCH_NEXT = hidden local_unnamed_addr constant i64 16, align 8
@BATCH_COUNT = hidden local_unnamed_addr constant i64 24, align 8
@BATCH_TAKEN = hidden local_unnamed_addr constant i64 32, align 8
@BATCH_CAPACITY = hidden local_unnamed_addr constant i64 40, align 8
@BATCH_BYTES = hidden local_unnamed_addr constant i64 48, align 8
@REFERENCE_BYTES = hidden local_unnamed_addr constant i64 16, align 8

