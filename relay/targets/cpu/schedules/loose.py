"""Stages one after another, each with good loops of its own: what no closer arrangement fits."""

from collections.abc import Sequence
from typing import cast

from relay.kernels.machine import Machine
from relay.kernels.schedule.schedule import Schedule
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.tensor import Tensor
from relay.targets.cpu.schedules.along import arrange, vectorised_sums
from relay.targets.cpu.schedules.elementwise import elementwise, share
from relay.targets.cpu.schedules.rows import is_in_lanes


def loose(outputs: Sequence[Tensor], machine: Machine) -> Schedule:
    """Return the schedule in which every tensor is computed whole before it is read."""
    schedule = Schedule(vectorised_sums(outputs, machine))
    for stage in schedule.stages:
        if is_in_lanes(stage):
            (reader,) = schedule.readers(stage.tensor)
            stage.compute_at(cast("Stage", reader), None)
            arrange(stage, machine)
        elif stage.reduce_axes or _reads_lanes(schedule, stage):
            share(stage, stage.axes, [stage], machine)
        else:
            elementwise(stage, machine)
    return schedule


def _reads_lanes(schedule: Schedule, stage: Stage) -> bool:
    return any(
        is_in_lanes(one) and stage in schedule.readers(one.tensor) for one in schedule.stages
    )
