"""Translate TensorFlow losses of classifiers, and decoding of sequences."""

from collections.abc import Sequence

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.dims import static
from relay.ir.expr import Call, Expr
from relay.ops.binary import multiply, opposite, subtract
from relay.ops.comparison import less
from relay.ops.creation import Full
from relay.ops.functions import core
from relay.ops.nn.softmax import LogSoftmax, Softmax
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.one_hot_and_shape_of import OneHot
from relay.support.dtype import int64


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


@tf_operator("CTCGreedyDecoder")
def greedy_decoder(node: TfNode) -> Sequence[Expr]:
    """Translate `CTCGreedyDecoder`: the best class of each step, without blanks and repetitions.

    The results are a sparse matrix (indices, values and shape), and the negative sums of the
    largest inputs.
    """
    x, lengths = node.exprs()
    _, batch, classes = x.tensor_type.shape
    blank = node.integer_of("blank_index", -1) % static((classes,))[0]
    best = core.transpose(core.cast(core.argmax(x, axis=2), "int64"), (1, 0))
    ones = core.full_like(best, constant(1, int64))
    places = core.subtract(core.cumsum(ones, axis=1), constant(1, int64))
    inside = less(places, core.expand_dims(core.cast(lengths, "int64"), 1))
    kept: Expr = core.logical_and(inside, core.not_equal(best, constant(blank, int64)))
    if node.flag("merge_repeated"):
        none = Call(Full((batch, 1)), (constant(-1, int64),))
        before = core.concatenate([none, core.strided_slice(best, (0,), (-1,), axes=(1,))], 1)
        kept = core.logical_and(kept, core.not_equal(best, before))
    return [*_sparse(best, kept), _negative_sum(x, inside)]


def _sparse(values: Expr, kept: Expr) -> list[Expr]:
    """Return the kept elements of each row as a sparse matrix, moved to the left."""
    numbers = core.cast(kept, "int64")
    left = core.subtract(core.cumsum(numbers, axis=1), constant(1, int64))
    places = core.cast(core.transpose(core.argwhere(kept)), "int64")
    rows = core.take(places, constant(0, int64), axis=0)
    indices = core.stack([rows, core.gather_nd(left, places)], 1)
    longest = core.max(core.sum(numbers, axis=1))
    count = core.take(core.shape_of(values, "int64"), constant(0, int64), axis=0)
    shape = core.stack([count, longest], 0)
    return [indices, core.gather_nd(values, places), shape]


def _negative_sum(x: Expr, inside: Expr) -> Expr:
    """Return the negative sums of the largest inputs of all steps, as a column."""
    largest = core.transpose(core.max(x, axis=2), (1, 0))
    total = core.sum(where(inside, largest, constant(0, x.tensor_type.dtype)), axis=1)
    return opposite(core.expand_dims(total, 1))
