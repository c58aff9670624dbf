"""Reductions, and normalisations of rows, which are chains of them: one pass over memory.

Everything that belongs to one row of the result is computed together, while the row lies in the
nearest cache. Rows along the last axis are reduced by vectors of partial results (*along*); where
the last axis is not reduced, rows lie side by side and its elements are the lanes (*across*).
"""

import itertools
from collections.abc import Sequence
from dataclasses import replace

from relay.kernels.loops import Scope
from relay.kernels.machine import Machine
from relay.kernels.scalar import Scalar, walk
from relay.kernels.schedule.schedule import Schedule, copy_of, topological
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.tensor import Axis, Computed, Read, Reduce, Tensor
from relay.targets.cpu.schedules.access import Walk, fusable, reads, tested, walks, window_axes
from relay.targets.cpu.schedules.elementwise import elementwise, extent, fused, share, vectorize, work
from relay.targets.cpu.schedules.formulas import cost, in_lanes, product, replaced
from relay.targets.cpu.schedules.padding import padded

_SHORT = 16  # elements of a row that are worth a vector of partial results
_VECTORS = 4  # of partial results, so that additions need not wait for each other


def rows(output: Computed, machine: Machine) -> Schedule:
    """Return the schedule of one output, some of whose producers are reductions."""
    if isinstance(output.body, Reduce):
        output = copy_of(output)
    return _along(output, machine) if _runs_along(output) else _across(output, machine)


def _along(output: Computed, machine: Machine) -> Schedule:
    """Reduce each row by vectors."""
    (output,) = vectorised_sums([output], machine)
    schedule = Schedule(output)
    root = schedule[output]
    outer, inner = _divided(root)
    root.reorder(*outer, *inner)
    runs = fused(root, inner) if inner else []
    if runs:
        vectorize(root, runs[-1], machine)
    at = _shared(schedule, root, outer, machine)
    for stage in schedule.stages[:-1]:
        if _is_shared(schedule, stage):
            elementwise(stage, machine)
            continue
        if at is not None or not runs:
            stage.compute_at(root, at)
        arrange(stage, machine)
    return schedule


def _across(output: Computed, machine: Machine) -> Schedule:
    """Treat as many neighbouring rows at once as some vectors have lanes."""
    (output,), copies = _without_masks(output)
    schedule = Schedule(output)
    root = schedule[output]
    outer, inner = _divided(root)
    lane_axis = next(axis for axis in reversed(root.axes) if extent(axis) > 1)
    lanes = machine.lanes(root.tensor.dtype)
    vectors = _vectors_that_fit(schedule, inner, extent(lane_axis), lanes, machine)
    block, lane = root.split(lane_axis, lanes * vectors)
    outer = [axis for axis in outer if axis in root.loops]
    root.reorder(*outer, block, *inner, lane)
    _unrolled(root, lane, lanes, vectors)
    fixed = _before_windows(output, outer)
    at = _shared(schedule, root, [*outer, block], machine)
    places = _matching(schedule, root, lane_axis)
    for stage in schedule.stages[:-1]:
        if stage.tensor in copies:
            elementwise(stage, replace(machine, cores=1) if fixed in root.loops else machine)
            if fixed in root.loops:
                stage.compute_at(root, fixed)
            continue
        if _is_shared(schedule, stage):
            elementwise(stage, machine)
            continue
        stage.compute_at(root, at)
        _arrange_across(stage, places.get(stage), lanes, vectors)
    return schedule


def _before_windows(output: Computed, outer: Sequence[Axis]) -> Axis | None:
    """Return the innermost outer loop inside of which a whole image is read."""
    moved: set[Scalar] = set()
    for tensor in topological([output]):
        if isinstance(tensor, Computed) and tensor.reduce_axes:
            pairs = zip(tensor.axes, output.axes, strict=False)
            moved |= {own for axis, own in pairs if axis in window_axes(tensor)}
    before = list(itertools.takewhile(lambda axis: axis not in moved, outer))
    return before[-1] if before else None


def _without_masks(output: Computed) -> tuple[tuple[Tensor, ...], list[Tensor]]:
    """Return the output from padded copies, where the lanes would have to be tested; and these."""
    copies: list[Tensor] = []

    def change(tensor: Computed) -> Tensor:
        body = tensor.body
        if not isinstance(body, Reduce) or not tensor.axes[-1:] or tensor.axes[-1] not in tested(body.where):
            return tensor
        without, copy = padded(tensor)
        copies.extend([] if copy is None else [copy])
        return without

    return replaced([output], change), copies


def _is_shared(schedule: Schedule, stage: Stage) -> bool:
    """Whether all rows read the same elements of a stage, which is then computed before them."""
    if any(isinstance(one, Computed) and one.reduce_axes for one in topological([stage.tensor])):
        return False
    return not any(
        part in (reader.axes[:-1] if is_in_lanes(reader) else reader.axes) and extent(part) > 1
        for reader in schedule.stages
        for read in reads(reader.body)
        if read.tensor is stage.tensor
        for index in read.indices
        for part in walk(index)
        if isinstance(part, Axis)
    )


def vectorised_sums(outputs: Sequence[Tensor], machine: Machine) -> tuple[Tensor, ...]:
    """Return the outputs, in which reductions along contiguous elements go by whole vectors."""

    def change(tensor: Computed) -> Tensor:
        if not isinstance(tensor.body, Reduce):
            return tensor
        run = _contiguous_run(tensor, tensor.body)
        if not run:
            return tensor
        lanes = machine.lanes(tensor.dtype)
        length = product(axis.extent for axis in run)
        vectors = max(v for v in (1, 2, _VECTORS) if v == 1 or length >= 2 * v * lanes)
        return in_lanes(tensor, run, lanes, vectors)

    return replaced(outputs, change)


def arrange(stage: Stage, machine: Machine) -> None:
    """Arrange the loops of a stage that computes a part of a row inside the loops of another."""
    if is_in_lanes(stage):
        _arrange_lanes(stage, machine)
        return
    rows = row_axes(stage.tensor)
    inner = [axis for axis in stage.axes if axis not in rows]
    if inner:
        vectorize(stage, inner[-1], machine)
    else:
        stage.set_scope(Scope.REGISTER)


def is_in_lanes(stage: Stage) -> bool:
    """Whether a stage holds partial results, which `in_lanes` has made of a reduction."""
    return bool(stage.axes) and stage.axes[-1].name == "lane"


def _arrange_lanes(stage: Stage, machine: Machine) -> None:
    """Keep partial results in vector registers while a row goes by."""
    lanes = machine.lanes(stage.tensor.dtype)
    lane = stage.axes[-1]
    stage.reorder(*stage.axes[:-1], *stage.reduce_axes, lane)
    _unrolled(stage, lane, lanes, extent(lane) // lanes)
    stage.set_scope(Scope.REGISTER)


def _arrange_across(stage: Stage, lane: Axis | None, lanes: int, vectors: int) -> None:
    if lane is None:
        return
    others = [axis for axis in stage.axes if axis is not lane]
    stage.reorder(*others, *stage.reduce_axes, lane)
    _unrolled(stage, lane, lanes, vectors)
    if stage.reduce_axes and lane is stage.axes[-1]:
        stage.set_scope(Scope.REGISTER)


def _unrolled(stage: Stage, lane: Axis, lanes: int, vectors: int) -> None:
    """Run the iterations of a loop as `vectors` vectors."""
    copies, lane = stage.split(lane, lanes)
    if vectors > 1:
        stage.unroll(copies)
    stage.vectorize(lane)


def _shared(
    schedule: Schedule, root: Stage, outer: Sequence[Axis], machine: Machine
) -> Axis | None:
    """Share out the loops over rows; return the innermost of them."""
    if not outer:
        return None
    cycles = sum(work(stage) for stage in schedule.stages)
    return share(root, outer, cycles, machine)[-1]


def _vectors_that_fit(
    schedule: Schedule, inner: Sequence[Axis], length: int, lanes: int, machine: Machine
) -> int:
    """Return how many vectors of rows are treated at once, so that what is kept of them fits."""
    kept = len(schedule.stages) - 1 if inner else 0
    row = product(extent(axis) for axis in inner) * kept * machine.vector_bytes
    fits = max(1, machine.l2 // 2 // max(1, row))
    return max(v for v in (1, 2, _VECTORS) if v == 1 or (v <= fits and v * lanes <= length))


def _divided(root: Stage) -> tuple[list[Axis], list[Axis]]:
    """Return the loops over rows, and those inside of a row.

    An axis of which a row covers blocks is split into both.
    """
    wanted = row_axes(root.tensor)
    outer: list[Axis] = []
    inner: list[Axis] = []
    for axis in root.axes:
        (outer if axis in wanted else inner).append(axis)
    return outer, inner


def row_axes(tensor: Tensor) -> set[Axis]:
    """Return the axes of a tensor by which the rows that it is computed from are numbered."""
    found: dict[Tensor, set[Axis]] = {}
    for one in topological([tensor]):
        if not isinstance(one, Computed):
            found[one] = set()
        elif isinstance(one.body, Reduce):
            found[one] = set(one.axes)
        else:
            found[one] = _axes_of_rows(one, found)
    return found[tensor]


def _axes_of_rows(tensor: Computed, rows_of: dict[Tensor, set[Axis]]) -> set[Axis]:
    found: set[Axis] = set()
    for part in walk(tensor.body):
        if isinstance(part, Read) and isinstance(part.tensor, Computed):
            for axis, index in zip(part.tensor.axes, part.indices, strict=True):
                if axis in rows_of[part.tensor]:
                    found |= {one for one in walk(index) if isinstance(one, Axis)}
    return found


def _runs_along(output: Computed) -> bool:
    """Whether a row is reduced along neighbouring elements."""
    long = [axis for axis in output.axes if extent(axis) > 1]
    if not long:
        return True
    if long[-1] not in row_axes(output):
        return True
    reductions = [
        tensor
        for tensor in topological([output])
        if isinstance(tensor, Computed) and isinstance(tensor.body, Reduce)
    ]
    largest = max(reductions, key=lambda tensor: _main_walk(tensor)[0])
    main = _main_walk(largest)[1]
    own = [axis for axis in largest.axes if extent(axis) > 1]
    if main is None or (own and main.stride(own[-1]) == 1):
        return False
    assert isinstance(largest.body, Reduce)
    length = product(axis.extent for axis in _contiguous_run(largest, largest.body))
    return length >= _SHORT or (length > 1 and not own)


def _main_walk(tensor: Computed) -> tuple[int, Walk | None]:
    """Return the access to the largest tensor that a reduction reads, and that tensor's size."""
    found = walks(tensor.body, tensor.axes)
    if not found:
        return 0, None
    sizes = [product(one.tensor.shape) for one in found]
    return max(sizes), found[sizes.index(max(sizes))]


def _contiguous_run(tensor: Computed, body: Reduce) -> list[Axis]:
    """Return the axes of a reduction, outermost first, along which its elements lie in a row."""
    main = _main_walk(tensor)[1]
    if main is None:
        return []
    accesses = walks(body, tensor.axes)
    irregular = tested(body)
    regular = [axis for axis in body.axes if main.stride(axis) is not None]
    by_stride = sorted(regular, key=lambda axis: -(main.stride(axis) or 0))
    long = [axis for axis in by_stride if extent(axis) > 1 and main.stride(axis)]
    if not long or main.stride(long[-1]) != 1:
        return []
    run = [long[-1]]
    for axis in reversed(long[:-1]):
        if {axis, run[0]} & irregular or not fusable(accesses, axis, run[0]):
            break
        run.insert(0, axis)
    return run


def _matching(schedule: Schedule, root: Stage, lane: Axis) -> dict[Stage, Axis]:
    """Return, for each stage, the axis that runs where the root's lanes run."""
    found: dict[Stage, Axis] = {root: lane}
    for reader in reversed(schedule.stages):
        axis = found.get(reader)
        if axis is None:
            continue
        for part in walk(reader.body):
            if isinstance(part, Read) and part.tensor in schedule:
                producer = schedule[part.tensor]
                for own, index in zip(producer.axes, part.indices, strict=True):
                    if index is axis:
                        found[producer] = own
    return found
