"""Logarithms, and the inverse hyperbolic functions that are computed from them.

`x = 2^e (1 + r)` with 1 + r around 1, so that e is 0 near 1, where the logarithm is small and needs
a small relative error: between the square roots of 1/2 and 2, or, for the natural logarithm of a
float32, from 3/4 to 3/2, which is the range of AVX-512's instruction.
"""

from relay.kernels.llvm.math import avx512
from relay.kernels.llvm.math.number_emitter import Number
from relay.support.node import Value, value

_TAIL_OF_BASES = (
    -0.4999999764977098,
    0.33333330028354796,
    -0.25000781239812697,
    0.20001234461093456,
    -0.16626645629127462,
    0.14204855952571013,
    -0.1312755565128765,
    0.1272267278801096,
    -0.07673641501674025,
)
_TAIL_NATURAL = (
    -0.4999999979624426,
    0.33333395449384995,
    -0.25000153882264686,
    0.1999359250754254,
    -0.16647644092244285,
    0.14438456749865944,
    -0.13122876906238734,
    0.10625629206036313,
    -0.04738242484408123,
)
_TAIL_DOUBLE = (
    0.666666666666667,
    0.3999999999989861,
    0.2857142862638011,
    0.2222221106879378,
    0.18182893930507887,
    0.15331561991588394,
    0.14618421083329822,
)


@value
class _Base(Value):
    """Constants for a logarithm's base: 1 / log(base) and log 2 / log(base), in two parts each."""

    unit: float
    unit_rest: float
    octave: float
    octave_rest: float


_BINARY = _Base(1.44269502162933349609375, 1.925963033500e-8, 1.0, 0.0)
_DECIMAL = _Base(0.4342944920063018798828125, -1.010305e-8, 0.30078125, 2.4874566e-4)

_ROOT_HALF = 0x3F3504F3
_ROOT_HALF_DOUBLE = 0x3FE6A09E667F3BCD
_THREE_QUARTERS = 0x3F400000


def log(x: Number) -> Number:
    """Return the natural logarithm; -infinity of 0, NaN of negative numbers."""
    if x.dtype.bits == 64:
        return _edges(x, _log_double(x))
    return _log_single(x)


def log2(x: Number) -> Number:
    """Return the logarithm to base 2 of a float32."""
    return _in_base(x, _BINARY)


def log10(x: Number) -> Number:
    """Return the logarithm to base 10 of a float32."""
    return _in_base(x, _DECIMAL)


def log1p(x: Number) -> Number:
    """Return log(1 + x) for a float32 that is at least 0, compensating the rounding of 1 + x."""
    total = x + 1.0
    lost = x - (total - 1.0)
    finite = log(total) + lost / total
    return (total < float("inf")).choose(finite, log(total))


def asinh(x: Number) -> Number:
    """Return the inverse hyperbolic sine; log 2|x| for large arguments, whose square overflows."""
    size = abs(x)
    square = size * size
    near = log1p(size + square / ((square + 1.0).root() + 1.0))
    far = log(size) + 0.6931471805599453
    return (size < 1e9).choose(near, far).with_sign_of(x)


def acosh(x: Number) -> Number:
    """Return the inverse hyperbolic cosine; NaN below 1."""
    beyond = x - 1.0
    near = log1p(beyond + (beyond.times_plus(beyond, beyond + beyond)).root())
    result = (x < 1e9).choose(near, log(x) + 0.6931471805599453)
    return (x >= 1.0).choose(result, float("nan"))


def atanh(x: Number) -> Number:
    """Return the inverse hyperbolic tangent; infinity at 1, NaN beyond."""
    size = abs(x)
    doubled = size + size
    inside = log1p(doubled / (1.0 - size)) * 0.5
    return (size <= 1.0).choose(inside, float("nan")).with_sign_of(x)


def _log_single(x: Number) -> Number:
    """Return the natural logarithm of a float32; the small terms are added first."""
    has_instructions = avx512.fits(x)
    exponent, r = _split_by_instructions(x) if has_instructions else _split(x, _THREE_QUARTERS)
    rest = (r * r).times_plus(r.polynomial(_TAIL_NATURAL), exponent * -2.12194440e-4)
    finite = exponent.times_plus(0.693359375, r + rest)
    return avx512.logarithm_at_ends(x, finite) if has_instructions else _edges(x, finite)


def _in_base(x: Number, base: _Base) -> Number:
    """Return the logarithm of a float32 to another base; the small terms are added first."""
    exponent, r = _split(x, _ROOT_HALF)
    rest = r.times_plus(base.unit_rest, exponent * base.octave_rest)
    rest = (r * r * r.polynomial(_TAIL_OF_BASES)).times_plus(base.unit, rest)
    return _edges(x, exponent.times_plus(base.octave, r.times_plus(base.unit, rest)))


def _log_double(x: Number) -> Number:
    """Return the logarithm of a float64 x = 2^e (1 + r), by a series in s = r / (2 + r)."""
    exponent, r = _split(x, _ROOT_HALF_DOUBLE)
    s = r / (r + 2.0)
    z = s * s
    half = r * r * 0.5
    inner = s * (half + z * z.polynomial(_TAIL_DOUBLE))
    low = inner + exponent * 1.90821492927058770002e-10
    return exponent.times_plus(0.693147180369123816490, r - (half - low))


def _split_by_instructions(x: Number) -> tuple[Number, Number]:
    """Return e and r as `_split` does, with 1 + r from 3/4 on; NaN if x is negative."""
    around_one = avx512.around_one(x)
    return avx512.exponent(x) - avx512.exponent(around_one), around_one - 1.0


def _split(x: Number, least_bits: int) -> tuple[Number, Number]:
    """Return e, as a float, and r with x = 2^e (1 + r), where 1 + r is at least a given number.

    `least_bits` are the bits of that number.
    """
    single = x.dtype.bits == 32
    width, normal, lift = (23, 2.0**-126, 23) if single else (52, 2.0**-1022, 52)
    is_tiny = x < normal
    bits = is_tiny.choose(x * 2.0**lift, x).bits()
    power = (bits - least_bits) >> width
    fraction = (bits - (power << width)).as_float()
    exponent = power.to_float() - is_tiny.choose(x.of(float(lift)), 0.0)
    return exponent, fraction - 1.0


def _edges(x: Number, finite: Number) -> Number:
    """Emit the logarithm of infinite, zero, negative or NaN arguments, else `finite`."""
    infinity = float("inf")
    result = (x < infinity).choose(finite, x)
    result = (x > 0.0).choose(result, float("nan"))
    return x.equals(0.0).choose(-infinity, result)
