"""Translate TensorFlow Lite pooling of images `(N, H, W, C)`."""

from typing import Any

from relay.frontend.builders.same_padded_windows import PaddedWindows
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.tflite.integer_arithmetic import activated, clipped_range, integer_range
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.frontend.tflite.translate.convolution import padded_windows
from relay.ir.expr import Call, Expr
from relay.ops.binary import divide, multiply, square
from relay.ops.cast import Cast
from relay.ops.elementwise import Clip, Round
from relay.ops.nn.pool_base import lowest
from relay.ops.nn.pool_operators import AvgPool2D, MaxPool2D
from relay.ops.qnn.scale_and_zero_point import cast
from relay.ops.transcendental import Sqrt
from relay.support.dtype import float32, float64

_MOST_EXACT = 1 << 15  # elements of 8 bits whose mean single precision rounds as integers do


def _windows(node: LiteNode, x: Expr, fill: float = 0) -> tuple[PaddedWindows, dict[str, Any]]:
    """Return the data with its padding, and the attributes of the pooling."""
    window = node.option("FilterHeight"), node.option("FilterWidth")
    strides = node.option("StrideH"), node.option("StrideW")
    padded = padded_windows(node, x, window, strides, (1, 1), fill)
    padding = padded.padding
    return padded, {
        "pool_size": window, "strides": strides, "padding": padding, "layout": "NHWC",
    }  # fmt: skip


@lite_operator("MAX_POOL_2D")
def max_pool(node: LiteNode) -> Expr:
    """Translate `MAX_POOL_2D`; quantised results have the scale of the data."""
    x = node.expr(0)
    padded, attributes = _windows(node, x, lowest(x.tensor_type.dtype.numpy))
    found = padded.apply(MaxPool2D(**attributes))
    return _cut_off(node, found) if node.result.is_quantized else activated(node, found)


@lite_operator("AVERAGE_POOL_2D")
def average_pool(node: LiteNode) -> Expr:
    """Translate `AVERAGE_POOL_2D`; integer means are rounded, halves away from zero."""
    x = node.expr(0)
    if not node.result.is_quantized:
        return activated(node, _mean(node, x))
    window = node.option("FilterHeight") * node.option("FilterWidth")
    is_exact = window < _MOST_EXACT and x.tensor_type.dtype.bits == 8
    padded, attributes = _windows(node, cast(x, float32 if is_exact else float64))
    op = AvgPool2D(**attributes)
    mean = _exact_mean(padded, op, window) if padded.is_padded else padded.apply(op)
    return _cut_off(node, Call(Cast(x.tensor_type.dtype), (Call(Round(), (mean,)),)))


def _mean(node: LiteNode, x: Expr) -> Expr:
    padded, attributes = _windows(node, x)
    return padded.mean(AvgPool2D(**attributes))


def _exact_mean(padded: PaddedWindows, op: AvgPool2D, window: int) -> Expr:
    """Return means of integers as floats, with exact sums, because the means will be rounded."""
    size = constant(window, padded.data.tensor_type.dtype)
    parts = padded.total_and_share(op)
    total, count = (Call(Round(), (multiply(each, size),)) for each in parts)
    return divide(total, count)


def _cut_off(node: LiteNode, x: Expr) -> Expr:
    low, high = integer_range(node.result, *clipped_range(node))
    return Call(Clip(float(low), float(high)), (x,))


@lite_operator("L2_POOL_2D")
def l2_pool(node: LiteNode) -> Expr:
    """Translate `L2_POOL_2D` of floats: the root mean square of each window."""
    node.check_not_quantised()
    return activated(node, Call(Sqrt(), (_mean(node, square(node.expr(0))),)))
