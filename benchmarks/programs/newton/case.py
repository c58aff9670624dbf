"""Newton's iteration: numbers, and their cube roots."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contenders.case import Feeds, Outputs
from benchmarks.programs.workload import Calls, Weights, Workload

LIMIT = 1e-4
"""The largest allowed difference between the cube of a root and the number."""


@dataclass(frozen=True)
class Sizes:
    """How many roots are computed simultaneously; none means a scalar."""

    numbers: int | None = None


def weights(_sizes: Sizes) -> Weights:
    """Return no weights: the program has none."""
    return {}


def inputs(sizes: Sizes) -> Feeds:
    """Return the numbers."""
    values = 10.0 if sizes.numbers is None else np.linspace(2, 20, sizes.numbers)
    return {"a": np.array(values, np.float32)}


def calls(feeds: Feeds) -> Calls:
    """Return one call."""
    return [tuple(feeds.values())]


def units(_sizes: Sizes) -> int:
    """Return the number of calls."""
    return 1


def reference(_sizes: Sizes, _weights: Weights, a: NDArray[Any]) -> Outputs:
    """Return the roots and the number of steps."""
    goal = a.astype(np.float64)
    x, steps = goal, 0
    while np.abs(x**3 - goal).max() > LIMIT:
        x, steps = x - (x**3 - goal) / (3 * x**2), steps + 1
    return [np.asarray(x, np.float32), np.array(steps, np.int32)]


def workloads() -> list[Workload]:
    """Return the iteration for a scalar and for a vector."""
    return [
        Workload("newton_scalar", "newton", Sizes()),
        Workload("newton_vector_16", "newton", Sizes(16)),
    ]
