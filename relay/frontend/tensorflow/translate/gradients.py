"""Translate the operators that TensorFlow adds to graphs of training to compute gradients."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from relay.frontend.builders.image_resizing import resized_linear, resized_nearest
from relay.frontend.builders.operator_gradients import gradients, pulled_back
from relay.frontend.builders.operators_by_rank import AVERAGE_POOL, CONV, MAX_POOL
from relay.frontend.builders.same_padded_windows import sides
from relay.frontend.builders.strided_slice import strided_slice
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.node_errors import static_size, static_sizes
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.frontend.tensorflow.translate.convolution import (
    data_layout,
    padding,
    per_axis,
    spatial_sizes,
)
from relay.frontend.tensorflow.translate.slicing import masks_of
from relay.ir.dims import Dim, is_static
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import add, divide, multiply, opposite, scaled, subtract
from relay.ops.comparison import less
from relay.ops.creation import Zeros
from relay.ops.functions import core
from relay.ops.nn.mirror_pad import MirrorPad
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Sum
from relay.support.dtype import DType
from relay.support.error_codes import ErrorCode

_SELU_SCALE, _SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


def _zero(x: Expr) -> Expr:
    return constant(0, x.tensor_type.dtype)


def _one(x: Expr) -> Expr:
    return constant(1, x.tensor_type.dtype)


def _between(slope: Expr, x: Expr) -> Expr:
    inside = core.logical_and(core.greater(x, _zero(x)), less(x, constant(6, x.tensor_type.dtype)))
    return where(inside, slope, _zero(slope))


def _of_selu(slope: Expr, y: Expr) -> Expr:
    below = add(y, constant(_SELU_SCALE * _SELU_ALPHA, y.tensor_type.dtype))
    return where(less(y, _zero(y)), multiply(slope, below), scaled(slope, _SELU_SCALE))


def _of_softsign(slope: Expr, x: Expr) -> Expr:
    size = add(core.abs(x), _one(x))
    return divide(slope, multiply(size, size))


_BY_INPUT: Mapping[str, Callable[[Expr, Expr], Expr]] = {
    "EluGrad": lambda slope, y: where(less(y, _zero(y)), multiply(slope, add(y, _one(y))), slope),
    "Relu6Grad": _between,
    "ReluGrad": lambda slope, x: where(core.greater(x, _zero(x)), slope, _zero(slope)),
    "SeluGrad": _of_selu,
    "SoftplusGrad": lambda slope, x: multiply(slope, core.sigmoid(x)),
    "SoftsignGrad": _of_softsign,
}
"""Functions of the gradient of the result, and of the operand or the result."""

_BY_RESULT: Mapping[str, Callable[[Expr, Expr], Expr]] = {
    "InvGrad": lambda y, slope: opposite(multiply(slope, multiply(y, y))),
    "ReciprocalGrad": lambda y, slope: opposite(multiply(slope, multiply(y, y))),
    "RsqrtGrad": lambda y, slope: scaled(multiply(slope, multiply(y, multiply(y, y))), -0.5),
    "SigmoidGrad": lambda y, slope: multiply(slope, multiply(y, subtract(_one(y), y))),
    "SqrtGrad": lambda y, slope: divide(scaled(slope, 0.5), y),
    "TanhGrad": lambda y, slope: multiply(slope, subtract(_one(y), multiply(y, y))),
}
"""Functions of the result, and of its gradient."""


@tf_operator(*_BY_INPUT)
def by_input(node: TfNode) -> Expr:
    """Translate gradients of activation functions, with the result's gradient as first input."""
    return _BY_INPUT[node.op](node.expr(0), node.expr(1))


@tf_operator(*_BY_RESULT)
def by_result(node: TfNode) -> Expr:
    """Translate gradients of elementwise functions, with the function's result as first input."""
    return _BY_RESULT[node.op](node.expr(0), node.expr(1))


@tf_operator("LeakyReluGrad")
def leaky_relu(node: TfNode) -> Expr:
    """Translate `LeakyReluGrad`."""
    slope, x = node.exprs()
    return where(core.greater(x, _zero(x)), slope, scaled(slope, node.number("alpha", 0.2)))


@tf_operator("BiasAddGrad")
def bias_add(node: TfNode) -> Expr:
    """Translate `BiasAddGrad`: the sums over all axes except that of the channels."""
    rank = node.type(0).rank
    channels = 1 if node.text("data_format", "NHWC").startswith("NC") else rank - 1
    axes = tuple(axis for axis in range(rank) if axis != channels)
    return Call(Sum(axis=axes), (node.expr(0),), span=node.span)


@tf_operator("BroadcastGradientArgs")
def broadcast_axes(node: TfNode) -> Sequence[Expr]:
    """Translate `BroadcastGradientArgs`: the axes along which two shapes were broadcast.

    Raises `F022` unless it is known which sizes are 1.
    """
    shapes = [node.sizes(0), node.sizes(1)]
    known = [each for each in shapes if each is not None]
    rank = max(map(len, known), default=0)
    if len(known) < 2:
        raise node.error(ErrorCode.F022, "both inputs must be constants, or shapes of tensors")
    first, second = ([1] * (rank - len(each)) + [*each] for each in known)
    of = node.type(0).dtype
    return [
        _axes_constant([axis for axis, (a, b) in enumerate(zip(mine, other, strict=True))
                        if a == 1 and (b != 1 or a == b)], of)
        for mine, other in ((first, second), (second, first))
    ]  # fmt: skip


def _axes_constant(axes: Sequence[int], of: DType) -> Constant:
    return Constant(np.array(axes, of.numpy))


@tf_operator("ConcatOffset")
def concat_offset(node: TfNode) -> Sequence[Expr]:
    """Translate `ConcatOffset`: where each part of a concatenation begins."""
    axis = node.integer(0, "the axis")
    total: Dim = 0
    found: list[Expr] = []
    for index in range(1, len(node.inputs)):
        sizes = node.sizes(index)
        if sizes is None or not isinstance(total, int):
            sizes = node.ints(index, "a shape")
        begin: list[Dim] = [0] * len(sizes)
        begin[axis] = total
        found.append(Constant(np.array(begin, node.type(index).dtype.numpy)))
        total = total + sizes[axis]
    return found


# Convolutions and poolings


def _zeros(node: TfNode, index: int) -> Expr:
    """Return zeros of the shape in an input; raises `F022` if its sizes are not known."""
    shape = node.sizes(index)
    known = node.ints(index, "the shape") if shape is None else shape
    return Call(Zeros(known, node.type(len(node.inputs) - 1).dtype), ())


@tf_operator("Conv2DBackpropFilter", "Conv3DBackpropFilterV2")
def conv_filter(node: TfNode) -> Expr:
    """Translate the gradients of the weights of convolutions."""
    weight = _zeros(node, 1)
    return _gradient(_convolved(node, node.expr(0), weight), node.expr(2), 1)


@tf_operator("DepthwiseConv2dNativeBackpropFilter")
def depthwise_filter(node: TfNode) -> Expr:
    """Translate the gradients of the weights of depthwise convolutions."""
    shape = node.ints(1, "the shape of the weight")
    weight = Call(Zeros(_grouped(shape), node.type(0).dtype), ())
    found = _gradient(_convolved(node, node.expr(0), weight), node.expr(2), 1)
    return reshape(found, shape)


@tf_operator("DepthwiseConv2dNativeBackpropInput")
def depthwise_input(node: TfNode) -> Expr:
    """Translate the gradients of the data of depthwise convolutions."""
    weight = reshape(node.expr(1), _grouped(node.type(1).static_shape))
    return _gradient(_convolved(node, _zeros(node, 0), weight), node.expr(2), 0)


def _grouped(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the shape of a weight with one group for each channel."""
    rows, columns, channels, multiplier = shape
    return rows, columns, 1, channels * multiplier


def _convolved(node: TfNode, x: Expr, weight: Expr) -> Expr:
    rank = weight.tensor_type.rank - 2
    layout = data_layout(node, rank)
    shape, kernel = x.tensor_type.shape, weight.tensor_type.static_shape
    strides = per_axis(layout, node.ints_of("strides"))
    dilation = per_axis(layout, node.ints_of("dilations", (1,) * len(layout)))
    pairs = padding(node, layout, spatial_sizes(layout, shape), kernel[:rank], strides, dilation)
    channels = shape[layout.index("C")]
    op = CONV[rank](
        strides=strides,
        padding=sides(pairs),
        dilation=dilation,
        groups=channels // max(kernel[-2], 1) if isinstance(channels, int) else 1,
        data_layout=layout,
        kernel_layout=f"{'HW' if rank == 2 else 'DHW'}IO",
    )
    return Call(op, (x, weight), span=node.span)


def _gradient(result: Expr, slope: Expr, index: int) -> Expr:
    found = gradients(result, slope)[index]
    assert found is not None, "the operator has this derivative"
    return found


@tf_operator("MaxPoolGrad", "MaxPool3DGrad")
def max_pool(node: TfNode) -> Expr:
    """Translate the gradients of maximum pooling."""
    return _gradient(_pooled(node, node.expr(0), is_maximum=True), node.expr(2), 0)


@tf_operator("AvgPoolGrad", "AvgPool3DGrad")
def average_pool(node: TfNode) -> Expr:
    """Translate the gradients of average pooling."""
    return _gradient(_pooled(node, _zeros(node, 0), is_maximum=False), node.expr(1), 0)


def _pooled(node: TfNode, x: Expr, *, is_maximum: bool) -> Expr:
    rank = x.tensor_type.rank - 2
    layout = data_layout(node, rank)
    window = per_axis(layout, node.ints_of("ksize"))
    strides = per_axis(layout, node.ints_of("strides"))
    sizes = spatial_sizes(layout, x.tensor_type.shape)
    pairs = padding(node, layout, sizes, window, strides, (1,) * rank)
    kind = (MAX_POOL if is_maximum else AVERAGE_POOL)[rank]
    op = kind(pool_size=window, strides=strides, padding=sides(pairs), layout=layout)
    return Call(op, (x,), span=node.span)


# Normalisation


@tf_operator("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3")
def batch_norm(node: TfNode) -> Sequence[Expr]:
    """Translate the gradients of batch normalisation: of the data, the scale and the offset."""
    slope, x, scale, mean, variance = (node.expr(index) for index in range(5))
    rank = x.tensor_type.rank
    channels = 1 if node.text("data_format", "NHWC").startswith("NC") else rank - 1
    axes = tuple(axis for axis in range(rank) if axis != channels)
    epsilon = constant(node.number("epsilon", 1e-4), variance.tensor_type.dtype)

    def spread(vector: Expr) -> Expr:
        size = vector.tensor_type.shape[0]
        return reshape(vector, tuple(size if axis == channels else 1 for axis in range(rank)))

    factor = spread(core.rsqrt(add(variance, epsilon)))
    unit = multiply(subtract(x, spread(mean)), factor)
    by_offset = Call(Sum(axis=axes), (slope,))
    by_scale = Call(Sum(axis=axes), (multiply(slope, unit),))
    by_data = slope
    if node.attribute("is_training", default=True):
        sizes = [x.tensor_type.shape[axis] for axis in axes]
        share = divide(_one(x), _count(node, sizes, x))
        centre = add(spread(by_offset), multiply(unit, spread(by_scale)))
        by_data = subtract(slope, multiply(centre, share))
    none = Call(Zeros((0,), scale.tensor_type.dtype), ())
    return [multiply(multiply(by_data, factor), spread(scale)), by_scale, by_offset, none, none]


def _count(node: TfNode, sizes: Sequence[Dim], x: Expr) -> Expr:
    """Return the product of sizes in the element type of `x`."""
    if not is_static(tuple(sizes)):
        total = core.divide(
            core.ndarray_size(x, "float32"), core.ndarray_size(node.expr(2), "float32")
        )
        return core.cast(total, str(x.tensor_type.dtype))
    return constant(float(np.prod([static_size(each) for each in sizes])), x.tensor_type.dtype)


# Slices, paddings and sizes


@tf_operator("StridedSliceGrad")
def strided_slice_gradient(node: TfNode) -> Expr:
    """Translate the gradients of slices: zeros, with the gradient at the place of the slice."""
    source = _zeros(node, 0)
    masks, strides = masks_of(node), node.ints(3, "the strides")
    found = strided_slice(source, node.expr(1), node.expr(2), strides, masks)
    return pulled_back(found, source, node.expr(4))


@tf_operator("MirrorPadGrad")
def mirror_pad(node: TfNode) -> Expr:
    """Translate the gradients of `MirrorPad`: elements of the frame are added to their sources."""
    found = node.ints(1, "the widths")
    widths = tuple(zip(found[::2], found[1::2], strict=True))
    shape = tuple(
        size - before - after
        for size, (before, after) in zip(node.type(0).shape, widths, strict=True)
    )
    source = Call(Zeros(shape, node.type(0).dtype), ())
    op = MirrorPad(widths, node.text("mode"))
    return _gradient(Call(op, (source,)), node.expr(0), 0)


@tf_operator("ResizeBilinearGrad", "ResizeNearestNeighborGrad")
def resize(node: TfNode) -> Expr:
    """Translate the gradients of resized images."""
    slope = node.expr(0)
    batch, *lengths, channels = slope.tensor_type.shape
    size = static_sizes(tuple(lengths))
    is_linear = node.op == "ResizeBilinearGrad"
    inner = static_sizes(node.type(1).shape[1:3]) if is_linear else node.ints(1, "the size")
    source = Call(Zeros((batch, *inner, channels), slope.tensor_type.dtype), ())
    options = {"corners": node.flag("align_corners"), "centres": node.flag("half_pixel_centers")}
    resized = resized_linear if is_linear else resized_nearest
    return pulled_back(resized(source, size, **options), source, slope)
