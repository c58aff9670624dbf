"""Inverse trigonometric and hyperbolic functions of complex numbers by their parts.

The formulas are those of Kahan, without cancellation; the branch cuts are those of NumPy, where the
sign of a zero tells the side.
"""

from relay.ir.expr import Expr
from relay.opdef.complex_rules import ComplexTensor
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.comparison import Less
from relay.ops.complex_numbers.arithmetic import (
    angle,
    conjugate,
    length,
    opposite,
    product,
    turned,
    unturned,
)
from relay.ops.complex_numbers.elementary_functions import log_of_length, square_root
from relay.ops.complex_numbers.real_functions import arctan2, call
from relay.ops.creation import number
from relay.ops.elementwise import Abs
from relay.ops.selection import where
from relay.ops.transcendental import Asinh, Atanh


def inverse_sine(x: ComplexTensor) -> ComplexTensor:
    """Return the numbers whose sine is `x`, by the roots of `1 - x` and `1 + x`."""
    below, above = square_root(_more(opposite(x), 1)), square_root(_more(x, 1))
    up = call(Asinh, product(conjugate(below), above).imaginary)
    return ComplexTensor(arctan2(x.real, product(below, above).real), up)


def inverse_cosine(x: ComplexTensor) -> ComplexTensor:
    """Return the numbers whose cosine is `x`, by the roots of `1 - x` and `1 + x`."""
    below, above = square_root(_more(opposite(x), 1)), square_root(_more(x, 1))
    half = arctan2(below.real, above.real)
    return ComplexTensor(add(half, half), call(Asinh, product(conjugate(above), below).imaginary))


def inverse_hyperbolic_cosine(x: ComplexTensor) -> ComplexTensor:
    """Return the numbers whose hyperbolic cosine is `x`, by the roots of `x - 1` and `x + 1`."""
    below, above = square_root(_more(x, -1)), square_root(_more(x, 1))
    half = arctan2(below.imaginary, above.real)
    return ComplexTensor(call(Asinh, product(conjugate(below), above).real), add(half, half))


def inverse_hyperbolic_sine(x: ComplexTensor) -> ComplexTensor:
    """Return the numbers whose hyperbolic sine is `x`: `-i asin(i x)`."""
    return unturned(inverse_sine(turned(x)))


def inverse_hyperbolic_tangent(x: ComplexTensor) -> ComplexTensor:
    """Return half the logarithm of `(1 + x) / (1 - x)`.

    Where the real part of that is small, it is computed by a function of real numbers.
    """
    below, above = _more(opposite(x), 1), _more(x, 1)
    u = _double_angle(x)
    half, zero = number(0.5, u), number(0, u)
    is_small = call(Less, call(Abs, u), half)
    small = call(Atanh, where(is_small, u, zero))
    large = subtract(log_of_length(above), log_of_length(below))
    real = where(is_small, small, large)
    turn = subtract(angle(above), angle(below))
    return ComplexTensor(multiply(real, half), multiply(turn, half))


def inverse_tangent(x: ComplexTensor) -> ComplexTensor:
    """Return the numbers whose tangent is `x`: `-i atanh(i x)`."""
    return unturned(inverse_hyperbolic_tangent(turned(x)))


def _double_angle(x: ComplexTensor) -> Expr:
    """Return `2 a / (1 + |x|²)`: the hyperbolic tangent of twice the real part of `atanh x`."""
    size = length(x)
    one = number(1, size)
    scale = where(call(Less, one, size), size, one)
    divisor = add(divide(one, scale), multiply(size, divide(size, scale)))
    return divide(multiply(number(2, size), divide(x.real, scale)), divisor)


def _more(x: ComplexTensor, by: float) -> ComplexTensor:
    return ComplexTensor(add(x.real, number(by, x.real)), x.imaginary)
