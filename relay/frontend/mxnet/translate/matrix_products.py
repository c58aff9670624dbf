"""Translate MXNet matrix products, embeddings, `take` and `transpose`."""

from relay.frontend.builders.tensors import flattened
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.frontend.mxnet.translate.convolution import bias
from relay.ir.expr import Call, Expr
from relay.ops.binary import add
from relay.ops.cast import Cast
from relay.ops.nn.matmul import BatchMatmul, Dense, Matmul
from relay.ops.tensor.gather import Take
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import int32
from relay.support.error_codes import ErrorCode


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
    """Translate `dot` of two matrices."""
    node.ignore("forward_stype")
    if (node.type().rank, node.type(1).rank) != (2, 2):
        problem = f"both inputs must be matrices, but are {node.type()!r} and {node.type(1)!r}"
        raise node.error(ErrorCode.F030, problem)
    first, second = node.flag("transpose_a"), node.flag("transpose_b")
    op = Matmul(transpose_a=first, transpose_b=second)
    return Call(op, (node.tensor(), node.tensor(1)), span=node.span)


@mxnet_operator("batch_dot", "_linalg_gemm2", "linalg_gemm2")
def batch_dot(node: MxNode) -> Expr:
    """Translate batched matrix products."""
    node.ignore("forward_stype")
    op = BatchMatmul(transpose_a=node.flag("transpose_a"), transpose_b=node.flag("transpose_b"))
    return Call(op, (node.tensor(), node.tensor(1)), span=node.span)


@mxnet_operator("Embedding")
def embedding(node: MxNode) -> Expr:
    """Translate `Embedding`: look up a row of a table for each index."""
    node.ignore("input_dim", "output_dim", "sparse_grad", "dtype")
    return _rows(node, node.tensor(1), node.tensor(), axis=0)


@mxnet_operator("take")
def take(node: MxNode) -> Expr:
    """Translate `take`: elements of an axis at indices, which are clamped."""
    if node.text("mode", "clip") != "clip":
        raise node.wrong("mode")
    return _rows(node, node.tensor(), node.tensor(1), axis=node.integer("axis", 0))


def _rows(node: MxNode, x: Expr, index: Expr, axis: int) -> Expr:
    """Return `take` along an axis with integer indices, which MXNet often stores as floats."""
    numbers = Call(Cast(int32), (index,)) if index.tensor_type.dtype.is_float else index
    return Call(Take(axis=axis), (x, numbers), span=node.span)


@mxnet_operator("transpose")
def transpose(node: MxNode) -> Expr:
    """Translate `transpose`; without `axes`, the order of the axes is reversed."""
    axes = node.ints("axes", tuple(reversed(range(node.type().rank))))
    return Call(Transpose(axes), (node.tensor(),), span=node.span)
