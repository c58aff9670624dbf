; Allocation of a chunk with a 64-bit malloc.
define internal ptr @relay_chunk(i64 %bytes) {
  %chunk = call ptr @aligned_alloc(i64 64, i64 %bytes)
  ret ptr %chunk
}

declare ptr @aligned_alloc(i64, i64)
