"""Translate TensorFlow fake quantisation, which rounds floats to the steps of a range."""

import numpy as np

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ops.binary import Maximum, Minimum, add, divide, multiply, subtract
from relay.ops.elementwise import Floor, Rint
from relay.ops.functions import core


@tf_operator("FakeQuantWithMinMaxArgs")
def fake_quantised(node: TfNode) -> Expr:
    """Translate fake quantisation with a range in attributes."""
    low, high = node.number("min", -6.0), node.number("max", 6.0)
    return _rounded(node, np.asarray(low), np.asarray(high))


@tf_operator("FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel")
def fake_quantised_by_inputs(node: TfNode) -> Expr:
    """Translate fake quantisation with constant range inputs, per tensor or per channel."""
    return _rounded(node, node.constant(1, "min"), node.constant(2, "max"))


def _rounded(node: TfNode, low: Array, high: Array) -> Expr:
    """Return numbers rounded to the steps of a range, which is shifted so that 0 is a step."""
    ends, step = _grid(node, low, high)
    x = node.expr(0)
    least, most, scale, half = (
        Constant(np.asarray(each, x.tensor_type.dtype.numpy)) for each in (*ends, step, 0.5)
    )
    inside = Call(Minimum(), (Call(Maximum(), (x, least)), most), span=node.span)
    steps = Call(Floor(), (add(divide(subtract(inside, least), scale), half),))
    return add(multiply(steps, scale), least)


def _grid(node: TfNode, low: Array, high: Array) -> tuple[tuple[Array, Array], Array]:
    """Return the ends of a range that is shifted so that 0 is a step, and the size of a step."""
    last = 2 ** node.integer_of("num_bits", 8) - 1
    first = 1 if node.flag("narrow_range") else 0
    step = (high - low) / (last - first)
    zero = np.rint(np.clip(first - low / step, first, last))
    return ((first - zero) * step, (last - zero) * step), step


@tf_operator("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3", "QuantizeAndDequantizeV4")
def quantised_and_back(node: TfNode) -> Expr:
    """Translate `QuantizeAndDequantizeV2` and later: round floats to the steps of a range."""
    if node.integer_of("axis", -1) != -1:
        raise node.wrong("axis")
    x, signed = node.expr(0), bool(node.attribute("signed_input", default=True))
    if node.op.endswith("V3"):
        bits = node.integer(3, "the number of bits")
    else:
        bits = node.integer_of("num_bits", 8)
    last = 2 ** (bits - signed) - 1
    is_narrow = node.flag("narrow_range")
    first = (-last if is_narrow else -last - 1) if signed else 0
    given = bool(node.attribute("range_given", default=False))
    low, high = (node.expr(1), node.expr(2)) if given else (core.min(x), core.max(x))
    rounds_up = node.text("round_mode", "HALF_TO_EVEN") == "HALF_UP"
    return _on_grid(x, (low, high), (first, last), clips=given, rounds_up=rounds_up)


def _on_grid(
    x: Expr, ends: tuple[Expr, Expr], steps: tuple[int, int], *, clips: bool, rounds_up: bool
) -> Expr:
    """Return numbers rounded to the steps of a range, of which one is 0; may clip them to it.

    The range is that of the smaller of two scales: that of the low and that of the high end.
    """
    of = x.tensor_type.dtype
    (low, high), (first, last) = ends, (constant(each, of) for each in steps)
    largest = constant(float(np.finfo(np.float32).max), of)
    scales = [
        core.where(core.greater(multiply(step, end), constant(0, of)),
                   divide(step, core.where(core.equal(end, constant(0, of)), largest, end)),
                   largest)
        for end, step in ((low, first), (high, last))
    ]  # fmt: skip
    scale = core.minimum(scales[0], scales[1])
    if clips:
        x = core.minimum(core.maximum(x, divide(first, scale)), divide(last, scale))
    places = multiply(x, scale)
    half = constant(0.5, of)
    rounded = core.floor(add(places, half)) if rounds_up else Call(Rint(), (places,))
    return divide(rounded, scale)


@tf_operator("FakeQuantWithMinMaxArgsGradient")
def fake_quantised_gradient(node: TfNode) -> Expr:
    """Translate the gradient of fake quantisation: that of the result, inside of the range."""
    slope, x = node.exprs()
    bounds = np.asarray(node.number("min", -6.0)), np.asarray(node.number("max", 6.0))
    ends, _ = _grid(node, *bounds)
    of = x.tensor_type.dtype
    least, most = (Constant(np.asarray(each, of.numpy)) for each in ends)
    inside = core.logical_and(core.greater_equal(x, least), core.less_equal(x, most))
    return core.where(inside, slope, constant(0, of))
