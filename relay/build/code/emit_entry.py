"""LLVM text of a program's entry, which converts arguments and results for the caller.

`inputs` points to the elements of each input, followed by the address of a table with the dynamic
sizes of the inputs, in order. `outputs` points to the destination of each result's elements. For a
result of run-time size it points to words that receive the address of the elements and the dynamic
sizes; the caller reads such elements before it calls `relay_finish`.
"""

from collections.abc import Generator, Iterator

from relay.build.code.llvm_function_writer import function_name, slot_types
from relay.kernels.llvm.llvm_types import memory_type
from relay.runtime.code.function import ProgramCode
from relay.runtime.code.register_kinds import Kind, Object, Scalar, Tensor
from relay.runtime.code.traps import BAD_SIZE


def keeps_heap(code: ProgramCode) -> bool:
    """Whether some result (a data value, or of dynamic size) stays on the heap for the caller."""
    return any(_stays(kind) for kind in code.functions[0].results)


def _stays(kind: Kind) -> bool:
    return isinstance(kind, Object) or (isinstance(kind, Tensor) and bool(kind.carried))


def boundary_text(code: ProgramCode, convention: str) -> str:
    """Return the LLVM function that passes inputs to the entry and copies its results out."""
    return "\n".join(_boundary_lines(code, convention))


def _boundary_lines(code: ProgramCode, convention: str) -> Iterator[str]:
    entry = code.functions[0]
    yield "define i32 @relay_border(ptr %ctx, ptr %inputs, ptr %outputs) noinline {"
    arguments = ["ptr %ctx"]
    kinds = entry.kinds[: entry.parameters]
    if any(isinstance(kind, Tensor) and kind.carried for kind in kinds):
        yield from _pointer("%sizes", "%inputs", len(kinds))
    sizes = 0
    for index, kind in enumerate(kinds):
        yield from _pointer(f"%in{index}", "%inputs", index)
        arguments += yield from _argument(f"%in{index}", kind, sizes)
        sizes += len(kind.carried) if isinstance(kind, Tensor) else 0
    yield from _no_negative(sizes)
    for index, kind in enumerate(entry.results):
        for part, ty in enumerate(slot_types(kind)):
            yield f"  %r{index}.{part} = alloca {ty}"
            arguments.append(f"ptr %r{index}.{part}")
    name = function_name(entry, 0)
    yield f"  %ended = call {convention} i32 {name}({', '.join(arguments)})"
    yield from _awaited(code)
    yield "  %good = icmp eq i32 %status, 0"
    yield "  br i1 %good, label %copy, label %end"
    yield "copy:"
    for index, kind in enumerate(entry.results):
        yield from _pointer(f"%out{index}", "%outputs", index)
        yield from _result(index, kind)
    yield from ("  br label %end", "end:", "  ret i32 %status", "}")


def _no_negative(sizes: int) -> Iterator[str]:
    """Yield the lines that trap if the caller passes a negative size."""
    found = "0"
    for number in range(sizes):
        yield f"  %signs{number} = or i64 {found}, %size{number}"
        found = f"%signs{number}"
    yield f"  %negative = icmp slt i64 {found}, 0"
    yield "  br i1 %negative, label %refuse, label %enter"
    yield from ("refuse:", f"  ret i32 {BAD_SIZE}", "enter:")


def _awaited(code: ProgramCode) -> Iterator[str]:
    """Yield the lines that flush the remaining deferred calls after the entry has succeeded."""
    if not code.tasks:
        yield "  %status = add i32 %ended, 0"
        return
    yield "  %ran = icmp eq i32 %ended, 0"
    yield "  br i1 %ran, label %wait, label %ready"
    yield "wait:"
    yield "  %waited = call i32 @relay_await(ptr %ctx)"
    yield "  br label %ready"
    yield "ready:"
    yield "  %status = phi i32 [ %ended, %enter ], [ %waited, %wait ]"


def _pointer(name: str, table: str, index: int) -> Iterator[str]:
    yield f"  {name}at = getelementptr ptr, ptr {table}, i64 {index}"
    yield f"  {name} = load ptr, ptr {name}at"


def _argument(name: str, kind: Kind, sizes: int) -> Generator[str, None, list[str]]:
    """Yield the lines that read an argument; return the LLVM operands that hold it.

    `sizes` is the index of its first dynamic size. Tensor elements and data images belong to the
    caller; the program does not free them.
    """
    if isinstance(kind, Tensor):
        found = [f"ptr {name}", "ptr null"]
        for number in range(sizes, sizes + len(kind.carried)):
            yield f"  %size{number}at = getelementptr i64, ptr %sizes, i64 {number}"
            yield f"  %size{number} = load i64, ptr %size{number}at"
            found.append(f"i64 %size{number}")
        return found
    ty = memory_type(kind.dtype) if isinstance(kind, Scalar) else "ptr"
    yield f"  {name}value = load {ty}, ptr {name}"
    return [f"{ty} {name}value"]


def _result(index: int, kind: Kind) -> Iterator[str]:
    """Yield the lines that copy a result to its destination, or store its address there."""
    parts = list(enumerate(slot_types(kind)))
    for part, ty in parts:
        yield f"  %v{index}.{part} = load {ty}, ptr %r{index}.{part}"
    if isinstance(kind, Tensor) and not kind.carried:
        pointers = f"ptr %out{index}, ptr %v{index}.0"
        yield f"  call void @llvm.memcpy.p0.p0.i64({pointers}, i64 {kind.nbytes}, i1 false)"
        yield f"  call void @relay_release(ptr %ctx, ptr %v{index}.1)"
        return
    told = [each for each in parts if not (isinstance(kind, Tensor) and each[0] == 1)]
    for word, (part, ty) in enumerate(told):  # skip owners: the heap is freed as a whole
        yield f"  %word{index}.{word} = getelementptr i64, ptr %out{index}, i64 {word}"
        yield f"  store {ty} %v{index}.{part}, ptr %word{index}.{word}"
