"""Translate ONNX matrix products, einsums and determinants."""

from relay.frontend.builders.matrix_products import dense, multiplied
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import MICROSOFT, onnx_operator
from relay.ir.expr import Call, Expr, Tuple
from relay.numpy import linalg
from relay.ops.binary import Add, Multiply
from relay.ops.linalg.determinant import Det
from relay.ops.nn.matmul import Dense
from relay.ops.tensor.einsum import Einsum
from relay.ops.tensor.transpose import Transpose


@onnx_operator("MatMul")
def matmul(node: OnnxNode) -> Expr:
    """Translate `MatMul`, with the semantics of `numpy.matmul`."""
    return multiplied(node.expr(0), node.expr(1))


@onnx_operator("Gemm")
def gemm(node: OnnxNode) -> Expr:
    """Translate `Gemm`: `alpha · A · B + beta · C`, with optional transpositions."""
    return product_of_matrices(node)


def product_of_matrices(node: OnnxNode) -> Expr:
    """Return `alpha · A · B + beta · C` with a node's attributes; also used by fused operators."""
    a, b = node.expr(0), node.expr(1)
    if node.attribute("transA", 0):
        a = Call(Transpose((1, 0)), (a,))
    is_turned = node.attribute("transB", 0)
    result = Call(Dense(), (a, b), span=node.span) if is_turned else dense(a, b)
    result = _scaled(result, node.attribute("alpha", 1.0))
    bias = node.optional(2)
    if bias is None:
        return result
    return Call(Add(), (result, _scaled(bias, node.attribute("beta", 1.0))), span=node.span)


def _scaled(x: Expr, factor: float) -> Expr:
    if factor == 1.0:
        return x
    return Call(Multiply(), (x, constant(factor, x.tensor_type.dtype)))


@onnx_operator("Einsum")
def einsum(node: OnnxNode) -> Expr:
    """Translate `Einsum`."""
    return Call(Einsum(node.required("equation")), (Tuple(tuple(node.exprs())),), span=node.span)


@onnx_operator("Det")
def det(node: OnnxNode) -> Expr:
    """Translate `Det`: the determinants of the matrices along the last two axes."""
    return Call(Det(), (node.expr(0),), span=node.span)


@onnx_operator("Inverse", domain=MICROSOFT)
def inverse(node: OnnxNode) -> Expr:
    """Translate `Inverse` of the matrices along the last two axes; a singular matrix traps."""
    return linalg.inv(node.expr(0))
