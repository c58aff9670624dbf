"""Translate MXNet matrix products, embeddings and `transpose`."""

from relay.frontend.builders.tensor_helpers import flattened
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.frontend.mxnet.translate.convolution import bias
from relay.ir.expr import Call, Expr
from relay.numpy import tensordot
from relay.ops.binary import add
from relay.ops.cast import Cast
from relay.ops.nn.matmul import BatchMatmul, Dense, Matmul
from relay.ops.tensor.gather import Take
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import int32


@mxnet_operator("FullyConnected")
def fully_connected(node: MxNode) -> Expr:
    """Translate `FullyConnected`: multiply by a matrix `(outputs, inputs)` and add a bias.

    Samples are flattened to rows first, except with `flatten=False`.
    """
    x = node.tensor()
    if node.flag("flatten", default=True) and x.tensor_type.rank != 2:
        x = flattened(x, 1)
    result = Call(Dense(), (x, node.tensor(1)), span=node.span)
    given = bias(node)
    return result if given is None else add(result, given)


@mxnet_operator("dot")
def dot(node: MxNode) -> Expr:
    """Translate `dot`: the last axis of the first tensor by the first axis of the second one."""
    node.ignore("forward_stype")
    first, second = node.flag("transpose_a"), node.flag("transpose_b")
    x, y = node.tensor(), node.tensor(1)
    if (x.tensor_type.rank, y.tensor_type.rank) == (2, 2):
        return Call(Matmul(transpose_a=first, transpose_b=second), (x, y), span=node.span)
    x, y = _rolled(x, 1) if first else x, _rolled(y, -1) if second else y
    return tensordot(x, y, 1)


def _rolled(x: Expr, shift: int) -> Expr:
    """Return a tensor with its first axis last (shift 1), or its last axis first (shift -1)."""
    axes = [*range(x.tensor_type.rank)]
    return Call(Transpose((*axes[shift:], *axes[:shift])), (x,))


@mxnet_operator("batch_dot")
def batch_dot(node: MxNode) -> Expr:
    """Translate batched matrix products."""
    node.ignore("forward_stype")
    op = BatchMatmul(transpose_a=node.flag("transpose_a"), transpose_b=node.flag("transpose_b"))
    return Call(op, (node.tensor(), node.tensor(1)), span=node.span)


@mxnet_operator("Embedding", "_contrib_SparseEmbedding")
def embedding(node: MxNode) -> Expr:
    """Translate `Embedding`: look up a row of a table for each index."""
    node.ignore("input_dim", "output_dim", "sparse_grad", "deterministic", "dtype")
    return _rows(node, node.tensor(1), node.tensor(), axis=0)


def _rows(node: MxNode, x: Expr, index: Expr, axis: int) -> Expr:
    """Return `take` along an axis with integer indices, which MXNet often stores as floats."""
    numbers = Call(Cast(int32), (index,)) if index.tensor_type.dtype.is_float else index
    return Call(Take(axis=axis), (x, numbers), span=node.span)


@mxnet_operator("transpose")
def transpose(node: MxNode) -> Expr:
    """Translate `transpose`; without `axes`, the order of the axes is reversed."""
    axes = node.ints("axes", tuple(reversed(range(node.type().rank))))
    return Call(Transpose(axes), (node.tensor(),), span=node.span)
