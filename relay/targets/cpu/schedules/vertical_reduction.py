"""Schedules that reduce as many rows together as vectors have lanes, each row in its own lane."""

import itertools
from collections.abc import Sequence
from typing import ClassVar

from relay.kernels.cpu_model import CpuModel
from relay.kernels.loops import Kernel, MemoryScope
from relay.kernels.scalar import Scalar
from relay.kernels.schedule.schedule import Schedule, topological
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.tensor import Axis, Computed, Reduce, Tensor
from relay.support.node import node, value
from relay.targets.cpu.schedules.access_strides import tested, window_axes
from relay.targets.cpu.schedules.elementwise import (
    by_rows,
    by_vectors,
    elementwise,
    share,
    share_rows,
)
from relay.targets.cpu.schedules.match_reduction import output_of_rows
from relay.targets.cpu.schedules.pad_operands import padded
from relay.targets.cpu.schedules.rewrite_formulas import replaced
from relay.targets.cpu.schedules.row_analysis import (
    divided,
    largest_access,
    matching,
    runs_along,
    shared,
)
from relay.targets.cpu.schedules.row_configurations import (
    RowReduction,
    RowRule,
    VectorCount,
    on_threads,
)
from relay.targets.cpu.schedules.share_reductions_across_windows import place_whole
from relay.targets.cpu.schedules.size_hints import extent, product
from relay.targets.cpu.schedules.strided_phases import in_phases
from relay.targets.kernel_expressions import Formulas

_VECTORS = 4  # vectors of adjacent rows, so that additions need not wait for each other
_FEW = 3  # row elements up to which loading them separately is faster than transposing a square


@node
class _Rows(RowReduction):
    """A match whose output reads padded copies, so that lanes need no bounds checks."""

    copies: Sequence[Tensor]


@value
class VerticalReduction(RowRule[RowReduction]):
    """A rule that reduces adjacent rows together, each in its own lane of a vector.

    A rule with `short`, which its creator sets for rows that are short at run time, processes one
    vector of rows at a time. A rule without it tries several numbers of vectors.
    """

    name: ClassVar[str] = "across"
    short: bool = False

    def match(self, formulas: Formulas) -> RowReduction | None:
        """Match rows that are not contiguous along the reduction; with `short`, all rows."""
        output = output_of_rows(formulas)
        if output is None or (not self.short and runs_along(output, self.machine)):
            return None
        return _Rows(formulas, *_without_masks(output))

    def candidates(self, matched: RowReduction) -> Sequence[VectorCount]:
        """Return numbers of vectors of rows for which intermediate results fit into the cache."""
        root, lane_axis, inner = _rows_of(Schedule(matched.output), matched.output)
        lanes = self.machine.lanes(root.tensor.dtype)
        stages = Schedule(matched.output).stages
        if self.short or any(_is_transposed(stage, lanes) for stage in stages):
            return [VectorCount(1)]
        fits = _vectors_that_fit(len(stages), inner, extent(lane_axis), lanes, self.machine)
        return [VectorCount(count) for count in fits]

    def apply(self, matched: RowReduction, config: VectorCount) -> Kernel:
        """Return the kernel that reduces each row in its own lane."""
        assert isinstance(matched, _Rows)
        schedule = _across(matched, config.vectors, self.machine)
        return matched.formulas.lowered(on_threads(schedule, parallel=config.parallel))


def _rows_of(schedule: Schedule, output: Computed) -> tuple[Stage, Axis, list[Axis]]:
    """Return an output's stage, the axis whose rows become lanes, and the loops inside a row."""
    root = schedule[output]
    outer, inner = divided(root)
    return root, next(axis for axis in reversed(outer) if extent(axis) > 1), inner


def _across(matched: _Rows, vectors: int, machine: CpuModel) -> Schedule:
    output, copies = matched.output, matched.copies
    schedule = Schedule(output)
    root, lane_axis, inner = _rows_of(schedule, output)
    outer = [axis for axis in root.axes if axis not in inner]
    lanes = machine.lanes(root.tensor.dtype)
    block, lane = root.split(lane_axis, lanes * vectors)
    outer = [axis for axis in outer if axis in root.loops]
    root.reorder(*outer, block, *inner, lane)
    by_vectors(root, lane, lanes, vectors)
    fixed = _before_windows(output, outer)
    at = share_rows(schedule, root, [*outer, block])
    places = matching(schedule, root, lane_axis)
    early = shared(schedule, copies)
    placed = place_whole(schedule, root, fixed, places, machine)
    for stage in schedule.stages[:-1]:
        if stage in placed:
            continue
        if stage.tensor in copies:
            copied = by_rows(stage, machine)
            image = root.inside(fixed)
            if image is None:
                share(stage, copied, [stage])
            else:
                stage.compute_at(root, image)
            continue
        if stage in early:
            elementwise(stage, machine)
            continue
        stage.compute_at(root, at)
        _arrange_across(stage, places.get(stage), lanes, vectors)
    return schedule


def _arrange_across(stage: Stage, lane: Axis | None, lanes: int, vectors: int) -> None:
    if lane is None:
        return
    others = [axis for axis in stage.axes if axis is not lane]
    stage.reorder(*others, *stage.reduce_axes, lane)
    by_vectors(stage, lane, lanes, vectors)
    if stage.reduce_axes and lane is stage.axes[-1]:
        stage.set_scope(MemoryScope.REGISTER)


def _vectors_that_fit(
    stages: int, inner: Sequence[Axis], length: int, lanes: int, machine: CpuModel
) -> list[int]:
    """Return the numbers of vectors of rows whose intermediate results fit into the L2 cache."""
    kept = stages - 1 if inner else 0
    row = product(extent(axis) for axis in inner) * kept * machine.vector_bytes
    fits = max(1, machine.l2 // 2 // max(1, row))
    return [v for v in (1, 2, _VECTORS) if v == 1 or (v <= fits and v * lanes <= length)]


def _is_transposed(stage: Stage, lanes: int) -> bool:
    """Whether a stage reduces contiguous elements, so that its loads must be transposed."""
    if not isinstance(stage.tensor, Computed):
        return False
    _, walk = largest_access(stage.tensor)
    near = [axis for axis in stage.reduce_axes if walk is not None and walk.stride(axis) == 1]
    return any(_FEW < extent(axis) <= lanes for axis in near)


def _before_windows(output: Computed, outer: Sequence[Axis]) -> Axis | None:
    """Return the innermost loop outside of all window axes, around an image; None without one."""
    moved: set[Scalar] = set()
    for tensor in topological([output]):
        if isinstance(tensor, Computed) and tensor.reduce_axes:
            pairs = zip(tensor.axes, output.axes, strict=False)
            moved |= {own for axis, own in pairs if axis in window_axes(tensor)}
    before = list(itertools.takewhile(lambda axis: axis not in moved, outer))
    return before[-1] if before else None


def _without_masks(output: Computed) -> tuple[Computed, list[Tensor]]:
    """Return the output with padded copies where lanes would need bounds checks, and the copies.

    The taps of a transposed convolution need no tests either: lanes have the taps of their phases.
    """
    copies: list[Tensor] = []

    def change(tensor: Computed) -> Tensor:
        if not isinstance(tensor.body, Reduce) or not tensor.axes:
            return tensor
        found, copy = in_phases(tensor), tensor
        while copy is not None and isinstance(found.body, Reduce):  # data, then the weight
            if found.axes[-1] not in tested(found.body.where):
                break
            found, copy = padded(found)
            copies.extend([] if copy is None else [copy])
        return found

    (new,) = replaced([output], change)
    assert isinstance(new, Computed)
    return new, copies
