"""Times of repeated calls, with the options of the classic executors' `benchmark`."""

import time
from collections.abc import Callable

import numpy as np

from relay.support.node import Value, set_field, value


@value
class BenchmarkResult(Value):
    """The seconds of several measurements; each is a mean over its calls."""

    results: tuple[float, ...]

    def __post_init__(self) -> None:
        set_field(self, "results", tuple(self.results))

    @property
    def mean(self) -> float:
        """Return the mean."""
        return float(np.mean(self.results))

    @property
    def median(self) -> float:
        """Return the median."""
        return float(np.median(self.results))

    @property
    def min(self) -> float:
        """Return the minimum."""
        return min(self.results)

    @property
    def max(self) -> float:
        """Return the maximum."""
        return max(self.results)

    @property
    def std(self) -> float:
        """Return the standard deviation."""
        return float(np.std(self.results))

    def __str__(self) -> str:
        names = ("mean", "median", "max", "min", "std")
        return "  ".join(f"{name} {getattr(self, name) * 1e3:.4f} ms" for name in names)


@value
class Repetition(Value):
    """How often a call is measured: `repeat` measurements of `number` calls each.

    A measurement has more calls if it is shorter than `min_repeat_ms`. After every
    `repeats_to_cooldown` measurements there is a pause of `cooldown_interval_ms`.
    """

    repeat: int = 5
    number: int = 5
    min_repeat_ms: float = 0
    cooldown_interval_ms: float = 0
    repeats_to_cooldown: int = 1

    def measure(self, call: Callable[[], object]) -> BenchmarkResult:
        """Return the seconds of a call in each measurement."""
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
