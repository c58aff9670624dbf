; Written by tools/c_runtime.py from the C sources; do not edit.

@TAGS = dso_local local_unnamed_addr constant i64 4096, align 8
@CAPACITY = dso_local local_unnamed_addr constant i64 256, align 8
@STACK_EXHAUSTED = dso_local local_unnamed_addr constant i64 2, align 8
@INTERRUPTED = dso_local local_unnamed_addr constant i64 5, align 8
@CONTROL_BYTES = dso_local local_unnamed_addr constant i64 64, align 8
@CONTROL_LOOK = dso_local local_unnamed_addr constant i64 32, align 8
@RECORD_BYTES = dso_local local_unnamed_addr constant i64 64, align 8
@RECORD_CALL = dso_local local_unnamed_addr constant i64 32, align 8
@RECORD_LOOK = dso_local local_unnamed_addr constant i64 40, align 8
@RECORD_NEVER = dso_local local_unnamed_addr constant i64 48, align 8
@HEADER = dso_local local_unnamed_addr constant i64 24, align 8
@DATA = dso_local local_unnamed_addr constant i64 64, align 8
@BLOCK_TAG = dso_local local_unnamed_addr constant i64 6, align 8
@BLOCK_NEXT = dso_local local_unnamed_addr constant i64 16, align 8
@CONTEXT = dso_local local_unnamed_addr constant i64 1216, align 8
@STOP = dso_local local_unnamed_addr constant i64 1049792, align 8
@LARGEST_BLOCK = dso_local local_unnamed_addr constant i64 1099511627776, align 8
@SIZE_CLASSES = dso_local local_unnamed_addr constant i64 136, align 8
@CONTEXT_CONSTANTS = dso_local local_unnamed_addr constant i64 0, align 8
@CONTEXT_WORKSPACE = dso_local local_unnamed_addr constant i64 8, align 8
@CONTEXT_LIMIT = dso_local local_unnamed_addr constant i64 16, align 8
@BATCH_NEXT = dso_local local_unnamed_addr constant i64 16, align 8
@BATCH_COUNT = dso_local local_unnamed_addr constant i64 24, align 8
@BATCH_TAKEN = dso_local local_unnamed_addr constant i64 32, align 8
@BATCH_CAPACITY = dso_local local_unnamed_addr constant i64 40, align 8
@BATCH_BYTES = dso_local local_unnamed_addr constant i64 48, align 8
@REFERENCE_BYTES = dso_local local_unnamed_addr constant i64 16, align 8

