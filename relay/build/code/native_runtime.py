"""The native runtime that is linked into programs: heap, stack, entry and deferred calls.

It is C code (`relay/runtime/c`), translated to LLVM text. `heap.c` and `batches.c` are linked with
the text of each program, so that their short functions are inlined; `segments.c` and `entry.c` are
compiled once for a machine. The program defines the constants that they read.
"""

import functools
from collections.abc import Iterator

from relay.build.code.batch_layout import MOST_CALLS
from relay.build.interrupt_poll import poll_text
from relay.kernels.cpu_model import CpuModel
from relay.kernels.kernel_cache import KernelCache
from relay.kernels.kernel_compiler import ObjectCode, Options, compile_texts
from relay.runtime.code.function import ProgramCode
from relay.runtime.host_compilation import runtime_platform, runtime_text

LEVEL = 1  # of the runtime: it is already optimised

ENTRY = "relay_run"
FINISH, FORGET = "relay_finish", "relay_forget"
_SEGMENTS = ("carve", "carve_block", "allocate_bytes", "free_tree", "report")
SHARED = (FINISH, FORGET, *(f"relay_{part}" for part in _SEGMENTS))
"""The LLVM declarations of the runtime's functions that programs and their callers call."""

BOUNDARY = "relay_border"
READ = ("relay_keeps_results", "relay_asks_stack", "relay_exhausted_from")
"""The names of the function and the constants of a program that the runtime uses."""

_HEAP = """
declare ptr @relay_allocate(ptr, i64, i64, i64, ptr)
declare ptr @relay_allocate_bytes(ptr, i64)
declare void @relay_retain(ptr)
declare void @relay_release(ptr, ptr)
declare ptr @relay_own(ptr, ptr, ptr, i64)
declare void @relay_report(ptr, i64, i64)
declare i64 @relay_floor_divide(i64, i64)
declare ptr @llvm.frameaddress.p0(i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare { i64, i1 } @llvm.umul.with.overflow.i64(i64, i64)
declare { i64, i1 } @llvm.sadd.with.overflow.i64(i64, i64)
declare { i64, i1 } @llvm.ssub.with.overflow.i64(i64, i64)
declare { i64, i1 } @llvm.smul.with.overflow.i64(i64, i64)
!0 = !{!"branch_weights", i32 1, i32 2000}
"""

_BATCHES = """
declare void @relay_give(ptr, ptr)
declare i64 @relay_level(ptr)
declare i64 @relay_done(ptr)
declare ptr @relay_place(ptr, i64, i64)
declare i64 @relay_capacity(ptr)
declare ptr @relay_room(ptr, ptr, i64, ptr)
declare i32 @relay_note(ptr, ptr, i64, i64)
declare i32 @relay_await(ptr)
declare ptr @relay_full_first(ptr)
declare i64 @relay_part(ptr, i64)
declare ptr @relay_inputs(ptr, i64, i64)
declare void @relay_drop(ptr, ptr, i64, i64, i64, i64)
declare ptr @relay_listed(ptr, ptr, i64, i64, i64, ptr)
declare i32 @relay_alike(ptr, i64, i64, ptr, i64)
declare void @relay_gather(ptr, ptr, i64, i64, i64, i64, i64)
declare void @relay_hand_out(ptr, ptr, i64)
"""

_STACK_IN_MEMORY = "@__stack_low = external global i8"  # its end: the linker's symbol


def support_text(
    code: ProgramCode, machine: CpuModel, *, keep: bool, recursive: bool, exhausted_from: int
) -> str:
    """Return the LLVM declarations of the runtime, and the program's constants that it reads.

    `keep` means that results stay on the heap until the caller has read them and calls
    `relay_finish`. `recursive` means that the program may need a large stack. Traps numbered from
    `exhausted_from` on also report that it needs a larger stack.
    """
    asks = recursive and "linux" in machine.triple
    parts = [
        _HEAP,
        f"@relay_keeps_results = constant i8 {int(keep)}",
        f"@relay_asks_stack = constant i8 {int(asks)}",
        f"@relay_exhausted_from = constant i32 {exhausted_from}",
        poll_text(),
    ]
    if machine.is_wasm:
        parts.append(_STACK_IN_MEMORY)
    if code.tasks:
        parts += [_BATCHES, *_tasks(len(code.tasks))]
    return "\n".join(parts)


def _tasks(count: int) -> Iterator[str]:
    listed = ", ".join(f"ptr @relay_task{number}" for number in range(count))
    yield f"@relay_tasks = constant [{count} x ptr] [{listed}]"
    yield f"@relay_task_count = constant i64 {count}"
    yield f"@relay_most_calls = constant i64 {MOST_CALLS}"


def inlined_texts(code: ProgramCode, machine: CpuModel) -> list[str]:
    """Return the LLVM modules of the runtime whose functions are inlined in a program."""
    names = ("heap", "batches") if code.tasks else ("heap",)
    return [runtime_text(name, runtime_platform(machine.triple)) for name in names]


@functools.cache
def runtime_object(
    machine: CpuModel, options: Options, cache: KernelCache | None = None
) -> ObjectCode:
    """Return the compiled object of the runtime's functions that are not inlined in programs.

    One object serves all programs for a machine.
    """
    platform = runtime_platform(machine.triple)
    texts = [runtime_text(name, platform) for name in ("entry", "segments")]
    return compile_texts(ENTRY, texts, machine, options, LEVEL, cache, SHARED)
