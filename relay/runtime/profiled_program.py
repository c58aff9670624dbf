"""Run a native program while counting and timing its kernel calls.

The program's objects are linked again as two libraries: the kernels, and the code that calls them.
In the latter, each kernel symbol resolves to a small wrapper, which costs about ten nanoseconds per
call (`relay.runtime.profiling_wrappers`).
"""

import ctypes
from collections.abc import Mapping, Sequence

from relay.runtime.host_compilation import compile_for_host
from relay.runtime.kernel_flops_and_bytes import KernelWork
from relay.runtime.loader import link
from relay.runtime.profile import StepTime
from relay.runtime.profiling_wrappers import COUNTED, wrappers_text
from relay.runtime.program import Program

_RUN = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_size_t] * 5)
_FINISH = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_size_t)


class ProfiledProgram:
    """A linked program with statistics of its kernel calls since `reset`; not thread-safe.

    `external` has the addresses of its external parts, which count as kernels.
    """

    def __init__(
        self,
        program: Program,
        kernels: Sequence[KernelWork],
        threads: int,
        external: Mapping[str, int],
    ) -> None:
        self._kernels = kernels
        called = {kernel.symbol for kernel in kernels} - external.keys()
        inside = [item.code for item in program.objects if item.symbol in called]
        around = [item.code for item in program.objects if item.symbol not in called]
        measures = [_measure(kernel) for kernel in kernels if kernel.measures]
        self._inside = link(inside, [*called, *measures], threads)
        found = {**{name: self._inside[name] for name in (*called, *measures)}, **external}
        text = wrappers_text(kernels, [found[kernel.symbol] for kernel in kernels])
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
        rows = (ctypes.c_int64 * COUNTED) * len(kernels)
        self._rows = rows.from_address(library["relay_seen"])

    def reset(self) -> None:
        """Reset the statistics."""
        ctypes.memset(self._rows, 0, ctypes.sizeof(self._rows))

    def finish(self, arena: int) -> None:
        """Free the memory that the results of a call occupy."""
        if self._finish is not None:
            self._finish(arena)

    def times(self) -> list[StepTime]:
        """Return for each kernel the number of calls, the total time, operations and bytes."""
        return [
            StepTime(kernel.label, kernel.symbol, nanoseconds / 1e6, flops, traffic, calls)
            for kernel, row in zip(self._kernels, self._rows, strict=True)
            for calls, nanoseconds, flops, traffic in [row]
            if calls
        ]


def _measure(kernel: KernelWork) -> str:
    return f"{kernel.symbol}.workspace"
