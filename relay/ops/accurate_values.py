"""Values of one formula with the derivatives of another."""

from relay.ir.expr import Call, Expr
from relay.ops.binary import add, opposite, subtract
from relay.ops.comparison import equal
from relay.ops.creation import number
from relay.ops.selection import where
from relay.ops.stop_gradient import StopGradient


def with_derivatives_of(smooth: Expr, value: Expr) -> Expr:
    """Return an expression with the value `value` and the derivatives of `smooth`.

    `value` and `smooth` are the same but for rounding errors. Where they are within a factor of 2,
    the value of the result is exact; so is that of equal infinities.
    """
    zero = number(0, value)
    none = where(equal(value, zero), value, zero)  # which may be -0
    more = where(equal(value, smooth), none, subtract(value, smooth))
    signed = opposite(subtract(zero, smooth))  # -0 for 0, so that the sum has the sign of `more`
    return add(signed, Call(StopGradient(), (more,)))
