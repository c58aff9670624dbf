"""The default schedule, correct for every kernel and independent of the machine.

Tensors that are cheap to recompute are inlined, sums are kept in registers, and long loops are
distributed over threads. Vectorisation is left to LLVM.

>>> from relay.kernels import te
>>> x = te.placeholder((4, 8), "float32", "x")
>>> k = te.reduce_axis(8, "k")
>>> total = te.compute((4,), lambda i: te.sum(x[i, k], k), "total")
>>> mean = te.compute((4,), lambda i: total[i] / 8.0, "mean")
>>> [stage.name for stage in default_schedule(mean).stages]
['total', 'mean']
"""

from collections.abc import Sequence

from relay.kernels.loops import MemoryScope
from relay.kernels.scalar import Apply, Fn, Scalar, Select
from relay.kernels.schedule.join_outputs import join_outputs
from relay.kernels.schedule.schedule import Schedule
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.tensor import Axis, Read, Reduce, Tensor
from relay.kernels.traverse_scalars import walk

_PARALLEL_WORK = 1 << 15  # fewer iterations take less time than waking a thread
_CHEAP = frozenset(
    {Fn.NEG, Fn.NOT, Fn.ABS, Fn.FLOOR, Fn.CEIL, Fn.TRUNC, Fn.ISNAN, Fn.FMA, Fn.BITCAST}
    | {Fn.ROUNDED_PRODUCT}
)  # fmt: skip


def default_schedule(outputs: Tensor | Sequence[Tensor], *, joint: bool = False) -> Schedule:
    """Return the default schedule of some tensors.

    If `joint`, all are computed in the same loops (see `join_outputs`).
    """
    schedule = Schedule(outputs)
    if joint:
        join_outputs(schedule)
    inline_cheap(schedule)
    for stage in schedule.stages:
        if stage.reduce_axes:
            _keep_sums_in_registers(schedule, stage)
    for stage in schedule.stages:
        if stage.attachment is None and stage.loops and _work(stage) >= _PARALLEL_WORK:
            stage.parallel(stage.loops[0], _grain(stage))
    return schedule


def inline_cheap(schedule: Schedule) -> None:
    """Inline every tensor that is as cheap to compute where it is read as to store and load."""
    for stage in schedule.stages:
        if _is_inlinable(schedule, stage):
            schedule.inline(stage.tensor)


def _is_inlinable(schedule: Schedule, stage: Stage) -> bool:
    if stage.reduce_axes or stage.tensor in schedule.outputs:
        return False
    readers = schedule.readers(stage.tensor)
    if not all(isinstance(reader, Stage) for reader in readers):
        return False
    return is_cheap(stage.body) or all(_reads_once(each, stage.tensor) for each in readers)


def is_cheap(e: Scalar) -> bool:
    """Whether an expression takes few instructions: no functions, at most two reads."""
    parts = list(walk(e))
    if any(isinstance(p, Apply) and p.fn not in _CHEAP for p in parts):
        return False
    return sum(isinstance(p, Read | Select) for p in parts) <= 2


def _reads_once(reader: object, tensor: Tensor) -> bool:
    """Whether a stage reads each element of a tensor at most once."""
    if not isinstance(reader, Stage) or reader.reduce_axes:
        return False
    reads = [e for e in walk(reader.body) if isinstance(e, Read) and e.tensor is tensor]
    return len(reads) == 1 and set(reads[0].indices) >= set(reader.axes)


def _keep_sums_in_registers(schedule: Schedule, stage: Stage) -> None:
    readers = schedule.readers(stage.tensor)
    if stage.tensor not in schedule.outputs and len(readers) == 1:
        reader = readers[0]
        if _reads_once(reader, stage.tensor) and isinstance(reader, Stage):
            stage.compute_at(reader, None)
            stage.set_scope(MemoryScope.REGISTER)
            return
    worker = schedule.cache_write(stage.tensor)
    worker.compute_at(schedule[stage.tensor], None)


def _work(stage: Stage) -> int:
    """Return the product of the known extents of a stage's loops, as a measure of its work."""
    total = 1
    for axis in (*stage.axes, *_reductions(stage)):
        total *= axis.extent if isinstance(axis.extent, int) else 1
    return total


def _grain(stage: Stage) -> int:
    """Return how many iterations of the outermost loop one thread should take at least."""
    extent = stage.loops[0].extent
    each = _work(stage) // (extent if isinstance(extent, int) else 1)
    return max(1, _PARALLEL_WORK // 2 // each)


def _reductions(stage: Stage) -> tuple[Axis, ...]:
    return stage.body.axes if isinstance(stage.body, Reduce) else ()
