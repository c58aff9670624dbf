"""Rows side by side: as many as vectors have lanes are reduced at once, each in its own lane."""

import itertools
from collections.abc import Sequence

from relay.kernels.loops import Scope
from relay.kernels.machine import Machine
from relay.kernels.scalar import Scalar
from relay.kernels.schedule.schedule import Schedule, topological
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.tensor import Axis, Computed, Reduce, Tensor
from relay.support.node import replace
from relay.targets.cpu.schedules.access import tested, window_axes
from relay.targets.cpu.schedules.elementwise import by_vectors, elementwise, share_rows
from relay.targets.cpu.schedules.formulas import replaced
from relay.targets.cpu.schedules.padding import padded
from relay.targets.cpu.schedules.rows import divided, main_walk, matching, shared
from relay.targets.cpu.schedules.typical import extent, product

_VECTORS = 4  # of neighbouring rows, so that additions need not wait for each other
_FEW = 3  # elements of a row that are read faster one by one than as a part of a square


def across(output: Computed, machine: Machine) -> Schedule:
    """Treat as many neighbouring rows at once as some vectors have lanes."""
    output, copies = _without_masks(output)
    schedule = Schedule(output)
    root = schedule[output]
    outer, inner = divided(root)
    lane_axis = next(axis for axis in reversed(outer) if extent(axis) > 1)
    lanes = machine.lanes(root.tensor.dtype)
    vectors = 1
    if not any(_is_turned(stage, lanes) for stage in schedule.stages):
        vectors = _vectors_that_fit(schedule, inner, extent(lane_axis), lanes, machine)
    block, lane = root.split(lane_axis, lanes * vectors)
    outer = [axis for axis in outer if axis in root.loops]
    root.reorder(*outer, block, *inner, lane)
    by_vectors(root, lane, lanes, vectors)
    fixed = _before_windows(output, outer)
    at = share_rows(schedule, root, [*outer, block], machine)
    places = matching(schedule, root, lane_axis)
    early = shared(schedule, copies)
    for stage in schedule.stages[:-1]:
        if stage.tensor in copies:
            elementwise(stage, replace(machine, cores=1) if fixed in root.loops else machine)
            if fixed in root.loops:
                stage.compute_at(root, fixed)
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
        stage.set_scope(Scope.REGISTER)


def _vectors_that_fit(
    schedule: Schedule, inner: Sequence[Axis], length: int, lanes: int, machine: Machine
) -> int:
    """Return how many vectors of rows are treated at once, so that what is kept of them fits."""
    kept = len(schedule.stages) - 1 if inner else 0
    row = product(extent(axis) for axis in inner) * kept * machine.vector_bytes
    fits = max(1, machine.l2 // 2 // max(1, row))
    return max(v for v in (1, 2, _VECTORS) if v == 1 or (v <= fits and v * lanes <= length))


def _is_turned(stage: Stage, lanes: int) -> bool:
    """Whether the rows of a reduction lie along its loop, so that squares of them are turned."""
    if not isinstance(stage.tensor, Computed):
        return False
    _, walk = main_walk(stage.tensor)
    near = [axis for axis in stage.reduce_axes if walk is not None and walk.stride(axis) == 1]
    return any(_FEW < extent(axis) <= lanes for axis in near)


def _before_windows(output: Computed, outer: Sequence[Axis]) -> Axis | None:
    """Return the innermost outer loop inside of which a whole image is read."""
    moved: set[Scalar] = set()
    for tensor in topological([output]):
        if isinstance(tensor, Computed) and tensor.reduce_axes:
            pairs = zip(tensor.axes, output.axes, strict=False)
            moved |= {own for axis, own in pairs if axis in window_axes(tensor)}
    before = list(itertools.takewhile(lambda axis: axis not in moved, outer))
    return before[-1] if before else None


def _without_masks(output: Computed) -> tuple[Computed, list[Tensor]]:
    """Return the output from padded copies, where the lanes would have to be tested; and these."""
    copies: list[Tensor] = []

    def change(tensor: Computed) -> Tensor:
        body = tensor.body
        if (
            not isinstance(body, Reduce)
            or not tensor.axes[-1:]
            or tensor.axes[-1] not in tested(body.where)
        ):
            return tensor
        without, copy = padded(tensor)
        copies.extend([] if copy is None else [copy])
        return without

    (new,) = replaced([output], change)
    assert isinstance(new, Computed)
    return new, copies
