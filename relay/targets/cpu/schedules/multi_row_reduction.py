"""Schedules that reduce several rows together, whose results become lanes of one vector.

Each row has its own vector of partial results, and one tree combines the lanes of all of them into
a vector of results: this takes a fraction of the time of combining the lanes of one row after
another. Computations on the results are vectorised as well, and if the output has whole rows (as a
normalisation), the sums of one row do not delay another row.
"""

from collections.abc import Sequence
from typing import ClassVar

from relay.kernels.cpu_model import CpuModel
from relay.kernels.loops import Kernel, MemoryScope
from relay.kernels.schedule.schedule import Schedule, topological
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.tensor import Axis, Computed, Reduce
from relay.support.node import node, value
from relay.targets.cpu.schedules.elementwise import elementwise, fused, share_rows, vectorize
from relay.targets.cpu.schedules.horizontal_reduction import (
    arrange,
    by_whole_vectors,
    combine_lanes,
    vectorised_sums,
)
from relay.targets.cpu.schedules.match_reduction import output_of_rows
from relay.targets.cpu.schedules.rewrite_formulas import cost
from relay.targets.cpu.schedules.row_analysis import (
    contiguous_run,
    divided,
    is_in_lanes,
    largest_access,
    matching,
    row_axes,
    shared,
)
from relay.targets.cpu.schedules.row_configurations import on_threads
from relay.targets.cpu.schedules.size_hints import extent, is_known, product
from relay.targets.kernel_expressions import Formulas
from relay.targets.schedule_rules import Config, Rule

_LONG = 64  # instructions of a step of all rows, each of which has its own code
_SHARE = 6  # rows may fill 1 / 6 of L1: several intermediates are kept of them
_OPEN = 4  # rows of a block if their number is dynamic: each smaller number has its own code
_FAR = 3  # vectors of a row from L2 up to which the combination of its lanes matters


@value
class Rows(Config):
    """A block of `height` adjacent rows, of which `beside` are reduced together.

    The remaining rows of the block follow, because rows in the L2 cache are read faster one after
    another. If `parallel`, long outer loops are parallel.
    """

    height: int
    beside: int
    parallel: bool = True


@node
class AdjacentRows:
    """The match of a multi-row reduction: the output, and the axis over adjacent rows.

    At most `height` rows fit; if they are `far` (outside L1), they are reduced one after another.
    """

    formulas: Formulas
    output: Computed
    axis: Axis
    height: int
    far: bool


@value
class MultiRowReduction(Rule[AdjacentRows, Rows]):
    """A rule that reduces adjacent rows together into one vector of results."""

    name: ClassVar[str] = "together"
    machine: CpuModel

    def match(self, formulas: Formulas) -> AdjacentRows | None:
        """Match rows of which several fit into registers, if combining lanes takes long."""
        output = output_of_rows(formulas)
        return None if output is None else _adjacent_rows(formulas, output, self.machine)

    def candidates(self, matched: AdjacentRows) -> Sequence[Rows]:
        """Return configurations with different numbers of rows, the largest first."""
        heights = [1 << k for k in reversed(range(1, matched.height.bit_length()))]
        return [Rows(height, 1 if matched.far else height) for height in heights]

    def cost(self, matched: AdjacentRows, config: Rows) -> float:
        """Return a cost that decreases as the number of rows grows."""
        del matched
        return -config.height

    def allows(self, matched: AdjacentRows, config: Rows) -> bool:
        """Whether this number of rows fits, and `beside` is 1 or the number of rows."""
        heights = {each.height for each in self.candidates(matched)}
        return config.height in heights and config.beside in (1, config.height)

    def apply(self, matched: AdjacentRows, config: Rows) -> Kernel:
        """Return the kernel that reduces one block of rows after another."""
        schedule = _together(matched, config, self.machine)
        return matched.formulas.lowered(on_threads(schedule, parallel=config.parallel))


def _adjacent_rows(formulas: Formulas, output: Computed, machine: CpuModel) -> AdjacentRows | None:
    """Return the rows that can be reduced together; None if that is not worthwhile."""
    axes = row_axes(output)
    long = [axis for axis in output.axes if axis in axes and extent(axis) > 1]
    if not long:
        return None
    found = [t for t in topological([output]) if isinstance(t, Computed) and t.reduce_axes]
    fitting = min(_fitting(tensor, machine) for tensor in found)
    left = product(axis.extent for axis in output.axes if axis not in axes)
    if left > 1:
        room = machine.l1 // _SHARE // (left * output.dtype.itemsize)
        fitting = min(fitting, 1 << max(0, room.bit_length() - 1))
    most = 1 << (extent(long[-1]) - 1).bit_length() if is_known(long[-1]) else _OPEN
    height = min(most, fitting)  # lanes are a power of two
    far = left == 1 and any(_is_far(tensor, machine) for tensor in found)
    if height == 1 or (far and any(_is_long(tensor, machine) for tensor in found)):
        return None
    return AdjacentRows(formulas, output, long[-1], height, far)


def _fitting(tensor: Computed, machine: CpuModel) -> int:
    """Return the largest number of rows that registers, lanes and code size allow."""
    by_code = max(1, _LONG // max(1, cost(tensor.body)))
    most = min(machine.lanes(tensor.dtype), machine.vector_registers // 2, by_code)
    return 1 << (most.bit_length() - 1)


def _is_far(tensor: Computed, machine: CpuModel) -> bool:
    _, walk = largest_access(tensor)
    return walk is not None and walk.nbytes > machine.l1


def _is_long(tensor: Computed, machine: CpuModel) -> bool:
    assert isinstance(tensor.body, Reduce)
    length = product(axis.extent for axis in contiguous_run(tensor, tensor.body))
    return length > _FAR * machine.lanes(tensor.dtype)


def _together(matched: AdjacentRows, rows: Rows, machine: CpuModel) -> Schedule:
    place = matched.output.axes.index(matched.axis)
    schedule = Schedule(vectorised_sums([matched.output], machine, beside=rows.beside))
    root = schedule.stages[-1]
    axis = root.axes[place]
    at = share_rows(schedule, root, _arrange_root(root, axis, rows, machine))
    places = matching(schedule, root, axis)
    early = shared(schedule)
    for stage in schedule.stages[:-1]:
        if stage in early:
            elementwise(stage, machine)
            continue
        stage.compute_at(root, at)
        row = places.get(stage)
        if row is None or not (is_in_lanes(stage) or _has_lanes(stage, row)):
            arrange(stage, machine)
        elif is_in_lanes(stage):
            _arrange_vectors(stage, row, rows, machine)
        else:
            _arrange_results(stage, row, rows)
    return schedule


def _arrange_root(root: Stage, axis: Axis, rows: Rows, machine: CpuModel) -> list[Axis]:
    """Split the output's loops into blocks of rows, vectorised; return the outer loops."""
    outer, inner = divided(root)
    block, row = root.split(axis, rows.height)
    outer = [block if loop is axis else loop for loop in outer]
    if not is_known(axis):
        root.separate_tail(row)
    root.reorder(*outer, row, *inner)
    runs = fused(root, inner) if inner else []
    if _has_lanes(root, axis):
        root.vectorize(row)
    else:
        vectorize(root, runs[-1], machine)
    return outer


def _has_lanes(stage: Stage, row: Axis) -> bool:
    """Whether a stage has one element per row, so that the rows can be lanes of a vector."""
    rows = row_axes(stage.tensor)
    return all(extent(axis) == 1 for axis in stage.axes if axis is not row and axis not in rows)


def _arrange_vectors(stage: Stage, row: Axis, rows: Rows, machine: CpuModel) -> None:
    """Arrange a stage of partial results in registers: one vector for each row."""
    *others, lane = (axis for axis in stage.axes if axis is not row)
    tile, row = stage.split(row, rows.beside)
    stage.reorder(*others, tile, *stage.reduce_axes, row, lane)
    stage.unroll(tile, row)
    by_whole_vectors(stage, lane, machine)
    stage.set_scope(MemoryScope.REGISTER)


def _arrange_results(stage: Stage, row: Axis, rows: Rows) -> None:
    """Arrange a stage that computes one result per row as a vector of results."""
    others = [axis for axis in stage.axes if axis is not row]
    tile, row = stage.split(row, rows.height)
    stage.reorder(*others, tile, row, *stage.reduce_axes)
    stage.vectorize(row)
    combine_lanes(stage)
    stage.set_scope(MemoryScope.REGISTER)
