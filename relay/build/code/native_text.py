"""The LLVM runtime text around the functions of a program: heap, stack and entry."""

from collections.abc import Iterator
from importlib import resources
from string import Template

from relay.build.interrupt_poll import poll_text, record_lines
from relay.kernels.machine import CpuModel
from relay.runtime.code.heap_layout import (
    CHUNK_BYTES,
    CLASSES,
    CONTEXT_BYTES,
    LARGEST_BLOCK_BYTES,
    LARGEST_CHUNK_BYTES,
    STOP_OFFSET,
)
from relay.runtime.code.kinds import DATA_OFFSET, TAGS
from relay.runtime.code.traps import STACK_EXHAUSTED
from relay.runtime.control_block import ENDED_OFFSET, WAITS_OFFSET

NEAR_STACK = 192 << 10  # bytes used of the caller's stack, if it has that many
KERNEL_STACK = 48 << 10  # bytes reserved for kernels, which do not check a small stack
FAR_STACK = 1 << 29  # address space only: pages are committed when used
MARGIN = 1 << 20  # bytes of the big stack for kernels and the system

COUNTED_STACK = 640 << 10
"""The stack budget of WebAssembly calls: browsers and Node have about a megabyte."""

_FLOOR = "\ndefine internal ptr @relay_floor(ptr %low) {\n  ret ptr %low\n}\n"


def support_text(machine: CpuModel, *, keep: bool, recursive: bool, exhausted_from: int) -> str:
    """Return the LLVM runtime text that every program with a heap is linked with.

    `keep` means that results stay on the heap until the caller has read them and calls
    `relay_finish`. `recursive` means that the program may need a large stack. Traps numbered from
    `exhausted_from` on also report that it needs a larger stack.
    """
    text = "".join(_parts(machine, recursive=recursive))
    return Template(text).substitute(
        classes=CLASSES,
        chunk=CHUNK_BYTES,
        largest_chunk=LARGEST_CHUNK_BYTES,
        largest_block=LARGEST_BLOCK_BYTES,
        data=DATA_OFFSET,
        context_bytes=CONTEXT_BYTES,
        heap_bytes=STOP_OFFSET,
        near_bytes=NEAR_STACK,
        far_bytes=FAR_STACK,
        usable_bytes=FAR_STACK - MARGIN,
        kernel_bytes=KERNEL_STACK,
        stack_exhausted=STACK_EXHAUSTED,
        exhausted_from=exhausted_from,
        keep=str(keep).lower(),
        tags=TAGS,
        counted_bytes=COUNTED_STACK,
        waits=WAITS_OFFSET,
        ended=ENDED_OFFSET,
        record="\n".join(record_lines("%workspace", ("%ctx", STOP_OFFSET))),
    )


def _parts(machine: CpuModel, *, recursive: bool) -> Iterator[str]:
    """Yield the heap and the entry, with the largest stack that the machine offers.

    A recursive program on Linux asks for the size of its caller's stack.
    """
    yield from (_read("heap.ll"), _read("entry.ll"), _read(f"chunk{8 * machine.pointer_bytes}.ll"))
    yield poll_text()
    if machine.is_wasm:
        yield _read("counted.ll")
    else:
        yield _read("deep.ll")
        yield _read("floor.ll") if recursive and "linux" in machine.triple else _FLOOR


def _read(name: str) -> str:
    return (resources.files("relay.build.code") / name).read_text()
