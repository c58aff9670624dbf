"""Translate TensorFlow losses of classifiers."""

from collections.abc import Sequence

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.expr import Call, Expr
from relay.ops.binary import multiply, opposite, subtract
from relay.ops.nn.softmax import LogSoftmax, Softmax
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.one_hot_and_shape_of import OneHot


@tf_operator("SoftmaxCrossEntropyWithLogits")
def softmax_cross_entropy(node: TfNode) -> Sequence[Expr]:
    """Translate `SoftmaxCrossEntropyWithLogits`: the loss of each row, and its gradient."""
    x, wanted = node.exprs()
    return _cross_entropy(node, x, wanted)


@tf_operator("SparseSoftmaxCrossEntropyWithLogits")
def sparse_softmax_cross_entropy(node: TfNode) -> Sequence[Expr]:
    """Translate `SparseSoftmaxCrossEntropyWithLogits`, whose labels are class numbers."""
    x, labels = node.exprs()
    of = x.tensor_type.dtype
    ends = constant(1, of), constant(0, of)
    return _cross_entropy(node, x, Call(OneHot(x.tensor_type.shape[-1]), (labels, *ends)))


def _cross_entropy(node: TfNode, x: Expr, wanted: Expr) -> list[Expr]:
    logs = Call(LogSoftmax(-1), (x,), span=node.span)
    shares = Call(Softmax(-1), (x,), span=node.span)
    loss = opposite(Call(Sum(axis=(-1,)), (multiply(wanted, logs),)))
    return [loss, subtract(shares, wanted)]
