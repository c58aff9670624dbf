"""Time repeated calls, with the options of `benchmark` in TVM's executors."""

import time
from collections.abc import Callable

import numpy as np

from relay.support.node import Value, value


@value
class BenchmarkResult(Value):
    """The results of several measurements: seconds per call, averaged within each."""

    results: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Return the mean of the measurements in seconds."""
        return float(np.mean(self.results))

    @property
    def median(self) -> float:
        """Return the median of the measurements in seconds."""
        return float(np.median(self.results))

    @property
    def min(self) -> float:
        """Return the smallest measurement in seconds."""
        return min(self.results)

    @property
    def max(self) -> float:
        """Return the largest measurement in seconds."""
        return max(self.results)

    @property
    def std(self) -> float:
        """Return the standard deviation of the measurements in seconds."""
        return float(np.std(self.results))

    def __str__(self) -> str:
        names = ("mean", "median", "max", "min", "std")
        return "  ".join(f"{name} {getattr(self, name) * 1e3:.4f} ms" for name in names)


@value
class Repetition(Value):
    """How often to time a call: `repeat` measurements of `number` calls each.

    A measurement that would be shorter than `min_repeat_ms` makes more calls. After every
    `repeats_to_cooldown` measurements there is a pause of `cooldown_interval_ms`.
    """

    repeat: int = 5
    number: int = 5
    min_repeat_ms: float = 0
    cooldown_interval_ms: float = 0
    repeats_to_cooldown: int = 1

    def measure(self, call: Callable[[], object]) -> BenchmarkResult:
        """Time a call repeatedly; return the seconds per call of each measurement."""
        found: list[float] = []
        for index in range(self.repeat):
            if index and index % self.repeats_to_cooldown == 0:
                time.sleep(self.cooldown_interval_ms / 1e3)
            found.append(self._one(call))
        return BenchmarkResult(tuple(found))

    def _one(self, call: Callable[[], object]) -> float:
        calls, start = 0, time.perf_counter()
        end = start + self.min_repeat_ms / 1e3
        while calls < self.number or time.perf_counter() < end:
            call()
            calls += 1
        return (time.perf_counter() - start) / max(1, calls)
