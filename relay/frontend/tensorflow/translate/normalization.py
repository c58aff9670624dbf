"""Translate TensorFlow image normalisations."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.batch_norm import batch_norm as normalised
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import add, divide, multiply, scaled, subtract
from relay.ops.cast import Cast
from relay.ops.functions import core
from relay.ops.nn.batch_norm_dropout import BatchNorm
from relay.ops.nn.normalization import LRN
from relay.ops.sum_and_mean_reductions import Mean, Variance
from relay.support.dtype import DType, float32


@tf_operator("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def fused_batch_norm(node: TfNode) -> Sequence[Expr]:
    """Translate `FusedBatchNorm`; the statistics are also results.

    In training they are those of the batch, mixed with the old ones by a factor.
    """
    x, scale, offset, *old = node.exprs()
    axis = 1 if node.text("data_format", "NHWC").startswith("NC") else node.type(0).rank - 1
    op = BatchNorm(axis=axis, epsilon=node.number("epsilon", 1e-4))
    share = node.number("exponential_avg_factor", 1.0)
    if not node.attribute("is_training", default=True):
        result = normalised(op, x, (scale, offset, *old), node.span)
        return [result, *old, *old, constant(0, float32)]
    mean, variance, unbiased = _statistics(x, axis, scale.tensor_type.dtype)
    result = normalised(op, x, (scale, offset, mean, variance), node.span)
    found = [mean, unbiased]
    if share != 1.0:
        pairs = zip(found, old, strict=True)
        found = [add(scaled(new, share), scaled(each, 1.0 - share)) for new, each in pairs]
    return [result, *found, mean, variance, constant(0, float32)]


def _statistics(x: Expr, axis: int, of: DType) -> tuple[Expr, Expr, Expr]:
    """Return mean, variance and unbiased variance of each channel, in an element type."""
    axes = tuple(each for each in range(x.tensor_type.rank) if each != axis)
    wide = x if x.tensor_type.dtype is of else Call(Cast(of), (x,))
    mean = Call(Mean(axis=axes, keepdims=True), (wide,))
    variance = Call(Variance(axis=axes), (wide, mean))
    flat = Call(Mean(axis=axes), (wide,))
    counts = core.cast(core.shape_of(x, "int64"), "float64")
    places = Constant(np.array(axes))
    count = core.cast(core.prod(core.take(counts, places, axis=0, mode="fast")), str(of))
    one = constant(1, of)
    rest = core.maximum(subtract(count, one), one)
    return flat, variance, multiply(variance, divide(count, rest))


@tf_operator("BatchNormWithGlobalNormalization")
def batch_norm(node: TfNode) -> Expr:
    """Translate `BatchNormWithGlobalNormalization`; the scale is optional."""
    x, mean, variance, beta, gamma = node.exprs()
    op = BatchNorm(
        axis=node.type(0).rank - 1, epsilon=node.number("variance_epsilon"),
        scale=node.flag("scale_after_normalization"),
    )  # fmt: skip
    return normalised(op, x, (gamma, beta, mean, variance), node.span)


@tf_operator("LRN")
def local_response_normalization(node: TfNode) -> Expr:
    """Translate `LRN`: local response normalisation across channels."""
    size = 2 * node.integer_of("depth_radius", 5) + 1
    op = LRN(
        size=size, axis=3, bias=node.number("bias", 1.0), beta=node.number("beta", 0.5),
        alpha=node.number("alpha", 1.0) * size,
    )  # fmt: skip
    return Call(op, (node.expr(0),), span=node.span)
