"""Products of matrices."""

from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.common import constant, reshape
from relay.ir.dims import ANY, product
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ops.binary import Add, Multiply
from relay.ops.nn.matmul import BatchMatmul, Dense, Matmul
from relay.ops.tensor.einsum import Einsum
from relay.ops.tensor.transpose import Transpose


@onnx_operator("MatMul")
def matmul(node: OnnxNode) -> Expr:
    """Multiply as NumPy does: vectors are matrices of one row or column, leading axes broadcast."""
    return multiplied(node.expr(0), node.expr(1))


def multiplied(a: Expr, b: Expr) -> Expr:
    """Return the product of two tensors by NumPy's rules."""
    shape_a, shape_b = a.tensor_type.shape, b.tensor_type.shape
    if len(shape_b) == 2 and len(shape_a) >= 2:
        return dense(a, b)
    left = reshape(a, (1, *shape_a)) if len(shape_a) == 1 else a
    right = reshape(b, (*shape_b, 1)) if len(shape_b) == 1 else b
    result = Call(BatchMatmul(), (left, right))
    shape = list(result.tensor_type.shape)
    if len(shape_b) == 1:
        del shape[-1]
    if len(shape_a) == 1:
        del shape[len(shape) - (len(shape_b) > 1) - 1]
    return result if len(shape_a) > 1 and len(shape_b) > 1 else reshape(result, shape)


def dense(a: Expr, b: Expr) -> Expr:
    """Multiply `(…, m, k)` by `(k, n)`, all rows at once; a constant weight is turned here."""
    if isinstance(b, Constant):
        weight = Constant(b.data.T, span=b.span)
        return Call(Dense(), (a, weight))
    *leading, inner = a.tensor_type.shape
    if ANY in leading[1:]:
        return Call(BatchMatmul(), (a, b))
    rows = a if len(leading) == 1 else reshape(a, (product(leading), inner))
    result = Call(Matmul(), (rows, b))
    return result if len(leading) == 1 else reshape(result, (*leading, b.tensor_type.shape[1]))


@onnx_operator("Gemm")
def gemm(node: OnnxNode) -> Expr:
    """Compute `alpha · A · B + beta · C`, either matrix transposed."""
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
    """Sum products as the equation says."""
    return Call(Einsum(node.required("equation")), (Tuple(tuple(node.exprs())),), span=node.span)
