"""Makes one kernel of several that differ only in integers, with arguments for these integers."""

from collections.abc import Mapping, Sequence
from typing import cast as typed

from relay.kernels.kernel_templates import LOOP_FIELDS, Slot, Template, arguments_of
from relay.kernels.loops import (
    Allocate,
    Block,
    Buffer,
    For,
    If,
    Kernel,
    Let,
    Load,
    Prefetch,
    Stmt,
    Store,
    While,
)
from relay.kernels.passes.traverse_statements import statements
from relay.kernels.scalar import Scalar, Var
from relay.support.node import replace


def general_kernel(members: Sequence[Template]) -> Kernel:
    """Return the kernel of all members, whose last scalars are their `arguments_of`."""
    first = members[0]
    columns = dict(
        zip(first.slots, zip(*(m.slots.values() for m in members), strict=True), strict=True)
    )
    names = {column: Var(f"p{n}") for n, column in enumerate(arguments_of(members))}
    values = {slot: names[column] for slot, column in columns.items() if column in names}
    return _Writer(first, values).kernel(tuple(names.values()))


class _Writer:
    """A copy of a template's kernel in which variables replace integers."""

    def __init__(self, made: Template, values: Mapping[Slot, Var]) -> None:
        self._made = made
        self._values = values
        self._memo: dict[Scalar, Scalar] = {}
        self._buffers: dict[Buffer, Buffer] = {}
        self._places = {id(s): n for n, s in enumerate(statements(made.kernel.body))}

    def kernel(self, extra: tuple[Var, ...]) -> Kernel:
        """Return the copy, with more scalar arguments."""
        old = self._made.kernel
        params = tuple(map(self._buffer, old.params))
        return Kernel(old.name, params, (*old.scalars, *extra), self._stmt(old.body))

    def _buffer(self, buffer: Buffer) -> Buffer:
        made = self._buffers.get(buffer)
        if made is None:
            number = self._made.numbers[buffer]
            shape = tuple(
                self._values.get(("buffer", number, axis), size)
                for axis, size in enumerate(buffer.shape)
            )
            of = None if buffer.of is None else self._buffer(buffer.of)
            same = shape == buffer.shape and of is buffer.of
            made = buffer if same else replace(buffer, shape=shape, of=of)
            self._buffers[buffer] = made
        return made

    def _scalar(self, e: Scalar) -> Scalar:
        made = self._memo.get(e)
        if made is None:
            number, parts = self._made.numbers.get(e, -1), e.parts
            new = [
                self._values[slot]
                if (slot := ("part", number, place)) in self._values
                else self._scalar(part)
                for place, part in enumerate(parts)
            ]
            if isinstance(e, Load):
                indices = tuple(new[: len(e.indices)])
                mask = None if e.mask is None else new[-1]
                made = Load(self._buffer(e.buffer), indices, mask)
            else:
                same = all(a is b for a, b in zip(parts, new, strict=True))
                made = e if same else e.with_parts(new)
            self._memo[e] = made
        return made

    def _stmt(self, stmt: Stmt) -> Stmt:
        place = self._places[id(stmt)]
        match stmt:
            case Block(stmts=stmts):
                return Block(tuple(map(self._stmt, stmts)))
            case For():
                fields = {name: self._field(stmt, name, place) for name in LOOP_FIELDS}
                shared, backwards = self._perhaps(stmt.shared), self._perhaps(stmt.backwards)
                body = self._stmt(stmt.body)
                return replace(stmt, body=body, shared=shared, backwards=backwards, **fields)
            case Store(buffer=buffer, indices=indices, value=value, mask=mask):
                where = tuple(map(self._scalar, indices))
                return Store(self._buffer(buffer), where, self._scalar(value), self._perhaps(mask))
            case Prefetch(element=element):
                return Prefetch(typed("Load", self._scalar(element)))
            case Let(value=value):
                return replace(stmt, value=self._scalar(value), body=self._stmt(stmt.body))
            case Allocate(buffer=buffer):
                return Allocate(self._buffer(buffer), self._stmt(stmt.body))
            case While(condition=condition, body=body):
                return While(self._scalar(condition), self._stmt(body))
            case If(condition=condition, then=then, other=other):
                return If(self._scalar(condition), self._stmt(then), self._stmt(other))
            case _:
                raise AssertionError(f"unknown statement {stmt}")

    def _field(self, loop: For, name: str, place: int) -> Scalar | None:
        found = self._values.get(("loop", place, LOOP_FIELDS[name]))
        return self._perhaps(getattr(loop, name)) if found is None else found

    def _perhaps(self, e: Scalar | None) -> Scalar | None:
        return None if e is None else self._scalar(e)
