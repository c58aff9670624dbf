"""Translate MXNet normalisations."""

from collections.abc import Sequence

import numpy as np

from relay import numpy as rnp
from relay.frontend.builders.batch_norm import batch_norm as normalised
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.frontend.node_errors import static_size
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import add, multiply
from relay.ops.nn.activations import Relu
from relay.ops.nn.batch_norm_dropout import BatchNorm
from relay.ops.nn.normalization import LRN, GroupNorm, InstanceNorm, LayerNorm
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.tile_and_repeat import Repeat
from relay.ops.transcendental import Rsqrt


@mxnet_operator("_contrib_BatchNormWithReLU")
def batch_norm_relu(node: MxNode) -> Expr:
    """Translate `BatchNormWithReLU`."""
    return Call(Relu(strict=True), (_batch_norm(node),))


@mxnet_operator("BatchNorm", "BatchNorm_v1", "_contrib_SyncBatchNorm")
def batch_norm(node: MxNode) -> Expr:
    """Translate `BatchNorm`, with stored statistics; with `fix_gamma`, the scale is 1."""
    return _batch_norm(node)


def _batch_norm(node: MxNode) -> Expr:
    node.ignore("use_global_stats", "output_mean_var", "key", "ndev")
    x, gamma, beta, mean, variance = node.inputs
    if node.flag("fix_gamma", default=True):
        size = static_size(gamma.tensor_type.shape[0])
        gamma = Constant(np.ones(size, gamma.tensor_type.dtype.numpy))
    op = BatchNorm(axis=node.integer("axis", 1), epsilon=node.number("eps", 1e-3))
    return normalised(op, x, (gamma, beta, mean, variance), node.span)


@mxnet_operator("LayerNorm")
def layer_norm(node: MxNode) -> Expr:
    """Translate `LayerNorm` over one axis."""
    op = LayerNorm(axis=node.integer("axis", -1), epsilon=node.number("eps", 1e-5))
    return Call(op, tuple(node.inputs[:3]), span=node.span)


@mxnet_operator("InstanceNorm")
def instance_norm(node: MxNode) -> Expr:
    """Translate `InstanceNorm`: normalise each channel of each sample separately."""
    op = InstanceNorm(axis=1, epsilon=node.number("eps", 1e-3))
    return Call(op, tuple(node.inputs[:3]), span=node.span)


@mxnet_operator("GroupNorm")
def group_norm(node: MxNode) -> Expr:
    """Translate `GroupNorm`: normalise groups; weights are per group, or per channel."""
    groups, (_, channels, *_) = node.integer("num_groups", 1), node.type().shape
    op = GroupNorm(axis=1, num_groups=groups, epsilon=node.number("eps", 1e-5))
    x, *weights = node.inputs[:3]
    if weights[0].tensor_type.shape != (channels,):
        count = static_size(channels) // groups
        weights = [Call(Repeat(count, 0), (each,)) for each in weights]
    return Call(op, (x, *weights), span=node.span)


@mxnet_operator("moments")
def moments(node: MxNode) -> Sequence[Expr]:
    """Translate `moments`: the means and the variances along axes."""
    x, axes = node.tensor(), node.ints("axes", ()) or None
    mean = rnp.mean(x, axis=axes, keepdims=True)
    found = mean, rnp.mean(rnp.square(rnp.subtract(x, mean)), axis=axes, keepdims=True)
    if node.flag("keepdims"):
        return found
    return [rnp.squeeze(each, axis=axes) for each in found]


@mxnet_operator("L2Normalization")
def l2_normalization(node: MxNode) -> Expr:
    """Translate `L2Normalization`: divide by the L2 norm per sample, position or channel."""
    x = node.tensor()
    rank = x.tensor_type.rank
    axes = {
        "instance": tuple(range(1, rank)),
        "channel": (1,),
        "spatial": tuple(range(2, rank)),
    }.get(node.text("mode", "instance"))
    if axes is None:
        raise node.wrong("mode")
    squares = Call(Sum(axis=axes, keepdims=True), (multiply(x, x),))
    small = constant(node.number("eps", 1e-10), x.tensor_type.dtype)
    return multiply(x, Call(Rsqrt(), (add(squares, small),)))


@mxnet_operator("LRN")
def lrn(node: MxNode) -> Expr:
    """Translate `LRN`: local response normalisation across channels."""
    op = LRN(
        size=node.integer("nsize"),
        axis=1,
        bias=node.number("knorm", 2.0),
        alpha=node.number("alpha", 1e-4),
        beta=node.number("beta", 0.75),
    )
    return Call(op, (node.tensor(),), span=node.span)
