"""Translate Keras convolutions: plain, transposed, depthwise, and separable."""

from collections.abc import Sequence

from relay.frontend.builders.operators_by_rank import CONV, TRANSPOSED
from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import keras_layer
from relay.frontend.keras.translate.activation import activation
from relay.frontend.keras.translate.window_padding import (
    SPATIAL,
    data_layout,
    padding,
    with_bias,
)
from relay.ir.expr import Call, Constant, Expr


@keras_layer("Conv1D", "Conv2D", "Conv3D")
def convolution(layer: LayerReader) -> Expr:
    """Translate `Conv1D`, `Conv2D` and `Conv3D`."""
    (kernel,), bias = _weights(layer, 1)
    layer.ignore("filters", "kernel_size")
    result = convolved(layer, layer.tensor(), kernel, layer.integer("groups", 1))
    return activation(layer)(with_bias(layer, result, bias))


@keras_layer("DepthwiseConv1D", "DepthwiseConv2D")
def depthwise(layer: LayerReader) -> Expr:
    """Translate depthwise convolutions, which convolve each channel separately."""
    (kernel,), bias = _weights(layer, 1)
    layer.ignore("kernel_size", "depth_multiplier")
    result = convolved_by_channel(layer, layer.tensor(), kernel)
    return activation(layer)(with_bias(layer, result, bias))


@keras_layer("SeparableConv1D", "SeparableConv2D")
def separable(layer: LayerReader) -> Expr:
    """Translate separable convolutions: a depthwise convolution, then a 1×1 convolution."""
    (kernel, mixing), bias = _weights(layer, 2)
    layer.ignore("filters", "kernel_size", "depth_multiplier")
    result = mixed(layer, convolved_by_channel(layer, layer.tensor(), kernel), mixing)
    return activation(layer)(with_bias(layer, result, bias))


@keras_layer("Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose")
def transposed(layer: LayerReader) -> Expr:
    """Translate transposed convolutions."""
    (kernel,), bias = _weights(layer, 1)
    layer.ignore("filters", "kernel_size")
    result = convolved_transposed(layer, layer.tensor(), kernel)
    return activation(layer)(with_bias(layer, result, bias))


def _weights(layer: LayerReader, count: int) -> tuple[list[Constant], Constant | None]:
    """Return the `count` kernels of a layer, and its bias or None."""
    has_bias = layer.flag("use_bias", default=True)
    found = layer.constants(layer.arrays(count + has_bias))
    return found[:count], found[-1] if has_bias else None


def convolved(layer: LayerReader, x: Expr, kernel: Expr, groups: int) -> Expr:
    """Return a convolution with a kernel of shape `(…, in, out)`, by the options of a layer."""
    rank = x.tensor_type.rank - 2
    strides, dilation = layer.ints("strides", rank, 1), layer.ints("dilation_rate", rank, 1)
    op = CONV[rank](
        strides=strides,
        dilation=dilation,
        padding=padding(layer, kernel.tensor_type.static_shape[:rank], strides, dilation),
        groups=groups,
        data_layout=data_layout(layer, rank),
        kernel_layout=f"{SPATIAL[rank]}IO",
    )
    return Call(op, (x, kernel), span=layer.span)


def convolved_by_channel(layer: LayerReader, x: Expr, kernel: Expr) -> Expr:
    """Return a depthwise convolution with a kernel of shape `(…, channels, multiplier)`."""
    *spatial, channels, multiplier = kernel.tensor_type.static_shape
    return convolved(layer, x, reshape(kernel, (*spatial, 1, channels * multiplier)), channels)


def mixed(layer: LayerReader, x: Expr, kernel: Expr) -> Expr:
    """Return a 1×1 convolution, which is the second step of a separable convolution."""
    rank = x.tensor_type.rank - 2
    op = CONV[rank](data_layout=data_layout(layer, rank), kernel_layout=f"{SPATIAL[rank]}IO")
    return Call(op, (x, kernel), span=layer.span)


def convolved_transposed(layer: LayerReader, x: Expr, kernel: Expr) -> Expr:
    """Return a transposed convolution with a kernel of shape `(…, out, in)`."""
    rank = x.tensor_type.rank - 2
    strides, dilation = layer.ints("strides", rank, 1), layer.ints("dilation_rate", rank, 1)
    crop, extra = _cropping(layer, kernel.tensor_type.static_shape[:rank], strides, dilation)
    op = TRANSPOSED[rank](
        strides=strides,
        dilation=dilation,
        padding=crop,
        output_padding=extra,
        data_layout=data_layout(layer, rank),
        kernel_layout=f"{SPATIAL[rank]}OI",
    )
    return Call(op, (x, kernel), span=layer.span)


def _cropping(
    layer: LayerReader, size: Sequence[int], strides: Sequence[int], dilation: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the cropping of a transposed convolution, and the sizes to append.

    The cropping is one tuple: before each axis, then after.
    """
    mode = layer.text("padding", "valid")
    if mode not in ("same", "valid"):
        raise layer.wrong("padding", mode)
    given = layer.option("output_padding")
    explicit = [None] * len(size) if given is None else layer.ints("output_padding", len(size))
    margins = [
        _transposed_margins((k - 1) * d + 1, stride, more, is_same=mode == "same")
        for k, d, stride, more in zip(size, dilation, strides, explicit, strict=True)
    ]
    before, after = zip(*margins, strict=True)
    cut = (*(-each for each in before), *(max(-each, 0) for each in after))
    return cut, tuple(max(each, 0) for each in after)


def _transposed_margins(
    reach: int, stride: int, more: int | None, *, is_same: bool
) -> tuple[int, int]:
    """Return how much a transposed convolution grows an axis at both ends; negative is cropping.

    Without `output_padding` (`more`), a `same` result is as large as the data times the stride, and
    a `valid` result is not smaller. With it, half of the windows is cropped first. As in Keras on
    TensorFlow and JAX, the odd element stays in front if that side was cropped.
    """
    if not is_same:
        return 0, max(stride - reach, 0) if more is None else more
    total = stride - reach if more is None else reach % 2 - reach + more
    framed = total + 2 * (reach - 1)
    before = min(framed // 2 + framed % 2, reach - 1) - (reach - 1)
    return before, total - before
