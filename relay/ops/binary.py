"""Elementwise arithmetic of two tensors with broadcasting.

Integers wrap around. Integer division by zero gives 0, and so does the remainder; the most negative
integer divided by -1 is itself. Floats follow IEEE 754.
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from relay.ir.expr import Array, Call, Expr
from relay.kernels import te
from relay.kernels.scalar import Op, Scalar, binary
from relay.opdef.definition import Precision
from relay.opdef.example import broadcast_examples
from relay.opdef.table import operator
from relay.ops.broadcasting import sum_to_shape_of
from relay.ops.comparison import equal, less
from relay.ops.creation import number
from relay.ops.families import Broadcast
from relay.ops.selection import where

_FLOATS = ("f32", "f64", "bf16", "f16", "f32", "f32", "f32")
_INTEGERS = ("i32", "u8", "i64", "i8", "u32", "i16")
_SIGNED = (-100.0, 100.0)


class Arithmetic(Broadcast):
    """The base of arithmetic: `op` is the machine operation, `function` the NumPy function.

    Subclasses define `derivatives`; this class sums them over broadcast axes.
    """

    __slots__ = ()
    op: ClassVar[Op]
    function: ClassVar[np.ufunc]
    examples = broadcast_examples(*_FLOATS) + broadcast_examples(*_INTEGERS, domain=_SIGNED)

    def scalar(self, x: Scalar, y: Scalar) -> Scalar:
        """Return the result for two elements."""
        return binary(self.op, x, y)

    def reference(self, lhs: Array, rhs: Array) -> Array:
        """Return the result of the NumPy function."""
        return np.asarray(self.function(lhs, rhs))

    def derivatives(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative by each operand, in the shape of the result; None for zero."""
        raise AssertionError(f"{self.name} has no derivative")

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivatives, summed to the shapes of the operands."""
        found = zip(self.derivatives(call, d_out), call.args, strict=True)
        return tuple(None if d is None else sum_to_shape_of(d, argument) for d, argument in found)


@operator("add", "+")
class Add(Arithmetic):
    """`lhs + rhs`. Takes numbers; the operands broadcast."""

    precision = Precision.FOLLOW
    op = Op.ADD
    function = np.add
    commutative = True
    identity = 0

    def derivatives(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (d_out, d_out)


@operator("subtract", "-")
class Subtract(Arithmetic):
    """`lhs - rhs`. Takes numbers; the operands broadcast."""

    precision = Precision.FOLLOW
    op = Op.SUB
    function = np.subtract
    identity = 0

    def derivatives(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (d_out, opposite(d_out))


@operator("multiply", "*")
class Multiply(Arithmetic):
    """`lhs * rhs`. Takes numbers; the operands broadcast."""

    precision = Precision.FOLLOW
    op = Op.MUL
    function = np.multiply
    commutative = True
    identity = 1

    def derivatives(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        lhs, rhs = call.args
        return (multiply(d_out, rhs), multiply(d_out, lhs))


class Division(Arithmetic):
    """The base of divisions, whose derivative is not defined where the divisor is zero."""

    __slots__ = ()
    examples = broadcast_examples(*_FLOATS, domain=(0.5, 3.0)) + broadcast_examples(
        *_INTEGERS, domain=_SIGNED
    )


@operator("divide", "/")
class Divide(Division):
    """`lhs / rhs`; integers are truncated toward zero, as in C.

    Takes numbers; the operands broadcast.
    """

    precision = Precision.FOLLOW
    op = Op.DIV
    function = np.divide
    identity = 1

    def reference(self, lhs: Array, rhs: Array) -> Array:
        return np.divide(lhs, rhs) if _is_float(lhs) else truncated_quotient(lhs, rhs)

    def derivatives(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        rhs = call.args[1]
        return (divide(d_out, rhs), opposite(divide(multiply(d_out, call), rhs)))


@operator("floor_divide", "//")
class FloorDivide(Division):
    """The quotient `lhs / rhs` rounded down. Takes numbers; the operands broadcast."""

    op = Op.FLOORDIV
    function = np.floor_divide

    def derivatives(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (None, None)


@operator("trunc_divide")
class TruncDivide(Division):
    """The quotient `lhs / rhs` rounded toward zero. Takes numbers; the operands broadcast."""

    op = Op.DIV
    function = np.divide

    def scalar(self, x: Scalar, y: Scalar) -> Scalar:
        return te.trunc(x / y) if x.dtype.is_float else x / y

    def reference(self, lhs: Array, rhs: Array) -> Array:
        return np.trunc(np.divide(lhs, rhs)) if _is_float(lhs) else truncated_quotient(lhs, rhs)

    def derivatives(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (None, None)


@operator("floor_mod", "%")
class FloorMod(Division):
    """`lhs - floor(lhs / rhs) * rhs`, a remainder with the sign of `rhs`.

    Takes numbers; the operands broadcast.
    """

    op = Op.FLOORMOD
    function = np.remainder

    def derivatives(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        quotient = Call(FloorDivide(), call.args)
        return (d_out, opposite(multiply(d_out, quotient)))


class Remainder(Division):
    """The base of remainders that have the sign of `lhs`, as in C."""

    __slots__ = ()
    op = Op.REM
    function = np.fmod

    def derivatives(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivatives of `lhs - trunc(lhs / rhs) * rhs`; the quotient is constant."""
        quotient = Call(TruncDivide(), call.args)
        return (d_out, opposite(multiply(d_out, quotient)))


@operator("trunc_mod")
class TruncMod(Remainder):
    """`lhs - trunc(lhs / rhs) * rhs`, a remainder with the sign of `lhs`.

    Takes numbers; the operands broadcast.
    """


@operator("mod")
class Mod(Remainder):
    """The same as `trunc_mod`.

    Takes numbers; the operands broadcast. In TVM's Relay, it takes only integers.
    """


class Extreme(Arithmetic):
    """The base of `maximum` and `minimum`, whose derivative goes to the selected operand.

    If the operands are equal, each gets half of it.
    """

    __slots__ = ()

    def derivatives(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivatives; the selected operand is the one that equals the result."""
        lhs, rhs = call.args
        half, zero = multiply(d_out, number(0.5, d_out)), number(0, d_out)
        tie = equal(lhs, rhs)
        return tuple(where(tie, half, where(equal(side, call), d_out, zero)) for side in (lhs, rhs))


@operator("maximum")
class Maximum(Extreme):
    """The larger of both operands; NaN if either is NaN. Takes numbers; the operands broadcast."""

    precision = Precision.FOLLOW
    op = Op.MAX
    function = np.maximum
    commutative = idempotent = True


@operator("minimum")
class Minimum(Extreme):
    """The smaller of both operands; NaN if either is NaN. Takes numbers; the operands broadcast."""

    precision = Precision.FOLLOW
    op = Op.MIN
    function = np.minimum
    commutative = idempotent = True


def truncated_quotient(lhs: Array, rhs: Array) -> Array:
    """Return the quotient of integers, truncated as in C; a divisor of 0 gives 0."""
    return np.asarray(np.floor_divide(lhs - np.fmod(lhs, rhs), rhs))


def _is_float(array: Array) -> bool:
    return not np.issubdtype(array.dtype, np.integer)


def add(lhs: Expr, rhs: Expr) -> Expr:
    """Return `lhs + rhs` as an expression."""
    return Call(Add(), (lhs, rhs))


def subtract(lhs: Expr, rhs: Expr) -> Expr:
    """Return `lhs - rhs` as an expression."""
    return Call(Subtract(), (lhs, rhs))


def multiply(lhs: Expr, rhs: Expr) -> Expr:
    """Return `lhs * rhs` as an expression."""
    return Call(Multiply(), (lhs, rhs))


def divide(lhs: Expr, rhs: Expr) -> Expr:
    """Return `lhs / rhs` as an expression."""
    return Call(Divide(), (lhs, rhs))


def opposite(x: Expr) -> Expr:
    """Return `-x` as an expression, for an element type that can represent -1."""
    return multiply(x, number(-1, x))


def scaled(x: Expr, factor: float) -> Expr:
    """Return `factor * x` as an expression."""
    return multiply(x, number(factor, x))


def square(x: Expr) -> Expr:
    """Return `x * x` as an expression."""
    return multiply(x, x)


def less_than(x: Expr, limit: float) -> Expr:
    """Return `x < limit` as an expression."""
    return less(x, number(limit, x))
