"""The exponential function and related ones: sigmoid, sinh, cosh, tanh.

`e^x = 2^n e^r` with an integer n and |r| at most half of log 2; `e^r` is a polynomial. If a
register can hold a table of the powers 2^(k/16), n is a multiple of 1/16 and the polynomial is
shorter. Coefficients come from `benchmarks/fit_vector_math.py`.
"""

import numpy as np

from relay.kernels.llvm.math import avx512
from relay.kernels.llvm.math.lookup_tables import Table, looked_up
from relay.kernels.llvm.math.number_emitter import Number
from relay.support.node import Value, value

_LOG2_E = 1.4426950408889634


@value
class _Format(Value):
    """Constants of a float width: log 2 in two parts, the range limits of e^x, the polynomial."""

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

_EXACT = tuple(2 ** (k / avx512.TABLE) for k in range(avx512.TABLE))
_POWERS = Table("powers", _EXACT)
_RESTS = Table("rests", tuple(power / float(np.float32(power)) - 1 for power in _EXACT))
_TAIL_OF_POWERS = (0.5000098336559746, 0.166668633393441)
_COUNTING = 1.5 * 2.0**23 / avx512.TABLE  # adding it leaves the count of 16ths in the last bits


def exp(x: Number) -> Number:
    """Return e^x; it overflows to infinity and underflows through the subnormal numbers."""
    if avx512.has_tables(x):
        return _by_table(x, 0, closely=False)
    return scaled_exp(x, 0)


def scaled_exp(x: Number, power: int) -> Number:
    """Return e^x 2^power, without overflow of e^x, accurate enough for functions built on it."""
    if avx512.has_tables(x):
        return _by_table(x, power, closely=True)
    form = _format(x)
    n, r = _reduce(x.at_most(form.most - power).at_least(form.least))
    fraction = (r * r).times_plus(r.polynomial(form.tail), r) + 1.0
    return _scale(fraction, n + float(power) if power else n)


def _by_table(x: Number, power: int, *, closely: bool) -> Number:
    """Return e^x 2^power on a machine with register tables.

    A scalar gets the same bits as a vector, from plain instructions that LLVM can vectorise.
    """
    if x.dtype.lanes > 1:
        return avx512.in_registers(x, lambda whole: _in_register(whole, power, closely=closely))
    x = x.at_most(_SINGLE.most - power).at_least(_SINGLE.least)
    counted, n = _counted(x)
    fraction = _from_table(_remainder(x, n), counted, closely=closely)
    return _scale(fraction, n.floored() + float(power))


def _in_register(x: Number, power: int, *, closely: bool) -> Number:
    """Return e^x 2^power.

    If n is outside the range of exponents, n alone determines the result: r, which is then
    arbitrary or NaN, only has to be made finite.
    """
    counted, n = _counted(x)
    r = avx512.within(_remainder(x, n), 2 / avx512.TABLE)
    fraction = _from_table(r, counted, closely=closely)
    return avx512.scaled(fraction, n + float(power) if power else n)


def _counted(x: Number) -> tuple[Number, Number]:
    """Emit n = x / log 2 rounded to the nearest 16th, and a number whose last bits are n."""
    counted = x.times_plus(_LOG2_E, _COUNTING)
    return counted, counted - _COUNTING


def _from_table(r: Number, counted: Number, *, closely: bool) -> Number:
    """Return e^r 2^n without the integer part of n.

    If `closely`, a second table adds the rounding errors of the first, which are half of the error
    of the result.
    """
    place = counted.bits()
    first = r + looked_up(_RESTS, place) if closely else r
    grown = (r * r).times_plus(r.polynomial(_TAIL_OF_POWERS), first)
    part = looked_up(_POWERS, place)
    return part.times_plus(grown, part)


def expm1(x: Number) -> Number:
    """Return e^x - 1 without cancellation near 0."""
    form = _format(x)
    n, r = _reduce(x.at_most(form.most).at_least(-40.0))
    fraction = (r * r).times_plus(r.polynomial(form.tail), r)
    power = _scale(x.of(1.0), n)
    return power.times_plus(fraction, power - 1.0)


def sigmoid(x: Number) -> Number:
    """Return 1 / (1 + e^-x), computed from e^-|x|, which cannot overflow."""
    small = scaled_exp(-abs(x), 0)
    return (x < 0.0).choose(small, 1.0) / (small + 1.0)


def tanh(x: Number) -> Number:
    """Return the hyperbolic tangent, (e^2x - 1) / (e^2x + 1); a zero keeps its sign."""
    limit = 10.0 if x.dtype.bits == 32 else 20.0
    grown = expm1((x + x).at_most(2 * limit).at_least(-2 * limit))
    return (grown / (grown + 2.0)).with_sign_of(x)


def sinh(x: Number) -> Number:
    """Return the hyperbolic sine, computed from e^x - 1 if e^x and e^-x nearly cancel."""
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
    """Return an integer n and r with x = n log 2 + r."""
    n = (x * _LOG2_E).rounded()
    return n, _remainder(x, n)


def _remainder(x: Number, n: Number) -> Number:
    """Return x - n log 2."""
    form = _format(x)
    return n.times_plus(-form.ln2_low, n.times_plus(-form.ln2_high, x))


def _scale(x: Number, n: Number) -> Number:
    """Return x 2^n for an integer n, rounded once if the result is subnormal.

    AVX-512 has an instruction for it. Elsewhere 2^n is the product of two powers, which are normal
    numbers with easily computed bits.
    """
    if avx512.fits(x):
        return avx512.scaled(x, n)
    form = _format(x)
    whole = n.to_integer()
    half = whole >> 1
    first = ((half + form.bias) << form.fraction_bits).as_float()
    second = ((whole - half + form.bias) << form.fraction_bits).as_float()
    return x * first * second
