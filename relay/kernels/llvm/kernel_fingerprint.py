"""Computes a hash of a kernel's content, which is equal for kernels that differ only in names."""

import hashlib
from enum import Enum
from typing import Any, cast

from relay.kernels.loops import Buffer, Intrinsic, Kernel, Stmt
from relay.kernels.passes.traverse_statements import expressions, substatements
from relay.kernels.scalar import Scalar, Var
from relay.support.dtype import DType


def fingerprint(kernel: Kernel) -> str:
    """Return 32 hexadecimal digits that identify a kernel's computation, regardless of names."""
    return _Description(kernel).digest()


class _Description:
    """A hash of the fields of all nodes of a kernel, numbered in order of occurrence."""

    def __init__(self, kernel: Kernel) -> None:
        self._numbers: dict[object, int] = {}
        self._hash = hashlib.sha256()
        for scalar in kernel.scalars:
            self._expression(scalar)
        for buffer in kernel.params:
            self._row("parameter", self._buffer(buffer))
        self._walk(kernel.body)

    def digest(self) -> str:
        """Return the hash of all nodes added so far."""
        return self._hash.hexdigest()[:32]

    def _row(self, *fields: object) -> None:
        self._hash.update(repr(fields).encode())

    def _number(self, thing: object) -> int:
        return self._numbers.setdefault(thing, len(self._numbers))

    def _buffer(self, buffer: Buffer) -> int:
        if buffer not in self._numbers:
            fields = self._fields(buffer)  # its sizes are numbered before the buffer itself
            self._row("buffer", self._number(buffer), *fields)
        return self._numbers[buffer]

    def _walk(self, root: Stmt) -> None:
        stack = [root]
        while stack:
            top = stack.pop()
            below = substatements(top)
            for one in expressions(top):
                self._expression(one)
            self._row(type(top).__name__, *self._fields(top), len(below))
            stack += reversed(below)

    def _expression(self, root: Scalar) -> int:
        stack = [root]
        while stack:
            top = stack[-1]
            waiting = [part for part in top.parts if part not in self._numbers]
            if top in self._numbers or not waiting:
                stack.pop()
                self._describe(top)
            stack += [] if top in self._numbers else waiting
        return self._numbers[root]

    def _describe(self, one: Scalar) -> None:
        if one not in self._numbers:
            fields = self._fields(one)
            self._row(type(one).__name__, self._number(one), *fields)

    def _fields(self, one: Stmt | Scalar | Buffer) -> list[object]:
        """Return all fields of a node as data, except names and substatements."""
        names: tuple[str, ...] = getattr(type(one), "__match_args__")  # noqa: B009 - no stub has it
        own = names[1:] if isinstance(one, Var | Buffer) else names
        return [self._data(getattr(one, name)) for name in own]

    def _data(self, field: Any) -> object:
        """Return a field as nested tuples of plain values; tuple depth bounds the recursion."""
        match field:
            case Scalar():
                return "e", self._expression(field)
            case Buffer():
                return "b", self._buffer(field)
            case Intrinsic(name=name):
                return name
            case Stmt():
                return "s"
            case tuple():
                return [self._data(each) for each in cast("tuple[Any, ...]", field)]
            case Enum():
                return field.value
            case float():
                return field.hex()
            case None | bool() | int() | str() | DType():
                return field
            case _:
                raise AssertionError(f"a kernel with a {type(field).__name__} has no fingerprint")
