"""Broadcast axes: the axes of an operator's tensors that broadcast to one size."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

Meeting: TypeAlias = Mapping[int, int]
"""Axes that broadcast to one size: the axis of each tensor, by the tensor's number.

Tensors are numbered as arguments are, or as the fields of an argument that is a tuple.
"""


def aligned_at_right(ranks: Sequence[int], behind: int = 0) -> list[Meeting]:
    """Return the axes that broadcast under right alignment, without the last `behind` axes.

    >>> aligned_at_right((2, 1))
    [{0: 1, 1: 0}, {0: 0}]
    """
    return [
        {number: rank - position for number, rank in enumerate(ranks) if rank >= position}
        for position in range(behind + 1, max(ranks, default=0) + 1)
    ]
