"""The pass that replaces matrix-vector products by vector-matrix products."""

from collections.abc import Sequence

from relay.ir.dataflow import Found, operators, wildcard
from relay.ir.dims import Dim, product
from relay.ir.expr import Call, Constant, Expr
from relay.ir.types import has_any
from relay.ops.nn.matmul import BatchMatmul, Dense, Matmul
from relay.ops.tensor.reshape import Reshape
from relay.support.dtype import DType
from relay.support.node import value
from relay.transform.rewriting import RewritePass, Rule


def _is_column(call: Call) -> bool:
    """Whether a product's result is one column, or several, of more than one number in total.

    No size may be unknown.
    """
    *rows, columns = call.tensor_type.shape
    types = (call.tensor_type, *(arg.tensor_type for arg in call.args))
    return columns == 1 and product(rows) != 1 and not any(map(has_any, types))


matrix, column, weight = wildcard(), wildcard(), wildcard()
multiply, dense = operators(Matmul, BatchMatmul), operators(Dense)
call = multiply(matrix, column).where(_is_column)
layer = dense(matrix, weight).where(_is_column)


@value
class MatrixVectorToVectorMatrix(RewritePass):
    """Replace `A · x` by `(xᵀ · Aᵀ)ᵀ` if `x` is a column: the result of a kernel is then a row.

    Kernels compute vectors of results that are adjacent along the last axis. Transposing a row or a
    column is a reshape, which costs nothing.

    1. If all rows of `A` are multiplied by one column, this is a dense layer with weight `A`:
       `dense(xᵀ, A)`. So is `matmul(Aᵀ, x)` if `A` is a constant.
    2. Another `matmul(Aᵀ, x)` becomes `matmul(xᵀ, A)`.
    3. If each batch has its own column or a transposed matrix, the result is
       `batch_matmul(xᵀ, A)`.
    4. A dense layer with one unit, `dense(A, w)`, becomes `dense(w, A)`.

    The product of one row and one column is unchanged.
    """

    def rules(self) -> tuple[Rule, ...]:
        """Return the rules that match products of tensors, and dense layers."""
        return (Rule(call, _product), Rule(layer, _layer))


def _product(found: Found) -> Expr | None:
    op, a, x, result = found[multiply], found[matrix], found[column], found[call]
    flip, *batch = op.transposes[0], *x.tensor_type.shape[:-2]
    inner = a.tensor_type.shape[-2 if flip else -1]
    if not flip and product(batch) == 1:  # case 1
        return _dense(x, a, op.out_dtype, result)
    if result.tensor_type.rank > 2:  # case 3
        if result.tensor_type.shape[-2] == 1:  # rows and columns of each batch
            return None
        of_batch = BatchMatmul(op.out_dtype, transpose_b=not flip)
        return _column(Call(of_batch, (_reshape(x, (*batch, 1, inner)), a)), result)
    if isinstance(a, Constant):  # case 1
        return _dense(x, Constant(a.array.T, span=a.span), op.out_dtype, result)
    return _column(Call(Matmul(out_dtype=op.out_dtype), (_reshape(x, (1, inner)), a)), result)


def _layer(found: Found) -> Expr:
    return _dense(found[weight], found[matrix], found[dense].out_dtype, found[layer])


def _dense(x: Expr, a: Expr, out_dtype: DType | None, result: Call) -> Expr:
    """Return the dense layer of one row with the rows of `a` as weight, shaped like `result`."""
    inner = a.tensor_type.shape[-1]
    rows = product(result.tensor_type.shape)
    args = (_reshape(x, (1, inner)), _reshape(a, (rows, inner)))
    return _column(Call(Dense(out_dtype=out_dtype), args), result)


def _column(row: Call, result: Call) -> Expr:
    """Return a row as the column that it replaces."""
    return _reshape(Call(row.op, row.args, span=result.span), result.tensor_type.shape)


def _reshape(x: Expr, shape: Sequence[Dim]) -> Expr:
    if x.tensor_type.shape == tuple(shape):
        return x
    return Call(Reshape(tuple(shape), allowzero=True), (x,), span=x.span)
