"""Translate the ONNX losses of classifications."""

from collections.abc import Sequence

from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.ir.expr import Call, Expr
from relay.ops.cast import Cast
from relay.ops.creation import OnesLike
from relay.ops.nn.loss import NLLLoss
from relay.ops.nn.softmax import LogSoftmax
from relay.ops.tensor.position_tensors import numbered

_NONE = -(2**31)
"""The class that is ignored if a node names none; no tensor has so many classes."""


@onnx_operator("NegativeLogLikelihoodLoss")
def negative_log_likelihood(node: OnnxNode) -> Expr:
    """Translate `NegativeLogLikelihoodLoss`: the weighted logarithms at the target classes."""
    return _loss(node, node.expr(0))


@onnx_operator("SoftmaxCrossEntropyLoss")
def softmax_cross_entropy(node: OnnxNode) -> Sequence[Expr]:
    """Translate `SoftmaxCrossEntropyLoss`: the loss, and the logarithms if requested."""
    logarithms = Call(LogSoftmax(axis=1), (node.expr(0),), span=node.span)
    found = [_loss(node, logarithms), logarithms]
    return found if any(node.outputs[1:]) else found[:1]


def _loss(node: OnnxNode, logarithms: Expr) -> Expr:
    weights = node.optional(2)
    if weights is None:
        classes = Call(Cast(logarithms.tensor_type.dtype), (numbered(logarithms, 1),))
        weights = Call(OnesLike(), (classes,))
    reduction = node.choice("reduction", ("none", "sum", "mean"), "mean")
    op = NLLLoss(reduction, node.attribute("ignore_index", _NONE))
    return Call(op, (logarithms, node.expr(1), weights), span=node.span)
