"""The pass that multiplies by the inverse of a constant instead of dividing by it."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dataflow import Found, is_constant, operators, wildcard
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import Divide, Multiply
from relay.support.node import value
from relay.transform.rewriting import RewritePass, Rule
from relay.transform.simplify.rounding_conditions import is_moderate

numerator, divisor = wildcard(), is_constant()
quotient = operators(Divide)(numerator, divisor)


@value
class DivToMul(RewritePass):
    """Replace `x / c` by `x * (1 / c)` for a constant `c` of floating-point type.

    No element of the constant may be zero, infinite or so extreme that its inverse is not a normal
    number. Results differ by rounding only.
    """

    def rules(self) -> Sequence[Rule]:
        """Return the rule that matches quotients with a constant divisor."""
        return (Rule(quotient, _product),)


def _product(found: Found) -> Expr | None:
    by = found[divisor]
    if not (by.tensor_type.dtype.is_float and by.array.all() and is_moderate(by.array)):
        return None
    inverse = np.asarray(1 / by.array.astype(np.float64)).astype(by.array.dtype)
    args = (found[numerator], Constant(inverse, span=by.span))
    return Call(Multiply(), args, span=found[quotient].span)
