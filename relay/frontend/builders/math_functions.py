"""Mathematical functions that Relay has no operator for, composed of several operators."""

from relay.frontend.builders.tensors import constant
from relay.ir.expr import Call, Expr
from relay.numpy.elementary_functions import arctan2
from relay.ops.accurate_values import with_derivatives_of
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.comparison import equal, less
from relay.ops.elementwise import IsInf
from relay.ops.selection import where
from relay.ops.transcendental import Exp, Log


def expm1(x: Expr) -> Expr:
    """Return `exp(x) - 1`, accurate near 0, where the plain formula loses all digits.

    Kahan's formula: with `u = exp(x)`, the result is `(u - 1) · x / log(u)`.
    """
    one = constant(1.0, x.tensor_type.dtype)
    u = Call(Exp(), (x,), span=x.span)
    less_one = subtract(u, one)
    near = divide(multiply(less_one, x), Call(Log(), (u,)))
    far = where(Call(IsInf(), (u,)), u, near)
    is_one, is_gone = equal(u, one), equal(less_one, constant(-1.0, x.tensor_type.dtype))
    return with_derivatives_of(less_one, where(is_one, x, where(is_gone, less_one, far)))


def log1p(x: Expr) -> Expr:
    """Return `log(1 + x)`, accurate near 0, by Kahan's formula."""
    one = constant(1.0, x.tensor_type.dtype)
    u = add(one, x)
    log = Call(Log(), (u,), span=x.span)
    near = divide(multiply(log, x), subtract(u, one))
    value = where(equal(u, one), x, where(Call(IsInf(), (u,)), log, near))
    return with_derivatives_of(log, value)


def atan2(y: Expr, x: Expr) -> Expr:
    """Return the angle of the point `(x, y)` in radians, from -pi to pi."""
    return arctan2(y, x)


def is_negative(x: Expr) -> Expr:
    """Return whether the sign bit of each float is set; it also is for -0."""
    zero, one = (constant(each, x.tensor_type.dtype) for each in (0.0, 1.0))
    return where(equal(x, zero), less(divide(one, x), zero), less(x, zero))
