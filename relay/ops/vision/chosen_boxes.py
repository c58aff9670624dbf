"""Loops that compare a box with all boxes that a selection chose so far, many in one step."""

from collections.abc import Sequence
from dataclasses import dataclass

from relay.kernels import te
from relay.kernels.loops import Buffer, Mode
from relay.support.dtype import DType, float32, int64

_LANES = 16
"""Boxes that one step compares: a vector of float32 on the widest machines."""


def at_least_float32(dtype: DType) -> DType:
    """Return the element type in which areas of boxes of a floating-point type are computed."""
    return float32 if dtype.bits < float32.bits else dtype


@dataclass(frozen=True)
class BoxSides:
    """The sides of a box along both axes, and its area."""

    starts: tuple[te.Scalar, te.Scalar]
    ends: tuple[te.Scalar, te.Scalar]
    area: te.Scalar


def sides(
    b: te.LoopBuilder, rows: Buffer, row: Sequence[te.Scalar], dtype: DType, first: int = 0
) -> BoxSides:
    """Return the sides of the box whose opposite corners begin at the column `first` of a row."""
    points = [te.cast(rows[(*row, first + place)], dtype) for place in range(4)]
    starts, ends = (
        tuple(b.let(bound(points[axis], points[axis + 2])) for axis in (0, 1))
        for bound in (te.minimum, te.maximum)
    )
    area = b.let((ends[0] - starts[0]) * (ends[1] - starts[1]), "area")
    return BoxSides((starts[0], starts[1]), (ends[0], ends[1]), area)


def overlap(one: BoxSides, other: BoxSides) -> te.Scalar:
    """Return the intersection over union of two boxes; 0 for empty boxes."""
    lengths = [
        te.maximum(te.minimum(one.ends[k], other.ends[k]) - te.maximum(*starts), 0.0)
        for k, starts in enumerate(zip(one.starts, other.starts, strict=True))
    ]
    shared = lengths[0] * lengths[1]
    union = one.area + other.area - shared
    return te.select(union > 0.0, shared / union, te.const(0.0, shared.dtype))


class ChosenBoxes:
    """The chosen boxes of an image or class, with one buffer for each side and for the areas."""

    def __init__(self, b: te.LoopBuilder, most: te.Dim, dtype: DType) -> None:
        self._b = b
        self._dtype = dtype
        room = (most + _LANES,)  # whole vectors are read
        names = ("top", "left", "bottom", "right", "area")
        self._columns = [b.scratch(room, dtype, name) for name in names]
        self.count = b.cell(0, int64, "count")

    def add(self, box: BoxSides) -> None:
        """Append a box."""
        numbers = (*box.starts, *box.ends, box.area)
        for column, number in zip(self._columns, numbers, strict=True):
            self._b.store(column, (self.count.value,), number)
        self.count.value = self.count.value + 1

    def overlaps(self, box: BoxSides, limit: te.Scalar) -> te.Scalar:
        """Return whether a box overlaps any chosen box by more than `limit`."""
        b = self._b
        hits = b.scratch((_LANES,), self._dtype, "hits")
        with b.for_(_LANES, "lane", mode=Mode.VECTOR) as lane:
            b.store(hits, (lane,), 0.0)
        with (
            b.for_((self.count.value + (_LANES - 1)) // _LANES, "block") as block,
            b.for_(_LANES, "lane", mode=Mode.VECTOR) as lane,
        ):
            place = block * _LANES + lane
            is_hit = (overlap(box, self._at(place)) > limit) & (place < self.count.value)
            one, zero = (te.const(number, self._dtype) for number in (1.0, 0.0))
            b.store(hits, (lane,), te.maximum(hits[lane], te.select(is_hit, one, zero)))
        found = b.cell(0.0, self._dtype, "found")
        with b.for_(_LANES, "lane", mode=Mode.UNROLL) as lane:
            found.value = te.maximum(found.value, hits[lane])
        return found.value > 0.0

    def _at(self, place: te.Scalar) -> BoxSides:
        top, left, bottom, right, area = (column[place] for column in self._columns)
        return BoxSides((top, left), (bottom, right), area)
