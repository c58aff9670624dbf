"""Schedules in which each tensor is computed completely before its readers (compute-root)."""

from collections.abc import Sequence
from typing import ClassVar

from relay.kernels.cpu_model import CpuModel
from relay.kernels.loops import Kernel
from relay.kernels.schedule.join_outputs import join_outputs
from relay.kernels.schedule.schedule import Schedule
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.tensor import Axis
from relay.support.node import value
from relay.targets.cpu.schedules.elementwise import elementwise, share
from relay.targets.cpu.schedules.horizontal_reduction import (
    arrange,
    combine_lanes,
    vector_counts,
    vectorised_sums,
)
from relay.targets.cpu.schedules.match_reduction import reduced_output
from relay.targets.cpu.schedules.row_analysis import is_in_lanes
from relay.targets.cpu.schedules.row_configurations import RowRule, VectorCount, on_threads
from relay.targets.kernel_expressions import Formulas


@value
class ComputeRoot(RowRule[Formulas]):
    """A rule that computes each tensor completely before its readers, with rows in vectors."""

    name: ClassVar[str] = "loose"

    def match(self, formulas: Formulas) -> Formulas | None:
        """Match elementwise or hand-written tensor expressions, and those with several results."""
        return formulas if reduced_output(formulas) is None else None

    def candidates(self, matched: Formulas) -> Sequence[VectorCount]:
        """Return configurations with different numbers of vectors per row."""
        del matched
        return vector_counts()

    def apply(self, matched: Formulas, config: VectorCount) -> Kernel:
        """Return the kernel whose stages are computed one after another."""
        schedule = _loose(matched, config.vectors, self.machine)
        return matched.lowered(on_threads(schedule, parallel=config.parallel))


def _loose(formulas: Formulas, vectors: int, machine: CpuModel) -> Schedule:
    schedule = Schedule(vectorised_sums(formulas.outputs, machine, vectors))
    if formulas.joint:
        join_outputs(schedule)
    for stage in schedule.stages:
        if is_in_lanes(stage):
            arrange(stage, machine)
            put_inside(schedule, stage, stage.axes[:-1])
        elif stage.reduce_axes:
            loops = share(stage, stage.axes, [stage])
            combine_lanes(stage)
            put_inside(schedule, stage, loops)
        else:
            elementwise(stage, machine)
    return schedule


def put_inside(schedule: Schedule, reader: Stage, loops: Sequence[Axis]) -> None:
    """Move the computation of partial results into the innermost of the `loops` of their `reader`.

    If `reader` combines no partial results, or `loops` is empty, nothing is changed.
    """
    for stage in schedule.stages:
        is_read = is_in_lanes(stage) and reader in schedule.readers(stage.tensor)
        if is_read and loops:
            stage.compute_at(reader, loops[-1])
