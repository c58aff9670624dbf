"""Powers of integers, which the operator `power` does not have."""

from functools import reduce

from relay.frontend.builders.tensor_helpers import converted
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import multiply
from relay.ops.elementwise import Rint
from relay.ops.transcendental import Power
from relay.support.dtype import float64

_HIGHEST = 64  # higher powers of other integers than 0, 1 and -1 exceed 64 bits


def power_of(x: Expr, y: Expr) -> Expr:
    """Return `x` to the power `y`, in the element type of `x`, which may be an integer type."""
    if x.tensor_type.dtype.is_integer:
        return integer_power(x, y)
    return Call(Power(), (x, y), span=x.span)


def integer_power(x: Expr, y: Expr) -> Expr:
    """Return an integer power of integers, in the element type of `x`.

    1. A constant exponent becomes products, which wrap around on overflow.
    2. Other powers are computed in float64, which is exact for results below 2 to the 53.
    """
    exponent = _small_constant(y)
    if exponent is not None and y.tensor_type.rank <= x.tensor_type.rank:  # 1
        return _products(x, exponent)
    wide = Call(Power(), (converted(x, float64), converted(y, float64)), span=x.span)  # 2
    return converted(Call(Rint(), (wide,)), x.tensor_type.dtype)


def _small_constant(y: Expr) -> int | None:
    """Return an exponent from 1 to 64, or None if it is another number or not constant."""
    if not isinstance(y, Constant) or y.array.size != 1:
        return None
    found = float(y.array.item())
    return int(found) if found.is_integer() and 1 <= found <= _HIGHEST else None


def _products(x: Expr, exponent: int) -> Expr:
    """Return a positive power by repeated squaring."""
    factors: list[Expr] = []
    while exponent:
        if exponent & 1:
            factors.append(x)
        exponent >>= 1
        if exponent:
            x = multiply(x, x)
    return reduce(multiply, factors)
