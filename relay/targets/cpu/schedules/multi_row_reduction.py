"""Schedules that reduce several rows together, whose results become lanes of one vector.

Each row has its own vector of partial results, and one tree combines the lanes of all of them into
a vector of results: this takes a fraction of the time of combining the lanes of one row after
another. Computations on the results are vectorised as well, and if the output has whole rows (as a
normalisation), the sums of one row do not delay another row.

Where terms take long to compute and most of this work is the same along another axis (a product
with a quantised matrix), a tile extends along that axis too, so that the work is shared.
"""

from collections.abc import Sequence
from typing import ClassVar

from relay.kernels.cpu_model import CpuModel
from relay.kernels.loops import Kernel, MemoryScope
from relay.kernels.schedule.schedule import Schedule, topological
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.tensor import Axis, Computed, Reduce
from relay.support.node import node, replace, value
from relay.targets.cpu.schedules.access_strides import strided_accesses
from relay.targets.cpu.schedules.elementwise import elementwise, fused, share_rows, vectorize
from relay.targets.cpu.schedules.horizontal_reduction import (
    arrange,
    by_whole_vectors,
    combine_lanes,
    vectorised_sums,
)
from relay.targets.cpu.schedules.match_reduction import output_of_rows
from relay.targets.cpu.schedules.product_tiling import only_reduction
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
_ACROSS = 4  # rows of a tile along an axis with shared work: each smaller number has its own code
_LIGHT = 3  # instructions of a step, up to which the reads of rows from L2 take longer


@value
class Rows(Config):
    """A block of `height` adjacent rows, of which `beside` are reduced together.

    The remaining rows of the block follow, because rows in the L2 cache are read faster one after
    another. A tile extends over `across` iterations of an axis along which terms share work. If
    `parallel`, long outer loops are parallel.
    """

    height: int
    beside: int
    parallel: bool = True
    across: int = 1


@node
class AdjacentRows:
    """The match of a multi-row reduction: the output, and the axis over adjacent rows.

    At most `height` rows fit; if they are `far` (outside L1) and their terms are computed in a few
    instructions, they are reduced one after another. Terms share work along the axis `across`.
    """

    formulas: Formulas
    output: Computed
    axis: Axis
    height: int
    far: bool
    across: Axis | None


@value
class MultiRowReduction(Rule[AdjacentRows, Rows]):
    """A rule that reduces adjacent rows together into one vector of results."""

    name: ClassVar[str] = "together"
    machine: CpuModel

    def match(self, formulas: Formulas) -> AdjacentRows | None:
        """Match a reduction of rows if several rows fit into registers together.

        Return None for long rows far apart in memory, for which this is not worthwhile.
        """
        output = output_of_rows(formulas)
        return None if output is None else _adjacent_rows(formulas, output, self.machine)

    def candidates(self, matched: AdjacentRows) -> Sequence[Rows]:
        """Return configurations with different numbers of rows, the largest first."""
        heights = [1 << k for k in reversed(range(1, matched.height.bit_length()))]
        found = [Rows(height, 1 if matched.far else height) for height in heights]
        if matched.across is None:
            return found
        room = self.machine.vector_registers // 2
        return [replace(each, across=max(1, min(_ACROSS, room // each.height))) for each in found]

    def cost(self, matched: AdjacentRows, config: Rows) -> float:
        """Return a cost that decreases as the number of rows grows."""
        del matched
        return -config.height

    def allows(self, matched: AdjacentRows, config: Rows) -> bool:
        """Whether this number of rows fits, and `beside` is 1 or the number of rows."""
        across = {each.height: each.across for each in self.candidates(matched)}
        one_by_one = config.beside in (1, config.height)
        return one_by_one and 1 <= config.across <= across.get(config.height, 0)

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
    one_by_one = far and all(cost(tensor.body) <= _LIGHT for tensor in found)
    across = _sharing(output, long) if not one_by_one and left == 1 else None
    return AdjacentRows(formulas, output, long[-1], height, one_by_one, across)


def _sharing(output: Computed, axes: Sequence[Axis]) -> Axis | None:
    """Return the axis of an output, except the last of `axes`, along which terms share work.

    It is the innermost one such that some reads of a sum of long terms move along it, and only the
    others move along the last axis.
    """
    sums = only_reduction(output)
    own = {output, sums}
    alone = all(t in own for t in topological([output]) if isinstance(t, Computed))
    if sums is None or not alone or cost(sums.body) <= _LIGHT:
        return None
    axis_of = dict(zip(output.axes, sums.axes, strict=True))
    found = strided_accesses(sums.body, sums.axes)
    columns = [read for read in found if read.moves(axis_of[axes[-1]])]
    for axis in reversed(axes[:-1]):
        rows = [read for read in found if read.moves(axis_of[axis])]
        if rows and columns and not set(map(id, rows)) & set(map(id, columns)):
            return axis
    return None


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
    across = (
        None if matched.across is None else root.axes[matched.output.axes.index(matched.across)]
    )
    at = share_rows(schedule, root, _arrange_root(root, axis, across, rows, machine))
    places = matching(schedule, root, axis)
    sides = {} if across is None else matching(schedule, root, across)
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
            _arrange_vectors(stage, row, sides.get(stage), rows, machine)
        else:
            _arrange_results(stage, row, sides.get(stage), rows)
    return schedule


def _arrange_root(
    root: Stage, axis: Axis, across: Axis | None, rows: Rows, machine: CpuModel
) -> list[Axis]:
    """Split the output's loops into blocks of rows, vectorised; return the outer loops."""
    outer, inner = divided(root)
    block, row = root.split(axis, rows.height)
    outer = [block if loop is axis else loop for loop in outer]
    if not is_known(axis):
        root.separate_tail(row)
    sides: list[Axis] = []
    if across is not None:
        tile, side = root.split(across, rows.across)
        outer = [tile if loop is across else loop for loop in outer]
        sides = [side]
        root.unroll(side)
    root.reorder(*outer, *sides, row, *inner)
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


def _arrange_vectors(
    stage: Stage, row: Axis, across: Axis | None, rows: Rows, machine: CpuModel
) -> None:
    """Arrange a stage of partial results in registers: one vector for each row."""
    *others, lane = (axis for axis in stage.axes if axis not in (row, across))
    sides = [] if across is None else [across]
    tile, row = stage.split(row, rows.beside)
    stage.reorder(*others, tile, *stage.reduce_axes, *sides, row, lane)
    stage.unroll(tile, *sides, row)
    by_whole_vectors(stage, lane, machine)
    stage.set_scope(MemoryScope.REGISTER)


def _arrange_results(stage: Stage, row: Axis, across: Axis | None, rows: Rows) -> None:
    """Arrange a stage that computes one result per row as a vector of results."""
    others = [axis for axis in stage.axes if axis is not row]
    tile, row = stage.split(row, rows.height)
    stage.reorder(*others, tile, row, *stage.reduce_axes)
    if across is not None:
        stage.unroll(across)
    stage.vectorize(row)
    combine_lanes(stage)
    stage.set_scope(MemoryScope.REGISTER)
