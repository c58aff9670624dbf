"""Translate TensorFlow Lite pooling of images `(N, H, W, C)`."""

from math import prod

from relay.frontend.tflite.integer_arithmetic import activated, clipped_range, integer_range
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.frontend.tflite.translate.convolution import same_padding, sides
from relay.ir.expr import Call, Expr
from relay.ops.binary import square
from relay.ops.cast import Cast
from relay.ops.elementwise import Clip, Round
from relay.ops.nn.pool_operators import AvgPool2D, MaxPool2D
from relay.ops.qnn.scale_and_zero_point import cast
from relay.ops.transcendental import Sqrt
from relay.support.dtype import float32, float64

_MOST_EXACT = 1 << 15  # elements of 8 bits whose mean single precision rounds as integers do


def _pool(node: LiteNode, kind: type[AvgPool2D] | type[MaxPool2D]) -> AvgPool2D | MaxPool2D:
    window = node.option("FilterHeight"), node.option("FilterWidth")
    strides = node.option("StrideH"), node.option("StrideW")
    pairs = same_padding(node, node.type(0).shape[1:3], window, strides, (1, 1))
    return kind(pool_size=window, strides=strides, padding=sides(pairs), layout="NHWC")


@lite_operator("MAX_POOL_2D")
def max_pool(node: LiteNode) -> Expr:
    """Translate `MAX_POOL_2D`; quantised results have the scale of the data."""
    found = Call(_pool(node, MaxPool2D), (node.expr(0),), span=node.span)
    return _cut_off(node, found) if node.result.is_quantized else activated(node, found)


@lite_operator("AVERAGE_POOL_2D")
def average_pool(node: LiteNode) -> Expr:
    """Translate `AVERAGE_POOL_2D`; integer means are rounded, halves away from zero."""
    op, x = _pool(node, AvgPool2D), node.expr(0)
    if not node.result.is_quantized:
        return activated(node, Call(op, (x,), span=node.span))
    is_exact = prod(op.pool_size) < _MOST_EXACT and x.tensor_type.dtype.bits == 8
    mean = Call(op, (cast(x, float32 if is_exact else float64),), span=node.span)
    return _cut_off(node, Call(Cast(x.tensor_type.dtype), (Call(Round(), (mean,)),)))


def _cut_off(node: LiteNode, x: Expr) -> Expr:
    low, high = integer_range(node.result, *clipped_range(node))
    return Call(Clip(float(low), float(high)), (x,))


@lite_operator("L2_POOL_2D")
def l2_pool(node: LiteNode) -> Expr:
    """Translate `L2_POOL_2D` of floats: the root mean square of each window."""
    mean = Call(_pool(node, AvgPool2D), (square(node.expr(0)),), span=node.span)
    return activated(node, Call(Sqrt(), (mean,)))
