"""Generates the native entry of a straight-line program: a sequence of kernel calls.

It is LLVM text that contains only address arithmetic and calls. Long programs are split into
functions of `CHUNK` steps, because LLVM's time for one function grows faster than linearly.
"""

from collections.abc import Iterator, Sequence

from relay.build.interrupt_poll import poll_text, record_lines
from relay.runtime.code.traps import INTERRUPTED
from relay.runtime.program import Location, MemoryRegion, Step
from relay.support.kernel_error_record import STOPPED

ENTRY = "relay_run"
CHUNK = 128

_PARAMS = "ptr %inputs, ptr %outputs, ptr %constants, ptr %arena, ptr %workspace"
_ARGS = _PARAMS


def entry_text(
    steps: Sequence[Step],
    copies: Sequence[tuple[Location, Location, int]],
    stop: int | None = None,
    *,
    has_record: bool = False,
) -> str:
    """Return LLVM text for `i32 relay_run(inputs, outputs, constants, arena, workspace)`.

    A kernel that traps ends the run with its trap code. `copies` (from, to, bytes) copy results
    that no kernel writes in place to their outputs, at the end. `stop` is the arena offset of a
    word that is polled before each kernel: if it is not 0, the run stops. `has_record` means that
    the workspace begins with a record, in which kernels find the address of that word.
    """
    chunks = [steps[i : i + CHUNK] for i in range(0, len(steps), CHUNK)]
    lines = [*_declarations(steps), *([] if stop is None else [poll_text()])]
    for index, chunk in enumerate(chunks):
        lines += [f"define internal i32 @chunk{index}({_PARAMS}) {{", *_chunk(chunk, stop), "}"]
    lines += [f"define i32 @{ENTRY}({_PARAMS}) {{"]
    if has_record:
        lines += record_lines("%workspace", None if stop is None else ("%arena", stop))
    lines += [*_main(len(chunks), copies), "}"]
    return "\n".join(lines) + "\n"


def _declarations(steps: Sequence[Step]) -> Iterator[str]:
    signatures = {step.symbol: len(step.arguments) for step in steps}
    for symbol, arity in signatures.items():
        yield f"declare i32 @{symbol}({', '.join(['ptr'] * (arity + 1))})"
    yield "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"


def _chunk(steps: Sequence[Step], stop: int | None) -> Iterator[str]:
    for number, step in enumerate(steps):
        if stop is not None:
            yield from _check_stop(number, stop)
        names = [f"%s{number}a{index}" for index in range(len(step.arguments))]
        for name, location in zip(names, step.arguments, strict=True):
            yield from _address(name, location)
        arguments = ", ".join(f"ptr {name}" for name in (*names, "%workspace"))
        yield f"  %r{number} = call i32 @{step.symbol}({arguments})"
        yield f"  %t{number} = icmp eq i32 %r{number}, 0"
        yield f"  br i1 %t{number}, label %next{number}, label %trap{number}"
        yield f"trap{number}:"
        yield f"  %k{number} = add i32 %r{number}, {step.trap}"
        yield f"  %i{number} = icmp eq i32 %r{number}, {STOPPED}"
        yield f"  %c{number} = select i1 %i{number}, i32 {INTERRUPTED}, i32 %k{number}"
        yield f"  ret i32 %c{number}"
        yield f"next{number}:"
    yield "  ret i32 0"


def _check_stop(number: int, stop: int) -> Iterator[str]:
    yield f"  %place{number} = getelementptr i8, ptr %arena, i64 {stop}"
    yield f"  %word{number} = load volatile i32, ptr %place{number}"
    yield f"  %stopped{number} = icmp ne i32 %word{number}, 0"
    yield f"  br i1 %stopped{number}, label %stop{number}, label %go{number}"
    yield f"stop{number}:"
    yield f"  %looked{number} = call i32 @relay_look(ptr %place{number})"
    yield f"  %goes{number} = icmp eq i32 %looked{number}, 0"
    yield f"  br i1 %goes{number}, label %go{number}, label %end{number}"
    yield from (f"end{number}:", f"  ret i32 %looked{number}", f"go{number}:")


def _address(name: str, location: Location) -> Iterator[str]:
    match location.region:
        case MemoryRegion.INPUT | MemoryRegion.OUTPUT:
            table = "%inputs" if location.region is MemoryRegion.INPUT else "%outputs"
            yield f"  {name}t = getelementptr ptr, ptr {table}, i64 {location.index}"
            yield f"  {name}p = load ptr, ptr {name}t"
            yield f"  {name} = getelementptr i8, ptr {name}p, i64 {location.offset}"
        case MemoryRegion.CONSTANT:
            yield f"  {name} = getelementptr i8, ptr %constants, i64 {location.offset}"
        case MemoryRegion.ARENA:
            yield f"  {name} = getelementptr i8, ptr %arena, i64 {location.offset}"


def _main(chunks: int, copies: Sequence[tuple[Location, Location, int]]) -> Iterator[str]:
    for index in range(chunks):
        yield f"  %r{index} = call i32 @chunk{index}({_ARGS})"
        yield f"  %t{index} = icmp eq i32 %r{index}, 0"
        yield f"  br i1 %t{index}, label %next{index}, label %trap{index}"
        yield f"trap{index}:"
        yield f"  ret i32 %r{index}"
        yield f"next{index}:"
    for number, (source, target, size) in enumerate(copies):
        yield from _address(f"%from{number}", source)
        yield from _address(f"%to{number}", target)
        pointers = f"ptr %to{number}, ptr %from{number}"
        yield f"  call void @llvm.memcpy.p0.p0.i64({pointers}, i64 {size}, i1 false)"
    yield "  ret i32 0"
