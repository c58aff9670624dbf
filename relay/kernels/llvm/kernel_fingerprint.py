"""Computes a hash of a kernel's content, which is equal for kernels that differ only in names."""

import hashlib
from enum import Enum
from typing import Any, cast

from relay.kernels.loops import Buffer, Intrinsic, Kernel, Stmt
from relay.kernels.passes.traverse_statements import substatements
from relay.kernels.scalar import Scalar, Var
from relay.support.dtype import DType


def fingerprint(kernel: Kernel) -> str:
    """Return 32 hexadecimal digits that identify a kernel's computation, regardless of names."""
    return Description(kernel).digest()


class Description:
    """A hash of the fields of all nodes of a kernel, numbered in order of occurrence.

    Subclasses leave out some of the fields.
    """

    def __init__(self, kernel: Kernel) -> None:
        self.numbers: dict[object, int] = {}
        self._hash = hashlib.sha256()
        for scalar in kernel.scalars:
            self.expression(scalar)
        for buffer in kernel.params:
            self.row("parameter", self.buffer(buffer))
        self._walk(kernel.body)

    def digest(self) -> str:
        """Return the hash of all nodes added so far."""
        return self._hash.hexdigest()[:32]

    def row(self, *fields: object) -> None:
        """Add the description of one node to the hash."""
        self._hash.update(repr(fields).encode())

    def number(self, thing: object) -> int:
        """Return the number of a node, the next one if it is new."""
        return self.numbers.setdefault(thing, len(self.numbers))

    def buffer(self, buffer: Buffer) -> int:
        """Return the number of a buffer, after those of its sizes."""
        if buffer not in self.numbers:
            fields = self.fields(buffer)
            self.row("buffer", self.number(buffer), *fields)
        return self.numbers[buffer]

    def _walk(self, root: Stmt) -> None:
        stack, place = [root], 0
        while stack:
            top = stack.pop()
            below = substatements(top)
            self.row(type(top).__name__, *self.statement(top, place), len(below))
            stack += reversed(below)
            place += 1

    def statement(self, stmt: Stmt, place: int) -> list[object]:
        """Return the fields of a statement as data; `place` is its position in the kernel."""
        del place
        return self.fields(stmt)

    def expression(self, root: Scalar) -> int:
        """Return the number of an expression, after those of its parts."""
        stack = [root]
        while stack:
            top = stack[-1]
            waiting = [p for p in top.parts if p not in self.numbers and self.is_described(p)]
            if top in self.numbers or not waiting:
                stack.pop()
                if top not in self.numbers:
                    self.describe(top)
            stack += [] if top in self.numbers else waiting
        return self.numbers[root]

    def is_described(self, part: Scalar) -> bool:
        """Whether a part of an expression is described before the expression."""
        del part
        return True

    def describe(self, one: Scalar) -> None:
        """Add an expression whose parts have numbers."""
        fields = self.fields(one)
        self.row(type(one).__name__, self.number(one), *fields)

    def fields(self, one: Stmt | Scalar | Buffer) -> list[object]:
        """Return all fields of a node as data, except names and substatements."""
        return [self.data(getattr(one, name)) for name in described_fields(one)]

    def data(self, field: Any) -> object:
        """Return a field as nested lists of plain values; tuple depth bounds the recursion."""
        match field:
            case Scalar():
                return "e", self.expression(field)
            case Buffer():
                return "b", self.buffer(field)
            case Intrinsic(name=name):
                return name
            case Stmt():
                return "s"
            case tuple():
                return [self.data(each) for each in cast("tuple[Any, ...]", field)]
            case Enum():
                return field.value
            case float():
                return field.hex()
            case None | bool() | int() | str() | DType():
                return field
            case _:
                raise AssertionError(f"a kernel with a {type(field).__name__} has no description")


def described_fields(one: Stmt | Scalar | Buffer) -> tuple[str, ...]:
    """Return the names of the fields of a node, except the field that has its name."""
    names: tuple[str, ...] = getattr(type(one), "__match_args__")  # noqa: B009 - no stub has it
    return names[1:] if isinstance(one, Var | Buffer) else names
