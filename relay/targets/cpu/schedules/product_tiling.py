"""Analysis of sums of products before loops are arranged, and the choice of register tiles.

A tile of the result stays in vector registers while its sum is computed: each step broadcasts some
elements of one operand, and multiplies them with some vectors of the other. The roles of the
operands, and the axes along which the tile may extend, follow from the strides; so this one rule
handles any number of spatial axes, any stride and dilation, and layouts with and without blocks.
"""

import itertools
from collections.abc import Iterator
from functools import lru_cache

from relay.kernels.cpu_model import CpuModel
from relay.kernels.scalar import Apply, Scalar
from relay.kernels.schedule.schedule import copy_of, topological
from relay.kernels.te.tensor import Axis, Computed, Read, Tensor
from relay.kernels.traverse_scalars import walk
from relay.support.node import node
from relay.targets.cpu.schedules.access_strides import reads
from relay.targets.cpu.schedules.deinterleave import deinterleaved
from relay.targets.cpu.schedules.pack_operands import packed, packed_rows
from relay.targets.cpu.schedules.pad_operands import padded
from relay.targets.cpu.schedules.product_operands import Operands, operands
from relay.targets.cpu.schedules.register_tile import (
    Tiles,
    average,
    cycles,
    lane_cost,
    lane_rows,
    tile_shapes,
)
from relay.targets.cpu.schedules.regroup_reduction_axes import Regrouping, reading, regrouped
from relay.targets.cpu.schedules.rewrite_formulas import iterations
from relay.targets.cpu.schedules.size_hints import extent, is_known, product, samples_of
from relay.targets.cpu.schedules.strided_phases import in_phases

_PAGE = 4096  # bytes; elements at multiples of this distance share a set of the L1 cache,
_WAYS = 8  # which has at least so many ways
_ROWS = 8  # rows of a tile if the number of rows is dynamic,
_PHASE_ROWS = 4  # or if this code is repeated for each phase of a transposed convolution,
_PHASE_VECTORS = 2  # with so many vectors in each row;
_FEW_ROWS = 3  # or if the epilogue of a short sum dominates: its long code is repeated for each row
_SHORT = 32  # terms of a sum up to which an elementary function in the epilogue dominates
_OFTEN = 4  # uses of each element from which a padded copy costs less than tests


@node
class Tiling:
    """The analysis of a sum of products: its operands, and the axes along which a tile extends.

    `output` depends on the sum, whose padded and packed operands are `copies`. A tile extends along
    the axes `high` and `wide` (its rows) and `panel` (its vectors). With `phases`, the loops are
    generated once for each phase of a transposed convolution. If the sum is computed in chunks,
    `total` adds up the sums of the chunks, and `output` depends on `total`.
    """

    output: Computed
    operands: Operands
    copies: tuple[Computed, ...]
    regrouping: Regrouping
    machine: CpuModel
    phases: bool
    total: Computed | None = None

    @property
    def lanes(self) -> int:
        """Return the number of lanes of a vector of sums."""
        return self.machine.lanes(self.operands.sums.dtype)

    @property
    def panel(self) -> Axis:
        """Return the axis along which a tile has several vectors."""
        columns = self.operands.columns
        lane = self.operands.lane
        if not is_known(lane) or extent(lane) > self.lanes or len(columns) < 2:
            return lane
        return columns[-2]

    @property
    def wide(self) -> Axis | None:
        """Return the innermost axis of the rows, along which a tile has several positions."""
        rows = self.operands.rows
        return rows[-1] if rows else None

    @property
    def high(self) -> Axis | None:
        """Return the axis of rows around `wide`, or the axis over the lines of an image."""
        rows = self.operands.rows
        if len(rows) > 1 and not self.operands.in_lanes:
            return rows[-2]
        image = [axis for axis in self.operands.image if axis is not self.panel]
        return image[-1] if image else None

    @property
    def blocked(self) -> Axis | None:
        """Return the axis of rows that is split into blocks which stay in a cache, if any."""
        image = self.operands.image
        axes = [axis for axis in (self.high, self.wide) if axis is not None and axis not in image]
        return next(filter(is_known, axes), None)

    def candidates(self) -> Iterator[Tiles]:
        """Yield the tiles that fit into the registers, those with many rows first."""
        if self.operands.in_lanes:
            most = min(_extent(self.wide), self.most_rows())
            shapes = [(1, n, 1) for n in lane_rows(most, self.machine)]
        else:
            high, wide, vectors = (max(size) for size in zip(*self.sizes(), strict=True))
            found = tile_shapes(high, wide, vectors, self.machine)
            most = self.most_rows()
            area = most * _PHASE_VECTORS if self._repeats_tails() else self.machine.vector_registers
            fitting = [(h, w, v) for h, w, v in found if h * w <= most and h * w * v <= area]
            shapes = sorted(fitting, key=lambda shape: -shape[0] * shape[1])
        for shape in shapes:
            yield Tiles(*shape, self.block(*shape))

    def cost(self, tiles: Tiles) -> float:
        """Return the cycles of one step of the sum for the whole tensor, averaged over sizes."""
        if self.operands.in_lanes:
            return lane_cost(tiles.wide, min(_extent(self.wide), self.most_rows()))
        sizes = self.sizes()
        if len(sizes) == 1:
            return cycles(tiles, *sizes[0], self.machine)
        return average(tiles, sizes, self.machine)

    def allows(self, tiles: Tiles) -> bool:
        """Whether a tile fits into the registers, and the block is within the tensor's rows."""
        most = 0 if self.blocked is None else extent(self.blocked)
        shape = (tiles.high, tiles.wide, tiles.vectors)
        known = {(each.high, each.wide, each.vectors) for each in self.candidates()}
        return shape in known and min(1, most) <= tiles.block <= most

    def sizes(self) -> list[tuple[int, int, int]]:
        """Return the tensor sizes for which tiles are compared; several if sizes are dynamic."""
        axes, panel = (self.high, self.wide, self.panel), self.panel
        samples = [(1,) if axis is None else samples_of(axis.extent) for axis in axes]
        lanes = self.lanes if panel is self.operands.lane else 1
        return [(h, w, -(-v // lanes)) for h, w, v in itertools.product(*samples)]

    def most_rows(self) -> int:
        """Return the number of rows that can be read together without cache conflicts in L1.

        If the number of rows is dynamic, each smaller number of rows gets its own code.
        """
        wide, high = self.wide, self.high
        if wide is not None and not is_known(wide):
            if self._ends_heavily():
                return _FEW_ROWS
            return _PHASE_ROWS if self._repeats_tails() else _ROWS
        if high is not None and not is_known(high):
            return _ROWS
        stride = 0 if wide is None else self.operands.scalar.distance(wide)
        distance = stride * self.operands.scalar_tensor.dtype.itemsize
        return self.machine.vector_registers if distance % _PAGE or not distance else _WAYS

    def _repeats_tails(self) -> bool:
        """Whether each phase of a transposed convolution has its own code for incomplete tiles."""
        return self.phases and not (self.wide is None or is_known(self.wide))

    def _ends_heavily(self) -> bool:
        """Whether functions such as `exp` that are applied to the sum take longer than the sum."""
        terms = product(axis.extent for axis in self.operands.sums.reduce_axes)
        return terms <= _SHORT and any(map(_is_long, walk(self.output.body)))

    def block(self, high: int, wide: int, vectors: int) -> int:
        """Return the number of rows of the broadcast operand that are reused from a cache."""
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
        """Return the number of vectors along the panel axis."""
        size = extent(self.panel)
        return -(-size // self.lanes) if self.panel is self.operands.lane else size


@lru_cache(maxsize=4)  # the rules for long and for other sums ask for the same analysis
def tiling(
    output: Computed,
    machine: CpuModel,
    *,
    may_transpose: bool = True,
    given: frozenset[Tensor] = frozenset(),
) -> Tiling | None:
    """Return the analysis of the sum of products in an output; None if there is no such sum.

    It is also None if an operand is not contiguous along the lanes, unless `may_transpose`. Tensors
    in `given` count as inputs, although they may depend on other reductions.
    """
    original = only_reduction(output, given)
    if original is None or not original.axes or not iterations(original):
        return None
    if output is original:
        output = copy_of(output)
    phased = in_phases(original)
    sums, copies = _prepared(original, phased, machine, may_transpose)
    sums, how = regrouped(sums)
    found = operands(sums)
    if found is None:
        return None
    result = reading(output, original, sums, how)
    return Tiling(result, found, tuple(copies), how, machine, phased is not original)


def _prepared(
    sums: Computed, phased: Computed, machine: CpuModel, may_transpose: bool
) -> tuple[Computed, list[Computed]]:
    """Return the sum over padded and packed copies of its operands, and the copies.

    A sum in lanes reads its data so few times that a copy costs more than tests at the borders,
    unless each tap is tested because rows have dynamic lengths. A sum over phases also reads its
    data rarely, and its tests become loop bounds: with a copy, a transposed convolution takes up to
    twice as long.
    """
    found = operands(regrouped(phased)[0])
    if found is not None and found.in_lanes and not _tests_often(found):
        return phased, []
    sums, around = padded(sums) if phased is sums else (phased, None)
    sums, around = deinterleaved(sums, around)
    sums, panels = packed(sums, machine.lanes(sums.dtype), may_transpose=may_transpose)
    sums, rows = packed_rows(sums, machine.lanes(sums.dtype))
    return sums, [copy for copy in (around, panels, rows) if copy is not None]


def _tests_often(found: Operands) -> bool:
    """Whether windows over a dynamic image read its elements often, with a test each time."""
    sums = found.sums
    taps = product(axis.extent for axis in (*sums.axes, *sums.reduce_axes))
    elements = max(found.scalar.elements, found.vector.elements)
    return taps >= _OFTEN * elements and not all(map(is_known, found.windows))


def only_reduction(output: Computed, given: frozenset[Tensor] = frozenset()) -> Computed | None:
    """Return the only reduction that an output reads, at its own indices; None if there is none.

    Inputs of the reduction may be computed. Those that are in `given` may depend on other
    reductions.
    """
    computed = [tensor for tensor in output.inputs if isinstance(tensor, Computed)]
    found = [tensor for tensor in computed if tensor not in given]
    sums = output if output.reduce_axes else found[0] if len(found) == 1 else None
    if sums is None or not sums.reduce_axes:
        return None
    before = [t for t in topological([sums]) if t is not sums and t not in given]
    if any(isinstance(tensor, Computed) and tensor.reduce_axes for tensor in before):
        return None
    if sums is output:
        return sums
    places = [read for read in reads(output.body) if read.tensor is sums]
    return sums if all(_is_in_place(read, output) for read in places) else None


def _is_in_place(read: Read, output: Computed) -> bool:
    """Whether a read is at the indices of the output; an axis of extent 1 has only one index."""
    pairs = (
        zip(read.indices, output.axes, strict=True) if len(read.indices) == len(output.axes) else ()
    )
    return bool(pairs) and all(index is axis or extent(axis) == 1 for index, axis in pairs)


def _is_long(part: Scalar) -> bool:
    """Whether a scalar expression is slow: about a hundred instructions, such as `exp`."""
    return isinstance(part, Apply)


def _extent(axis: Axis | None) -> int:
    return 1 if axis is None else extent(axis)


def balanced(size: int, limit: int, step: int) -> int:
    """Return the length of the parts into which a size is divided, a multiple of `step`.

    If possible, the parts are equal and at most `limit` long, and fewer than twice the minimum.
    Otherwise the last part is shorter, and rounding up to `step` may exceed `limit`.

    >>> balanced(56, 30, 1), balanced(13, 5, 1), balanced(100, 64, 14)
    (28, 5, 56)
    """
    parts = -(-size // limit)
    for count in range(parts, 2 * parts):
        if size % count == 0 and size // count % step == 0:
            return size // count
    return -(-size // parts // step) * step
