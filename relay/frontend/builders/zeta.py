"""Compute the Hurwitz zeta function, the sum of `(q + k)^-x`, by Euler and Maclaurin's formula."""

from fractions import Fraction
from math import factorial

from relay.frontend.builders.counted_loops import loop
from relay.frontend.builders.tensor_helpers import constant
from relay.ir.expr import Expr
from relay.ops.binary import add, divide, multiply, scaled, subtract
from relay.ops.comparison import less
from relay.ops.functions import core
from relay.ops.selection import where
from relay.support.dtype import float64, int64

_BERNOULLI = (
    (1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510),
    (43867, 798), (-174611, 330), (854513, 138), (-236364091, 2730),
)  # fmt: skip
"""The numbers of even order from 2, as fractions."""

_FEWEST = 9  # the formula is accurate after as many terms, and beyond as large a number


def zeta(x: Expr, q: Expr) -> Expr:
    """Return the zeta function of floats of one shape, computed in float64.

    It is infinite for `x = 1` and for integers `q` up to 0, and NaN for `x < 1` and for fractional
    powers of negative numbers.
    """
    of = x.tensor_type.dtype
    x, q = (core.cast(each, "float64") for each in (x, q))
    finite = where(core.isfinite(q), q, _number(0))
    least = core.min(core.minimum(finite, _number(0)))
    more = core.floor(subtract(_number(_FEWEST), least))
    count = core.cast(core.maximum(more, _number(_FEWEST)), "int64")
    return core.cast(_with_poles(x, q, _regular(x, q, count)), str(of))


def _regular(x: Expr, q: Expr, count: Expr) -> Expr:
    """Return the sum of the first terms, and the formula for the others."""

    def power(base: Expr) -> Expr:
        return core.power(base, core.negative(x))

    zeros = core.zeros_like(add(x, q))
    terms = add(count, constant(1, int64))
    (total,) = loop(
        terms, None, [zeros], [zeros.type],
        lambda k, state: ([add(state[0], power(add(q, core.cast(k, "float64"))))], None),
    )  # fmt: skip
    last = add(q, core.cast(count, "float64"))
    term = power(last)
    rest = divide(multiply(term, last), subtract(x, _number(1)))
    total = subtract(add(total, rest), scaled(term, 0.5))
    factor = _number(1)
    for index, (above, below) in enumerate(_BERNOULLI):
        order = 2 * index
        factor = multiply(factor, add(x, _number(order)))
        term = divide(term, last)
        share = float(Fraction(above, below) / factorial(order + 2))
        total = add(total, scaled(multiply(factor, term), share))
        factor = multiply(factor, add(x, _number(order + 1)))
        term = divide(term, last)
    return total


def _with_poles(x: Expr, q: Expr, found: Expr) -> Expr:
    undefined, infinite = _number(float("nan")), _number(float("inf"))
    is_negative = core.less_equal(q, _number(0))
    is_fraction = core.not_equal(x, core.floor(x))
    found = where(core.logical_and(is_negative, is_fraction), undefined, found)
    is_pole = core.logical_and(is_negative, core.equal(q, core.floor(q)))
    found = where(is_pole, infinite, found)
    found = where(core.equal(x, _number(1)), infinite, found)
    return where(less(x, _number(1)), undefined, found)


def _number(number: float) -> Expr:
    return constant(number, float64)
