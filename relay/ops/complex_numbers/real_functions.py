"""Lengths, angles and signs of points, as expressions of real tensors."""

from math import pi

from relay.ir.expr import Call, Expr, Operator
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.cast import Reinterpret
from relay.ops.comparison import Equal, Greater, GreaterEqual, Less
from relay.ops.creation import number
from relay.ops.derivatives_at_zero import absolute
from relay.ops.elementwise import Abs, IsInf, Negative
from relay.ops.identity_operators import StopGradient
from relay.ops.logical import LogicalAnd, LogicalOr
from relay.ops.selection import where
from relay.ops.transcendental import Atan, Sqrt
from relay.support.dtype import DType, Kind


def call(op: type[Operator], *args: Expr) -> Call:
    """Return a call of an operator that has no attributes."""
    return Call(op(), args)


def signbit(x: Expr) -> Expr:
    """Return whether the sign bit is set, as in `-0.0`."""
    integers = DType(Kind.INT, x.tensor_type.dtype.bits)
    bits = Call(Reinterpret(integers), (call(StopGradient, x),))
    return call(Less, bits, number(0, bits))


def copysign(x: Expr, sign: Expr) -> Expr:
    """Return the absolute values of `x` with the signs of `sign`."""
    size = absolute(x)
    return where(signbit(sign), call(Negative, size), size)


def hypot(x: Expr, y: Expr) -> Expr:
    """Return `sqrt(x² + y²)`, which overflows only if the result does; derivative 0 at 0."""
    a, b = call(Abs, x), call(Abs, y)
    first = call(GreaterEqual, a, b)
    long, short = where(first, a, b), where(first, b, a)
    odd = call(LogicalOr, call(Equal, long, number(0, long)), call(IsInf, a))
    odd = call(LogicalOr, odd, call(IsInf, b))
    ratio = divide(short, where(odd, number(1, long), long))
    root = call(Sqrt, add(multiply(ratio, ratio), number(1, ratio)))
    plain = where(call(IsInf, b), b, add(absolute(x), absolute(y)))  # zeros, or NaN
    return where(odd, where(call(IsInf, a), a, plain), multiply(long, root))


def arctan2(y: Expr, x: Expr) -> Expr:
    """Return the angle of the point `(x, y)` from -pi to pi; the signs of zeros count."""
    signs, across_signs = (where(signbit(e), number(-1, e), number(1, e)) for e in (y, x))
    up, across = multiply(y, signs), multiply(x, across_signs)
    steep = call(Greater, up, across)
    long, short = where(steep, up, across), where(steep, across, up)
    zero, one = number(0, long), number(1, long)
    is_diagonal = call(LogicalAnd, call(IsInf, up), call(IsInf, across))
    is_origin = call(Equal, add(up, across), zero)
    divisor = where(call(Equal, long, zero), one, long)
    ratio = divide(where(is_origin, zero, short), divisor)
    arc = call(Atan, where(is_diagonal, one, ratio))
    arc = where(steep, subtract(number(pi / 2, arc), arc), arc)
    arc = where(signbit(x), subtract(number(pi, arc), arc), arc)
    return multiply(arc, signs)
