"""Matrix products with the semantics of `numpy.matmul`."""

from relay.frontend.builders.tensor_helpers import reshape
from relay.ir.dims import ANY, Dim, product
from relay.ir.expr import Call, Constant, Expr
from relay.ops.nn.matmul import BatchMatmul, Dense, Matmul


def multiplied(a: Expr, b: Expr) -> Expr:
    """Return the product of two tensors as by `numpy.matmul`."""
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
    """Multiply `(…, m, k)` by `(k, n)` as one matrix product; a constant `b` is transposed here.

    The error for sizes that differ names the matrices as they are given.
    """
    *leading, inner = a.tensor_type.shape
    if isinstance(b, Constant) and not _differ(inner, b.array.shape[0]):
        weight = Constant(b.array.T, span=b.span)
        return Call(Dense(), (a, weight))
    columns = b.tensor_type.shape[1]
    if len(leading) == 1:
        return Call(Matmul(), (a, b))
    if ANY in leading and ANY in (*leading[1:], inner, columns):  # a reshape infers one size only
        return Call(BatchMatmul(), (a, b))
    result = Call(Matmul(), (reshape(a, (product(leading), inner)), b))
    return reshape(result, (*leading, columns))


def _differ(size: Dim, other: int) -> bool:
    return isinstance(size, int) and size != other
