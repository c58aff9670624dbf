"""Compute-root: stages one after another, each with loops of its own."""

from collections.abc import Sequence
from typing import ClassVar

from relay.kernels.loops import Kernel
from relay.kernels.machine import CpuModel
from relay.kernels.schedule.schedule import Schedule
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.tensor import Axis, Tensor
from relay.support.node import value
from relay.targets.cpu.schedules.config import ByVectors, Vectors, cores_for
from relay.targets.cpu.schedules.elementwise import elementwise, share
from relay.targets.cpu.schedules.horizontal_reduction import (
    arrange,
    combine_lanes,
    vector_counts,
    vectorised_sums,
)
from relay.targets.cpu.schedules.outputs import reduced_output
from relay.targets.cpu.schedules.rows import is_in_lanes
from relay.targets.formulas import Formulas


@value
class Loose(ByVectors[Formulas]):
    """Every tensor is computed whole before it is read; rows are reduced by some vectors."""

    name: ClassVar[str] = "loose"

    def match(self, formulas: Formulas) -> Formulas | None:
        """Match what is elementwise, written by hand, or has several results."""
        return formulas if reduced_output(formulas) is None else None

    def candidates(self, matched: Formulas) -> Sequence[Vectors]:
        """Return the numbers of vectors that a row may have."""
        del matched
        return vector_counts()

    def apply(self, matched: Formulas, config: Vectors) -> Kernel:
        """Put stages one after another."""
        machine = cores_for(self.machine, parallel=config.parallel)
        schedule = _loose(matched.outputs, config.vectors, machine)
        return matched.lowered(schedule)


def _loose(outputs: Sequence[Tensor], vectors: int, machine: CpuModel) -> Schedule:
    schedule = Schedule(vectorised_sums(outputs, machine, vectors))
    for stage in schedule.stages:
        if is_in_lanes(stage):
            arrange(stage, machine)
            _put_inside(schedule, stage)
        elif stage.reduce_axes:
            loops = share(stage, stage.axes, [stage], machine)
            combine_lanes(stage)
            _put_inside(schedule, stage, loops)
        else:
            elementwise(stage, machine)
    return schedule


def _put_inside(schedule: Schedule, reader: Stage, loops: Sequence[Axis] = ()) -> None:
    """Compute partial results where they are read: in some loops of a reduction, or in all."""
    for stage in schedule.stages:
        is_read = is_in_lanes(stage) and reader in schedule.readers(stage.tensor)
        if is_read and (loops or not reader.reduce_axes):
            stage.compute_at(reader, loops[-1] if loops else None)
