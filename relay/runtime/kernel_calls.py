"""Call single kernels from Python with arrays, sizes and a workspace."""

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

import numpy as np

from relay.runtime.aligned_memory import ALIGNMENT, address, aligned_empty, scratch
from relay.runtime.arguments import Array
from relay.runtime.code.function import KernelUse
from relay.runtime.interrupts import connect_kernels, handling_signals, raised
from relay.runtime.loader import Library
from relay.runtime.program import FaultRecord, read_fault
from relay.support.kernel_error_record import STOPPED
from relay.support.node import node


@node
class LinkedKernel:
    """A kernel; `measure` returns its workspace size, or is None if that is constant."""

    call: Callable[..., int]
    measure: Callable[..., int] | None


def linked_kernel(library: Library, use: KernelUse) -> LinkedKernel:
    """Return a kernel of a linked library, ready to be called."""
    call = library.kernel(use.symbol, use.pointers, use.sizes)
    measure = library.measure(use.symbols[1], use.sizes) if use.measures else None
    return LinkedKernel(call, measure)


class KernelWorkspace:
    """The workspace of kernels that Python calls, and the control block that they poll.

    Simultaneous runs must not share it. Within `interruptible()`, signal handlers run during long
    kernels, and an exception that a handler raises stops the kernel.
    """

    def __init__(self, nbytes: int) -> None:
        self._scratch = scratch(nbytes)
        self._control = aligned_empty((ALIGNMENT,), np.dtype(np.uint8))
        self._control[...] = 0

    @property
    def address(self) -> int:
        """Return the address that kernels take; `grow` changes it."""
        return address(self._scratch)

    @contextmanager
    def interruptible(self) -> Generator[None]:
        """Allow signals to interrupt kernels in a `with` block, in the main thread."""
        with handling_signals(address(self._control)):
            self._connect()
            yield

    def grow(self, needed: int) -> None:
        """Replace the memory by that of `needed` bytes if it has fewer."""
        if needed > self._scratch.nbytes:
            self._scratch = scratch(needed)
            self._connect()

    def report(self) -> FaultRecord | None:
        """Return the fault record of the last kernel that trapped."""
        return read_fault(self.address, self._scratch.nbytes)

    def _connect(self) -> None:
        """Store the addresses of the control block and of its callback in the workspace."""
        connect_kernels(address(self._control), self.address, self._scratch.nbytes)


class KernelCalls:
    """The kernels of a program by number, with the workspace of one run."""

    def __init__(self, kernels: Sequence[LinkedKernel], scratch_bytes: int, threads: int) -> None:
        self._kernels = kernels
        self._threads = threads
        self.workspace = KernelWorkspace(scratch_bytes)

    def __call__(
        self,
        number: int,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        sizes: Sequence[int],
    ) -> int:
        """Run a kernel; return the number of its trap, or 0 for success."""
        kernel = self._kernels[number]
        if kernel.measure is not None:
            self.workspace.grow(kernel.measure(*sizes, self._threads))
        places = (*map(address, inputs), *map(address, outputs))
        status = kernel.call(*places, *sizes, self.workspace.address)
        if status == STOPPED:
            raise raised()
        return status

    def report(self) -> FaultRecord | None:
        """Return the fault record of the last kernel that trapped."""
        return self.workspace.report()


class TimedCalls(KernelCalls):
    """`KernelCalls` that measures time: `seconds` has the total time of each kernel."""

    def __init__(self, kernels: Sequence[LinkedKernel], scratch_bytes: int, threads: int) -> None:
        super().__init__(kernels, scratch_bytes, threads)
        self.seconds = [0.0] * len(kernels)

    def __call__(
        self,
        number: int,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        sizes: Sequence[int],
    ) -> int:
        """Run a kernel; return the number of its trap, or 0 for success."""
        start = time.perf_counter()
        trap = super().__call__(number, inputs, outputs, sizes)
        self.seconds[number] += time.perf_counter() - start
        return trap
