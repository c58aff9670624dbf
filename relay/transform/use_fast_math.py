"""The pass that replaces elementary functions by TVM's `fast_…` operators."""

from typing import cast

from relay.ir.expr import Call, Expr, Function
from relay.ir.walk import rewrite
from relay.ops.nn.softmax import FastSoftmax, Softmax
from relay.ops.transcendental import Erf, Exp, FastErf, FastExp, FastTanh, Tanh
from relay.support.node import replace, value
from relay.transform.pipeline import FunctionPass


@value
class UseFastMath(FunctionPass):
    """Replace `exp`, `erf`, `tanh` and `nn.softmax` by TVM's `fast_…` operators.

    In float32 they are as exact here; mixed precision may compute them in a narrower type.
    """

    def run(self, function: Function) -> Function:
        """Return the function with the four operators replaced."""
        return cast("Function", rewrite(function, _fast))


def _fast(expr: Expr) -> Expr:
    match expr:
        case Call(Exp()):
            return replace(expr, op=FastExp())
        case Call(Erf()):
            return replace(expr, op=FastErf())
        case Call(Tanh()):
            return replace(expr, op=FastTanh())
        case Call(Softmax(axis)):
            return replace(expr, op=FastSoftmax(axis))
        case _:
            return expr
