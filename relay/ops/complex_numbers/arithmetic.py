"""Arithmetic of complex numbers as expressions of their parts."""

from relay.ir.expr import Call, Expr
from relay.opdef.complex_rules import ComplexTensor
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.broadcasting import BroadcastToLike
from relay.ops.comparison import Equal, GreaterEqual
from relay.ops.complex_numbers.real_functions import arctan2, call, hypot
from relay.ops.creation import ZerosLike, number
from relay.ops.elementwise import Abs, Negative
from relay.ops.logical import LogicalAnd, LogicalNot
from relay.ops.selection import where


def of_real(x: Expr) -> ComplexTensor:
    """Return a real tensor as a complex one, whose imaginary part is zero."""
    return ComplexTensor(x, Call(ZerosLike(), (x,)))


def of_parts(real: Expr, imaginary: Expr) -> ComplexTensor:
    """Return a complex tensor whose parts broadcast to its shape."""
    whole = add(real, imaginary)
    parts = (real, imaginary)
    if all(part.tensor_type.shape == whole.tensor_type.shape for part in parts):
        return ComplexTensor(*parts)
    return ComplexTensor(*(Call(BroadcastToLike(), (part, whole)) for part in parts))


def opposite(x: ComplexTensor) -> ComplexTensor:
    """Return numbers with the opposite parts."""
    return ComplexTensor(*(call(Negative, part) for part in x.parts))


def conjugate(x: ComplexTensor) -> ComplexTensor:
    """Return numbers with the opposite imaginary parts."""
    return ComplexTensor(x.real, call(Negative, x.imaginary))


def turned(x: ComplexTensor) -> ComplexTensor:
    """Return numbers multiplied by the imaginary unit."""
    return ComplexTensor(call(Negative, x.imaginary), x.real)


def unturned(x: ComplexTensor) -> ComplexTensor:
    """Return numbers divided by the imaginary unit."""
    return opposite(turned(x))


def scaled(x: ComplexTensor, factor: Expr) -> ComplexTensor:
    """Return numbers multiplied by real ones."""
    return ComplexTensor(*(multiply(part, factor) for part in x.parts))


def total(x: ComplexTensor, y: ComplexTensor) -> ComplexTensor:
    """Return the sum of complex numbers."""
    return ComplexTensor(add(x.real, y.real), add(x.imaginary, y.imaginary))


def difference(x: ComplexTensor, y: ComplexTensor) -> ComplexTensor:
    """Return the difference of complex numbers."""
    return ComplexTensor(subtract(x.real, y.real), subtract(x.imaginary, y.imaginary))


def product(x: ComplexTensor, y: ComplexTensor) -> ComplexTensor:
    """Return the product of complex numbers."""
    (a, b), (c, d) = x.parts, y.parts
    real = subtract(multiply(a, c), multiply(b, d))
    return ComplexTensor(real, add(multiply(a, d), multiply(b, c)))


def quotient(x: ComplexTensor, y: ComplexTensor) -> ComplexTensor:
    """Return the quotient of complex numbers by Smith's method, which does not overflow.

    Both parts of the divisor are divided by the longer one. A divisor of 0 is a real one.
    """
    (a, b), (c, d) = x.parts, y.parts
    first = call(GreaterEqual, call(Abs, c), call(Abs, d))
    long, short = where(first, c, d), where(first, d, c)
    ratio = divide(short, where(call(Equal, long, number(0, long)), number(1, long), long))
    divisor = add(long, multiply(short, ratio))
    p, q = where(first, a, b), where(first, b, a)
    real = divide(add(p, multiply(q, ratio)), divisor)
    imaginary = divide(subtract(q, multiply(p, ratio)), divisor)
    return ComplexTensor(real, where(first, imaginary, call(Negative, imaginary)))


def are_equal(x: ComplexTensor, y: ComplexTensor) -> Expr:
    """Return whether both parts are equal."""
    return call(LogicalAnd, call(Equal, x.real, y.real), call(Equal, x.imaginary, y.imaginary))


def are_different(x: ComplexTensor, y: ComplexTensor) -> Expr:
    """Return whether a part differs."""
    return call(LogicalNot, are_equal(x, y))


def length(x: ComplexTensor) -> Expr:
    """Return the lengths of complex numbers, with derivative 0 at 0."""
    return hypot(x.real, x.imaginary)


def direction(x: ComplexTensor) -> ComplexTensor:
    """Return numbers divided by their lengths; zero stays zero."""
    size = length(x)
    divisor = where(call(Equal, size, number(0, size)), number(1, size), size)
    return ComplexTensor(*(divide(part, divisor) for part in x.parts))


def angle(x: ComplexTensor) -> Expr:
    """Return the angles of complex numbers, from -pi to pi."""
    return arctan2(x.imaginary, x.real)
