"""Translate TensorFlow fake quantisation, which rounds floats to the steps of a range."""

import numpy as np

from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ops.binary import Maximum, Minimum, add, divide, multiply, subtract
from relay.ops.elementwise import Floor


@tf_operator("FakeQuantWithMinMaxArgs")
def fake_quantised(node: TfNode) -> Expr:
    """Translate fake quantisation with a range in attributes."""
    low, high = node.number("min", -6.0), node.number("max", 6.0)
    return _rounded(node, np.asarray(low), np.asarray(high))


@tf_operator("FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel")
def fake_quantised_by_inputs(node: TfNode) -> Expr:
    """Translate fake quantisation with constant range inputs, per tensor or per channel."""
    return _rounded(node, node.constant(1, "the least"), node.constant(2, "the largest"))


def _rounded(node: TfNode, low: Array, high: Array) -> Expr:
    """Return numbers rounded to the steps of a range, which is shifted so that 0 is a step."""
    last = 2 ** node.integer_of("num_bits", 8) - 1
    first = 1 if node.flag("narrow_range") else 0
    step = (high - low) / (last - first)
    zero = np.rint(np.clip(first - low / step, first, last))
    x = node.expr(0)
    least, most, scale, half = (
        Constant(np.asarray(each, x.tensor_type.dtype.numpy))
        for each in ((first - zero) * step, (last - zero) * step, step, 0.5)
    )
    inside = Call(Minimum(), (Call(Maximum(), (x, least)), most), span=node.span)
    steps = Call(Floor(), (add(divide(subtract(inside, least), scale), half),))
    return add(multiply(steps, scale), least)
