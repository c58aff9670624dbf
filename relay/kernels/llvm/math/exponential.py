"""exp and its relatives: sigmoid, sinh, cosh, tanh.

`e^x = 2^n e^r` with n whole and |r| at most half of log 2; `e^r` is a polynomial. Coefficients come
from `benchmarks/fit_vector_math.py`.
"""

from relay.kernels.llvm.math import avx512
from relay.kernels.llvm.math.number import Number
from relay.support.node import Value, value

_LOG2_E = 1.4426950408889634


@value
class _Format(Value):
    """What depends on the width of a float: log 2 in two parts, where e^x leaves the range."""

    ln2_high: float
    ln2_low: float
    least: float
    most: float
    bias: int
    fraction_bits: int
    tail: tuple[float, ...]


_SINGLE = _Format(
    0.693359375, -2.12194440e-4, -104.0, 89.0, 127, 23,
    (
        0.5,
        0.16666575985420823,
        0.04166655336264423,
        0.00836334581098711,
        0.001392639189614262,
    ),
)  # fmt: skip
_DOUBLE = _Format(
    0.693147180369123816490, 1.90821492927058770002e-10, -746.0, 710.0, 1023, 52,
    (
        0.5,
        0.1666666666666667,
        0.04166666666666667,
        0.008333333333325973,
        0.0013888888888883633,
        0.0001984126987538548,
        2.480158732595111e-05,
        2.7557254685728803e-06,
        2.7557273132896036e-07,
        2.5105513541847086e-08,
        2.0914898727177133e-09,
    ),
)  # fmt: skip


def exp(x: Number) -> Number:
    """Return e^x; it overflows to infinity and underflows through the subnormal numbers."""
    return scaled_exp(x, 0)


def scaled_exp(x: Number, power: int) -> Number:
    """Return e^x 2^power, finite whenever the result is."""
    form = _format(x)
    n, r = _reduce(x.at_most(form.most - power).at_least(form.least))
    fraction = (r * r).times_plus(r.polynomial(form.tail), r) + 1.0
    return _scale(fraction, n + float(power) if power else n)


def expm1(x: Number) -> Number:
    """Return e^x - 1 without cancellation near 0."""
    form = _format(x)
    n, r = _reduce(x.at_most(form.most).at_least(-40.0))
    fraction = (r * r).times_plus(r.polynomial(form.tail), r)
    power = _scale(x.of(1.0), n)
    return power.times_plus(fraction, power - 1.0)


def sigmoid(x: Number) -> Number:
    """Return 1 / (1 + e^-x), from e^-|x|, which cannot overflow."""
    small = exp(-abs(x))
    return (x < 0.0).choose(small, 1.0) / (small + 1.0)


def tanh(x: Number) -> Number:
    """Return the hyperbolic tangent, (e^2x - 1) / (e^2x + 1), with the sign of x on zero."""
    limit = 10.0 if x.dtype.bits == 32 else 20.0
    grown = expm1((x + x).at_most(2 * limit).at_least(-2 * limit))
    return (grown / (grown + 2.0)).with_sign_of(x)


def sinh(x: Number) -> Number:
    """Return the hyperbolic sine: from e^x - 1 where e^x and e^-x nearly cancel."""
    size = abs(x)
    half = scaled_exp(size, -1)
    grown = expm1(size.at_most(2.0))
    near = (grown + grown / (grown + 1.0)) * 0.5
    return (size < 1.0).choose(near, half - 0.25 / half).with_sign_of(x)


def cosh(x: Number) -> Number:
    """Return the hyperbolic cosine."""
    half = scaled_exp(abs(x), -1)
    return half + 0.25 / half


def _format(x: Number) -> _Format:
    return _SINGLE if x.dtype.bits == 32 else _DOUBLE


def _reduce(x: Number) -> tuple[Number, Number]:
    """Return n and r with x = n log 2 + r."""
    form = _format(x)
    n = (x * _LOG2_E).rounded()
    r = n.times_plus(-form.ln2_high, x)
    return n, n.times_plus(-form.ln2_low, r)


def _scale(x: Number, n: Number) -> Number:
    """Return x 2^n for whole n, rounded once when the result is subnormal.

    AVX-512 has an instruction for it. Elsewhere 2^n is the product of two powers, each of them a
    normal number, whose bits are easily made.
    """
    if avx512.fits(x):
        return avx512.scaled(x, n)
    form = _format(x)
    whole = n.to_integer()
    half = whole >> 1
    first = ((half + form.bias) << form.fraction_bits).as_float()
    second = ((whole - half + form.bias) << form.fraction_bits).as_float()
    return x * first * second
