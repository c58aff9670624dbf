"""Translate ONNX normalisations and softmax."""

from collections.abc import Sequence

import numpy as np
from onnx import TensorProto

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.node_errors import static_size, static_sizes
from relay.frontend.onnx.dtypes import tensor_dtype
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.run_time_tensors import part, sizes_of
from relay.ir.dims import ANY, Shape, is_static, product
from relay.ir.expr import Call, Constant, Expr
from relay.ir.types import TensorType
from relay.ops.binary import Add, Divide, Multiply, Subtract, add
from relay.ops.broadcasting import BroadcastTo
from relay.ops.cast import Cast
from relay.ops.comparison import equal
from relay.ops.creation import ZerosLike
from relay.ops.elementwise import Abs
from relay.ops.nn.normalization import LRN, GroupNorm, InstanceNorm, LayerNorm
from relay.ops.nn.softmax import LogSoftmax, Softmax
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Mean, Sum, Variance
from relay.ops.tensor.dynamic_shapes import DynamicBroadcastTo
from relay.ops.tensor.tile_and_repeat import Repeat
from relay.ops.transcendental import Sqrt


@onnx_operator("InstanceNormalization")
def instance_normalization(node: OnnxNode) -> Expr:
    """Translate `InstanceNormalization`: normalise each channel of each sample."""
    op = InstanceNorm(axis=1, epsilon=node.attribute("epsilon", 1e-5))
    return Call(op, tuple(node.exprs()), span=node.span)


@onnx_operator("GroupNormalization")
def group_normalization(node: OnnxNode) -> Expr:
    """Translate `GroupNormalization`; before opset 21, the scale has one number per group.

    Later, one number is the scale of all channels, as in ONNX Runtime.
    """
    groups, channels = node.required("num_groups"), node.type(0).shape[1]
    vectors = [node.expr(1), node.expr(2)]
    if node.opset >= 21 and channels is not ANY:
        vectors = [
            Call(BroadcastTo((channels,)), (x,)) if x.tensor_type.shape == (1,) else x
            for x in vectors
        ]
    elif node.opset < 21 and channels != groups:
        vectors = [Call(Repeat(static_size(channels) // groups, 0), (each,)) for each in vectors]
    op = GroupNorm(axis=1, num_groups=groups, epsilon=node.attribute("epsilon", 1e-5))
    return Call(op, (node.expr(0), *vectors), span=node.span)


@onnx_operator("LayerNormalization")
def layer_normalization(node: OnnxNode) -> Sequence[Expr]:
    """Translate `LayerNormalization` over the axes from `axis` on.

    Also returns mean and inverse deviation if requested.
    """
    x = node.expr(0)
    shape, axis = x.tensor_type.shape, node.attribute("axis", -1) % node.rank(0)
    affine = [node.rank(index) for index in (1, 2) if node.has(index)]
    if max(affine) > len(shape) - axis:
        return _normalized_then_scaled(node, axis)
    whole = _known_sizes(x.tensor_type, node.type(1), axis)
    x, shape = (x, shape) if whole == shape else (reshape(x, whole), whole)
    inner = product(shape[axis:])
    scale = reshape(_broadcast_to_inner(node.expr(1), x, axis), (inner,))
    shift = node.optional(2)
    bias = (
        Call(ZerosLike(), (scale,))
        if shift is None
        else reshape(_broadcast_to_inner(shift, x, axis), (inner,))
    )
    op = LayerNorm(axis=-1, epsilon=node.attribute("epsilon", 1e-5))
    if axis == len(shape) - 1:
        result = Call(op, (x, scale, bias), span=node.span)
    else:
        rows = reshape(x, (*shape[:axis], inner))
        result = reshape(Call(op, (rows, scale, bias), span=node.span), shape, like=x)
    return [result, *(_statistics(node, x, axis) if any(node.outputs[1:]) else ())]


def _normalized_then_scaled(node: OnnxNode, axis: int) -> Sequence[Expr]:
    """Translate `LayerNormalization` whose scale or bias also varies along other axes."""
    x, one = node.expr(0), constant(1, node.type(0).dtype)
    axes = tuple(range(axis, x.tensor_type.rank))
    mean = Call(Mean(axis=axes, keepdims=True), (x,))
    variance = Call(Variance(axis=axes, keepdims=True), (x, mean))
    epsilon = constant(node.attribute("epsilon", 1e-5), x.tensor_type.dtype)
    inverse = Call(Divide(), (one, Call(Sqrt(), (add(variance, epsilon),))))
    result = Call(Multiply(), (Call(Subtract(), (x, mean)), inverse))
    result = Call(Multiply(), (result, node.expr(1)), span=node.span)
    result = add(result, node.expr(2)) if node.has(2) else result
    return [result, *(_statistics(node, x, axis) if any(node.outputs[1:]) else ())]


def _known_sizes(x: TensorType, scale: TensorType, axis: int) -> Shape:
    """Return the shape of the data, completed by sizes that only the scale's type has."""
    inner = x.shape[axis:]
    known = (1,) * (len(inner) - scale.rank) + scale.shape
    pairs = zip(inner, known, strict=True)
    return (*x.shape[:axis], *(b if not isinstance(a, int) and b != 1 else a for a, b in pairs))


def _statistics(node: OnnxNode, x: Expr, axis: int) -> list[Expr]:
    """Return the mean and the inverse standard deviation over the axes from `axis` on.

    Their element type is that of `stash_type`.
    """
    axes = tuple(range(axis, x.tensor_type.rank))
    mean = Call(Mean(axis=axes, keepdims=True), (x,))
    variance = Call(Variance(axis=axes, keepdims=True), (x, mean))
    dtype = x.tensor_type.dtype
    deviation = Call(Sqrt(), (add(variance, constant(node.attribute("epsilon", 1e-5), dtype)),))
    statistics = mean, Call(Divide(), (constant(1, dtype), deviation))
    to = tensor_dtype(node.attribute("stash_type", TensorProto.FLOAT), node.span)
    return [each if dtype is to else Call(Cast(to), (each,)) for each in statistics]


def _broadcast_to_inner(scale: Expr, x: Expr, axis: int) -> Expr:
    """Return a scale broadcast to the axes of `x` from `axis` on, so that it can be flattened."""
    shape, own = x.tensor_type.shape[axis:], scale.tensor_type.shape
    if isinstance(scale, Constant) and is_static(shape):
        return Constant(np.broadcast_to(scale.array, static_sizes(shape)))
    if len(own) == len(shape) and all(a != 1 or a == b for a, b in zip(own, shape, strict=True)):
        return scale
    if ANY in shape:
        sizes = part(sizes_of(x), axis, x.tensor_type.rank)
        return Call(DynamicBroadcastTo(), (scale, sizes))
    return Call(BroadcastTo(shape), (scale,))


@onnx_operator("Softmax", "LogSoftmax")
def softmax(node: OnnxNode) -> Expr:
    """Translate `Softmax` and `LogSoftmax`; before opset 13, over all axes from `axis` on."""
    x = node.expr(0)
    op = Softmax if node.op == "Softmax" else LogSoftmax
    is_joined = node.opset < 13
    return normalised(node, op, x, node.attribute("axis", 1 if is_joined else -1), is_joined)


def normalised(
    node: OnnxNode, op: type[Softmax | LogSoftmax], x: Expr, axis: int, is_joined: bool
) -> Expr:
    """Apply softmax along one axis, or with `is_joined` over all axes from it on."""
    if not is_joined:
        return Call(op(axis), (x,), span=node.span)
    shape = x.tensor_type.shape
    axis %= max(len(shape), 1)
    if axis == len(shape) - 1:
        return Call(op(-1), (x,), span=node.span)
    rows = reshape(x, (*shape[:axis], product(shape[axis:])))
    return reshape(Call(op(-1), (rows,), span=node.span), shape, like=x)


@onnx_operator("LRN")
def lrn(node: OnnxNode) -> Expr:
    """Translate `LRN`: local response normalisation across channels."""
    op = LRN(
        size=node.required("size"),
        axis=1,
        bias=node.attribute("bias", 1.0),
        alpha=node.attribute("alpha", 1e-4),
        beta=node.attribute("beta", 0.75),
    )
    return Call(op, (node.expr(0),), span=node.span)


@onnx_operator("LpNormalization")
def lp_normalization(node: OnnxNode) -> Expr:
    """Translate `LpNormalization`: divide by the 1- or 2-norm; zero if the norm is zero."""
    x, axis = node.expr(0), (node.attribute("axis", -1),)
    if node.attribute("p", 2) == 1:
        from_each = Call(Abs(), (x,))
        return _divided(x, Call(Sum(axis=axis, keepdims=True), (from_each,)))
    squares = Call(Sum(axis=axis, keepdims=True), (Call(Multiply(), (x, x)),))
    return _divided(x, Call(Sqrt(), (squares,)))


def _divided(x: Expr, norm: Expr) -> Expr:
    dtype = x.tensor_type.dtype
    one = constant(1, dtype)
    return Call(Divide(), (x, where(equal(norm, constant(0, dtype)), one, norm)))


@onnx_operator("MeanVarianceNormalization")
def mean_variance_normalization(node: OnnxNode) -> Expr:
    """Translate `MeanVarianceNormalization` over some axes."""
    x, axes = node.expr(0), tuple(node.attribute("axes", [0, 2, 3]))
    mean = Call(Mean(axis=axes, keepdims=True), (x,))
    centred = Call(Subtract(), (x, mean))
    variance = Call(Mean(axis=axes, keepdims=True), (Call(Multiply(), (centred, centred)),))
    tiny = constant(1e-9, x.tensor_type.dtype)
    deviation = Call(Add(), (Call(Sqrt(), (variance,)), tiny))
    return Call(Divide(), (centred, deviation), span=node.span)
