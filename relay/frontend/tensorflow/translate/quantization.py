"""Translate simulated quantisation: real numbers rounded to the steps of a range."""

from relay.frontend.builders.tensors import constant
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.expr import Call, Expr
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.elementwise import Clip, Floor


@tf_operator("FakeQuantWithMinMaxArgs")
def fake_quantised(node: TfNode) -> Expr:
    """Round to the steps of a range in the attributes."""
    return _rounded(node, node.number("min", -6.0), node.number("max", 6.0))


@tf_operator("FakeQuantWithMinMaxVars")
def fake_quantised_by_inputs(node: TfNode) -> Expr:
    """Round to the steps of a range, two constants."""
    low, high = (float(node.constant(index, "a bound").reshape(())) for index in (1, 2))
    return _rounded(node, low, high)


def _rounded(node: TfNode, low: float, high: float) -> Expr:
    """Return numbers rounded to the steps of a range, which is moved so that 0 is one of them."""
    last = 2 ** node.integer_of("num_bits", 8) - 1
    first = 1 if node.flag("narrow_range") else 0
    step = (high - low) / (last - first)
    zero = round(min(max(first - low / step, first), last))
    low, high = (first - zero) * step, (last - zero) * step
    x = node.expr(0)
    least, scale, half = (constant(e, x.tensor_type.dtype) for e in (low, step, 0.5))
    inside = subtract(Call(Clip(low, high), (x,), span=node.span), least)
    steps = Call(Floor(), (add(divide(inside, scale), half),))
    return add(multiply(steps, scale), least)
