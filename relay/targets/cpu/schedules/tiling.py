"""Sums of products: what is known of one before its loops are arranged, and a model of its tiles.

A tile of the result stays in vector registers while its sum is built: in each step some elements of
one operand are broadcast, and multiplied with some vectors of the other. Which operand is which,
and which axes the tile may extend over, follows from the strides; so this one rule serves any
number of spatial axes, any stride and dilation, and layouts with and without blocks.
"""

import itertools
from collections.abc import Iterator

from relay.kernels.machine import CpuModel
from relay.kernels.scalar import Apply, Scalar, walk
from relay.kernels.schedule.schedule import copy_of, topological
from relay.kernels.te.tensor import Axis, Computed, Read
from relay.support.node import node
from relay.targets.cpu.schedules.access import reads, window_axes
from relay.targets.cpu.schedules.deinterleave import unwoven
from relay.targets.cpu.schedules.formulas import iterations
from relay.targets.cpu.schedules.merging import Regrouping, reading, regrouped
from relay.targets.cpu.schedules.operands import Operands, operands
from relay.targets.cpu.schedules.packing import packed
from relay.targets.cpu.schedules.padding import padded
from relay.targets.cpu.schedules.phases import in_phases
from relay.targets.cpu.schedules.size_hints import extent, is_known, product, samples_of
from relay.targets.cpu.schedules.tile import (
    Tiles,
    average,
    cycles,
    lane_cost,
    lane_rows,
    tile_shapes,
)

_PAGE = 4096  # bytes; at such a distance elements fall into the same set of the nearest cache,
_WAYS = 8  # which has at least so many places
_ROWS = 8  # of a tile where the number of rows is not known,
_FEW_ROWS = 3  # where what follows a short sum is the work: code that is long for each row
_SHORT = 32  # terms of a sum, beside which an elementary function is
_OFTEN = 4  # uses of each element for which a padded copy of an image pays that is tested else


@node
class Tiling:
    """A sum of products: its operands, and the axes of which a tile has several elements.

    `output` is computed from the sum, whose padded and packed operands are `copies`. A tile covers
    rows of `high` and `wide`, and vectors of `panel`.
    """

    output: Computed
    operands: Operands
    copies: tuple[Computed, ...]
    regrouping: Regrouping
    machine: CpuModel

    @property
    def lanes(self) -> int:
        """Return how many elements a vector of sums has."""
        return self.machine.lanes(self.operands.sums.dtype)

    @property
    def panel(self) -> Axis:
        """Return the axis of which a tile has several vectors."""
        columns = self.operands.columns
        lane = self.operands.lane
        if not is_known(lane) or extent(lane) > self.lanes or len(columns) < 2:
            return lane
        return columns[-2]

    @property
    def wide(self) -> Axis | None:
        """Return the innermost axis of rows."""
        rows = self.operands.rows
        return rows[-1] if rows else None

    @property
    def high(self) -> Axis | None:
        """Return the axis of rows around it, or of an image of which a tile takes several lines."""
        rows = self.operands.rows
        if len(rows) > 1 and not self.operands.in_lanes:
            return rows[-2]
        image = [axis for axis in self.operands.image if axis is not self.panel]
        return image[-1] if image else None

    @property
    def blocked(self) -> Axis | None:
        """Return the axis of rows of which so many are read at a time that they stay in a cache."""
        image = self.operands.image
        axes = [axis for axis in (self.high, self.wide) if axis is not None and axis not in image]
        return next(filter(is_known, axes), None)

    def candidates(self) -> Iterator[Tiles]:
        """Yield the tiles that fit into the registers, those of many rows first."""
        if self.operands.in_lanes:
            most = min(_extent(self.wide), self.most_rows())
            shapes = [(1, n, 1) for n in lane_rows(most, self.machine)]
        else:
            high, wide, vectors = (max(size) for size in zip(*self.sizes(), strict=True))
            found = tile_shapes(high, wide, vectors, self.machine)
            most = self.most_rows()
            fitting = [(h, w, v) for h, w, v in found if h * w <= most]
            shapes = sorted(fitting, key=lambda shape: -shape[0] * shape[1])
        for shape in shapes:
            yield Tiles(*shape, self.block(*shape))

    def cost(self, tiles: Tiles) -> float:
        """Return the cycles of a step of the sum, for everything or on the average over sizes."""
        if self.operands.in_lanes:
            return lane_cost(tiles.wide, min(_extent(self.wide), self.most_rows()))
        sizes = self.sizes()
        if len(sizes) == 1:
            return cycles(tiles, *sizes[0], self.machine)
        return average(tiles, sizes, self.machine)

    def allows(self, tiles: Tiles) -> bool:
        """Whether a tile fits into the registers, and a block has rows of the tensor."""
        most = 0 if self.blocked is None else extent(self.blocked)
        shape = (tiles.high, tiles.wide, tiles.vectors)
        known = {(each.high, each.wide, each.vectors) for each in self.candidates()}
        return shape in known and min(1, most) <= tiles.block <= most

    def sizes(self) -> list[tuple[int, int, int]]:
        """Return the sizes for which a tile is chosen: one, or many where they are not known."""
        axes, panel = (self.high, self.wide, self.panel), self.panel
        samples = [(1,) if axis is None else samples_of(axis.extent) for axis in axes]
        lanes = self.lanes if panel is self.operands.lane else 1
        return [(h, w, -(-v // lanes)) for h, w, v in itertools.product(*samples)]

    def most_rows(self) -> int:
        """Return how many rows can be read at once without driving each other out of the cache.

        Where the number of rows is not known, each smaller number of them gets code of its own.
        """
        wide = self.wide
        if wide is not None and not is_known(wide):
            return _FEW_ROWS if self._ends_heavily() else _ROWS
        stride = 0 if wide is None else self.operands.scalar.distance(wide)
        distance = stride * self.operands.scalar_tensor.dtype.itemsize
        return self.machine.vector_registers if distance % _PAGE or not distance else _WAYS

    def _ends_heavily(self) -> bool:
        """Whether elementary functions of a sum take longer than the sum itself."""
        terms = product(axis.extent for axis in self.operands.sums.reduce_axes)
        return terms <= _SHORT and any(map(_is_long, walk(self.output.body)))

    def block(self, high: int, wide: int, vectors: int) -> int:
        """Return how many rows of the broadcast operand are read again and again from a cache."""
        axis, found = self.blocked, self.operands
        if axis is None:
            return 0
        size = extent(axis)
        is_copied = found.scalar_tensor in self.copies
        repeated = product(extent(each) for each in found.image) > high
        if not is_copied and not repeated and self._panels() <= vectors:
            return size
        step = high if axis is self.high else wide
        moving = [each for each in found.sums.axes if found.scalar.moves(each)]
        kept = (*found.rows[-2:], found.lane)
        outer = product(extent(each) for each in moving if each not in kept)
        bytes_each = found.scalar.nbytes // max(1, outer * size)
        fits = max(step, self.machine.l2 // 2 // max(1, bytes_each))
        return size if fits >= size else balanced(size, fits, step)

    def _panels(self) -> int:
        """Return how many vectors there are along the axis of panels."""
        size = extent(self.panel)
        return -(-size // self.lanes) if self.panel is self.operands.lane else size


def tiling(output: Computed, machine: CpuModel, *, turns: bool = True) -> Tiling | None:
    """Return what is known of a sum of products, or nothing if the output is none.

    It is none either if an operand does not lie along the lanes, and nothing `turns` it.
    """
    original = only_reduction(output)
    if original is None or not original.axes or not iterations(original):
        return None
    if output is original:
        output = copy_of(output)
    sums, copies = _prepared(original, machine, turns)
    sums, how = regrouped(sums)
    found = operands(sums)
    if found is None:
        return None
    return Tiling(reading(output, original, sums, how), found, tuple(copies), how, machine)


def _prepared(sums: Computed, machine: CpuModel, turns: bool) -> tuple[Computed, list[Computed]]:
    """Return the sum over padded and packed copies of the operands, and these copies.

    A sum in lanes reads its data so few times that a copy costs more than tests at the borders do,
    unless each tap is tested because rows are of any length. One over phases reads them as rarely,
    and its tests say how far the loops over its taps run: with a copy, a transposed convolution
    takes up to twice as long.
    """
    phased = in_phases(sums)
    found = operands(regrouped(phased)[0])
    if found is not None and found.in_lanes and not _tests_often(found):
        return phased, []
    sums, around = padded(sums) if phased is sums else (phased, None)
    sums, around = unwoven(sums, around)
    sums, panels = packed(sums, machine.lanes(sums.dtype), turns=turns)
    return sums, [copy for copy in (around, panels) if copy is not None]


def _tests_often(found: Operands) -> bool:
    """Whether windows of an image of open size read its elements many times, with tests each."""
    sums = found.sums
    taps = product(axis.extent for axis in (*sums.axes, *sums.reduce_axes))
    elements = max(found.scalar.elements, found.vector.elements)
    return taps >= _OFTEN * elements and not all(map(is_known, window_axes(sums)))


def only_reduction(output: Computed) -> Computed | None:
    """Return the one reduction that an output is computed from, at the place of each element.

    Nothing else may stand between the two; what the reduction reads may be computed too.
    """
    found = [tensor for tensor in output.inputs if isinstance(tensor, Computed)]
    sums = output if output.reduce_axes else found[0] if len(found) == 1 else None
    if sums is None or not sums.reduce_axes:
        return None
    before = [t for t in topological([sums]) if isinstance(t, Computed) and t is not sums]
    if any(tensor.reduce_axes for tensor in before):
        return None
    if sums is output:
        return sums
    places = [read for read in reads(output.body) if read.tensor is sums]
    return sums if all(_is_in_place(read, output) for read in places) else None


def _is_in_place(read: Read, output: Computed) -> bool:
    """Whether the element at the same place is read; an axis of one element has only that place."""
    pairs = (
        zip(read.indices, output.axes, strict=True) if len(read.indices) == len(output.axes) else ()
    )
    return bool(pairs) and all(index is axis or extent(axis) == 1 for index, axis in pairs)


def _is_long(part: Scalar) -> bool:
    """Whether a part of a formula is code of a hundred instructions."""
    return isinstance(part, Apply)


def _extent(axis: Axis | None) -> int:
    return 1 if axis is None else extent(axis)


def balanced(size: int, limit: int, step: int) -> int:
    """Return the length of equal parts of at most `limit`, in steps, that cover a size.

    >>> balanced(56, 30, 1), balanced(13, 5, 1), balanced(100, 64, 14)
    (28, 5, 56)
    """
    parts = -(-size // limit)
    for count in range(parts, 2 * parts):
        if size % count == 0 and size // count % step == 0:
            return size // count
    return -(-size // parts // step) * step
