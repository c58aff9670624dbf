"""Schedules of the transformations of Winograd's convolution: a tile at a time, in registers."""

from collections.abc import Sequence
from typing import ClassVar

from relay.kernels.loops import Kernel
from relay.kernels.schedule.schedule import Schedule
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.tensor import Axis, Computed
from relay.ops.nn.winograd_blocks import WinogradDataTransform, WinogradTransform
from relay.support.node import node, value
from relay.targets.cpu.schedules.elementwise import share
from relay.targets.cpu.schedules.row_configurations import (
    RowReduction,
    RowRule,
    VectorCount,
    on_threads,
)
from relay.targets.cpu.schedules.size_hints import extent
from relay.targets.kernel_expressions import Formulas

_LARGEST_UNROLLED = 5
"""The largest tile along an axis whose loops are unrolled: of 6 × 6 elements, 1,296 reads appear in
the kernel, and it takes a minute to compile if the height of the image is open."""


@node
class _Tiles(RowReduction):
    """The match of a transformation, whose output may have elementwise operators behind it."""

    op: WinogradTransform


@value
class TileTransforms(RowRule[_Tiles]):
    """A rule that reads a tile once, and computes from it all elements that depend on it.

    The vectors hold channels. The loops over the rows and columns of a tile are unrolled, so that
    the factors are known in each copy and common sums are computed once. Larger tiles, whose
    kernels take long to compile, are left to the rules of elementwise operators.
    """

    name: ClassVar[str] = "tiles"

    def match(self, formulas: Formulas) -> _Tiles | None:
        """Match a Winograd transformation that is not empty, and elementwise operators after it."""
        op, result = formulas.anchor or (None, None)
        (output, *others) = formulas.outputs
        if not isinstance(op, WinogradTransform) or others or not isinstance(output, Computed):
            return None
        is_same = result is not None and output.shape == result.shape and 0 not in output.shape
        is_small = op.extent <= _LARGEST_UNROLLED
        is_plain = not any(stage.reduce_axes for stage in Schedule(output).stages)
        return _Tiles(formulas, output, op) if is_same and is_small and is_plain else None

    def candidates(self, matched: _Tiles) -> Sequence[VectorCount]:
        """Return the only configuration."""
        del matched
        return [VectorCount(1)]

    def apply(self, matched: _Tiles, config: VectorCount) -> Kernel:
        """Return the kernel that transforms one tile after the other."""
        schedule = Schedule(matched.output)
        root = schedule[matched.output]
        for stage in [each for each in schedule.stages if each is not root]:
            schedule.inline(stage.tensor)
        if isinstance(matched.op, WinogradDataTransform):
            outer, inner = _parts_of_data(root, matched.op)
        else:
            outer, inner = _parts_of_result(root, matched.op)
        lanes = self.machine.lanes(matched.output.dtype)
        *blocks, lane = _vectors(root, lanes)
        root.reorder(*outer, *blocks, *inner, lane)
        root.unroll(*inner)
        root.vectorize(lane)
        share(root, [*outer, *blocks], [root])
        return matched.formulas.lowered(on_threads(schedule, parallel=config.parallel))


def _parts_of_data(root: Stage, op: WinogradTransform) -> tuple[list[Axis], list[Axis]]:
    """Split the loop over a tile's factors; return the loops over tiles and those inside a tile."""
    batch, parts, *tiles, _ = root.axes
    factor, channel = root.split(parts, extent(parts) // op.extent**2)
    return [batch, channel, *tiles], [*root.split(factor, op.extent)]


def _parts_of_result(root: Stage, op: WinogradTransform) -> tuple[list[Axis], list[Axis]]:
    """Split the loops over an image; return the loops over tiles, and those inside a tile."""
    batch, channel, *sizes, _ = root.axes
    pairs = [root.split(axis, op.tile_size) for axis in sizes]
    return [batch, channel, *(tile for tile, _ in pairs)], [inside for _, inside in pairs]


def _vectors(root: Stage, lanes: int) -> tuple[Axis, ...]:
    """Split the loop over a block of channels into vectors; return the loops."""
    channels = root.axes[-1]
    return root.split(channels, lanes) if extent(channels) > lanes else (channels,)
