"""Translate TensorFlow matrix products and einsums."""

from relay.frontend.builders.matrix_products import dense
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.expr import Call, Expr, Tuple
from relay.ops.cast import Cast
from relay.ops.nn.matmul import BatchMatmul, Dense, Matmul
from relay.ops.tensor.einsum import Einsum


@tf_operator("MatMul", "SparseMatMul")
def matmul(node: TfNode) -> Expr:
    """Translate `MatMul` of two matrices, optionally transposed."""
    node.ignore("a_is_sparse", "b_is_sparse")
    return _product(node, node.flag("transpose_a"), node.flag("transpose_b"))


@tf_operator("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def batch_matmul(node: TfNode) -> Expr:
    """Translate `BatchMatMul`: leading axes broadcast; matrices may be transposed."""
    return _product(node, node.flag("adj_x"), node.flag("adj_y"))


def _product(node: TfNode, transpose_a: bool, transpose_b: bool) -> Expr:
    a, b = _operand(node, 0), _operand(node, 1)
    if node.type(1).rank > 2:
        return Call(BatchMatmul(None, transpose_a, transpose_b), (a, b), span=node.span)
    if transpose_a:
        op = Matmul(transpose_a=True, transpose_b=transpose_b)
        return Call(op, (a, b), span=node.span)
    return Call(Dense(), (a, b), span=node.span) if transpose_b else dense(a, b)


def _operand(node: TfNode, index: int) -> Expr:
    """Return an operand in the element type of the product, which may be wider (`Tout`)."""
    x = node.expr(index)
    to = node.dtype("Tout") if "Tout" in node.node.attributes else x.tensor_type.dtype
    return x if x.tensor_type.dtype is to else Call(Cast(to), (x,), span=node.span)


@tf_operator("Einsum")
def einsum(node: TfNode) -> Expr:
    """Translate `Einsum`."""
    op = Einsum(node.text("equation"))
    return Call(op, (Tuple(tuple(node.exprs())),), span=node.span)
