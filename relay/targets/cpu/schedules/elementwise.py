"""Schedules of elementwise stages: long vectors, distributed over threads.

If an operand is transposed relative to the result, square tiles keep the rows of both in the L1
cache.
"""

import math
from collections.abc import Sequence

from relay.kernels.cpu_model import CpuModel
from relay.kernels.scalar import Const, Number, Scalar, lift, maximum
from relay.kernels.schedule.schedule import Schedule
from relay.kernels.schedule.stage import Fuse, Stage
from relay.kernels.te.tensor import Axis
from relay.kernels.traverse_scalars import substitute
from relay.targets.cpu.schedules.access_strides import (
    StridedAccess,
    blocks_along,
    fusable,
    repeats,
    strided_accesses,
    tested,
)
from relay.targets.cpu.schedules.rewrite_formulas import cost
from relay.targets.cpu.schedules.size_hints import extent, is_known, product

_ENOUGH = 64 * 1024  # cycles of work that are worth waking another thread
_CHUNK = 16 * 1024  # cycles of work that a thread takes at once: more would be shared unevenly
_FEW, _MANY = 8, 32  # iterations of a parallel loop: fewer than these are not even, if many are
_EVEN = 4  # divides the iterations of a loop that is even with few of them
_LEAST = 8  # vectors of which less than 1 / 8 is used take longer than gathers
_PAIR = 2  # elements that are interleaved
_COPIED = 4  # iterations that suffice if copies of operands are made inside the loop


def elementwise(stage: Stage, machine: CpuModel) -> None:
    """Fuse a stage's loops over contiguous elements, vectorise the last, parallelise the first."""
    share(stage, by_rows(stage, machine), [stage])


def by_rows(stage: Stage, machine: CpuModel) -> list[Axis]:
    """Fuse the loops of a stage over contiguous elements, and vectorise the last.

    Returns the loops around it.
    """
    parts, accesses = _in_blocks(stage, machine.lanes(stage.tensor.dtype))
    loops = _fused(stage, parts, accesses)
    if not loops:
        return []
    *before, last = loops
    if before and is_known(last) and extent(last) == _PAIR:
        stage.unroll(last)  # LLVM interleaves vectors of the loop around it
        return before
    turned = _transposed_loop(stage, loops, accesses)
    if turned is None:
        return [*before, vectorize(stage, last, machine)]
    others = [loop for loop in before if loop is not turned]
    return _in_squares(stage, others, turned, last, machine)


def _in_blocks(stage: Stage, lanes: int) -> tuple[list[Axis], list[StridedAccess]]:
    """Split the axes along which an operand is blocked; return the loops and their accesses.

    Lanes are not split into blocks so small that vectors of them would be almost empty, nor into
    blocks whose lanes read the same element, of which a vector has several.
    """
    accesses = strided_accesses(stage.body, stage.axes, stage.tensor)
    tests, values = tested(stage.body), dict[Scalar, Scalar]()
    untested = [axis for axis in stage.axes if axis not in tests]
    irregular = [a for a in untested if any(access.stride(a) is None for access in accesses)]
    divided = blocks_along(stage.body, stage.axes) if irregular else {}
    for axis in irregular:
        block = divided.get(axis, 0)
        if not block or axis.extent % block != 0:
            continue
        if axis is not stage.axes[-1] or _fills(stage, axis, block, lanes):
            outer, inner = stage.split(axis, block)
            values[axis] = outer * block + inner
    if not values:
        return list(stage.axes), accesses
    place = [values.get(axis, axis) for axis in stage.axes]
    parts = list(stage.loops)
    return parts, strided_accesses(substitute(stage.body, values), parts, stage.tensor, place)


def _fills(stage: Stage, last: Axis, block: int, lanes: int) -> bool:
    """Whether vectors of blocks of the last axis are full enough, and better than whole vectors."""
    has_several = block < lanes and lanes % block == 0
    return _LEAST * block > lanes and not (
        has_several and repeats(stage.body, stage.axes, last, block)
    )


def _transposed_loop(
    stage: Stage, loops: Sequence[Axis], accesses: Sequence[StridedAccess]
) -> Axis | None:
    """Return a loop along which an operand is contiguous but not along the last loop, or None."""
    last = innermost(stage, loops[-1])
    for loop in loops[:-1]:
        axis = innermost(stage, loop)
        for access in accesses:
            if access.stride(axis) == 1 and access.stride(last) not in (0, 1) and extent(loop) > 1:
                return loop
    return None


def innermost(stage: Stage, loop: Axis) -> Axis:
    """Return the fastest axis of a fused loop that has more than one iteration."""
    joined = [one for one in stage.relations if isinstance(one, Fuse) and one.fused is loop]
    if not joined:
        return loop
    inner = joined[0].inner
    return inner if extent(inner) > 1 else innermost(stage, joined[0].outer)


def _in_squares(
    stage: Stage, before: Sequence[Axis], turned: Axis, last: Axis, machine: CpuModel
) -> list[Axis]:
    """Tile two loops into squares with a vector's length; return the loops around a tile."""
    lanes = machine.lanes(stage.tensor.dtype)
    rows, row = stage.split(turned, lanes)
    columns, lane = stage.split(last, lanes)
    stage.reorder(*before, rows, columns, row, lane)
    stage.vectorize(lane)
    return [*before, rows, columns]


def vectorize(stage: Stage, axis: Axis, machine: CpuModel) -> Axis:
    """Vectorise an innermost loop, and unroll it if it is long; return the loop around it."""
    lanes = machine.lanes(stage.tensor.dtype)
    unroll = 4 if cost(stage.body) < 16 and extent(axis) >= 8 * lanes else 1
    outer, inner = stage.split(axis, lanes * unroll)
    if unroll > 1:
        copies, inner = stage.split(inner, lanes)
        stage.unroll(copies)
    stage.vectorize(inner)
    return outer


def fused(stage: Stage, axes: Sequence[Axis]) -> list[Axis]:
    """Fuse adjacent loops over which all accesses have one stride; return the remaining loops."""
    return _fused(stage, axes, strided_accesses(stage.body, stage.axes, stage.tensor))


def _fused(stage: Stage, axes: Sequence[Axis], accesses: Sequence[StridedAccess]) -> list[Axis]:
    irregular = tested(stage.body)
    runs: list[list[Axis]] = []
    for axis in axes:
        if extent(axis) == 1 and len(axes) > 1 and runs:
            runs[-1].append(axis)
            continue
        last = next((one for one in reversed(runs[-1]) if extent(one) != 1), None) if runs else None
        joins = last is not None and not {axis, last} & irregular and fusable(accesses, last, axis)
        if joins or (runs and last is None):
            runs[-1].append(axis)
        else:
            runs.append([axis])
    return [stage.fuse(*run) for run in runs]


def share(
    stage: Stage,
    loops: Sequence[Axis],
    stages: Sequence[Stage],
    attached_at: Sequence[Axis | None] = (),
) -> list[Axis]:
    """Parallelise the outermost of nested loops, fused with inner ones if it has few iterations.

    `stages` are the stages computed inside them. Loops in `attached_at`, at which other stages are
    computed, are not fused with further loops, because each iteration needs copies of its own. The
    number of threads is that of the call. Returns the resulting loops.
    """
    count, size = 0, 1
    while count < len(loops) and (size < _FEW or (size % _EVEN and size < _MANY)):
        size *= extent(loops[count])
        count += 1
        if loops[count - 1] in attached_at and size >= _COPIED:
            break
    grain = _grain(loops[:count], stages)
    if size == 1 or grain is None:
        return list(loops)
    first = stage.fuse(*loops[:count])
    stage.parallel(first, *grain)
    return [first, *loops[count:]]


def _grain(loops: Sequence[Axis], stages: Sequence[Stage]) -> tuple[Number, Scalar | None] | None:
    """Return how many iterations of the fused loops a thread takes at a time.

    The result is None if there is too little work for threads. For dynamic sizes it is an
    expression, with the condition that there is enough work.
    """
    inside = [axis for stage in stages for axis in (*stage.axes, *stage.reduce_axes)]
    if all(map(is_known, inside)):
        total = sum(map(work, stages))
        many = math.ceil(_CHUNK * product(axis.extent for axis in loops) / max(1, total))
        return (max(1, many), None) if total >= _ENOUGH else None
    operations: Scalar = Const(0)
    for stage in stages:
        elements = _iterations((*stage.axes, *stage.reduce_axes))
        operations = operations + elements * (2 + cost(stage.body))
    every = _iterations(loops)
    many = every * (8 * _CHUNK) // maximum(operations, 1) + 1
    return many, operations >= 8 * _ENOUGH


def _iterations(axes: Sequence[Axis]) -> Scalar:
    total: Scalar = Const(1)  # as a dimension, a product of dynamic sizes may be `ANY`
    for axis in axes:
        total = total * lift(axis.extent)
    return total


def work(stage: Stage) -> float:
    """Return an estimate of the cycles of a stage on one core."""
    elements = math.prod(extent(axis) for axis in (*stage.axes, *stage.reduce_axes))
    return elements * (2 + cost(stage.body)) / 8


def by_vectors(stage: Stage, lane: Axis, lanes: int, vectors: int) -> None:
    """Split a loop into `vectors` vectors of `lanes` iterations, and vectorise it."""
    copies, lane = stage.split(lane, lanes)
    if vectors > 1:
        stage.unroll(copies)
    stage.vectorize(lane)


def share_rows(schedule: Schedule, root: Stage, outer: Sequence[Axis]) -> Axis | None:
    """Parallelise the loops `outer` over rows; return the innermost of them."""
    if not outer:
        return None
    return share(root, outer, schedule.stages)[-1]
