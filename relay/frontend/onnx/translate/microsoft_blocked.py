"""Translate ONNX Runtime's operators on images in blocks of channels (`com.microsoft.nchwc`).

Their values have as many channels as whole blocks; they are translated to plain images with that
number of channels, since every operator between them treats the blocks alike.
"""

from relay.frontend.builders.tensor_helpers import channels_first, channels_last, constant
from relay.frontend.onnx.channel_blocks import BLOCK
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import NCHWC, onnx_operator
from relay.frontend.onnx.translate.convolution import (
    global_average_pool,
    global_max_pool,
    maximum_pooling,
    pooled_average,
)
from relay.frontend.onnx.translate.microsoft_fused import fused_conv
from relay.frontend.onnx.translate.resizing import coordinate_mode, scaled_image
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ops.nn.pad import Pad
from relay.ops.tensor.slice import StridedSlice
from relay.support.error_codes import ErrorCode


@onnx_operator("ReorderInput", domain=NCHWC)
def reorder_input(node: OnnxNode) -> Expr:
    """Translate `ReorderInput`: add channels of zeros up to a whole number of blocks."""
    x = node.expr(0)
    if node.attribute("channels_last", 0):
        x = channels_first(x)
    channels, block = x.tensor_type.shape[1], node.required(BLOCK)
    if not isinstance(channels, int):
        raise node.error(ErrorCode.F032, "the number of channels must be known at compile time")
    if channels % block == 0:
        return x
    widths = tuple((0, -channels % block if axis == 1 else 0) for axis in range(x.tensor_type.rank))
    return Call(Pad(widths), (x, constant(0, x.tensor_type.dtype)), span=node.span)


@onnx_operator("ReorderOutput", domain=NCHWC)
def reorder_output(node: OnnxNode) -> Expr:
    """Translate `ReorderOutput`: remove the channels that fill the last block."""
    x, channels = node.expr(0), node.required("channels")
    if x.tensor_type.shape[1] != channels:
        x = Call(StridedSlice((0,), (channels,), axes=(1,)), (x,), span=node.span)
    return channels_last(x) if node.attribute("channels_last", 0) else x


@onnx_operator("Conv", domain=NCHWC)
def conv(node: OnnxNode) -> Expr:
    """Translate `Conv`, whose weight is stored in blocks, with a bias, a sum and an activation."""
    weight = node.constant(1, "the weight")
    block = node.required(BLOCK)
    if weight.ndim != 4 or weight.shape[0] % block:
        raise node.error(
            ErrorCode.F026,
            f"a weight of the shape {weight.shape} is not in blocks of {block} channels",
            help="save the model at a lower optimisation level, or on a machine like this one",
        )
    plain = _unblocked(weight, block, is_grouped=node.attribute("group", 1) > 1)
    return fused_conv(node.with_inputs({1: Constant(plain, span=node.span)}))


def _unblocked(weight: Array, block: int, *, is_grouped: bool) -> Array:
    """Return a weight of a convolution in the order of its shape (OIHW).

    1. Outputs are in blocks (OIHWo) in a depthwise convolution, or if there are few inputs.
    2. Else inputs and outputs are in blocks (OIHWio).
    """
    outputs, inputs, *kernel = weight.shape
    if (inputs == 1) if is_grouped else (inputs < block):
        blocked = weight.reshape(outputs // block, inputs, *kernel, block)
        return blocked.transpose(0, 4, 1, 2, 3).reshape(weight.shape)
    blocked = weight.reshape(outputs // block, inputs // block, *kernel, block, block)
    return blocked.transpose(0, 5, 1, 4, 2, 3).reshape(weight.shape)


@onnx_operator("MaxPool", domain=NCHWC)
def max_pool(node: OnnxNode) -> Expr:
    """Translate `MaxPool`."""
    return maximum_pooling(node).result


@onnx_operator("AveragePool", domain=NCHWC)
def average_pool(node: OnnxNode) -> Expr:
    """Translate `AveragePool`; means that count the padding are those of whole windows."""
    whole = bool(node.attribute("count_include_pad", 0))
    return pooled_average(node, node.expr(0), whole=whole)


@onnx_operator("GlobalMaxPool", domain=NCHWC)
def global_max(node: OnnxNode) -> Expr:
    """Translate `GlobalMaxPool`."""
    return global_max_pool(node)


@onnx_operator("GlobalAveragePool", domain=NCHWC)
def global_average(node: OnnxNode) -> Expr:
    """Translate `GlobalAveragePool`."""
    return global_average_pool(node)


@onnx_operator("Upsample", domain=NCHWC)
def upsample(node: OnnxNode) -> Expr:
    """Translate `Upsample` by whole numbers; each pixel has the nearest one at or before it."""
    mode = coordinate_mode(node, "asymmetric")
    return scaled_image(node, node.required("scales"), mode, "floor")
