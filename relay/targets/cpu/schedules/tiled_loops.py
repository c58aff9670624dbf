"""Arranges the loops of a sum of products around a register tile."""

import itertools
from collections.abc import Collection, Sequence

from relay.kernels.cpu_model import CpuModel
from relay.kernels.loops import MemoryScope, Mode
from relay.kernels.schedule.schedule import Schedule
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.tensor import Axis, Placeholder, Tensor, View
from relay.support.node import node
from relay.targets.cpu.schedules.elementwise import elementwise, fused, innermost, share
from relay.targets.cpu.schedules.product_tiling import Tiling
from relay.targets.cpu.schedules.register_tile import Tiles
from relay.targets.cpu.schedules.size_hints import extent, is_known, product

_AHEAD = 2048  # prefetch distance in bytes
_TAPS = 8  # the most taps of a row of a sum in lanes that are unrolled, so that loads are shared
_MULTIPLY_ADDS = 256  # that are unrolled in a tile's code, at most


@node
class _Rows:
    """The loops into which the rows are split: over chunks, over tiles, and inside a tile.

    `lines` are the loops over tiles of an image's lines, which are rows of vectors.
    """

    chunks: list[Axis]
    lines: list[Axis]
    tiles: list[Axis]
    inside: list[Axis]


class TiledLoops:
    """The loops of a sum of products in a schedule, arranged around a register tile.

    The outermost loops are over axes that both operands have; `batch` is the innermost of them.
    Inside, a `chunk` of rows of the broadcast operand stays in the L2 cache while it is multiplied
    with one panel of vectors after another. `around` are all loops outside a tile.
    """

    def __init__(self, schedule: Schedule, found: Tiling, tiles: Tiles, machine: CpuModel) -> None:
        self._machine = machine
        self._tiling = found
        self._tiles = tiles
        self._found = found.operands
        self._schedule = schedule
        self.root = schedule[found.total or found.output]
        self.sums = schedule[found.operands.sums]
        self._lanes = found.lanes
        self._image = found.operands.image
        self._chunks = self.root.reduce_axes
        loops = (
            found.regrouping.loops(self.root, self.root.axes)
            if found.total is None
            else [*self._chunks, *self.root.axes]
        )
        self._loop_of = dict(zip(found.operands.sums.axes, loops, strict=True))
        high, wide, panel = found.high, found.wide, found.panel
        self.batch: Axis | None = None
        self.chunk: Axis | None = None
        self.around = self._arrange_root(high, wide, panel)
        self._arrange_sums(high, wide, panel)
        self.sums.compute_at(self.root, self.around[-1])

    def share(self, *, chunks: bool = False) -> None:
        """Parallelise the outermost loops; if `chunks`, only loops over chunks of rows."""
        start, end = len(self._chunks), len(self.around)
        if chunks and self.chunk is not None:
            end = self.around.index(self.chunk) + 1
        attached_at = (self.batch, self.chunk) if chunks or self._tiling.copies else ()
        outer = share(self.root, self.around[start:end], self._schedule.stages, attached_at)
        self.around[start:end] = outer
        self.sums.compute_at(self.root, self.around[-1])

    def read_once(self, parity: Tensor | None) -> None:
        """Prefetch vectors that are read once, and order them by the run's parity.

        An operand larger than the L2 cache is prefetched, because the hardware prefetcher stops at
        the end of each page. `parity` is a kernel input, the number of the run: if it is odd, the
        vectors that the previous run read last are read first (serpentine order).
        """
        vectors = self._found.vector_tensor
        once = product(extent(axis) for axis in self._found.rows) <= self._tiles.rows
        if not (isinstance(vectors, Placeholder | View) and once) or self._chunks:
            return
        if self._found.vector.nbytes > self._machine.l2:
            self._schedule.fetch_ahead(vectors, _AHEAD)
        outermost = next((loop for loop in self.root.loops if extent(loop) > 1), self._found.lane)
        is_loop = self.root.modes.get(outermost) in (None, Mode.PARALLEL)
        if parity is not None and is_loop:
            self.root.reverse(outermost, parity[()] % 2 > 0)

    def place_copies(self, stages: Sequence[Stage], copies: Collection[Tensor]) -> None:
        """Compute packed and padded operands inside the loops: rows per chunk, panels per batch.

        Stages that are not in `copies`, and operands that all batches share, are computed once.
        """
        for stage in stages:
            if stage in (self.root, self.sums):
                continue
            elementwise(stage, self._machine)
            is_scalar = stage.tensor is self._found.scalar_tensor
            at = self.root.inside(self.chunk if is_scalar else self.batch)
            if stage.tensor in copies and at is not None:
                stage.compute_at(self.root, at)

    def _arrange_root(self, high: Axis | None, wide: Axis | None, panel: Axis) -> list[Axis]:
        """Order and split the loops of the result stage; return the loops around a tile."""
        root, loop_of = self.root, self._loop_of
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
        self.batch = around[len(batches) - 1] if batches else None
        self.chunk = rows.chunks[0] if rows.chunks else None
        return around

    def _split_rows(self, high: Axis | None, wide: Axis | None) -> _Rows:
        """Split the axes of a tile's rows into tiles, and the blocked axis also into chunks."""
        rows = _Rows([], [], [], [])
        for axis, size in ((high, self._tiles.high), (wide, self._tiles.wide)):
            if axis is None:
                continue
            loop, of_image = self._loop_of[axis], axis in self._image
            if axis is self._tiling.blocked:
                chunk, loop = self.root.split(loop, self._tiles.block)
                rows.chunks.append(chunk)
            several, one = self.root.split(loop, size)
            (rows.lines if of_image else rows.tiles).append(several)
            rows.inside.append(one)
        return rows

    def _split_panel(self, stage: Stage, panel: Axis, lane: Axis) -> list[Axis]:
        """Return the loop over panels, the loop over a panel's vectors, and the lane loop."""
        if panel is not lane:
            return [*stage.split(panel, self._tiles.vectors), lane]
        outer, inner = stage.split(lane, self._tiles.vectors * self._lanes)
        return [outer, *stage.split(inner, self._lanes)]

    def _arrange_sums(self, high: Axis | None, wide: Axis | None, panel: Axis) -> None:
        stage, lane = self.sums, self._found.lane
        reduced = fused(stage, stage.reduce_axes)
        if self._found.in_lanes and extent(reduced[-1]) <= _TAPS:
            stage.unroll(reduced[-1])
        rows = [axis for axis in (high, wide) if axis is not None]
        vectors = [panel, lane] if panel is not lane else [*stage.split(lane, self._lanes)]
        rest = [axis for axis in stage.axes if axis not in (*rows, panel, lane)]
        taps = self._sliding(reduced, high)
        steps = [axis for axis in reduced if axis not in taps]
        stage.reorder(*rest, *steps, *rows, *taps, *vectors)
        stage.unroll(*rows, *taps, *vectors[:-1])
        stage.vectorize(vectors[-1])
        stage.set_scope(MemoryScope.REGISTER)

    def _sliding(self, reduced: Sequence[Axis], high: Axis | None) -> list[Axis]:
        """Return the loop over the taps along the lines of a tile, if each reads its own vectors.

        Lines then share most of the vectors that their windows read: each is loaded once if these
        taps are unrolled inside the lines.
        """
        found = self._found
        if high is None or high not in self._image or found.rows or found.in_lanes:
            return []
        step, most = found.vector.stride(high), _MULTIPLY_ADDS // self._tiles.vectors
        for loop in reduced:
            tap = found.vector.stride(innermost(self.sums, loop))
            if tap and isinstance(tap, int) and isinstance(step, int) and is_known(loop):
                shared = step % tap == 0 and step // tap < extent(loop)
                if shared and extent(loop) * self._tiles.rows <= most:
                    return [loop]
        return []
