"""A native program whose calls of kernels are counted and timed while it runs.

Its objects are linked once more, in two libraries: the kernels, and the code that calls them. What
that code finds by the name of a kernel is a few instructions that look at the clock, call the
kernel and look again, which costs some ten nanoseconds a call.
"""

import ctypes
from collections.abc import Iterator, Sequence

from relay.runtime.kernel_work import KernelWork
from relay.runtime.loader import link
from relay.runtime.pool import MONOTONIC, compile_for_host
from relay.runtime.profile import StepTime
from relay.runtime.program import Program

_RUN = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_size_t] * 5)
_FINISH = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_size_t)


class CountedProgram:
    """A linked program and what its kernels have done since `reset`; calls are not concurrent."""

    def __init__(self, program: Program, kernels: Sequence[KernelWork], threads: int) -> None:
        self._kernels = kernels
        called = {kernel.symbol for kernel in kernels}
        inside = [item.code for item in program.objects if item.symbol in called]
        around = [item.code for item in program.objects if item.symbol not in called]
        measures = [_measure(kernel) for kernel in kernels if kernel.measures]
        self._inside = link(inside, [*called, *measures], threads)
        found = self._inside
        text = "\n".join(_text(kernels, [found[kernel.symbol] for kernel in kernels]))
        self._around = link(
            [*around, compile_for_host(text)],
            [program.entry, "relay_seen", *program.exports],
            threads,
            {name: found[name] for name in measures},
        )
        library = self._around
        self.entry = _RUN(library[program.entry])
        keeps = "relay_finish" in program.exports
        self._finish = _FINISH(library["relay_finish"]) if keeps else None
        rows = [ctypes.c_int64 * (2 + len(kernel.sizes)) for kernel in kernels]
        self._total = sum(map(ctypes.sizeof, rows))
        self._seen = library["relay_seen"]
        offsets = [sum(map(ctypes.sizeof, rows[:number])) for number in range(len(rows))]
        self._rows = [
            row.from_address(self._seen + at) for row, at in zip(rows, offsets, strict=True)
        ]

    def reset(self) -> None:
        """Forget what was counted."""
        ctypes.memset(self._seen, 0, self._total)

    def finish(self, arena: int) -> None:
        """Give the memory of a call's results back."""
        if self._finish is not None:
            self._finish(arena)

    def times(self) -> list[StepTime]:
        """Return what the calls of each kernel took together, of those that were called.

        Their work is that of the last call, as often as there were calls.
        """
        found: list[StepTime] = []
        for kernel, (calls, nanoseconds, *sizes) in zip(self._kernels, self._rows, strict=True):
            flops, traffic = kernel.in_call(sizes)
            work = (nanoseconds / 1e6, flops * calls, traffic * calls, calls)
            if calls:
                found.append(StepTime(kernel.label, kernel.symbol, *work))
        return found


def _measure(kernel: KernelWork) -> str:
    return f"{kernel.symbol}.workspace"


def _text(kernels: Sequence[KernelWork], addresses: Sequence[int]) -> Iterator[str]:
    """Write a function of each kernel's name that calls it, and rows for what is seen.

    A row has the number of calls, their nanoseconds, and the sizes of the last call.
    """
    total = sum(2 + len(kernel.sizes) for kernel in kernels)
    yield f"@relay_seen = global [{max(1, total)} x i64] zeroinitializer"
    yield _CLOCK
    row = 0
    for kernel, address in zip(kernels, addresses, strict=True):
        yield from _function(kernel, address, row)
        row += 2 + len(kernel.sizes)


_CLOCK = f"""
declare i32 @clock_gettime(i32, ptr)
define internal i64 @now() {{
  %time = alloca {{ i64, i64 }}
  call i32 @clock_gettime(i32 {MONOTONIC}, ptr %time)
  %seconds = load i64, ptr %time
  %rest = getelementptr {{ i64, i64 }}, ptr %time, i64 0, i32 1
  %nanoseconds = load i64, ptr %rest
  %scaled = mul i64 %seconds, 1000000000
  %sum = add i64 %scaled, %nanoseconds
  ret i64 %sum
}}
"""


def _function(kernel: KernelWork, address: int, row: int) -> Iterator[str]:
    pointers = [f"ptr %p{i}" for i in range(kernel.pointers)]
    sizes = [f"i64 %n{i}" for i in range(len(kernel.sizes))]
    arguments = ", ".join([*pointers, *sizes, "ptr %workspace"])
    yield f'define i32 @"{kernel.symbol}"({arguments}) {{'
    yield "  %begin = call i64 @now()"
    yield f"  %status = call i32 inttoptr (i64 {address} to ptr)({arguments})"
    yield "  %end = call i64 @now()"
    yield "  %taken = sub i64 %end, %begin"
    for number, added in enumerate(("1", "%taken")):
        yield f"  %place{number} = getelementptr i64, ptr @relay_seen, i64 {row + number}"
        yield f"  %old{number} = load i64, ptr %place{number}"
        yield f"  %new{number} = add i64 %old{number}, {added}"
        yield f"  store i64 %new{number}, ptr %place{number}"
    for number in range(len(kernel.sizes)):
        yield f"  %size{number} = getelementptr i64, ptr @relay_seen, i64 {row + 2 + number}"
        yield f"  store i64 %n{number}, ptr %size{number}"
    yield from ("  ret i32 %status", "}")
