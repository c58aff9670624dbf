"""Analysis of loads to prefetch: rows of large tables at data-dependent indices."""

from collections.abc import Collection, Iterator, Mapping
from math import prod

from relay.kernels.loops import Buffer, For, Kernel, Let, Load, MemoryScope, Mode, Store
from relay.kernels.passes.traverse_statements import expressions, statements
from relay.kernels.scalar import Const, Ramp, Scalar, Select
from relay.kernels.traverse_scalars import walk

_NEAR = 1 << 18
"""The size in bytes up to which a table stays in the inner caches, and needs no prefetch."""

_SHORTEST, _LONGEST = 256, 4096
"""The lengths of rows to prefetch, in bytes: longer ones are prefetched by hardware."""


def may_gather_rows(kernel: Kernel) -> bool:
    """Whether a kernel may gather rows: it has tables, and data-dependent indices."""
    if not any(map(_is_table, kernel.params)):
        return False
    if any(buffer.indirect_rows for buffer in kernel.params):
        return True
    for stmt in statements(kernel.body):
        indices = [] if not isinstance(stmt, Let) else [stmt.value]
        parts = walk(*expressions(stmt))
        indices += [index for part in parts if isinstance(part, Load) for index in part.indices]
        if any(isinstance(part, Load) for index in indices for part in walk(index)):
            return True
    return False


def _is_table(buffer: Buffer) -> bool:
    """Whether a buffer has rows and may be too large for the inner caches."""
    sizes = [size for size in buffer.shape if isinstance(size, int)]
    is_far = len(sizes) < len(buffer.shape) or prod(sizes) * buffer.dtype.itemsize > _NEAR
    return buffer.scope is MemoryScope.ARGUMENT and len(buffer.shape) > 1 and is_far


def gathered_rows(loop: For, written: Collection[Buffer]) -> Mapping[Load, int]:
    """Return the loads that read another row of a table in each iteration of `loop`.

    The result maps each load to the bytes of its row. The row number must not depend on inner loops
    that are not unrolled, and must be known before the kernel runs: it is not read from one of the
    `written` buffers.
    """
    found: dict[Load, int] = {}
    known = _Known(written, {loop.var})
    for stmt in statements(loop.body):
        if isinstance(stmt, For) and stmt.mode is not Mode.UNROLL:
            known.late.add(stmt.var)
        if isinstance(stmt, Let):
            known.bind(stmt)
        stored = expressions(stmt) if isinstance(stmt, Store) else ()
        for load in (part for e in stored for part in _evaluated(e)):
            if isinstance(load, Load) and _is_table(load.buffer) and _is_part_of_row(load):
                nbytes = known.row_bytes(load)
                if _SHORTEST <= nbytes <= _LONGEST:
                    found[load] = nbytes
    return found


class _Known:
    """Facts about the variables inside a loop, collected from its statements in order."""

    def __init__(self, written: Collection[Buffer], moving: set[Scalar]) -> None:
        self._written = written
        self._moving = moving
        self._data = set[Scalar]()
        self.late = set[Scalar]()  # variables of inner loops, and values that the kernel computes

    def bind(self, let: Let) -> None:
        """Record whether a let-bound variable depends on data, and on the loop."""
        parts = set(walk(let.value))
        for names, has in (
            (self._data, _is_data(parts) or not self._data.isdisjoint(parts)),
            (self._moving, not self._moving.isdisjoint(parts)),
            (self.late, self._is_late(parts)),
        ):
            if has:
                names.add(let.var)

    def row_bytes(self, load: Load) -> int:
        """Return the bytes of the row that data-dependent indices select; 0 if none do."""
        parts = [set(walk(index)) for index in load.indices]
        chosen = [i for i, each in enumerate(parts) if self._chooses(each)]
        chosen += [0] if load.buffer.indirect_rows and not chosen else []
        if not chosen or chosen[-1] == len(parts) - 1:
            return 0
        numbers = set[Scalar]().union(*(parts[i] for i in chosen))
        sizes = [size for size in load.buffer.shape[chosen[-1] + 1 :] if isinstance(size, int)]
        is_open = len(sizes) < len(parts) - 1 - chosen[-1]
        if is_open or self._is_late(numbers) or self._moving.isdisjoint(numbers):
            return 0
        return prod(sizes) * load.buffer.dtype.itemsize

    def _chooses(self, parts: set[Scalar]) -> bool:
        return _is_data(parts) or not self._data.isdisjoint(parts)

    def _is_late(self, parts: set[Scalar]) -> bool:
        reads = (part.buffer for part in parts if isinstance(part, Load))
        return not self.late.isdisjoint(parts) or any(each in self._written for each in reads)


def _is_data(parts: set[Scalar]) -> bool:
    return any(isinstance(part, Load) for part in parts)


def _is_part_of_row(load: Load) -> bool:
    """Whether the lanes of a load are contiguous elements of one row."""
    *numbers, run = load.indices
    if any(number.dtype.lanes > 1 for number in numbers):
        return False
    return isinstance(run, Ramp) and isinstance(run.stride, Const) and run.stride.value == 1


def _evaluated(e: Scalar) -> Iterator[Scalar]:
    """Yield the parts of an expression that are always evaluated, unlike operands of selects."""
    stack = [e]
    while stack:
        part = stack.pop()
        yield part
        stack += (part.condition,) if isinstance(part, Select) else part.parts
