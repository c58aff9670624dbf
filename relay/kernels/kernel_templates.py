"""Kernels that differ only in integers, as one kernel that takes these integers as arguments.

The convolutions of one network often differ only in numbers of channels. LLVM then compiles their
loops once. A *slot* is an integer of a kernel that an argument may replace without making its loops
slower. These are extents of loops that stay loops, factors and terms of indices, and sizes of
arguments. An integer stays a constant if an unrolled loop multiplies it or adds it to its index:
each copy of the loop's body would need a register for the result.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias, TypeGuard
from typing import cast as typed

from relay.kernels.llvm.kernel_fingerprint import Description, described_fields
from relay.kernels.loops import (
    Buffer,
    For,
    Kernel,
    Let,
    Load,
    MemoryScope,
    Mode,
    Stmt,
    Store,
)
from relay.kernels.passes.traverse_statements import expressions, statements
from relay.kernels.scalar import Binary, Compare, Const, Op, Scalar
from relay.kernels.traverse_scalars import walk
from relay.support.dtype import int64
from relay.support.node import node

Slot: TypeAlias = tuple[str, int, int]
"""The kind and the number of what has the integer, and its position there."""

_SUMS = (Op.ADD, Op.SUB, Op.MIN, Op.MAX, Op.MUL)
_FEW = 4
"""Copies of an unrolled body for which registers can hold the addresses."""

_LOOPS = (Mode.SERIAL, Mode.PARALLEL, Mode.SELDOM)
LOOP_FIELDS = {"start": 0, "extent": 1, "grain": 2}


@node
class Template:
    """A kernel's content without the integers in its slots: `key`, and these integers.

    Kernels with equal keys have equal slots, in the same order.
    """

    kernel: Kernel
    key: str
    slots: Mapping[Slot, int]
    numbers: Mapping[object, int]


def template(kernel: Kernel) -> Template:
    """Return the template of a kernel."""
    reader = _Reader(kernel)
    return Template(kernel, reader.digest(), reader.slots, reader.numbers)


def arguments_of(members: Sequence[Template]) -> list[tuple[int, ...]]:
    """Return the distinct tuples of integers, one of each member, in which members differ."""
    columns = zip(*(member.slots.values() for member in members), strict=True)
    return [column for column in dict.fromkeys(columns) if len(set(column)) > 1]


def _unrolled(kernel: Kernel) -> set[Scalar]:
    """Return the variables that have another value in each copy of an unrolled body."""
    found: set[Scalar] = set()
    for stmt in statements(kernel.body):
        match stmt:
            case For(mode=Mode.UNROLL, var=var, extent=Const(value=count)) if count <= _FEW:
                pass
            case For(mode=Mode.UNROLL | Mode.VECTOR, var=var):
                found.add(var)
            case Let(var=var, value=value) if any(part in found for part in walk(value)):
                found.add(var)
            case _:
                pass
    return found


class _Reader(Description):
    """A description of a kernel without its slots."""

    def __init__(self, kernel: Kernel) -> None:
        self.slots: dict[Slot, int] = {}
        self._moving = _unrolled(kernel)
        self._fixed_from = _fixed_dimensions(kernel, self._moving)
        super().__init__(kernel)

    def buffer(self, buffer: Buffer) -> int:
        """Return the number of a buffer, whose sizes are slots in part."""
        if buffer not in self.numbers:
            sizes = [self.data(size) for size in buffer.shape]
            number = self.number(buffer)
            fixed = self._fixed_from.get(buffer, len(sizes))
            for axis, size in enumerate(buffer.shape):
                is_free = _is_sized_by_call(buffer) and axis <= fixed
                if is_free and isinstance(size, int) and size > 1:
                    self.slots["buffer", number, axis] = size
                    sizes[axis] = "#"
            others = (buffer.dtype, buffer.scope, buffer.ahead, buffer.indirect_rows, buffer.of)
            self.row("buffer", number, sizes, *map(self.data, others))
        return self.numbers[buffer]

    def statement(self, stmt: Stmt, place: int) -> list[object]:
        """Return the fields of a statement; the bounds of loops that stay loops are slots."""
        fields: list[object] = []
        stays = isinstance(stmt, For) and stmt.mode in _LOOPS
        for name in described_fields(stmt):
            field = getattr(stmt, name)
            if stays and name in LOOP_FIELDS and _is_free(field):
                self.slots["loop", place, LOOP_FIELDS[name]] = int(field.value)
                fields.append("#")
            else:
                fields.append(self.data(field))
        return fields

    def is_described(self, part: Scalar) -> bool:
        """Whether a part is no slot; each use of an integer decides that for itself."""
        return not _is_free(part)

    def describe(self, one: Scalar) -> None:
        """Add an expression, some of whose parts are slots."""
        slots = {place: p for place, p in enumerate(one.parts) if self._may_vary(one, p)}
        listed = [
            "#" if place in slots else self.expression(p) for place, p in enumerate(one.parts)
        ]
        number = self.number(one)
        if any(part in self._moving for part in one.parts):
            self._moving.add(one)
        for place, part in slots.items():
            self.slots["part", number, place] = int(typed("Const", part).value)
        fields = [getattr(one, name) for name in described_fields(one)]
        rest = [self.data(field) for field in fields if not _holds_parts(field)]
        self.row(type(one).__name__, number, listed, rest)

    def _may_vary(self, owner: Scalar, part: Scalar) -> bool:
        """Whether an argument may replace a part of an expression."""
        if not _is_free(part):
            return False
        match owner:
            case Binary(op=op) if op in _SUMS:
                return not any(other in self._moving for other in owner.parts)
            case Binary(op=Op.FLOORDIV, a=a, b=b):
                return part is a is not b  # a division by a constant is a product
            case Compare(a=a):
                return a.dtype is int64
            case Load(buffer=buffer, mask=mask):
                return buffer.scope is not MemoryScope.REGISTER and part is not mask
            case _:
                return False


def _is_free(part: object) -> TypeGuard[Const]:
    """Whether an expression is an integer above 1: 0 and 1 simplify the code around them."""
    return isinstance(part, Const) and part.dtype is int64 and abs(part.value) > 1


def _is_sized_by_call(buffer: Buffer) -> bool:
    """Whether a buffer is an argument, or memory whose size is known only when it is called."""
    is_open = any(not isinstance(size, int) for size in buffer.shape)
    return buffer.scope is MemoryScope.ARGUMENT or (buffer.scope is MemoryScope.SCRATCH and is_open)


def _holds_parts(field: object) -> bool:
    is_listed = isinstance(field, tuple) and any(
        isinstance(each, Scalar) for each in typed("tuple[object, ...]", field)
    )
    return isinstance(field, Scalar) or is_listed


def _fixed_dimensions(kernel: Kernel, moving: set[Scalar]) -> dict[Buffer, int]:
    """Return the first axis of each buffer that the index of an unrolled loop selects from.

    The sizes of the axes after it determine the distances between the copies of a loop's body.
    """
    found: dict[Buffer, int] = {}
    for buffer, indices in _accesses(kernel):
        for axis, index in enumerate(indices):
            if any(part in moving for part in walk(index)):
                found[buffer] = min(axis, found.get(buffer, axis))
                break
    return found


def _accesses(kernel: Kernel) -> Iterator[tuple[Buffer, tuple[Scalar, ...]]]:
    for stmt in statements(kernel.body):
        if isinstance(stmt, Store):
            yield stmt.buffer, stmt.indices
        for part in walk(*expressions(stmt)):
            if isinstance(part, Load):
                yield part.buffer, part.indices
