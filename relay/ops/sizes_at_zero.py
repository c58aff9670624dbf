"""Absolute values and roots of sums, as expressions whose derivatives at 0 are 0, as in PyTorch."""

from math import inf

from relay.ir.expr import Call, Expr
from relay.ops.comparison import equal
from relay.ops.creation import number
from relay.ops.elementwise import Abs
from relay.ops.selection import where
from relay.ops.transcendental import Power, Sqrt


def absolute(x: Expr) -> Call:
    """Return `|x|`; the derivative of the operator `abs` at 0 is 1, as in TVM's Relay."""
    found = Call(Abs(), (x,))
    if not x.tensor_type.dtype.is_float:
        return found
    return where(_is_zero(x), number(0, x), found)


def root_of_squares(total: Expr) -> Call:
    """Return the square roots of sums of squares."""
    root = Call(Sqrt(), (_one_for_zero(total),))
    return where(_is_zero(total), number(0, total), root)


def power_of_size(size: Expr, exponent: float) -> Call:
    """Return powers of numbers that are not negative, with one exponent that is not 0."""
    power = Call(Power(), (_one_for_zero(size), number(exponent, size)))
    return where(_is_zero(size), number(0 if exponent > 0 else inf, size), power)


def _is_zero(x: Expr) -> Expr:
    return equal(x, number(0, x))


def _one_for_zero(x: Expr) -> Expr:
    """Return `x` with 1 for 0: an infinite derivative times 0 is NaN, also where it is dropped."""
    return where(_is_zero(x), number(1, x), x)
