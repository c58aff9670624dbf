"""LLVM text of a program's entry, which converts arguments and results for the caller.

`inputs` points to the elements of each input, followed by the address of a table with the dynamic
sizes of the inputs, in order. `outputs` points to the destination of each result's elements. For a
result of run-time size it points to words that receive the address of the elements and the dynamic
sizes; the caller reads such elements before it calls `relay_finish`.
"""

from collections.abc import Sequence

from relay.build.code.llvm_function_writer import function_name, slot_types
from relay.build.code.llvm_text_writer import TextWriter
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
    entry, to = code.functions[0], TextWriter()
    places = [[to.value(f"alloca {ty}") for ty in slot_types(kind)] for kind in entry.results]
    arguments = ["ptr %ctx", *_arguments(entry.kinds[: entry.parameters], to)]
    arguments += [f"ptr {place}" for parts in places for place in parts]
    to.guarded(f"call {convention} i32 {function_name(entry, 0)}({', '.join(arguments)})")
    if code.tasks:
        to.guarded("call i32 @relay_await(ptr %ctx)")  # flushes the remaining deferred calls
    for index, (kind, parts) in enumerate(zip(entry.results, places, strict=True)):
        types = zip(slot_types(kind), parts, strict=True)
        found = [(ty, to.load(ty, place)) for ty, place in types]
        _result(_entry_of("%outputs", index, to), kind, found, to)
    to.put("ret i32 0")
    head = "define i32 @relay_border(ptr %ctx, ptr %inputs, ptr %outputs) noinline"
    return to.definition(head)


def _entry_of(table: str, index: int, to: TextWriter) -> str:
    """Write code that loads an entry of the table of inputs or outputs."""
    return to.load("ptr", to.value(f"getelementptr ptr, ptr {table}, i64 {index}"))


def _arguments(kinds: Sequence[Kind], to: TextWriter) -> list[str]:
    """Write code that reads the arguments, and traps if the caller passes a negative size.

    Tensor elements and data images belong to the caller; the program does not free them.
    """
    found: list[str] = []
    signs, sizes = "0", 0
    for index, kind in enumerate(kinds):
        place = _entry_of("%inputs", index, to)
        if not isinstance(kind, Tensor):
            ty = memory_type(kind.dtype) if isinstance(kind, Scalar) else "ptr"
            found.append(f"{ty} {to.load(ty, place)}")
            continue
        found += [f"ptr {place}", "ptr null"]
        for _ in kind.carried:
            size = to.load("i64", to.at(_entry_of("%inputs", len(kinds), to), 8 * sizes))
            signs, sizes = to.value(f"or i64 {signs}, {size}"), sizes + 1
            found.append(f"i64 {size}")
    if sizes:
        to.trap_if(to.value(f"icmp slt i64 {signs}, 0"), BAD_SIZE)
    return found


def _result(place: str, kind: Kind, parts: Sequence[tuple[str, str]], to: TextWriter) -> None:
    """Write code that copies a result to its destination, or stores its address there."""
    if isinstance(kind, Tensor) and not kind.carried:
        (_, elements), (_, owner) = parts
        pointers = f"ptr {place}, ptr {elements}"
        to.put(f"call void @llvm.memcpy.p0.p0.i64({pointers}, i64 {kind.nbytes}, i1 false)")
        to.release(owner)
        return
    told = [parts[0], *parts[2:]]  # without the owner: the heap is freed as a whole
    for word, (ty, part) in enumerate(told):
        to.put(f"store {ty} {part}, ptr {to.at(place, 8 * word)}")
