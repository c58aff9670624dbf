"""Rows along the last axis of which nothing but results is left: several are reduced together.

Each has a vector of partial results of its own, and one tree combines the lanes of all of them to a
vector of results: a fraction of what it takes to combine the lanes of one row after the other.
"""

from relay.kernels.loops import Scope
from relay.kernels.machine import Machine
from relay.kernels.schedule.schedule import Schedule, topological
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.tensor import Axis, Computed, Reduce
from relay.support.node import node
from relay.targets.cpu.schedules.along import (
    arrange,
    by_whole_vectors,
    combine_lanes,
    vectorised_sums,
)
from relay.targets.cpu.schedules.elementwise import elementwise, share_rows
from relay.targets.cpu.schedules.formulas import cost
from relay.targets.cpu.schedules.rows import (
    contiguous_run,
    is_in_lanes,
    main_walk,
    matching,
    row_axes,
    shared,
)
from relay.targets.cpu.schedules.typical import extent, product

_LONG = 64  # instructions of a step of all rows, each of which has code of its own
_FAR = 4  # vectors of a row from the second cache for which it matters how its lanes are combined


@node
class Rows:
    """Some neighbours along an axis: their number, and how many of them go by at the same time.

    Others wait until these have gone by: what comes from the second cache comes faster in order.
    """

    axis: Axis
    height: int
    beside: int


def rows_together(output: Computed, machine: Machine) -> Rows | None:
    """Return which rows to reduce together, if that pays and only results are left of them."""
    axes = row_axes(output)
    long = [axis for axis in output.axes if extent(axis) > 1]
    if not long or not axes.issuperset(long):
        return None
    found = [t for t in topological([output]) if isinstance(t, Computed) and t.reduce_axes]
    height = min(extent(long[-1]), *(_fitting(tensor, machine) for tensor in found))
    far = any(_is_far(tensor, machine) for tensor in found)
    if height == 1 or (far and any(_is_long(tensor, machine) for tensor in found)):
        return None
    return Rows(long[-1], height, 1 if far else height)


def _fitting(tensor: Computed, machine: Machine) -> int:
    """Return for how many rows of a reduction there are registers, lanes, and place for code."""
    by_code = max(1, _LONG // max(1, cost(tensor.body)))
    most = min(machine.lanes(tensor.dtype), machine.vector_registers // 2, by_code)
    return 1 << (most.bit_length() - 1)


def _is_far(tensor: Computed, machine: Machine) -> bool:
    _, walk = main_walk(tensor)
    return walk is not None and walk.nbytes > machine.l1


def _is_long(tensor: Computed, machine: Machine) -> bool:
    assert isinstance(tensor.body, Reduce)
    length = product(axis.extent for axis in contiguous_run(tensor, tensor.body))
    return length > _FAR * machine.lanes(tensor.dtype)


def together(output: Computed, rows: Rows, machine: Machine) -> Schedule:
    """Reduce neighbouring rows into vectors, and these into one vector of results."""
    place = output.axes.index(rows.axis)
    schedule = Schedule(vectorised_sums([output], machine, rows.beside))
    root = schedule.stages[-1]
    axis = root.axes[place]
    _, lane = root.split(axis, rows.height)
    outer = [loop for loop in root.loops if loop is not lane]
    root.reorder(*outer, lane)
    root.vectorize(lane)
    at = share_rows(schedule, root, outer, machine)
    places = matching(schedule, root, axis)
    early = shared(schedule)
    for stage in schedule.stages[:-1]:
        if stage in early:
            elementwise(stage, machine)
            continue
        stage.compute_at(root, at)
        _arrange(stage, places.get(stage), rows, machine)
    return schedule


def _arrange(stage: Stage, row: Axis | None, rows: Rows, machine: Machine) -> None:
    """Keep what belongs to the rows in registers: a vector of each, or a lane."""
    if row is None:
        arrange(stage, machine)
        return
    others = [axis for axis in stage.axes if axis is not row]
    if is_in_lanes(stage):
        *others, lane = others
        tile, row = stage.split(row, rows.beside)
        stage.reorder(*others, tile, *stage.reduce_axes, row, lane)
        stage.unroll(tile, row)
        by_whole_vectors(stage, lane, machine)
    else:
        tile, row = stage.split(row, rows.height)
        stage.reorder(*others, tile, row, *stage.reduce_axes)
        stage.vectorize(row)
        combine_lanes(stage)
    stage.set_scope(Scope.REGISTER)
