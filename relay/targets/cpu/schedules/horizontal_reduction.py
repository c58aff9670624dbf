"""Schedules that reduce each row by vectors of partial results, which are then combined.

Everything that depends on one row is computed while the row is in the L1 cache.
"""

from collections.abc import Sequence
from typing import ClassVar

from relay.kernels.cpu_model import CpuModel
from relay.kernels.loops import Kernel, MemoryScope
from relay.kernels.schedule.schedule import Schedule
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.tensor import Axis, Computed, Reduce, Tensor
from relay.support.node import value
from relay.targets.cpu.schedules.elementwise import (
    by_vectors,
    elementwise,
    fused,
    share_rows,
    vectorize,
)
from relay.targets.cpu.schedules.match_reduction import output_of_rows
from relay.targets.cpu.schedules.rewrite_formulas import in_lanes, replaced
from relay.targets.cpu.schedules.row_analysis import (
    contiguous_run,
    divided,
    is_in_lanes,
    largest_operand_once,
    row_axes,
    shared,
)
from relay.targets.cpu.schedules.row_configurations import (
    RowReduction,
    RowRule,
    VectorCount,
    on_threads,
)
from relay.targets.cpu.schedules.size_hints import extent, is_known, product
from relay.targets.kernel_expressions import Formulas

_VECTORS = 4  # vectors of partial results, so that additions need not wait for each other
_SHORT = 4  # steps of a loop that are unrolled: a branch after each few vectors takes long


@value
class HorizontalReduction(RowRule[RowReduction]):
    """A rule that reduces one row after another, each by vectors of partial results.

    A rule with `long`, which its creator sets for rows that are long at run time, uses several
    vectors for rows of dynamic length, too.
    """

    name: ClassVar[str] = "along"
    long: bool = False

    def match(self, formulas: Formulas) -> RowReduction | None:
        """Match any tensor expression with one output that depends on reductions."""
        output = output_of_rows(formulas)
        return None if output is None else RowReduction(formulas, output)

    def candidates(self, matched: RowReduction) -> Sequence[VectorCount]:
        """Return numbers of vectors, up to the one that hides the latency of additions."""
        del matched
        return vector_counts()

    def apply(self, matched: RowReduction, config: VectorCount) -> Kernel:
        """Return the kernel that reduces each row by vectors."""
        schedule = _along(matched.output, config.vectors, self.machine, long=self.long)
        return matched.formulas.lowered(on_threads(schedule, parallel=config.parallel))


def vector_counts() -> list[VectorCount]:
    """Return configurations with different numbers of vectors per row, the largest first."""
    return [VectorCount(_VECTORS), VectorCount(2), VectorCount(1)]


def _along(output: Computed, vectors: int, machine: CpuModel, *, long: bool) -> Schedule:
    schedule = Schedule(vectorised_sums([output], machine, vectors, long=long))
    root = schedule.stages[-1]
    rows, inner = divided(root)
    outer = largest_operand_once(schedule, root, rows, machine)
    root.reorder(*outer, *inner)
    runs = fused(root, inner) if inner else []
    if runs:
        vectorize(root, runs[-1], machine)
    at = share_rows(schedule, root, outer)
    early = shared(schedule)
    for stage in schedule.stages[:-1]:
        if stage in early:
            elementwise(stage, machine)
            continue
        if at is not None or not runs:
            stage.compute_at(root, at)
        arrange(stage, machine)
    return schedule


def vectorised_sums(
    outputs: Sequence[Tensor], machine: CpuModel, most: int = _VECTORS, beside: int = 1,
    *, long: bool = False,
) -> tuple[Tensor, ...]:  # fmt: skip
    """Return the outputs with reductions over contiguous elements split into whole vectors.

    A row has at most `most` vectors; if `beside` rows are reduced together, each has fewer, because
    the other rows hide the latency. With `long`, rows of dynamic length are long.
    """

    def change(tensor: Computed) -> Tensor:
        return vectorised(tensor, machine, most, beside, long=long)

    return replaced(outputs, change)


def vectorised(
    tensor: Computed, machine: CpuModel, most: int = _VECTORS, beside: int = 1,
    *, long: bool = False,
) -> Tensor:  # fmt: skip
    """Return a tensor whose reduction of contiguous elements first computes partial vectors."""
    run = contiguous_run(tensor, tensor.body) if isinstance(tensor.body, Reduce) else []
    if not run:
        return tensor
    lanes = machine.lanes(tensor.dtype)
    length = product(axis.extent for axis in run)
    known = all(map(is_known, run))  # a short row must not be split into many vectors
    choices = [n for n in (1, 2, _VECTORS) if n <= most] if known or long else [1]
    is_long = long and not known
    enough = (
        v for v in choices if (is_long or length >= 2 * v * lanes) and v * beside <= 2 * _VECTORS
    )
    return in_lanes(tensor, run, lanes, max(enough, default=1))


def arrange(stage: Stage, machine: CpuModel) -> None:
    """Arrange the loops of a stage that computes a part of a row inside another stage."""
    if is_in_lanes(stage):
        _arrange_lanes(stage, machine)
        return
    rows = row_axes(stage.tensor)
    inner = [axis for axis in stage.axes if axis not in rows]
    if inner:
        vectorize(stage, inner[-1], machine)
    else:
        combine_lanes(stage)
    stage.set_scope(MemoryScope.REGISTER)


def _arrange_lanes(stage: Stage, machine: CpuModel) -> None:
    """Arrange a stage of partial results, which stay in vector registers while a row is read."""
    lane = stage.axes[-1]
    stage.reorder(*stage.axes[:-1], *stage.reduce_axes, lane)
    by_whole_vectors(stage, lane, machine)
    stage.set_scope(MemoryScope.REGISTER)


def by_whole_vectors(stage: Stage, lane: Axis, machine: CpuModel) -> None:
    """Vectorise the innermost loop over partial results, which fill one or several vectors.

    The innermost loop over the terms is unrolled if it is short.
    """
    short = [axis for axis in stage.reduce_axes[-1:] if is_known(axis)]
    stage.unroll(*(axis for axis in short if extent(axis) <= _SHORT))
    lanes = machine.lanes(stage.tensor.dtype)
    if extent(lane) > lanes:
        by_vectors(stage, lane, lanes, extent(lane) // lanes)
    else:
        stage.vectorize(lane)


def combine_lanes(stage: Stage) -> None:
    """Vectorise the axis over lanes in a stage that combines partial results."""
    for axis in stage.reduce_axes:
        if axis.name == "lane":
            stage.vectorize(axis)
