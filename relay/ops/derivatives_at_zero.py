"""Absolute values, roots and powers whose derivatives at 0 are 0, as in PyTorch."""

from math import inf

from relay.ir.expr import Call, Expr
from relay.ops.comparison import equal
from relay.ops.creation import number
from relay.ops.elementwise import Abs
from relay.ops.selection import where
from relay.ops.transcendental import Power, Sqrt


def absolute(x: Expr) -> Call:
    """Return `|x|` with derivative 0 at 0; `abs` has the derivative 1 there, as in TVM's Relay."""
    found = Call(Abs(), (x,))
    if not x.tensor_type.dtype.is_float:
        return found
    return where(_is_zero(x), number(0, x), found)


def root_of_squares(total: Expr) -> Call:
    """Return the square root of `total`, a sum of squares, with derivative 0 at 0."""
    root = Call(Sqrt(), (_one_for_zero(total),))
    return where(_is_zero(total), number(0, total), root)


def power_of_nonnegative(x: Expr, exponent: float) -> Call:
    """Return `x ** exponent` with derivative 0 at 0; `x` is not negative, `exponent` not 0."""
    power = Call(Power(), (_one_for_zero(x), number(exponent, x)))
    return where(_is_zero(x), number(0 if exponent > 0 else inf, x), power)


def _is_zero(x: Expr) -> Expr:
    return equal(x, number(0, x))


def _one_for_zero(x: Expr) -> Expr:
    """Return `x` with 1 in place of 0, where derivatives would be infinite, and times 0 NaN."""
    return where(_is_zero(x), number(1, x), x)
