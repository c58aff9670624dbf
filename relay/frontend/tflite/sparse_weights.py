"""Expand the sparse constants of TensorFlow Lite files.

A file stores the elements that are not zero, in the order of a traversal of levels: the axes of the
tensor, or of its blocks, and then the axes within a block. A dense level has all positions of its
axis; a sparse one lists the positions that each node of the level above has (`segments` and
`indices`, as in compressed rows).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from relay.frontend.tflite.schema import tflite
from relay.ir.expr import Array

_LEAST_SHARE = 1000
"""A constant may be this many times as large as its stored elements."""

_SMALL = 1 << 20  # elements that a constant may have in any case
_MOST_LEVELS = 64


@dataclass(frozen=True)
class Level:
    """A level of the tree in which a sparse constant is stored: one axis, or an axis of blocks.

    A dense level has `size` children below each node of the level above. Otherwise, the children of
    node `i` are at the positions `indices[segments[i] : segments[i + 1]]` of the axis.
    """

    size: int
    segments: Array | None = None
    indices: Array | None = None

    def below(self, count: int) -> tuple[Array, Array]:
        """Return each node's parent and position on this level, below a level of `count` nodes."""
        if self.segments is None or self.indices is None:
            places = np.arange(count * self.size)
            return places // self.size, places % self.size
        lengths = np.diff(self.segments)
        if len(lengths) != count or lengths.min(initial=0) < 0 or self.segments[0] != 0:
            raise ValueError(
                "the segments of a sparse constant are not increasing, or too many or too few"
            )
        if self.segments[-1] != len(self.indices):
            raise ValueError("a sparse constant has too many or too few indices for its segments")
        return np.repeat(np.arange(count), lengths), self.indices


def expanded(values: Array, shape: Sequence[int], sparsity: Any) -> Array:
    """Return all elements of a constant whose stored elements are `values`.

    Raises `ValueError` if its description does not fit, or if it is much larger than the file.
    """
    count = prod(shape)
    if count > max(_SMALL, _LEAST_SHARE * values.size):
        raise ValueError(
            f"a sparse constant stores too few values: {values.size} of {count} elements"
        )
    order = _vector(sparsity, "TraversalOrder")
    blocks = _vector(sparsity, "BlockMap")
    if sorted(order) != list(range(len(shape) + len(blocks))) or len(order) > _MOST_LEVELS:
        raise ValueError("the traversal order of a sparse constant does not contain each axis once")
    levels = [_level(sparsity.DimMetadata(index)) for index in range(len(order))]
    places = _places(levels, values.size, count)
    by_axis = [places[order.index(axis)] for axis in range(len(order))]
    for axis, of in enumerate(blocks, len(shape)):
        by_axis[of] = by_axis[of] * levels[order.index(axis)].size + by_axis[axis]
    found = np.zeros(tuple(shape), values.dtype)
    found[tuple(by_axis[: len(shape)])] = values
    return found


def _places(levels: Sequence[Level], stored: int, most: int) -> list[Array]:
    """Return the position of each stored element on each level."""
    places: list[Array] = []
    count = 1
    for level in levels:
        if level.segments is None and not 1 <= level.size <= most // max(count, 1):
            raise ValueError(f"a dimension of a sparse constant has the invalid size {level.size}")
        parents, position = level.below(count)
        places = [each[parents] for each in places] + [position]
        count = len(position)
    if count != stored:
        raise ValueError(f"a sparse constant stores {stored} values, but has indices for {count}")
    return places


def _vector(table: Any, field: str) -> list[int]:
    found = np.atleast_1d(getattr(table, f"{field}AsNumpy")())
    return [int(each) for each in found] if getattr(table, f"{field}Length")() else []


def _level(axis: Any) -> Level:
    if axis.Format() == tflite.DimensionType.DENSE:
        return Level(axis.DenseSize())
    segments = _indices(axis.ArraySegmentsType(), axis.ArraySegments())
    return Level(0, segments, _indices(axis.ArrayIndicesType(), axis.ArrayIndices()))


def _indices(kind: int, table: Any) -> Array:
    """Return an index vector of the file.

    `kind` says whether its integers have 8, 16 or 32 bits.
    """
    names = {1: "Int32Vector", 2: "Uint16Vector", 3: "Uint8Vector"}
    found = getattr(tflite, names[kind])()
    found.Init(table.Bytes, table.Pos)
    values = np.atleast_1d(found.ValuesAsNumpy()) if found.ValuesLength() else np.zeros(0)
    if values.min(initial=0) < 0:
        raise ValueError("a sparse constant has negative indices")
    return values.astype(np.int64)
