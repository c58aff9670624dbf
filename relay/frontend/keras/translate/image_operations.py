"""Translate `keras.ops` functions of images: convolutions, sizes and colours."""

import numpy as np

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import keras_operation
from relay.frontend.keras.translate.convolution import (
    convolved,
    convolved_by_channel,
    convolved_transposed,
    mixed,
)
from relay.frontend.keras.translate.images import resized
from relay.frontend.keras.translate.window_padding import (
    data_layout,
    is_channels_first,
)
from relay.frontend.node_errors import static_size
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import add, multiply, subtract
from relay.ops.functions import core
from relay.ops.nn.space_to_depth_and_batch import DepthToSpace, SpaceToDepth


@keras_operation("Conv")
def convolution(layer: LayerReader) -> Expr:
    """Translate `conv`; the kernel is an argument `(…, in, out)`."""
    x, kernel = _with_kernels(layer, "kernel")
    channels = static_size(x.tensor_type.shape[1 if is_channels_first(layer) else -1])
    return convolved(layer, x, kernel, channels // kernel.tensor_type.static_shape[-2])


@keras_operation("DepthwiseConv")
def depthwise(layer: LayerReader) -> Expr:
    """Translate `depthwise_conv`; the kernel is an argument `(…, channels, multiplier)`."""
    return convolved_by_channel(layer, *_with_kernels(layer, "kernel"))


@keras_operation("SeparableConv")
def separable(layer: LayerReader) -> Expr:
    """Translate `separable_conv`: a depthwise convolution, then a 1×1 convolution."""
    x, kernel, mixing = _with_kernels(layer, "depthwise_kernel", "pointwise_kernel")
    return mixed(layer, convolved_by_channel(layer, x, kernel), mixing)


@keras_operation("ConvTranspose")
def transposed(layer: LayerReader) -> Expr:
    """Translate `conv_transpose`; the kernel is an argument `(…, out, in)`."""
    return convolved_transposed(layer, *_with_kernels(layer, "kernel"))


def _with_kernels(layer: LayerReader, *names: str) -> list[Expr]:
    """Return the data and the kernels of a convolution."""
    places = enumerate(("inputs", *names))
    return [layer.as_tensor(layer.value(layer.argument(name, at))) for at, name in places]


@keras_operation("Resize")
def resize(layer: LayerReader) -> Expr:
    """Translate `image.resize` without antialiasing, and without a ratio of sides to keep."""
    layer.ignore("fill_mode", "fill_value")
    height, width = layer.ints("size", 2)
    return resized(layer, layer.tensor(), (height, width), layer.text("interpolation", "bilinear"))


@keras_operation("RGBToGrayscale")
def grayscale(layer: LayerReader) -> Expr:
    """Translate `image.rgb_to_grayscale`: weighted sums of the colours."""
    x = layer.tensor()
    axis = x.tensor_type.rank - 3 if is_channels_first(layer) else x.tensor_type.rank - 1
    shape = [3 if each == axis else 1 for each in range(x.tensor_type.rank)]
    weights = np.array([0.2989, 0.587, 0.114], x.tensor_type.dtype.numpy).reshape(shape)
    return core.sum(multiply(x, Constant(weights)), axis=axis, keepdims=True)


@keras_operation("DepthToSpace", "SpaceToDepth")
def pixels(layer: LayerReader) -> Expr:
    """Translate `depth_to_space` and `space_to_depth`."""
    kind = DepthToSpace if layer.kind == "DepthToSpace" else SpaceToDepth
    op = kind(block_size=layer.integer("block_size"), layout=data_layout(layer, 2))
    return Call(op, (layer.tensor(),), span=layer.span)


@keras_operation("BatchNorm")
def batch_norm(layer: LayerReader) -> Expr:
    """Translate `batch_normalization` by given statistics; offset and scale are optional."""
    names = ("x", "mean", "variance", "offset", "scale")
    found = [layer.value(layer.argument(name, index)) for index, name in enumerate(names)]
    x, mean, variance, offset, scale = found
    axis, rank = layer.axis(), x.tensor_type.rank

    def spread(vector: Expr) -> Expr:
        behind = rank - 1 - axis
        return core.expand_dims(vector, 1, num_newaxis=behind) if behind else vector

    epsilon = constant(layer.number("epsilon", 1e-3), x.tensor_type.dtype)
    factor = core.rsqrt(add(variance, epsilon))
    factor = factor if scale is None else multiply(factor, scale)
    result = multiply(subtract(x, spread(mean)), spread(factor))
    return result if offset is None else add(result, spread(offset))
