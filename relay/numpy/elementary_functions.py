"""Roots, exponentials, logarithms and angles; integers are converted to floats first."""

import math
from collections.abc import Callable

from relay.ir.expr import Expr
from relay.numpy.argument_conversion import Real, numpy_function
from relay.numpy.arithmetic import is_bool
from relay.numpy.complex_numbers import is_complex
from relay.numpy.rounding_and_float_tests import unit_sign
from relay.numpy.tensor_conversion import convert, like
from relay.ops.complex_numbers import real_functions
from relay.ops.functions import core
from relay.ops.identity_operators import with_derivatives_of
from relay.support.dtype import int8


def _of_one(name: str, operator: str) -> Callable[..., Expr]:
    """Return a NumPy function that converts its argument to floats and applies one operator."""

    def function(x: Real) -> Expr:
        return getattr(core, operator)(x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Return the elementwise `{name}` of floats; integers become floats first."
    return numpy_function(function)


arccos, arccosh = _of_one("arccos", "acos"), _of_one("arccosh", "acosh")
arcsin, arcsinh = _of_one("arcsin", "asin"), _of_one("arcsinh", "asinh")
arctan, arctanh = _of_one("arctan", "atan"), _of_one("arctanh", "atanh")
cos, cosh = _of_one("cos", "cos"), _of_one("cosh", "cosh")
sin, sinh = _of_one("sin", "sin"), _of_one("sinh", "sinh")
tan, tanh = _of_one("tan", "tan"), _of_one("tanh", "tanh")
exp, sqrt = _of_one("exp", "exp"), _of_one("sqrt", "sqrt")
log, log2, log10 = _of_one("log", "log"), _of_one("log2", "log2"), _of_one("log10", "log10")

acos, acosh, asin, asinh, atan, atanh = arccos, arccosh, arcsin, arcsinh, arctan, arctanh


@numpy_function
def exp2(x: Real) -> Expr:
    """Return powers of 2."""
    return core.power(like(2.0, x), x)


@numpy_function
def expm1(x: Real) -> Expr:
    """Return `exp(x) - 1`, exact near zero.

    It is computed as `(y - 1) x / log y` for `y = exp(x)`, where the rounding errors of `y` cancel
    (Kahan). For complex numbers, the cosine of the imaginary part becomes `1 - 2 sin²`.
    """
    if is_complex(x):
        a, b = core.real(x), core.imag(x)
        sine = core.sin(core.multiply(b, like(0.5, b)))
        less = core.multiply(like(2.0, a), core.multiply(sine, sine))
        real = core.subtract(core.multiply(expm1(a), core.cos(b)), less)
        return core.complex(real, core.multiply(core.exp(a), core.sin(b)))
    power, one = core.exp(x), like(1.0, x)
    flat = core.equal(power, one)
    far = core.greater(core.abs(x), like(9.0, x))
    odd = core.logical_or(flat, far)
    log_of = core.log(core.where(odd, like(math.e, x), power))
    factor, less_one = core.where(odd, one, core.divide(x, log_of)), core.subtract(power, one)
    return with_derivatives_of(less_one, core.where(flat, x, core.multiply(less_one, factor)))


@numpy_function
def log1p(x: Real) -> Expr:
    """Return `log(1 + x)`, exact near zero.

    It is computed as `log(y) x / (y - 1)` for `y = 1 + x`, where the rounding errors of `y` cancel
    (Kahan). For complex numbers, it is half the logarithm of the square of the length.
    """
    one = like(1.0, x)
    if is_complex(x):
        a, b = core.real(x), core.imag(x)
        excess = core.add(core.multiply(a, core.add(a, like(2.0, a))), core.multiply(b, b))
        half = core.multiply(like(0.5, a), log1p(excess))
        return core.complex(half, core.angle(core.add(x, one)))
    more = core.add(x, one)
    flat = core.equal(more, one)
    odd = core.logical_or(flat, core.isinf(more))
    distance = core.where(odd, one, core.subtract(more, one))
    factor, logarithm = core.where(odd, one, core.divide(x, distance)), core.log(more)
    return with_derivatives_of(logarithm, core.where(flat, x, core.multiply(logarithm, factor)))


@numpy_function
def cbrt(x: Real) -> Expr:
    """Return the cube root, also of negative numbers: a power, refined by one Newton step."""
    signs = unit_sign(x)
    size = core.multiply(x, signs)
    plain = core.logical_and(core.isfinite(size), core.greater(size, like(0, x)))
    safe = core.where(plain, size, like(1.0, x))
    root = core.power(safe, like(1 / 3, x))
    below = core.subtract(root, core.divide(safe, core.multiply(root, root)))
    root = core.subtract(root, core.multiply(below, like(1 / 3, x)))
    power = core.power(size, like(1 / 3, x))
    return core.multiply(with_derivatives_of(power, core.where(plain, root, size)), signs)


@numpy_function
def square(x: Expr) -> Expr:
    """Return `x * x`; int8 for booleans."""
    whole = convert(x, int8) if is_bool(x) else x
    return core.multiply(whole, whole)


@numpy_function
def hypot(x1: Real, x2: Real) -> Expr:
    """Return `sqrt(x1² + x2²)`, which overflows only if the result does."""
    return real_functions.hypot(x1, x2)


@numpy_function
def arctan2(x1: Real, x2: Real) -> Expr:
    """Return the angle of the point `(x2, x1)`; the signs of zeros count."""
    return real_functions.arctan2(x1, x2)


def _log_of_sum(
    x1: Expr,
    x2: Expr,
    log_of_2: float,
    more: Callable[[Expr], Expr],
    power: Callable[[Expr], Expr],
    logarithm: Callable[[Expr], Expr],
) -> Expr:
    """Return the logarithm of a sum of two powers with the exponents `x1` and `x2`.

    `power(x)` is a power of the base, `logarithm` its inverse, `log_of_2` the logarithm of 2, and
    `more(x)` is `logarithm(1 + power(x))`. The larger exponent is factored out; equal infinities
    are treated as having difference 0. The derivatives of an infinite sum are those of the maximum.
    """
    equal = core.equal(x1, x2)
    apart = core.where(equal, core.zeros_like(x1), core.abs(core.subtract(x1, x2)))
    top = core.maximum(x1, x2)
    endless = core.logical_and(core.isinf(top), core.greater(top, core.zeros_like(top)))
    found = core.add(top, more(core.negative(apart)))
    value = core.where(equal, core.add(x1, like(log_of_2, x1)), found)
    base = core.stop_gradient(core.where(core.isfinite(top), top, core.zeros_like(top)))
    finite = [core.where(endless, base, each) for each in (x1, x2)]
    powers = [power(core.subtract(each, base)) for each in finite]
    smooth = core.where(endless, top, core.add(base, logarithm(core.add(*powers))))
    return with_derivatives_of(smooth, value)


@numpy_function
def logaddexp(x1: Real, x2: Real) -> Expr:
    """Return `log(exp(x1) + exp(x2))`."""
    return _log_of_sum(x1, x2, math.log(2), lambda x: log1p(core.exp(x)), core.exp, core.log)


@numpy_function
def logaddexp2(x1: Real, x2: Real) -> Expr:
    """Return `log2(2 ** x1 + 2 ** x2)`."""

    def more(x: Expr) -> Expr:
        return core.multiply(log1p(exp2(x)), like(1 / math.log(2), x))

    return _log_of_sum(x1, x2, 1.0, more, exp2, core.log2)


@numpy_function
def rad2deg(x: Real) -> Expr:
    """Return angles in degrees."""
    return core.multiply(x, like(180 / math.pi, x))


@numpy_function
def deg2rad(x: Real) -> Expr:
    """Return angles in radians."""
    return core.multiply(x, like(math.pi / 180, x))


degrees, radians = rad2deg, deg2rad
atan2 = arctan2


_SINC_TERMS = 11
"""Terms of the series of `sin(u) / u`, which gives its third derivative at 1 to 1e-16."""


@numpy_function
def sinc(x: Real) -> Expr:
    """Return `sin(pi x) / (pi x)`, which is 1 at zero.

    Where `|pi x| < 1` it is a power series: derivatives of the quotient cancel there.
    """
    angle = core.multiply(x, like(math.pi, x))
    size = core.abs(angle)
    near = core.less(size, like(1, size))
    safe = core.where(near, like(1.0, x), angle)
    inside = core.where(near, angle, like(0.0, x))
    square = core.multiply(inside, inside)
    series = like(0.0, x)
    for k in reversed(range(_SINC_TERMS)):
        term = like((-1) ** k / math.factorial(2 * k + 1), x)
        series = core.add(core.multiply(series, square), term)
    return core.where(near, series, core.divide(core.sin(safe), safe))
