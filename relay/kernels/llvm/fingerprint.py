"""The content of a kernel as a hash: equal for kernels that differ only in names."""

import hashlib

from relay.kernels.folds import Fold
from relay.kernels.inside import Inside
from relay.kernels.loops import Allocate, Buffer, For, Kernel, Let, Load, Stmt, Store
from relay.kernels.passes.statements import expressions, substatements
from relay.kernels.scalar import (
    Apply,
    Binary,
    Broadcast,
    Compare,
    Const,
    Ramp,
    Scalar,
)


def fingerprint(kernel: Kernel) -> str:
    """Return 32 hexadecimal digits that say what a kernel does, whatever its names are."""
    return _Description(kernel).digest()


class _Description:
    """Numbers buffers, variables and expressions as they occur, and hashes their rows."""

    def __init__(self, kernel: Kernel) -> None:
        self._numbers: dict[object, int] = {}
        self._hash = hashlib.sha256()
        for scalar in kernel.scalars:
            self._expression(scalar)
        for buffer in kernel.params:
            self._row("parameter", self._buffer(buffer))
        self._walk(kernel.body)

    def digest(self) -> str:
        """Return the hash of everything described."""
        return self._hash.hexdigest()[:32]

    def _row(self, *fields: object) -> None:
        self._hash.update(repr(fields).encode())

    def _number(self, thing: object) -> int:
        return self._numbers.setdefault(thing, len(self._numbers))

    def _buffer(self, buffer: Buffer) -> int:
        if buffer not in self._numbers:
            shape = [self._expression(s) if isinstance(s, Scalar) else -s for s in buffer.shape]
            number = self._number(buffer)
            own = (buffer.dtype, buffer.scope.value, buffer.ahead, buffer.apart)
            self._row("buffer", number, *own, shape)
        return self._numbers[buffer]

    def _walk(self, root: Stmt) -> None:
        stack = [root]
        while stack:
            top = stack.pop()
            below = substatements(top)
            fields = [self._expression(one) for one in expressions(top)]
            self._row(type(top).__name__, *self._own(top), fields, len(below))
            stack += reversed(below)

    def _own(self, statement: Stmt) -> tuple[object, ...]:
        match statement:
            case For(var=var, mode=mode):
                return self._expression(var), mode.value
            case Let(var=var):
                return (self._expression(var),)
            case Store(buffer=buffer, mask=mask):
                return self._buffer(buffer), mask is None
            case Allocate(buffer=buffer):
                return (self._buffer(buffer),)
            case _:
                return ()

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
        if one in self._numbers:
            return
        below = [self._numbers[part] for part in one.parts]
        own = self._details(one)
        self._row(type(one).__name__, self._number(one), one.dtype, *own, below)

    def _details(self, one: Scalar) -> tuple[object, ...]:
        match one:
            case Load(buffer=buffer, mask=mask):
                return self._buffer(buffer), mask is None
            case Binary(op=op) | Fold(op=op):
                return (op.value,)
            case Compare(order=order):
                return (order.value,)
            case Apply(fn=fn):
                return (fn.value,)
            case Const(value=value):
                return (value.hex() if isinstance(value, float) else value,)
            case Ramp(lanes=lanes) | Broadcast(lanes=lanes):
                return (lanes,)
            case Inside(axis=axis, from_end=from_end, number=number, mask=mask):
                return axis, from_end, number, mask is None
            case _:
                return ()
