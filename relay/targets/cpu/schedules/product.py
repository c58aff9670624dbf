"""Sums of products in register tiles: convolutions over blocks of channels, and matrix products."""

import itertools
from collections.abc import Sequence
from typing import ClassVar

from relay.kernels.loops import Kernel, MemoryScope, Mode
from relay.kernels.machine import CpuModel
from relay.kernels.schedule.schedule import Schedule
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.tensor import Axis, Placeholder, Tensor, View
from relay.support.node import node, value
from relay.targets.cpu.schedules.chunks import in_chunks
from relay.targets.cpu.schedules.config import on_threads
from relay.targets.cpu.schedules.elementwise import elementwise, fused, share
from relay.targets.cpu.schedules.outputs import reduced_output
from relay.targets.cpu.schedules.size_hints import extent, product
from relay.targets.cpu.schedules.tile import Tiles
from relay.targets.cpu.schedules.tiling import Tiling, tiling
from relay.targets.kernel_formulas import Formulas
from relay.targets.rules import Rule

_AHEAD = 2048  # prefetch distance in bytes
_TAPS = 8  # the most taps of a row of a sum in lanes that are unrolled, so that loads are shared


@node
class Product:
    """A sum of products, and the formulas that contain it."""

    formulas: Formulas
    tiling: Tiling


@value
class Products(Rule[Product, Tiles]):
    """A rule for sums of products in register tiles; it may transpose operands."""

    name: ClassVar[str] = "products"
    machine: CpuModel
    turns: bool = True

    def match(self, formulas: Formulas) -> Product | None:
        """Match an output that depends on one sum of products, at the same indices."""
        output = reduced_output(formulas)
        found = None if output is None else tiling(output, self.machine, turns=self.turns)
        return None if found is None else Product(formulas, found)

    def candidates(self, matched: Product) -> Sequence[Tiles]:
        """Return the tiles that fit into the registers."""
        return list(matched.tiling.candidates())

    def cost(self, matched: Product, config: Tiles) -> float:
        """Return the cycles of one step of the sum, including incomplete tiles at the edges."""
        return matched.tiling.cost(config)

    def allows(self, matched: Product, config: Tiles) -> bool:
        """Whether the tile fits, and the block is within the tensor's rows."""
        return matched.tiling.allows(config)

    def apply(self, matched: Product, config: Tiles) -> Kernel:
        """Return the kernel with its loops arranged around a tile."""
        tiles = _Tiles(matched.tiling, config, self.machine)
        schedule = tiles.schedule(matched.formulas.parity)
        return matched.formulas.lowered(on_threads(schedule, parallel=config.parallel))


@value
class LongProducts(Products):
    """The rule for sums of products that are so long that they are computed in chunks."""

    name: ClassVar[str] = "long-products"

    def match(self, formulas: Formulas) -> Product | None:
        """Match a sum of products over more data than the cache holds."""
        matched = super(LongProducts, self).match(formulas)
        found = None if matched is None else in_chunks(matched.tiling)
        return None if found is None else Product(formulas, found)


@node
class _Rows:
    """The loops that rows are split into: over chunks, over tiles, and inside a tile.

    `lines` are the loops over tiles of an image's lines, which are rows of vectors.
    """

    chunks: list[Axis]
    lines: list[Axis]
    tiles: list[Axis]
    inside: list[Axis]


class _Tiles:
    """An arrangement of the loops of one sum of products.

    The outermost loops are over axes that both operands have. Inside, a chunk of rows of the
    broadcast operand stays in the L2 cache while it is multiplied with one panel of vectors after
    another.
    """

    def __init__(self, found: Tiling, tiles: Tiles, machine: CpuModel) -> None:
        self._machine = machine
        self._tiling = found
        self._tiles = tiles
        self._found = found.operands
        self._schedule = Schedule(found.output)
        self._root = self._schedule[found.total or found.output]
        self._sums = self._schedule[found.operands.sums]
        self._lanes = found.lanes
        self._image = found.operands.image
        self._chunks = self._root.reduce_axes
        loops = (
            found.regrouping.loops(self._root, self._root.axes)
            if found.total is None
            else [*self._chunks, *self._root.axes]
        )
        self._loop_of = dict(zip(found.operands.sums.axes, loops, strict=True))

    def schedule(self, parity: Tensor | None) -> Schedule:
        """Return the schedule with the copies, the sums and the result arranged around a tile.

        If `parity` is odd at run time, vectors that are read once are read from the end.
        """
        high, wide, panel = self._tiling.high, self._tiling.wide, self._tiling.panel
        at = self._arrange_root(high, wide, panel)
        self._arrange_sums(high, wide, panel)
        self._sums.compute_at(self._root, at)
        vectors = self._found.vector_tensor
        once = product(extent(axis) for axis in self._found.rows) <= self._tiles.rows
        if isinstance(vectors, Placeholder | View) and once and not self._chunks:
            self._read_once(vectors, parity)
        return self._schedule

    def _read_once(self, vectors: Tensor, parity: Tensor | None) -> None:
        """Arrange the loads of vectors that are read once.

        Vectors beyond the L2 cache are prefetched, because the hardware prefetcher stops at the end
        of each page. In serpentine order, the vectors read last in the previous run are read first.
        """
        if self._found.vector.nbytes > self._machine.l2:
            self._schedule.fetch_ahead(vectors, _AHEAD)
        outermost = next((loop for loop in self._root.loops if extent(loop) > 1), self._found.lane)
        is_loop = self._root.modes.get(outermost) in (None, Mode.PARALLEL)
        if parity is not None and is_loop:
            self._root.reverse(outermost, parity[()] % 2 > 0)

    def _arrange_root(self, high: Axis | None, wide: Axis | None, panel: Axis) -> Axis:
        """Arrange the loops of the result; return the innermost one around a tile."""
        root, loop_of = self._root, self._loop_of
        special = (high, wide, panel, self._found.lane)
        others = [axis for axis in self._found.sums.axes if axis not in special]
        outer = [axis for axis in others if axis not in self._image]
        batches = list(itertools.takewhile(self._found.has_own_vectors, outer))
        lines = [loop_of[axis] for axis in others if axis in self._image]
        rows = self._split_rows(high, wide)
        panels, *vectors = self._split_panel(root, loop_of[panel], loop_of[self._found.lane])
        around = [loop_of[axis] for axis in outer] + rows.chunks
        around += [*lines, *rows.lines, panels, *rows.tiles]
        root.reorder(*around, *rows.inside, *vectors)
        root.unroll(*rows.inside, *vectors[:-1])
        root.vectorize(vectors[-1])
        batch = around[len(batches) - 1] if batches else None
        count = len(self._chunks)
        chunk = rows.chunks[0] if rows.chunks else None
        homes = (batch, chunk) if self._tiling.copies else ()
        outer = share(root, around[count:], self._schedule.stages, homes)
        around = [*around[:count], *outer]
        self._place_copies(batch, chunk)
        return around[-1]

    def _split_rows(self, high: Axis | None, wide: Axis | None) -> _Rows:
        """Split the axes along which a tile extends, and the blocked one of them into chunks."""
        rows = _Rows([], [], [], [])
        for axis, size in ((high, self._tiles.high), (wide, self._tiles.wide)):
            if axis is None:
                continue
            loop, of_image = self._loop_of[axis], axis in self._image
            if axis is self._tiling.blocked:
                chunk, loop = self._root.split(loop, self._tiles.block)
                rows.chunks.append(chunk)
            several, one = self._root.split(loop, size)
            (rows.lines if of_image else rows.tiles).append(several)
            rows.inside.append(one)
        return rows

    def _split_panel(self, stage: Stage, panel: Axis, lane: Axis) -> list[Axis]:
        """Return the loop over panels, the loop over the vectors of a panel, and the lanes."""
        if panel is not lane:
            return [*stage.split(panel, self._tiles.vectors), lane]
        outer, inner = stage.split(lane, self._tiles.vectors * self._lanes)
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
        stage.set_scope(MemoryScope.REGISTER)

    def _place_copies(self, batch: Axis | None, chunk: Axis | None) -> None:
        """Copy rows chunk by chunk and panels batch by batch; copy shared operands once."""
        for stage in self._schedule.stages:
            if stage not in (self._root, self._sums):
                elementwise(stage, self._machine)
                is_scalar = stage.tensor is self._found.scalar_tensor
                at = self._root.inside(chunk if is_scalar else batch)
                if stage.tensor in self._tiling.copies and at is not None:
                    stage.compute_at(self._root, at)
