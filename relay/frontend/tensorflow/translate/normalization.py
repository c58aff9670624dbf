"""Translate TensorFlow image normalisations."""

from collections.abc import Sequence

from relay.frontend.builders.batch_norm import batch_norm as normalised
from relay.frontend.builders.tensors import constant
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.expr import Call, Expr
from relay.ops.nn.batch_norm_dropout import BatchNorm
from relay.ops.nn.normalization import LRN
from relay.support.dtype import float32
from relay.support.error_codes import ErrorCode


@tf_operator("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def fused_batch_norm(node: TfNode) -> Sequence[Expr]:
    """Translate `FusedBatchNorm` in inference; the statistics are also results."""
    node.ignore("exponential_avg_factor")
    if node.attribute("is_training", default=True):
        raise node.error(
            ErrorCode.F036,
            "the layer normalises with the statistics of the batch, as in training",
            "export the model for inference, with training=False",
        )
    x, *vectors = node.exprs()
    axis = 1 if node.text("data_format", "NHWC").startswith("NC") else node.type(0).rank - 1
    op = BatchNorm(axis=axis, epsilon=node.number("epsilon", 1e-4))
    result = normalised(op, x, vectors, node.span)
    mean, variance = vectors[2:]
    return [result, mean, variance, mean, variance, constant(0, float32)]


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
