"""Translate PyTorch normalisations and softmax."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.ir.dims import Dim, product
from relay.ir.expr import Call, Expr, TupleGetItem
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.comparison import equal
from relay.ops.creation import Ones, Zeros
from relay.ops.max_min_reductions import All
from relay.ops.nn.batch_norm_dropout import BatchNorm
from relay.ops.nn.normalization import GroupNorm, InstanceNorm, LayerNorm
from relay.ops.nn.softmax import LogSoftmax, Softmax
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Mean, Variance
from relay.ops.transcendental import Rsqrt
from relay.support.dtype import DType
from relay.support.error_codes import ErrorCode


@torch_operator("batch_norm")
def batch_norm(node: TorchNode) -> Expr:
    """Translate `batch_norm`; raises `F036` in training mode if stored statistics would change."""
    node.ignore("momentum", "cudnn_enabled")
    if node.flag("training") and "running_mean" not in node:
        return _normalised_by_batch(node)[0]
    if node.flag("training"):
        raise node.error(
            ErrorCode.F036,
            "the model is in training mode",
            help="call model.eval() before loading the model",
        )
    return _batch_norm(node)


@torch_operator("_native_batch_norm_legit_no_training")
def native_batch_norm(node: TorchNode) -> Sequence[object]:
    """Translate the ATen batch norm of inference; the batch statistics are empty tensors."""
    node.ignore("momentum")
    empty = Call(Zeros((0,), node.type("input").dtype), ())
    return [_batch_norm(node), empty, empty]


@torch_operator("_native_batch_norm_legit_functional")
def functional_batch_norm(node: TorchNode) -> Sequence[object]:
    """Translate the functional ATen batch norm, in training with the batch's statistics.

    The results after the first are the mean, the inverse deviation, and the updated running
    statistics.
    """
    stored = [node.tensor("running_mean"), node.tensor("running_var")]
    if not node.flag("training"):
        node.ignore("momentum")
        empty = Call(Zeros((0,), node.type("input").dtype), ())
        return [_batch_norm(node), empty, empty, *stored]
    x, dtype = node.tensor("input"), node.type("input").dtype
    result, mean, variance, factor = _normalised_by_batch(node)
    axes = tuple(axis for axis in range(x.tensor_type.rank) if axis != 1)
    count = node.as_tensor(product([x.tensor_type.shape[axis] for axis in axes]), "a size")
    wide = converted(count, dtype)
    unbiased = multiply(variance, divide(wide, subtract(wide, constant(1.0, dtype))))
    new = zip(stored, (mean, unbiased), strict=True)
    return [result, mean, factor, *(_updated_statistics(node, old, each) for old, each in new)]


def _normalised_by_batch(node: TorchNode) -> tuple[Expr, Expr, Expr, Expr]:
    """Return the normalised batch with its means, its variances and its inverse deviations."""
    x, dtype = node.tensor("input"), node.type("input").dtype
    axes = tuple(axis for axis in range(x.tensor_type.rank) if axis != 1)
    mean = Call(Mean(axis=axes, keepdims=True), (x,))
    variance = Call(Variance(axis=axes, keepdims=True), (x, mean))
    factor = Call(Rsqrt(), (add(variance, constant(node.number("eps"), dtype)),))
    result, channels = multiply(subtract(x, mean), factor), mean.tensor_type.shape[1:2]
    across = (*channels, *(1,) * (x.tensor_type.rank - 2))
    for name, join in (("weight", multiply), ("bias", add)):
        if name in node:
            result = join(result, reshape(node.tensor(name), across))
    mean, variance, factor = (reshape(each, channels) for each in (mean, variance, factor))
    return result, mean, variance, factor


def _updated_statistics(node: TorchNode, old: Expr, new: Expr) -> Expr:
    """Return running statistics after a training step: a weighted mean of old and new."""
    part = constant(node.number("momentum"), old.tensor_type.dtype)
    return add(old, multiply(subtract(new, old), part))


def _batch_norm(node: TorchNode) -> Expr:
    x = node.tensor("input")
    mean, variance = node.tensor("running_mean"), node.tensor("running_var")
    channels = x.tensor_type.shape[1:2]
    gamma, beta = _factor(node, "weight", channels), _shift(node, "bias", channels)
    op = BatchNorm(axis=1, epsilon=node.number("eps"))
    wanted = x.tensor_type.dtype
    vectors = (converted(each, wanted) for each in (gamma, beta, mean, variance))
    return TupleGetItem(Call(op, (x, *vectors), span=node.span), 0)


def _factor(node: TorchNode, name: str, shape: Sequence[Dim]) -> Expr:
    """Return the weight of a normalisation; ones if it has none."""
    given = node.optional(name)
    return Call(Ones(tuple(shape), _dtype(node)), ()) if given is None else given


def _shift(node: TorchNode, name: str, shape: Sequence[Dim]) -> Expr:
    """Return the bias of a normalisation; zeros if it has none."""
    given = node.optional(name)
    return Call(Zeros(tuple(shape), _dtype(node)), ()) if given is None else given


def _dtype(node: TorchNode) -> DType:
    return node.type("input").dtype


@torch_operator("layer_norm")
def layer_norm(node: TorchNode) -> Expr:
    """Translate `layer_norm` over the last axes."""
    node.ignore("cudnn_enable")
    return _layer_norm(node)


@torch_operator("native_layer_norm")
def native_layer_norm(node: TorchNode) -> Sequence[Expr]:
    """Translate the ATen layer norm, which also returns mean and inverse deviation."""
    x = node.tensor("input")
    axes = tuple(range(x.tensor_type.rank - len(node.dims("normalized_shape")), x.tensor_type.rank))
    mean = Call(Mean(axis=axes, keepdims=True), (x,))
    variance = Call(Variance(axis=axes, keepdims=True), (x, mean))
    deviation = add(variance, constant(node.number("eps"), x.tensor_type.dtype))
    return [_layer_norm(node), mean, Call(Rsqrt(), (deviation,))]


def _layer_norm(node: TorchNode) -> Expr:
    x, inner = node.tensor("input"), node.dims("normalized_shape")
    shape = x.tensor_type.shape
    size = (product(inner),)
    gamma = reshape(_factor(node, "weight", inner), size)
    beta = reshape(_shift(node, "bias", inner), size)
    op = LayerNorm(axis=-1, epsilon=node.number("eps"))
    if len(inner) == 1:
        return Call(op, (x, gamma, beta), span=node.span)
    rows = reshape(x, (*shape[: len(shape) - len(inner)], *size))
    return reshape(Call(op, (rows, gamma, beta), span=node.span), shape, like=x)


@torch_operator("rms_norm", "_fused_rms_norm")
def rms_norm(node: TorchNode) -> object:
    """Translate `rms_norm` over the last axes."""
    x = node.tensor("input")
    rank, count = x.tensor_type.rank, len(node.dims("normalized_shape"))
    axes = tuple(range(rank - count, rank))
    squares = Call(Mean(axis=axes, keepdims=True), (multiply(x, x),))
    eps = node.value("eps")
    epsilon = x.tensor_type.dtype.numpy.type(0) if eps is None else eps
    if eps is None:
        epsilon = _machine_epsilon(x.tensor_type.dtype)
    factor = Call(Rsqrt(), (add(squares, constant(float(epsilon), x.tensor_type.dtype)),))
    result = multiply(x, factor)
    weight = node.optional("weight")
    result = result if weight is None else multiply(result, weight)
    return [result, factor] if node.operator == "_fused_rms_norm" else result


def _machine_epsilon(dtype: DType) -> float:
    """Return the distance from 1 to the next float of a type."""
    return {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23}.get(dtype.name, 2.0**-52)


@torch_operator("group_norm")
def group_norm(node: TorchNode) -> Expr:
    """Translate `group_norm`: normalise groups of channels."""
    node.ignore("cudnn_enabled")
    x = node.tensor("input")
    channels = x.tensor_type.shape[1:2]
    op = GroupNorm(axis=1, num_groups=node.integer("num_groups"), epsilon=node.number("eps"))
    args = (x, _factor(node, "weight", channels), _shift(node, "bias", channels))
    return Call(op, args, span=node.span)


@torch_operator("native_group_norm")
def native_group_norm(node: TorchNode) -> Sequence[Expr]:
    """Translate the ATen group norm, which also returns mean and inverse deviation."""
    x, groups, eps = node.tensor("input"), node.integer("group"), node.number("eps")
    batch, channels = node.dim("N"), node.dim("C")
    vectors = (_factor(node, "weight", (channels,)), _shift(node, "bias", (channels,)))
    shaped = reshape(x, (batch, channels, node.dim("HxW")))
    op = GroupNorm(axis=1, num_groups=groups, epsilon=eps)
    result = reshape(Call(op, (shaped, *vectors), span=node.span), x.tensor_type.shape)
    rows = reshape(x, (batch, groups, channels // groups * node.dim("HxW")))
    mean = Call(Mean(axis=(2,), keepdims=True), (rows,))
    variance = Call(Variance(axis=(2,)), (rows, mean))
    deviation = add(variance, constant(eps, x.tensor_type.dtype))
    return [result, reshape(mean, (batch, groups)), Call(Rsqrt(), (deviation,))]


@torch_operator("instance_norm")
def instance_norm(node: TorchNode) -> Expr:
    """Translate `instance_norm`, per sample and channel or with running statistics."""
    node.ignore("momentum", "cudnn_enabled")
    if not node.flag("use_input_stats"):
        return _batch_norm(node)
    node.ignore("running_mean", "running_var")
    x = node.tensor("input")
    channels = x.tensor_type.shape[1:2]
    op = InstanceNorm(axis=1, epsilon=node.number("eps"))
    args = (x, _factor(node, "weight", channels), _shift(node, "bias", channels))
    return Call(op, args, span=node.span)


@torch_operator("softmax", "_softmax", "log_softmax", "_log_softmax", "special_log_softmax",
                "_safe_softmax")  # fmt: skip
def softmax(node: TorchNode) -> Expr:
    """Translate softmax and its logarithm along one axis; may convert the type first."""
    node.ignore("half_to_float")
    x = node.tensor("self")
    x = converted(x, node.dtype() or x.tensor_type.dtype)
    if not x.tensor_type.rank:
        node.ignore("dim")
        return subtract(x, x) if "log" in node.operator else divide(x, x)
    op, axis = LogSoftmax if "log" in node.operator else Softmax, node.integer("dim")
    result = Call(op(axis), (x,), span=node.span)
    if node.operator != "_safe_softmax":
        return result
    lowest = constant(-np.inf, x.tensor_type.dtype)
    nothing = Call(All(axis=(axis,), keepdims=True), (equal(x, lowest),))
    return where(nothing, constant(0.0, x.tensor_type.dtype), result)
