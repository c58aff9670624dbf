"""Compares the running times of two programs in alternating runs."""

import time
from collections.abc import Sequence

from relay.build.value_difference import difference
from relay.runtime.arguments import Array
from relay.runtime.code.interface_types import constructors_in, tensors_in
from relay.runtime.native_executable import NativeExecutable

MARGIN = 0.02
"""The fraction of the time that a choice must save; less is within the measurement error."""

ROUNDS = 20
LONGEST = 0.3  # seconds of measurement, after which three rounds are enough
FEWEST = 3

TOLERANCE = 1e-3
"""The allowed difference of results, relative to the largest element: sums may be reordered."""


def disagreement(
    one: NativeExecutable, other: NativeExecutable, arrays: Sequence[Array], *, rounds: bool
) -> float:
    """Return the difference of two programs' results, relative to the largest element.

    If the program `rounds` floats to integers, these are compared as floats are. Values of data
    types with different constructors differ by infinity.
    """
    first, second = (tuple(each.invoke(arrays)) for each in (one, other))
    if [*constructors_in(first)] != [*constructors_in(second)]:
        return float("inf")
    return difference(tuple(tensors_in(first)), tuple(tensors_in(second)), rounds=rounds)


def fastest(
    one: NativeExecutable, other: NativeExecutable, arrays: Sequence[Array]
) -> tuple[float, float]:
    """Return the seconds of the fastest of several alternating runs, for each program."""
    times: list[tuple[float, float]] = []
    start = time.perf_counter()
    while len(times) < ROUNDS:
        times.append((one.seconds(arrays), other.seconds(arrays)))
        if len(times) >= FEWEST and time.perf_counter() - start > LONGEST:
            break
    first, second = (min(each) for each in zip(*times, strict=True))
    return first, second


def is_faster(new: float, old: float) -> bool:
    """Whether a time is shorter than another one by more than the measurement error."""
    return new < old * (1 - MARGIN)
