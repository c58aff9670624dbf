"""Translate TensorFlow Lite convolutions, and compute window padding."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from relay.frontend.builders.same_padded_windows import (
    PaddedWindows,
    Pairs,
    explicitly_padded,
    same_padded,
    sides,
)
from relay.frontend.builders.same_padding import pairs_for_strides, rest_behind_windows
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.tflite.integer_arithmetic import (
    activated,
    clipped_range,
    integer_range,
    scaled,
    scaled_in_double,
    scaled_wide,
    stored,
)
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.ir.dims import Dim
from relay.ir.expr import Call, Constant, Expr
from relay.opdef.definition import OperatorDef
from relay.ops.binary import add, multiply, subtract
from relay.ops.nn.conv_operators import Conv2D, Conv2DTranspose, Conv3D, Conv3DTranspose
from relay.ops.qnn.conv_and_matmul import QuantisedConv2D, QuantisedConv2DTranspose
from relay.ops.qnn.scale_and_zero_point import cast
from relay.support.dtype import float32, int32, int64
from relay.support.error_codes import ErrorCode

SAME = 0
"""`Padding.SAME`, which gives one window per stride; the other value, VALID, is not padding."""

_BY_CHANNEL = {
    "CONV_2D": ("INT8", "INT16"),
    "DEPTHWISE_CONV_2D": ("INT8", "INT16"),
    "FULLY_CONNECTED": ("INT8", "INT16"),
    "TRANSPOSE_CONV": ("INT8", "INT16"),
}
"""Operators with a scale for each channel even if there is only one, by data type."""


@dataclass(frozen=True)
class Places:
    """The indices of a node's inputs that are data, weight and bias."""

    data: int = 0
    weight: int = 1
    bias: int = 2


PLAIN = Places()


def same_padding(
    node: LiteNode, sizes: Sequence[Dim], kernel: Sequence[int], strides: Sequence[int],
    dilation: Sequence[int],
) -> Pairs:  # fmt: skip
    """Return the padding around each spatial axis, for the option `Padding`: SAME or VALID."""
    padding = node.option("Padding")
    if padding not in (0, 1):
        raise node.error(ErrorCode.F026, f"there is no padding with the number {padding}")
    if padding != SAME:
        return [(0, 0)] * len(kernel)
    return pairs_for_strides(sizes, kernel, strides, dilation, node.error)


def padded_windows(
    node: LiteNode, x: Expr, kernel: Sequence[int], strides: Sequence[int],
    dilation: Sequence[int], fill: float = 0,
) -> PaddedWindows:  # fmt: skip
    """Return the windows of a node over images `x` `(N, …, C)`, with the padding of the node.

    Padding that must be added to `x`, because its width is dynamic, has the value `fill`.
    """
    axes = range(1, 1 + len(kernel))
    reaches = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    if node.option("Padding") == SAME:
        return replace(same_padded(x, axes, reaches, strides, fill), span=node.span)
    pairs = same_padding(node, x.tensor_type.shape[1:-1], kernel, strides, dilation)
    return replace(explicitly_padded(x, axes, sides(pairs), reaches, strides), span=node.span)


@lite_operator("CONV_2D")
def conv_2d(node: LiteNode) -> Expr:
    """Translate `CONV_2D`: images `(N, H, W, C)`, weight `(O, H, W, I)`."""
    node.ignore("QuantizedBiasType")
    channels, taken = node.type(0).shape[-1], node.type(1).static_shape[-1]
    groups = 1 if not isinstance(channels, int) else channels // max(taken, 1)
    return _convolution(node, "OHWI", node.type(1).static_shape[1:3], groups, 0)


@lite_operator("DEPTHWISE_CONV_2D")
def depthwise_conv_2d(node: LiteNode) -> Expr:
    """Translate `DEPTHWISE_CONV_2D`; the weight is `(1, H, W, O)`."""
    node.ignore("DepthMultiplier")  # the shapes determine it
    channels = node.type(0).shape[-1]
    if not isinstance(channels, int):
        raise node.error(
            ErrorCode.F032,
            f"the number of channels must be known at compile time, but is {channels}",
        )
    return _convolution(node, "IHWO", node.type(1).static_shape[1:3], channels, 3)


def _convolution(
    node: LiteNode, layout: str, kernel: Sequence[int], groups: int, axis: int
) -> Expr:
    """Return a convolution; `axis` is the weight's output channel axis."""
    strides = node.option("StrideH"), node.option("StrideW")
    dilation = node.option("DilationHFactor"), node.option("DilationWFactor")
    is_quantized = node.result.is_quantized
    data, weight = (node.expr(0), node.expr(1)) if is_quantized else real_operands(node)
    zero = node.tensor(0).zero if is_quantized else 0
    padded = padded_windows(node, data, kernel, strides, dilation, zero)
    attributes = {
        "strides": strides, "dilation": dilation, "padding": padded.padding, "groups": groups,
        "data_layout": "NHWC", "kernel_layout": layout,
    }  # fmt: skip
    if not is_quantized:
        return biased(node, padded.apply(Conv2D(**attributes), weight))
    if is_wide(node):
        op = Conv2D(**attributes, out_dtype=int64)
        return requantised(node, padded.apply(op, cast(weight, data.tensor_type.dtype)), axis)
    return requantised(
        node, padded.apply(QuantisedConv2D(**attributes), weight, *zeros(node)), axis
    )


def real_operands(node: LiteNode, at: Places = PLAIN) -> tuple[Expr, Expr]:
    """Return data and weight of a floating-point convolution or matrix product.

    A quantised weight is dequantised. (LiteRT instead quantises the data at each call, which is
    less exact.)
    """
    return node.expr(at.data), dequantised(node, at.weight)


def dequantised(node: LiteNode, index: int) -> Expr:
    """Return an input as floats, dequantised if it is quantised."""
    x, tensor = node.expr(index), node.tensor(index)
    if not tensor.is_quantized or tensor.quantization is None:
        return x
    found, rank = tensor.quantization, x.tensor_type.rank
    scales, points = found.scales, found.zeros
    if scales.size > 1:
        shape = [1] * rank
        shape[found.axis] = scales.size
        scales, points = scales.reshape(shape), points.reshape(shape)
    else:
        scales, points = scales.reshape(()), points.reshape(())
    if isinstance(x, Constant):
        real = (x.array.astype(np.int32) - points).astype(np.float32) * scales
        return Constant(real, span=x.span)
    from_zero = cast(x, int32) if not points.any() else subtract(cast(x, int32), Constant(points))
    return multiply(cast(from_zero, float32), Constant(scales))


def is_wide(node: LiteNode, at: Places = PLAIN) -> bool:
    """Whether sums are 64-bit: for 16-bit data with a 64-bit bias, or without bias."""
    narrow = node.has(at.bias) and node.type(at.bias).dtype is int32
    return node.tensor(at.data).element == "INT16" and not narrow


def zeros(node: LiteNode, at: Places = PLAIN) -> tuple[Expr, ...]:
    """Return the zero points and scales, the last operands of quantised products."""
    tensors = node.tensor(at.data), node.tensor(at.weight)
    points = [constant(each.zero, int32) for each in tensors]
    return (*points, *(constant(float(each.scale), float32) for each in tensors))


def requantised(node: LiteNode, sums: Expr, axis: int, at: Places = PLAIN) -> Expr:
    """Return integer sums of products, with bias and activation, in the result's scale.

    `axis` is the weight's output channel axis, which is the last axis of the sums.
    """
    found = node.tensor(at.weight).quantization
    assert found is not None, "quantised products have quantised weights"
    if found.scales.size > 1 and found.axis != axis:
        what = (
            f"the quantisation scales of the weight must be along axis {axis}, not along axis "
            f"{found.axis}"
        )
        raise node.error(ErrorCode.F026, what)
    if node.has(at.bias):
        sums = add(sums, cast(node.expr(at.bias), sums.tensor_type.dtype))
    scale = scaled_wide if sums.tensor_type.dtype is int64 else scaled
    if node.op == "FULLY_CONNECTED":
        scale = scaled_in_double
    limited = integer_range(node.result, *clipped_range(node))
    return stored(scale(sums, _factors(node, at)), node.result, limited)


def _factors(node: LiteNode, at: Places) -> list[float]:
    """Return the factors that rescale sums of products: ratios of scales, per channel.

    If the operator has only one scale for all channels, the product of the scales is rounded to
    float32.
    """
    found = node.tensor(at.weight).quantization
    assert found is not None, "quantised products have quantised weights"
    first, out = node.tensor(at.data).scale, float(node.result.scale)
    by_channel = node.tensor(at.data).element in _BY_CHANNEL.get(node.op, ())
    if found.scales.size == 1 and not by_channel:
        return [float(first * found.scales[0]) / out]
    return [float(first) * float(scale) / out for scale in found.scales]


def biased(node: LiteNode, x: Expr, bias: int = 2) -> Expr:
    """Return floats with the bias added along the last axis, and the activation applied."""
    return activated(node, add(x, node.expr(bias)) if node.has(bias) else x)


@lite_operator("TRANSPOSE_CONV")
def transpose_conv(node: LiteNode) -> Expr:
    """Translate `TRANSPOSE_CONV`; the weight is `(O, H, W, I)`.

    The first input is the shape of the result.
    """
    node.ignore("QuantizedBiasType")
    at = Places(data=2, bias=3)
    wanted = node.ints(0, "the shape of the result")
    strides = node.option("StrideH"), node.option("StrideW")
    kernel = node.type(1).static_shape[1:3]
    pairs = same_padding(node, wanted[1:3], kernel, strides, (1, 1))
    sizes = node.type(2).shape[1:3]
    extra = [
        rest_behind_windows(node.error, out, size, k, stride, 1, pair)
        for out, size, k, stride, pair in zip(
            wanted[1:3], sizes, kernel, strides, pairs, strict=True
        )
    ]
    attributes = {
        "strides": strides, "padding": sides(pairs), "output_padding": tuple(extra),
        "data_layout": "NHWC", "kernel_layout": "OHWI",
    }  # fmt: skip
    if not node.result.is_quantized:
        data, weight = real_operands(node, at)
        return biased(node, Call(Conv2DTranspose(**attributes), (data, weight)), 3)
    if is_wide(node, at):
        op = Conv2DTranspose(**attributes, out_dtype=int64)
        data = node.expr(2)
        sums = Call(op, (data, cast(node.expr(1), data.tensor_type.dtype)))
    else:
        op = QuantisedConv2DTranspose(**attributes)
        sums = Call(op, (node.expr(2), node.expr(1), *zeros(node, at)), span=node.span)
    return requantised(node, sums, 0, at)


@lite_operator("CONV_3D")
def conv_3d(node: LiteNode) -> Expr:
    """Translate `CONV_3D` of floats: `(N, D, H, W, C)`, weight `(D, H, W, I, O)`."""
    node.check_not_quantised()
    strides = tuple(node.option(f"Stride{letter}") for letter in "DHW")
    dilation = tuple(node.option(f"Dilation{letter}Factor") for letter in "DHW")
    kernel = node.type(1).static_shape[:3]
    padded = padded_windows(node, node.expr(0), kernel, strides, dilation)
    op = Conv3D(
        strides=strides, dilation=dilation, padding=padded.padding, data_layout="NDHWC",
        kernel_layout="DHWIO",
    )  # fmt: skip
    return biased(node, padded.apply(op, node.expr(1)))


@lite_operator("CONV_3D_TRANSPOSE")
def conv_3d_transpose(node: LiteNode) -> Expr:
    """Translate `CONV_3D_TRANSPOSE` of floats; the weight is `(D, H, W, O, I)`."""
    node.check_not_quantised()
    for letter in "DHW":
        if node.option(f"Dilation{letter}Factor") != 1:
            raise node.error(
                ErrorCode.F030, "a transposed convolution with dilation is not supported"
            )
    wanted = node.ints(0, "the shape of the result")
    strides = tuple(node.option(f"Stride{letter}") for letter in "DHW")
    kernel, sizes = node.type(1).static_shape[:3], node.type(2).shape[1:4]
    pairs = same_padding(node, wanted[1:4], kernel, strides, (1, 1, 1))
    rows = zip(wanted[1:4], sizes, kernel, strides, (1, 1, 1), pairs, strict=True)
    op: OperatorDef = Conv3DTranspose(
        strides=strides, padding=sides(pairs), data_layout="NDHWC", kernel_layout="DHWOI",
        output_padding=tuple(rest_behind_windows(node.error, *row) for row in rows),
    )  # fmt: skip
    return biased(node, Call(op, (node.expr(2), node.expr(1)), span=node.span), 3)
