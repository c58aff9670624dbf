"""Bounds checks for positions in a window; they implement padding without a copy of the data."""

from collections.abc import Sequence

from relay.ir.dims import Dim
from relay.kernels import te


def inside(position: te.Scalar, size: Dim, lowest: int, highest: Dim) -> list[te.Scalar]:
    """Return the bounds checks `0 ≤ position < size`, without those that always hold.

    `lowest` and `highest` are bounds of the position.
    """
    low = [position >= 0] if lowest < 0 else []
    beyond = highest - size
    always = isinstance(beyond, int) and beyond < 0
    return low if always else [*low, position < size]


def conjunction(conditions: Sequence[te.Scalar]) -> te.Scalar | None:
    """Return the conjunction of conditions; None if there are none."""
    if not conditions:
        return None
    whole = conditions[0]
    for condition in conditions[1:]:
        whole = whole & condition
    return whole
