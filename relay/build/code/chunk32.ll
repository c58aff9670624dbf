; Allocation of a chunk with a 32-bit malloc; larger sizes fail.
define internal ptr @relay_chunk(i64 %bytes) {
  %large = icmp ugt i64 %bytes, 2147483647
  br i1 %large, label %none, label %ask
ask:
  %size = trunc i64 %bytes to i32
  %chunk = call ptr @aligned_alloc(i32 64, i32 %size)
  ret ptr %chunk
none:
  ret ptr null
}

declare ptr @aligned_alloc(i32, i32)
