"""Measure the limits of this machine: peak arithmetic and bandwidth of one core.

A kernel's time is bounded from below by its operations at peak speed, and by its bytes at the
bandwidth of the smallest cache or memory that they fit into. The ratio to the measured time shows
how much can still be gained.
"""

import ctypes
import functools
import time
from collections.abc import Callable
from importlib import resources
from string import Template

import numpy as np

from relay.runtime.host_compilation import compile_for_host
from relay.support.linking import linked
from relay.support.llvm_targets import host
from relay.support.node import Value, value

CHAINS = 24
"""The number of independent sums: above the latency times the units of any core's multiply-add."""

STEPS = 20_000
SIZES = (1 << 18, 1 << 21, 1 << 24, 1 << 27)
"""The copied bytes: within the L2 cache, near its end, within the L3 cache, and in memory."""


@value
class Roofline(Value):
    """The limits of one core: float32 operations per second, and bandwidths by data size.

    >>> line = Roofline(1e11, ((1024, 1e11), (2**30, 1e10)))
    >>> line.seconds(flops=10**9, traffic=100), line.seconds(flops=0, traffic=10**6)
    (0.01, 0.0001)
    """

    peak: float
    bandwidths: tuple[tuple[int, float], ...]

    def bandwidth(self, traffic: float) -> float:
        """Return the bandwidth of the smallest measured size that is at least `traffic` bytes."""
        fitting = (rate for size, rate in self.bandwidths if size >= traffic)
        return next(fitting, self.bandwidths[-1][1])

    def seconds(self, flops: float, traffic: float) -> float:
        """Return the minimal time for one core to perform `flops` and move `traffic` bytes."""
        return max(flops / self.peak, traffic / self.bandwidth(traffic))


@functools.cache
def roofline() -> Roofline:
    """Return the limits of this machine, measured once per process in a tenth of a second."""
    return Roofline(_peak(), tuple((size, _copy_rate(size)) for size in SIZES))


def _least(call: Callable[[], object], repeats: int) -> float:
    """Return the seconds of the fastest of several calls."""
    times: list[float] = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def _copy_rate(size: int) -> float:
    """Return the bandwidth of copies within `size` bytes: bytes read and written per second."""
    source = np.ones(size // 8, np.float32)
    target = np.zeros_like(source)
    return size / _least(lambda: np.copyto(target, source), max(4, min(500, (1 << 26) // size)))


def _peak() -> float:
    """Return the floating-point operations per second of one core; a multiply-add counts two."""
    lanes = _lanes()
    code = compile_for_host(_probe(lanes), level=3)
    library = linked("probe", [code], ["probe"])  # must outlive the function
    kind = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p)
    function = kind(library["probe"])
    data = np.full(2 * lanes, 0.5, np.float32)
    seconds = _least(lambda: function(STEPS, data.ctypes.data), 50)
    return 2.0 * STEPS * CHAINS * lanes / seconds


def _lanes() -> int:
    """Return the number of float32 elements in the widest vector of this machine."""
    features = host()[2].split(",")
    if "+avx512f" in features:
        return 16
    return 8 if "+avx" in features else 4


def _probe(lanes: int) -> str:
    """Return LLVM text of a loop of independent multiply-adds on registers."""
    vector, chains = f"<{lanes} x float>", range(CHAINS)
    fma = f"call {vector} @llvm.fma.v{lanes}f32"
    text = (resources.files("relay.runtime") / "probe.ll").read_text("utf-8")
    return Template(text).substitute(
        vector=vector,
        lanes=lanes,
        phis="\n  ".join(f"%s{i} = phi {vector} [%x, %entry], [%t{i}, %loop]" for i in chains),
        steps="\n  ".join(
            f"%t{i} = {fma}({vector} %s{i}, {vector} %x, {vector} %y)" for i in chains
        ),
        sums="\n  ".join(
            f"%r{i + 1} = fadd {vector} {'%t0' if i == 0 else f'%r{i}'}, %t{i + 1}"
            for i in chains[:-1]
        ),
        last=f"%r{CHAINS - 1}",
    )
