"""Expected values of dynamic sizes, with which schedules are chosen at compile time.

A kernel is correct for every size; these numbers only choose the sizes for which it is fast.
"""

from collections.abc import Iterable

from relay.kernels import te
from relay.kernels.te.tensor import Axis
from relay.support.dims.algebra import Dim, Symbolic, variables
from relay.support.dims.bounds import substitute

_SAMPLES = (1, 4, 8, 16, 31, 64, 257)  # sample values of a dynamic size, equally likely
_TYPICAL = 64  # the expected value of a dynamic dimension: between a token and a sentence


def typical(size: te.Dim) -> int:
    """Return a static size, or the expected value of a dynamic one.

    >>> from relay.support.dims.algebra import DimVar
    >>> typical(12), typical(DimVar("n") + 1)
    (12, 65)
    """
    if isinstance(size, int):
        return size
    if not isinstance(size, Symbolic):
        return _TYPICAL
    known: Dim = substitute(size, dict.fromkeys(variables(size), _TYPICAL))
    return max(1, known) if isinstance(known, int) else _TYPICAL


def product(sizes: Iterable[te.Dim]) -> int:
    """Return the product of sizes, with expected values for dynamic ones."""
    total = 1
    for size in sizes:
        total *= typical(size)
    return total


def exact_product(sizes: Iterable[te.Dim]) -> te.Dim:
    """Return the product of sizes, symbolic if one of them is."""
    total: te.Dim = 1
    for size in sizes:
        total = total * size
    return total


def extent(axis: Axis) -> int:
    """Return the extent of an axis, or its expected value if it is dynamic."""
    return typical(axis.extent)


def is_known(axis: Axis) -> bool:
    """Whether the extent of an axis is static."""
    return isinstance(axis.extent, int)


def samples_of(size: te.Dim) -> tuple[int, ...]:
    """Return a static size, or sample values of a dynamic one."""
    return (size,) if isinstance(size, int) else _SAMPLES
