"""Results of dynamic size, in memory that the library allocates."""

from collections.abc import Iterator, Sequence
from math import prod

from relay.runtime.code.traps import NO_MEMORY
from relay.runtime.program import Program, TensorSpec


def results_text(program: Program, pointer_bits: int) -> str:
    """Return the function that ends a run: `i32 results(i32 status, ptr outputs, ptr arena)`.

    After a successful run it copies results of dynamic size into memory from `malloc`; then it
    frees the program's own memory.
    """
    outputs = list(enumerate(program.signature.outputs))
    return "\n".join(
        _results([(i, spec) for i, spec in outputs if not spec.is_static], pointer_bits)
    )


def _results(found: Sequence[tuple[int, TensorSpec]], pointer_bits: int) -> Iterator[str]:
    head = "define internal i32 @results(i32 %status, ptr %outputs, ptr %arena) {"
    if not found:
        yield from (head, "  ret i32 %status", "}")
        return
    yield from ("declare i32 @relay_finish(ptr)", head, "  %good = icmp eq i32 %status, 0")
    yield from ("  br i1 %good, label %allocate, label %end", "allocate:")
    for index, spec in found:
        yield from _allocation(index, spec, pointer_bits)
    yield from _any_missing([index for index, _ in found])
    yield from ("  br i1 %missing, label %fail, label %copy", "copy:")
    for index, _ in found:
        copy = f"ptr %copy{index}, ptr %elements{index}, i64 %bytes{index}, i1 false"
        yield f"  call void @llvm.memcpy.p0.p0.i64({copy})"
        yield f"  store ptr %copy{index}, ptr %words{index}"
    yield from ("  br label %end", "fail:")
    yield from (f"  call void @free(ptr %copy{index})" for index, _ in found)
    yield from ("  br label %end", "end:")
    yield f"  %ended = phi i32 [ %status, %0 ], [ 0, %copy ], [ {NO_MEMORY}, %fail ]"
    yield from ("  call i32 @relay_finish(ptr %arena)", "  ret i32 %ended", "}")
    yield "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"


def _allocation(index: int, spec: TensorSpec, pointer_bits: int) -> Iterator[str]:
    """Write the allocation for a result, whose words are its elements' address and its sizes."""
    yield f"  %at{index} = getelementptr ptr, ptr %outputs, i64 {index}"
    yield f"  %words{index} = load ptr, ptr %at{index}"
    yield f"  %elements{index} = load ptr, ptr %words{index}"
    known = prod(size for size in spec.shape if isinstance(size, int)) * spec.dtype.itemsize
    total = str(known)
    for word in range(1, 1 + len(spec.open_axes)):
        name = f"%size{index}.{word}"
        yield f"  {name}.at = getelementptr i64, ptr %words{index}, i64 {word}"
        yield f"  {name} = load i64, ptr {name}.at"
        yield f"  %bytes{index}.{word} = mul i64 {total}, {name}"
        total = f"%bytes{index}.{word}"
    yield f"  %bytes{index} = add i64 {total}, 0"
    yield f"  %asked{index} = call i64 @llvm.umax.i64(i64 %bytes{index}, i64 1)"
    asked = f"%asked{index}"
    if pointer_bits < 64:  # a result in memory fits a word
        yield f"  {asked}.word = trunc i64 {asked} to i{pointer_bits}"
        asked = f"{asked}.word"
    yield f"  %copy{index} = call ptr @malloc(i{pointer_bits} {asked})"


def _any_missing(indices: Sequence[int]) -> Iterator[str]:
    before = "false"
    for number, index in enumerate(indices):
        after = "%missing" if number == len(indices) - 1 else f"%missing{index}"
        yield f"  %none{index} = icmp eq ptr %copy{index}, null"
        yield f"  {after} = or i1 {before}, %none{index}"
        before = after
