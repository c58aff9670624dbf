"""Size hints: the expected values of sizes that are open when a schedule is chosen.

A kernel serves every size; these numbers only say for which sizes it is made best.
"""

from collections.abc import Iterable

from relay.kernels import te
from relay.kernels.te.tensor import Axis
from relay.support.dims.algebra import Dim, Symbolic, variables
from relay.support.dims.bounds import substitute

_SAMPLES = (1, 4, 8, 16, 31, 64, 257)  # sizes of which each may be the one that comes
_TYPICAL = 64  # elements of a dimension that is not known: between a token and a sentence


def typical(size: te.Dim) -> int:
    """Return a size, or what is expected of it.

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
    """Return the product of sizes, as far as they are known, else about that."""
    total = 1
    for size in sizes:
        total *= typical(size)
    return total


def exact_product(sizes: Iterable[te.Dim]) -> te.Dim:
    """Return the product of sizes, whatever they are."""
    total: te.Dim = 1
    for size in sizes:
        total = total * size
    return total


def extent(axis: Axis) -> int:
    """Return how often a loop runs, or about how often."""
    return typical(axis.extent)


def is_known(axis: Axis) -> bool:
    """Whether it is known how often a loop runs."""
    return isinstance(axis.extent, int)


def samples_of(size: te.Dim) -> tuple[int, ...]:
    """Return the size, or those that are to be expected."""
    return (size,) if isinstance(size, int) else _SAMPLES
