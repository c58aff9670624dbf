"""Stages one after another, each with good loops of its own: what no closer arrangement fits."""

from collections.abc import Sequence

from relay.kernels.machine import Machine
from relay.kernels.schedule.schedule import Schedule
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.tensor import Axis, Tensor
from relay.targets.cpu.schedules.along import arrange, combine_lanes, vectorised_sums
from relay.targets.cpu.schedules.elementwise import elementwise, share
from relay.targets.cpu.schedules.rows import is_in_lanes


def loose(outputs: Sequence[Tensor], machine: Machine) -> Schedule:
    """Return the schedule in which every tensor is computed whole before it is read."""
    schedule = Schedule(vectorised_sums(outputs, machine))
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
