"""Descriptions of which axes of an operator's tensors broadcast with each other."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

BroadcastAxes: TypeAlias = Mapping[int, int]
"""A group of axes that broadcast to one size: maps a tensor's number to its axis.

Tensors are numbered by their position as arguments, or as fields of an argument that is a tuple.
"""


def aligned_at_right(ranks: Sequence[int], trailing: int = 0) -> list[BroadcastAxes]:
    """Return the groups of axes that broadcast if tensors of these ranks are right-aligned.

    A group maps the number of a tensor to the number of its axis. The last `trailing` axes do not
    broadcast, and are left out.

    >>> aligned_at_right((2, 1))
    [{0: 1, 1: 0}, {0: 0}]
    """
    return [
        {number: rank - position for number, rank in enumerate(ranks) if rank >= position}
        for position in range(trailing + 1, max(ranks, default=0) + 1)
    ]
