"""Analysis of the rows that normalisations and reductions process: axes and contiguity."""

from collections.abc import Collection, Sequence

from relay.kernels.cpu_model import CpuModel
from relay.kernels.schedule.schedule import Schedule, topological
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.tensor import Axis, Computed, Read, Reduce, Tensor
from relay.kernels.traverse_scalars import walk
from relay.targets.cpu.schedules.access_strides import (
    StridedAccess,
    fusable,
    reads,
    strided_accesses,
    tested,
)
from relay.targets.cpu.schedules.size_hints import extent, is_known, product

_FULL = 0.75  # the fraction of a vector of partial results that a row should fill
_PART = 4  # rows not much longer than 1 / 4 of a vector are better as lanes
_MANY = 32  # rows that are worth a vector of them, if each leaves most of a vector idle


def divided(root: Stage) -> tuple[list[Axis], list[Axis]]:
    """Return the loops of an output over its rows, and the loops inside a row."""
    wanted = row_axes(root.tensor)
    outer: list[Axis] = []
    inner: list[Axis] = []
    for axis in root.axes:
        (outer if axis in wanted else inner).append(axis)
    return outer, inner


def row_axes(tensor: Tensor) -> set[Axis]:
    """Return the axes of a tensor that enumerate the rows over which reductions run."""
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


def runs_along(output: Computed, machine: CpuModel) -> bool:
    """Whether the rows of an output are reduced along contiguous elements."""
    long = [axis for axis in output.axes if extent(axis) > 1]
    if not long:
        return True
    rows = row_axes(output)
    if long[-1] not in rows:
        return not _is_narrow(output, rows, machine.lanes(output.dtype))
    reductions = [
        tensor
        for tensor in topological([output])
        if isinstance(tensor, Computed) and isinstance(tensor.body, Reduce)
    ]
    largest = max(reductions, key=lambda tensor: largest_access(tensor)[0])
    main = largest_access(largest)[1]
    own = [axis for axis in largest.axes if extent(axis) > 1]
    if main is None or (own and main.stride(own[-1]) == 1):
        return False
    assert isinstance(largest.body, Reduce)
    length = product(axis.extent for axis in contiguous_run(largest, largest.body))
    return length > _FULL * machine.lanes(largest.dtype) or (length > 1 and not own)


def _is_narrow(output: Computed, rows: Collection[Axis], lanes: int) -> bool:
    """Whether the rows are so many and so short that vectors across rows are faster."""
    inside = [axis for axis in output.axes if axis not in rows]
    around = product(axis.extent for axis in rows)
    return (
        all(map(is_known, inside))
        and _PART * (product(axis.extent for axis in inside) - 1) <= lanes
        and around >= _MANY
    )


def largest_access(tensor: Computed) -> tuple[int, StridedAccess | None]:
    """Return the size of the largest tensor that a reduction reads, and the access to it."""
    found = strided_accesses(tensor.body, tensor.axes)
    if not found:
        return 0, None
    sizes = [one.elements for one in found]
    return max(sizes), found[sizes.index(max(sizes))]


def contiguous_run(tensor: Computed, body: Reduce) -> list[Axis]:
    """Return the axes of a reduction, outermost first, along which its elements are contiguous."""
    main = largest_access(tensor)[1]
    if main is None:
        return []
    accesses = strided_accesses(body, tensor.axes)
    irregular = tested(body)
    regular = [axis for axis in body.axes if main.stride(axis) is not None]
    by_stride = sorted(regular, key=lambda axis: -main.distance(axis))
    long = [axis for axis in by_stride if extent(axis) > 1 and main.moves(axis)]
    if not long or main.stride(long[-1]) != 1:
        return []
    run = [long[-1]]
    for axis in reversed(long[:-1]):
        if {axis, run[0]} & irregular or not fusable(accesses, axis, run[0]):
            break
        run.insert(0, axis)
    return run


def shared(schedule: Schedule, copies: Collection[Tensor] = ()) -> set[Stage]:
    """Return the stages to compute once before all rows, because all rows read the same elements.

    The producers of these stages, and those of `copies`, are included.
    """
    found: set[Stage] = set()
    for stage in reversed(schedule.stages[:-1]):
        readers = schedule.readers(stage.tensor)
        is_early = any(
            isinstance(one, Stage) and (one in found or one.tensor in copies) for one in readers
        )
        if is_early or _is_same_for_all_rows(schedule, stage):
            found.add(stage)
    return found


def _is_same_for_all_rows(schedule: Schedule, stage: Stage) -> bool:
    """Whether all rows read the same elements of a stage, and it depends on no reduction."""
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


def matching(schedule: Schedule, root: Stage, axis: Axis) -> dict[Stage, Axis]:
    """Return, for each stage, the axis that corresponds to the axis `axis` of the output `root`."""
    found: dict[Stage, Axis] = {root: axis}
    for reader in reversed(schedule.stages):
        if reader not in found:
            continue
        for part in walk(reader.body):
            if isinstance(part, Read) and part.tensor in schedule:
                producer = schedule[part.tensor]
                for own, index in zip(producer.axes, part.indices, strict=True):
                    if index is found[reader]:
                        found[producer] = own
    return found


def largest_operand_once(
    schedule: Schedule, root: Stage, rows: Sequence[Axis], machine: CpuModel
) -> list[Axis]:
    """Return the loops over rows, ordered so that a large operand is read only once.

    Loops along which its elements are the same are innermost, if all else that they read stays in a
    cache that is too small for the operand: for example, in products of a few vectors with a
    matrix.
    """
    reductions = [stage for stage in schedule.stages if stage.reduce_axes and reads_input(stage)]
    if len(reductions) != 1:
        return list(rows)
    (stage,) = reductions
    *others, largest = sorted(strided_accesses(stage.body, stage.axes), key=lambda one: one.nbytes)
    beside = sum(one.nbytes for one in others)
    if not any(2 * beside <= cache < largest.nbytes for cache in (machine.l1, machine.l2)):
        return list(rows)
    own = {axis: matching(schedule, root, axis).get(stage) for axis in rows}
    return sorted(rows, key=lambda axis: (at := own[axis]) is not None and not largest.moves(at))


def reads_input(stage: Stage) -> bool:
    """Whether a stage reads an input of the kernel."""
    return any(not isinstance(one.tensor, Computed) for one in reads(stage.body))


def is_in_lanes(stage: Stage) -> bool:
    """Whether a stage holds partial results of a reduction that `in_lanes` has split."""
    return bool(stage.axes) and stage.axes[-1].name == "lane"
