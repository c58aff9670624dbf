"""Sums of products in register tiles: convolutions over blocks of channels, and matrix products.

A tile of the result stays in vector registers while its sum is built: in each step some elements of
one operand are broadcast, and multiplied with some vectors of the other. Which operand is which,
and which axes the tile may extend over, follows from the strides; so this one rule serves any
number of spatial axes, any stride and dilation, and layouts with and without blocks.
"""

import itertools
from collections.abc import Sequence

from relay.kernels.loops import Scope
from relay.kernels.machine import Machine
from relay.kernels.scalar import Apply, Scalar, walk
from relay.kernels.schedule.schedule import Schedule, copy_of, topological
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.tensor import Axis, Computed, Placeholder, Read, Tensor
from relay.support.node import node
from relay.targets.cpu.schedules.access import reads, window_axes
from relay.targets.cpu.schedules.elementwise import elementwise, fused, share
from relay.targets.cpu.schedules.formulas import iterations
from relay.targets.cpu.schedules.merging import Regrouping, reading, regrouped
from relay.targets.cpu.schedules.operands import Operands, operands
from relay.targets.cpu.schedules.packing import packed
from relay.targets.cpu.schedules.padding import padded
from relay.targets.cpu.schedules.phases import in_phases
from relay.targets.cpu.schedules.tile import Tile, best_tile, lane_tile
from relay.targets.cpu.schedules.typical import extent, is_known, product, samples_of
from relay.targets.cpu.schedules.weaving import unwoven

_PAGE = 4096  # bytes; at such a distance elements fall into the same set of the nearest cache,
_WAYS = 8  # which has at least so many places
_AHEAD = 2048  # bytes: what arrives while so much is worked on
_ROWS = 8  # of a tile where the number of rows is not known,
_FEW_ROWS = 3  # where what follows a short sum is the work: code that is long for each row
_SHORT = 32  # terms of a sum, beside which an elementary function is
_OFTEN = 4  # uses of each element for which a padded copy of an image pays that is tested else
_TAPS = 8  # of a row of a sum in lanes, unrolled so that neighbours share what they load


def in_tiles(
    output: Computed, machine: Machine, parity: Tensor | None = None, *, turns: bool = True
) -> Schedule | None:
    """Return the schedule of a sum of products, or nothing if the output is none.

    It is none either if an operand does not lie along the lanes, and nothing `turns` it. Where
    `parity` is odd, vectors that are read once are read from their end.
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
    output = reading(output, original, sums, how)
    return _Tiles(output, found, copies, how, machine).schedule(parity)


def _prepared(sums: Computed, machine: Machine, turns: bool) -> tuple[Computed, list[Computed]]:
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


@node
class _Rows:
    """The loops that rows are split into: over chunks of them, over tiles, inside of a tile.

    `lines` are those over tiles of lines of an image, which are rows of vectors.
    """

    chunks: list[Axis]
    lines: list[Axis]
    tiles: list[Axis]
    inside: list[Axis]


class _Tiles:
    """Arranges the loops of one sum of products.

    Around everything run the axes that both operands have. Inside, a chunk of rows of the broadcast
    operand stays in the second cache, while it is multiplied with one panel of vectors after the
    other.
    """

    def __init__(
        self,
        output: Computed,
        found: Operands,
        copies: Sequence[Computed],
        how: Regrouping,
        machine: Machine,
    ) -> None:
        self._machine = machine
        self._found = found
        self._schedule = Schedule(output)
        self._root = self._schedule[output]
        self._sums = self._schedule[found.sums]
        self._copies = copies
        self._lanes = machine.lanes(found.sums.dtype)
        self._image = found.image
        loops = how.loops(self._root, self._root.axes)
        self._loop_of = dict(zip(found.sums.axes, loops, strict=True))

    def schedule(self, parity: Tensor | None) -> Schedule:
        """Choose a tile, and arrange the three stages around it."""
        rows = self._found.rows
        panel = self._panel()
        wide = rows[-1] if rows else None
        high = rows[-2] if len(rows) > 1 and not self._found.in_lanes else self._above(panel)
        if self._found.in_lanes:
            tile = lane_tile(min(_extent(wide), self._most_rows(wide)), self._machine)
        else:
            tile = best_tile(self._sizes(high, wide, panel), self._machine, self._most_rows(wide))
        at = self._arrange_root(tile, high, wide, panel)
        self._arrange_sums(high, wide, panel)
        self._sums.compute_at(self._root, at)
        vectors = self._found.vector_tensor
        once = product(extent(axis) for axis in self._found.rows) <= tile.rows
        if isinstance(vectors, Placeholder) and once:
            self._read_once(vectors, parity)
        return self._schedule

    def _read_once(self, vectors: Tensor, parity: Tensor | None) -> None:
        """Arrange how vectors are read that are read once.

        What comes from beyond the second cache is fetched ahead: the machine itself stops looking
        ahead at the end of each page. What was read last the time before is read first.
        """
        if self._found.vector.nbytes > self._machine.l2:
            self._schedule.fetch_ahead(vectors, _AHEAD)
        outermost = next((loop for loop in self._root.loops if extent(loop) > 1), self._found.lane)
        if parity is not None and outermost not in self._root.modes:
            self._root.reverse(outermost, parity[()] % 2 > 0)

    def _sizes(
        self, high: Axis | None, wide: Axis | None, panel: Axis
    ) -> list[tuple[int, int, int]]:
        """Return the sizes for which a tile is chosen: one, or many where they are not known."""
        samples = [
            (1,) if axis is None else samples_of(axis.extent) for axis in (high, wide, panel)
        ]
        lanes = self._lanes if panel is self._found.lane else 1
        return [(h, w, -(-v // lanes)) for h, w, v in itertools.product(*samples)]

    def _most_rows(self, wide: Axis | None) -> int:
        """Return how many rows can be read at once without driving each other out of the cache.

        Where the number of rows is not known, each smaller number of them gets code of its own.
        """
        if wide is not None and not is_known(wide):
            return _FEW_ROWS if self._ends_heavily() else _ROWS
        stride = 0 if wide is None else self._found.scalar.distance(wide)
        distance = stride * self._found.scalar_tensor.dtype.itemsize
        return self._machine.vector_registers if distance % _PAGE or not distance else _WAYS

    def _ends_heavily(self) -> bool:
        """Whether elementary functions of a sum take longer than the sum itself."""
        terms = product(axis.extent for axis in self._found.sums.reduce_axes)
        return terms <= _SHORT and any(map(_is_long, walk(self._root.body)))

    def _panel(self) -> Axis:
        """Return the axis of which a tile has several vectors."""
        columns = self._found.columns
        lane = self._found.lane
        if not is_known(lane) or extent(lane) > self._lanes or len(columns) < 2:
            return lane
        return columns[-2]

    def _above(self, panel: Axis) -> Axis | None:
        """Return the axis of an image of whose rows a tile takes several: it has few others."""
        image = [axis for axis in self._image if axis is not panel]
        return image[-1] if image else None

    def _count(self, panel: Axis) -> int:
        """Return how many vectors there are along the axis of panels."""
        size = extent(panel)
        return -(-size // self._lanes) if panel is self._found.lane else size

    def _arrange_root(self, tile: Tile, high: Axis | None, wide: Axis | None, panel: Axis) -> Axis:
        """Arrange the loops of the result; return the innermost one around a tile."""
        root, loop_of = self._root, self._loop_of
        special = (high, wide, panel, self._found.lane)
        others = [axis for axis in self._found.sums.axes if axis not in special]
        outer = [axis for axis in others if axis not in self._image]
        batches = list(itertools.takewhile(self._found.has_own_vectors, outer))
        lines = [loop_of[axis] for axis in others if axis in self._image]
        rows = self._split_rows(tile, high, wide, panel)
        panels, *vectors = self._split_panel(root, loop_of[panel], loop_of[self._found.lane], tile)
        around = [loop_of[axis] for axis in outer] + rows.chunks
        around += [*lines, *rows.lines, panels, *rows.tiles]
        root.reorder(*around, *rows.inside, *vectors)
        root.unroll(*rows.inside, *vectors[:-1])
        root.vectorize(vectors[-1])
        batch = around[len(batches) - 1] if batches else None
        around = self._share(around)
        self._place_copies(around, batch, rows.chunks[0] if rows.chunks else None)
        return around[-1]

    def _split_rows(self, tile: Tile, high: Axis | None, wide: Axis | None, panel: Axis) -> "_Rows":
        """Split the axes of which a tile has several, and the first of the rows into chunks."""
        rows = _Rows([], [], [], [])
        for axis, size in ((high, tile.high), (wide, tile.wide)):
            if axis is None:
                continue
            loop, of_image = self._loop_of[axis], axis in self._image
            if not (of_image or rows.chunks) and is_known(axis):
                chunk, loop = self._root.split(loop, self._chunk(axis, size, tile, panel))
                rows.chunks.append(chunk)
            several, one = self._root.split(loop, size)
            (rows.lines if of_image else rows.tiles).append(several)
            rows.inside.append(one)
        return rows

    def _split_panel(self, stage: Stage, panel: Axis, lane: Axis, tile: Tile) -> list[Axis]:
        """Return the loop over panels, that over the vectors of one, and the lanes."""
        if panel is not lane:
            return [*stage.split(panel, tile.vectors), lane]
        outer, inner = stage.split(lane, tile.vectors * self._lanes)
        return [outer, *stage.split(inner, self._lanes)]

    def _arrange_sums(self, high: Axis | None, wide: Axis | None, panel: Axis) -> None:
        stage, lane = self._sums, self._found.lane
        reduced = fused(stage, stage.reduce_axes)
        if self._found.in_lanes and extent(reduced[-1]) <= _TAPS:
            stage.unroll(reduced[-1])
        rows = [axis for axis in (high, wide) if axis is not None]
        vectors = [panel, lane] if panel is not lane else [*stage.split(lane, self._lanes)]
        rest = [axis for axis in stage.axes if axis not in (*rows, panel, lane)]
        stage.reorder(*rest, *reduced, *rows, *vectors)
        stage.unroll(*rows, *vectors[:-1])
        stage.vectorize(vectors[-1])
        stage.set_scope(Scope.REGISTER)

    def _chunk(self, axis: Axis, step: int, tile: Tile, panel: Axis) -> int:
        """Return how many rows of the broadcast operand are read again and again from a cache."""
        size = extent(axis)
        is_copied = self._found.scalar_tensor in self._copies
        repeated = product(extent(axis) for axis in self._image) > tile.high
        if not is_copied and not repeated and self._count(panel) <= tile.vectors:
            return size
        moving = [a for a in self._found.sums.axes if self._found.scalar.moves(a)]
        kept = (*self._found.rows[-2:], self._found.lane)
        outer = product(extent(a) for a in moving if a not in kept)
        each = self._found.scalar.nbytes // max(1, outer * size)
        fits = max(step, self._machine.l2 // 2 // max(1, each))
        return size if fits >= size else balanced(size, fits, step)

    def _share(self, around: list[Axis]) -> list[Axis]:
        return share(self._root, around, self._schedule.stages, self._machine)

    def _place_copies(self, around: Sequence[Axis], batch: Axis | None, chunk: Axis | None) -> None:
        """Make copies of rows chunk by chunk, of panels batch by batch; at once what is shared."""
        for stage in self._schedule.stages:
            if stage not in (self._root, self._sums):
                elementwise(stage, self._machine)
                at = chunk if stage.tensor is self._found.scalar_tensor else batch
                if stage.tensor in self._copies and at in around:
                    stage.compute_at(self._root, at)


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
