; A chunk of the C library's memory where sizes have 64 bits.
define internal ptr @relay_chunk(i64 %bytes) {
  %chunk = call ptr @aligned_alloc(i64 64, i64 %bytes)
  ret ptr %chunk
}

declare ptr @aligned_alloc(i64, i64)
