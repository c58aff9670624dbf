"""Regularised incomplete gamma and beta functions, by loops over the terms of their expansions.

All arguments are float64 tensors of one shape; NaN is returned where a function is not defined.
"""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.builders.while_loops import repeated
from relay.ir.expr import Constant, Expr
from relay.ops.binary import add, divide, multiply, opposite, subtract
from relay.ops.functions import core
from relay.ops.selection import where
from relay.support.dtype import float64

_MOST_TERMS = 1000  # far more than float64 needs where each expansion is used
_ACCURACY = 1e-16
_TINY = 1e-300  # in place of zero denominators of fractions


def _number(value: float) -> Constant:
    return constant(value, float64)


def incomplete_gamma(a: Expr, x: Expr, *, is_upper: bool) -> Expr:
    """Return the regularised lower or upper incomplete gamma function.

    Below `a + 1` it is a power series of `x`, above a continued fraction.
    """
    one, zero = _number(1.0), _number(0.0)
    valid = core.logical_and(core.greater(a, zero), core.greater_equal(x, zero))
    is_near = core.less(x, add(a, one))
    some = where(core.logical_and(valid, core.greater(x, zero)), x, one)
    order = where(valid, a, one)
    log_factor = subtract(subtract(multiply(order, core.log(some)), some), core.lgamma(order))
    factor = core.exp(log_factor)
    near = multiply(factor, _gamma_series(order, where(is_near, some, _number(0.5))))
    far = multiply(factor, _gamma_fraction(order, where(is_near, add(order, one), some)))
    lower, upper = (near, subtract(one, near)), (subtract(one, far), far)
    found = where(is_near, lower[is_upper], upper[is_upper])
    found = where(core.greater(x, zero), found, _number(float(is_upper)))
    found = where(core.isinf(x), _number(float(not is_upper)), found)
    return where(valid, found, _number(np.nan))


def _gamma_series(a: Expr, x: Expr) -> Expr:
    """Return the sum of `xⁿ / (a (a + 1) … (a + n))`."""
    first = divide(_number(1.0), a)

    def step(state: Sequence[Expr]) -> tuple[Expr, Sequence[Expr]]:
        count, term, total = state
        following = multiply(term, divide(x, add(a, count)))
        is_open = core.any(core.greater(core.abs(term), multiply(total, _number(_ACCURACY))))
        return _goes_on(count, is_open), [
            add(count, _number(1.0)), following, add(total, following)
        ]  # fmt: skip

    return repeated([_number(1.0), first, first], step)[2]


def _goes_on(count: Expr, is_open: Expr) -> Expr:
    return core.logical_and(is_open, core.less(count, _number(_MOST_TERMS)))


def _gamma_fraction(a: Expr, x: Expr) -> Expr:
    """Return the continued fraction of the upper function, by Lentz's method."""
    one = _number(1.0)
    b = subtract(add(x, one), a)
    d = divide(one, _nonzero(b))
    c = core.full_like(b, _number(1.0 / _TINY))

    def step(state: Sequence[Expr]) -> tuple[Expr, Sequence[Expr]]:
        count, b, c, d, found, change = state
        factor = multiply(count, subtract(a, count))
        b = add(b, _number(2.0))
        d = divide(one, _nonzero(add(multiply(factor, d), b)))
        c = _nonzero(add(b, divide(factor, c)))
        ratio = multiply(c, d)
        is_open = core.any(core.greater(change, _number(_ACCURACY)))
        return _goes_on(count, is_open), [
            add(count, one), b, c, d, multiply(found, ratio), core.abs(subtract(ratio, one))
        ]  # fmt: skip

    return repeated([one, b, c, d, d, core.ones_like(d)], step)[4]


def _nonzero(x: Expr) -> Expr:
    return where(core.less(core.abs(x), _number(_TINY)), _number(_TINY), x)


def incomplete_beta(a: Expr, b: Expr, x: Expr) -> Expr:
    """Return the regularised incomplete beta function, by a continued fraction.

    It converges fast for `x` below `(a + 1) / (a + b + 2)`; above, that of `1 - x` is used.
    """
    one, zero, two = _number(1.0), _number(0.0), _number(2.0)
    positive = core.logical_and(core.greater(a, zero), core.greater(b, zero))
    in_range = core.logical_and(core.greater_equal(x, zero), core.less_equal(x, one))
    is_inner = core.logical_and(core.greater(x, zero), core.less(x, one))
    valid = core.logical_and(positive, in_range)
    a, b = where(valid, a, one), where(valid, b, one)
    some = where(core.logical_and(valid, is_inner), x, _number(0.5))
    is_near = core.less(some, divide(add(a, one), add(add(a, b), two)))
    rest = subtract(one, some)
    first, second = where(is_near, a, b), where(is_near, b, a)
    near, far = where(is_near, some, rest), where(is_near, rest, some)
    scale = subtract(core.lgamma(add(a, b)), add(core.lgamma(a), core.lgamma(b)))
    powers = add(multiply(first, core.log(near)), multiply(second, core.log(far)))
    factor = divide(core.exp(add(scale, powers)), first)
    part = multiply(factor, _beta_fraction(first, second, near))
    found = where(is_near, part, subtract(one, part))
    found = where(is_inner, found, where(core.greater(x, zero), one, zero))
    return where(valid, found, _number(np.nan))


def _beta_fraction(a: Expr, b: Expr, x: Expr) -> Expr:
    """Return the continued fraction of the incomplete beta function, by Lentz's method."""
    one, two = _number(1.0), _number(2.0)
    both = add(a, b)
    d = divide(one, _nonzero(subtract(one, divide(multiply(both, x), add(a, one)))))

    def step(state: Sequence[Expr]) -> tuple[Expr, Sequence[Expr]]:
        count, c, d, found, change = state
        twice = multiply(two, count)
        even = divide(
            multiply(multiply(count, subtract(b, count)), x),
            multiply(add(subtract(a, one), twice), add(a, twice)),
        )
        odd = opposite(divide(
            multiply(multiply(add(a, count), add(both, count)), x),
            multiply(add(a, twice), add(add(a, one), twice)),
        ))  # fmt: skip
        for factor in (even, odd):
            d = divide(one, _nonzero(add(one, multiply(factor, d))))
            c = _nonzero(add(one, divide(factor, c)))
            found = multiply(found, multiply(c, d))
        change_now = core.abs(subtract(multiply(c, d), one))
        is_open = core.any(core.greater(change, _number(_ACCURACY)))
        return _goes_on(count, is_open), [add(count, one), c, d, found, change_now]

    return repeated([one, core.ones_like(d), d, d, core.ones_like(d)], step)[3]
