"""Calling kernels one by one from Python: with arrays, and scratch memory of the run."""

import time
from collections.abc import Callable, Sequence

import numpy as np

from relay.runtime.arguments import Array
from relay.runtime.memory import address, aligned_empty

_BYTES = np.dtype(np.uint8)


class KernelCalls:
    """The kernels of a program by number, for one run: two at once would share scratch memory."""

    def __init__(self, kernels: Sequence[Callable[..., int]], scratch_bytes: int) -> None:
        self._kernels = kernels
        self._scratch = aligned_empty((scratch_bytes,), _BYTES)
        self._workspace = address(self._scratch)

    def __call__(self, number: int, inputs: Sequence[Array], outputs: Sequence[Array]) -> int:
        """Run a kernel; returns a trap, or 0."""
        places = (*map(address, inputs), *map(address, outputs))
        return self._kernels[number](*places, self._workspace)


class TimedCalls(KernelCalls):
    """Kernels with a clock: `seconds` is the time of each, all its calls together."""

    def __init__(self, kernels: Sequence[Callable[..., int]], scratch_bytes: int) -> None:
        super().__init__(kernels, scratch_bytes)
        self.seconds = [0.0] * len(kernels)

    def __call__(self, number: int, inputs: Sequence[Array], outputs: Sequence[Array]) -> int:
        """Run a kernel; returns a trap, or 0."""
        start = time.perf_counter()
        trap = super().__call__(number, inputs, outputs)
        self.seconds[number] += time.perf_counter() - start
        return trap
