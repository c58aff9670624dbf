"""Modified Bessel functions of the first kind, by their power series."""

from collections.abc import Sequence
from math import factorial, pi

from relay.frontend.builders.tensor_helpers import constant
from relay.ir.expr import Call, Expr
from relay.ops.binary import Maximum, add, divide, multiply, scaled
from relay.ops.comparison import less
from relay.ops.derivatives_at_zero import absolute
from relay.ops.selection import where
from relay.ops.transcendental import Exp, Rsqrt
from relay.support.dtype import float64

_FAR = 20.0
"""Where the series in `1 / x` is as accurate as float64; below it that of powers of `x` is."""

_NEAR_TERMS, _FAR_TERMS = 50, 31


def modified_bessel_function(x: Expr, order: int, *, is_scaled: bool) -> Expr:
    """Return the modified Bessel function of order 0 or 1 of float64 numbers.

    It is a power series of `x` or, for large `x`, of `1 / x`. `is_scaled` multiplies it by
    `exp(-|x|)`.
    """
    size = absolute(x)
    shrunk = Call(Exp(), (scaled(size, -1.0),))
    is_near = less(size, constant(_FAR, float64))
    wide = Call(Maximum(), (size, constant(_FAR, float64)))
    near = _near(x, order)
    far = multiply(_sum(divide(constant(1.0, float64), wide), _far_series(order)),
                   Call(Rsqrt(), (scaled(wide, 2 * pi),)))  # fmt: skip
    if order:
        far = where(less(x, constant(0.0, float64)), scaled(far, -1.0), far)
    if is_scaled:
        return where(is_near, multiply(near, shrunk), far)
    return where(is_near, near, multiply(far, Call(Exp(), (size,))))


def _near(x: Expr, order: int) -> Expr:
    square = scaled(multiply(x, x), 0.25)
    series = [1 / (factorial(k) * factorial(k + order)) for k in range(_NEAR_TERMS)]
    found = _sum(square, series)
    return multiply(found, scaled(x, 0.5)) if order else found


def _far_series(order: int) -> list[float]:
    """Return the coefficients of the asymptotic series (Hankel)."""
    found = [1.0]
    for k in range(1, _FAR_TERMS):
        found.append(-found[-1] * (4 * order**2 - (2 * k - 1) ** 2) / (8 * k))
    return found


def _sum(x: Expr, coefficients: Sequence[float]) -> Expr:
    """Return a polynomial whose coefficients begin with the constant one."""
    *rest, last = coefficients
    found: Expr = constant(last, float64)
    for each in reversed(rest):
        found = add(multiply(found, x), constant(each, float64))
    return found
