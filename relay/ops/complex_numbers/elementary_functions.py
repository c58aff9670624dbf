"""Roots, exponentials, logarithms and trigonometric functions of complex numbers by their parts.

The branch cuts are those of NumPy. Overflow is avoided where the result does not overflow.
"""

from math import inf, log

from relay.ir.expr import Expr
from relay.opdef.complex_rules import ComplexTensor
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.comparison import Equal, Greater, Less, LessEqual
from relay.ops.complex_numbers.arithmetic import (
    angle,
    of_real,
    opposite,
    product,
    quotient,
    turned,
    unturned,
)
from relay.ops.complex_numbers.arithmetic import scaled as scaled_by
from relay.ops.complex_numbers.real_functions import call, copysign, hypot
from relay.ops.creation import OnesLike, number
from relay.ops.elementwise import Abs, IsFinite, IsInf, Negative
from relay.ops.logical import LogicalAnd, LogicalNot, LogicalOr
from relay.ops.selection import where
from relay.ops.transcendental import Atanh, Cos, Cosh, Exp, Log, Sin, Sinh, Sqrt, Tan
from relay.support.dtype import float32


def polar(size: Expr, turn: Expr) -> ComplexTensor:
    """Return the points at given lengths and angles; at the angle 0 they are real."""
    up = where(_is_zero(turn), turn, multiply(size, call(Sin, turn)))
    return ComplexTensor(multiply(size, call(Cos, turn)), up)


def exponential(x: ComplexTensor) -> ComplexTensor:
    """Return the points of the length `exp(real)` at the angle `imaginary`.

    Large exponents are split, because the parts may be finite where the length is infinite. At no
    angle, the end of the axis is 0 or has an infinite real part.
    """
    most = _largest_exponent(x.real)
    is_large = call(Greater, x.real, number(most, x.real))
    rest = where(is_large, subtract(x.real, number(most / 2, x.real)), x.real)
    one = number(1, x.real)
    factor = where(is_large, call(Exp, number(most / 2, x.real)), one)
    found = scaled_by(polar(call(Exp, rest), x.imaginary), factor)
    is_end = call(LogicalAnd, call(IsInf, x.real), _has_no_angle(x.imaginary))
    zero = number(0, x.real)
    vanishes = call(LogicalAnd, is_end, call(Less, x.real, zero))
    return ComplexTensor(
        where(is_end, call(Exp, x.real), found.real),
        where(vanishes, copysign(zero, x.imaginary), found.imaginary),
    )


def logarithm(x: ComplexTensor) -> ComplexTensor:
    """Return the logarithms of the lengths, and the angles."""
    return ComplexTensor(log_of_length(x), angle(x))


def log_of_length(x: ComplexTensor) -> Expr:
    """Return `log |x|`, exact also near 1, where the square of the length is nearly 1.

    `log(1 + t) / 2` is computed as `atanh(t / (2 + t))`. An infinite part makes the length
    infinite, whatever the other part is.
    """
    a, b = (call(Abs, part) for part in x.parts)
    first = call(Greater, a, b)
    long, short = where(first, a, b), where(first, b, a)
    zero, one, two = (number(each, long) for each in (0, 1, 2))
    is_near = call(LogicalAnd, call(Less, long, two), call(Less, number(0.5, long), long))
    is_odd = _is_zero(long)
    is_infinite = call(IsInf, long)
    divisor = where(is_odd, one, where(is_infinite, one, long))
    ratio = where(is_infinite, zero, divide(short, divisor))
    distance = multiply(subtract(long, one), add(long, one))
    near = add(distance, multiply(short, short))
    t = where(is_near, near, multiply(ratio, ratio))
    half = call(Atanh, divide(t, add(t, two)))
    is_endless = call(LogicalOr, *(call(IsInf, part) for part in x.parts))
    found = add(where(is_near, zero, call(Log, long)), half)
    return where(is_endless, number(inf, found), found)


def logarithm_to(base: float, x: ComplexTensor) -> ComplexTensor:
    """Return the logarithms to a base."""
    found = logarithm(x)
    return scaled_by(found, number(1 / log(base), found.real))


def square_root(x: ComplexTensor) -> ComplexTensor:
    """Return the square roots with real parts that are not negative.

    The larger part is the root of `(length + abs(real)) / 2`, without cancellation; the smaller
    follows from the product of both. Very large and small numbers are scaled by powers of 4.
    """
    a, b = (call(Abs, part) for part in x.parts)
    size = where(call(Greater, a, b), a, b)
    low, high = (2.0**-100, 2.0**100) if x.tensor_type.dtype is float32 else (2.0**-900, 2.0**900)
    few, many = (call(Less, size, number(low, size)), call(Greater, size, number(high, size)))
    one = number(1, size)
    factor = where(few, number(2.0**60, size), where(many, number(2.0**-4, size), one))
    back = where(few, number(2.0**-30, size), where(many, number(4, size), one))
    a, b = multiply(a, factor), multiply(b, factor)
    half, zero = number(0.5, a), number(0, a)
    twice = add(hypot(a, b), a)
    is_zero = _is_zero(twice)
    larger = call(Sqrt, multiply(half, where(is_zero, one, twice)))
    smaller = where(is_zero, zero, divide(multiply(half, b), larger))
    larger = multiply(where(is_zero, zero, larger), back)
    smaller = multiply(smaller, back)
    endless = call(IsInf, x.imaginary)
    is_right = call(LessEqual, number(0, x.real), x.real)
    real = where(endless, b, where(is_right, larger, smaller))
    imaginary = where(endless, b, where(is_right, smaller, larger))
    return ComplexTensor(real, copysign(imaginary, x.imaginary))


def reciprocal_root(x: ComplexTensor) -> ComplexTensor:
    """Return one over the square roots."""
    return quotient(of_real(call(OnesLike, x.real)), square_root(x))


def sigmoid(x: ComplexTensor) -> ComplexTensor:
    """Return `1 / (1 + e^-x)`, by the exponential whose length is at most 1."""
    zero, one = number(0, x.real), number(1, x.real)
    is_right = call(LessEqual, zero, x.real)
    back = opposite(x)
    pairs = zip(back.parts, x.parts, strict=True)
    small = exponential(ComplexTensor(*(where(is_right, *pair) for pair in pairs)))
    real, imaginary = where(is_right, one, small.real), where(is_right, zero, small.imaginary)
    whole = ComplexTensor(add(small.real, one), small.imaginary)
    return quotient(ComplexTensor(real, imaginary), whole)


def power(x: ComplexTensor, y: ComplexTensor) -> ComplexTensor:
    """Return `exp(y log x)`; powers of 0 are 0 for exponents with positive real parts.

    Anything to the power 0 is 1, as for real numbers.
    """
    zero = number(0, x.real)
    from_zero = call(LogicalAnd, *map(_is_zero, x.parts))
    base = ComplexTensor(where(from_zero, number(1, zero), x.real), x.imaginary)
    found = exponential(product(y, logarithm(base)))
    to_zero = call(LogicalAnd, *map(_is_zero, y.parts))
    vanishes = call(LogicalAnd, from_zero, call(Greater, y.real, zero))
    undefined = number(float("nan"), zero)

    def part(found: Expr, at_zero: Expr) -> Expr:
        odd = where(from_zero, where(vanishes, zero, undefined), found)
        return where(to_zero, at_zero, odd)

    return ComplexTensor(part(found.real, number(1, zero)), part(found.imaginary, zero))


def sine(x: ComplexTensor) -> ComplexTensor:
    """Return `sin a cosh b + i cos a sinh b`, of which a part is 0 where `a` or `b` is.

    The imaginary part is infinite where `b` is, also if `a` is no angle.
    """
    a, b = x.parts
    cosh, sinh, factor = _hyperbolic(b)
    real = multiply(multiply(call(Sin, a), cosh), factor)
    imaginary = multiply(multiply(call(Cos, a), sinh), factor)
    no_angle = _has_no_angle(a)
    end = where(call(IsInf, b), call(Abs, b), where(_is_zero(b), b, imaginary))
    imaginary = where(no_angle, end, imaginary)
    return ComplexTensor(where(_is_zero(a), a, real), imaginary)


def cosine(x: ComplexTensor) -> ComplexTensor:
    """Return `cos a cosh b - i sin a sinh b`, which is real where `a` or `b` is 0.

    The real part is infinite where `b` is, also if `a` is no angle.
    """
    a, b = x.parts
    cosh, sinh, factor = _hyperbolic(b)
    real = multiply(multiply(call(Cos, a), cosh), factor)
    imaginary = call(Negative, multiply(multiply(call(Sin, a), sinh), factor))
    is_real = call(LogicalOr, _is_zero(a), _is_zero(b))
    zero, one = number(0, a), number(1, b)
    signed = call(Negative, multiply(copysign(zero, a), copysign(one, b)))
    is_end = call(LogicalAnd, call(IsInf, b), _has_no_angle(a))
    real = where(is_end, call(Abs, b), real)
    return ComplexTensor(real, where(is_real, signed, imaginary))


def _hyperbolic(b: Expr) -> tuple[Expr, Expr, Expr]:
    """Return `cosh b` and `sinh b`, both without the factor that is returned, too.

    The factor is 1 unless they overflow.
    """
    most = number(_largest_exponent(b), b)
    beyond = subtract(call(Abs, b), most)
    is_large = call(Greater, beyond, number(0, b))
    limited = where(is_large, copysign(most, b), b)
    factor = call(Exp, where(is_large, beyond, number(0, b)))
    return call(Cosh, limited), call(Sinh, limited), factor


def _largest_exponent(x: Expr) -> float:
    """Return a number whose exponential nearly overflows."""
    return 88.0 if x.tensor_type.dtype is float32 else 709.0


def _has_no_angle(x: Expr) -> Expr:
    """Return whether numbers are infinite or NaN, so that their sine and cosine are NaN."""
    return call(LogicalNot, call(IsFinite, x))


def _is_zero(x: Expr) -> Expr:
    return call(Equal, x, number(0, x))


def hyperbolic_sine(x: ComplexTensor) -> ComplexTensor:
    """Return `sinh a cos b + i cosh a sin b`, which is `-i sin(i x)`."""
    return unturned(sine(turned(x)))


def hyperbolic_cosine(x: ComplexTensor) -> ComplexTensor:
    """Return `cosh a cos b + i sinh a sin b`, which is `cos(i x)`."""
    return cosine(turned(x))


def hyperbolic_tangent(x: ComplexTensor) -> ComplexTensor:
    """Return the quotient of the hyperbolic sine and cosine by Kahan's formula.

    It has no cancellation; where the real part is so large that the result is ±1 except for an
    imaginary part of nearly 0, the real part is limited. Where the imaginary part is no angle, the
    result is known on the imaginary axis, whose real part is 0, and at the ends of the real axis.
    """
    most = 20.0 if x.tensor_type.dtype is float32 else 40.0
    limit = number(most, x.real)
    is_far = call(Greater, call(Abs, x.real), limit)
    slope = call(Tan, x.imaginary)
    sinh = call(Sinh, where(is_far, copysign(limit, x.real), x.real))
    one = number(1, sinh)
    cosh = call(Sqrt, add(one, multiply(sinh, sinh)))
    beta = add(one, multiply(slope, slope))
    divisor = add(one, multiply(beta, multiply(sinh, sinh)))
    real = divide(multiply(multiply(beta, cosh), sinh), divisor)
    no_angle = _has_no_angle(x.imaginary)
    is_end = call(LogicalAnd, call(IsInf, x.real), no_angle)
    on_axis = call(LogicalAnd, _is_zero(x.real), no_angle)
    real = where(is_end, copysign(one, x.real), where(on_axis, x.real, real))
    imaginary = where(_is_zero(x.imaginary), x.imaginary, divide(slope, divisor))
    zero = copysign(number(0, sinh), x.imaginary)
    return ComplexTensor(real, where(is_end, zero, imaginary))


def tangent(x: ComplexTensor) -> ComplexTensor:
    """Return the tangent, which is `-i tanh(i x)`."""
    return unturned(hyperbolic_tangent(turned(x)))
