"""`cofactors`: the derivatives of determinants of square matrices, singular ones included."""

from collections.abc import Sequence

import numpy as np

from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.kernels.scalar import lift
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.comparison import equal
from relay.ops.creation import number
from relay.ops.families import extents
from relay.ops.linalg.lu_factorization import eliminate_column
from relay.ops.linalg.matrix_helpers import copied, require_square
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.loop_nests import nest
from relay.ops.tensor.position_tensors import numbered
from relay.ops.tensor.reshape import ExpandDims
from relay.support.dtype import float64, int64

_RANK_TWO = [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.0, 1.0, -1.0]]
_RANK_ONE = [[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 0.0]]


@operator("cofactors")
class Cofactors(OperatorDef):
    """Return the derivatives of the determinants of the matrices along the last two axes. Floats.

    Each element is the determinant of the matrix without the row and the column of the element,
    with the opposite sign where the sum of the row and column numbers is odd. Half precision and
    float32 are computed in float64.

    The matrix is factored as `p l d u q`, where `l` and `u` have ones on their diagonals and the
    largest remaining element is the next pivot. The cofactors of a product are the product of the
    cofactors, and those of `d` are products of the other pivots: none is a divisor.
    """

    examples = (
        Example("f64[3, 3]"),
        Example("f32[2, 4, 4]", tolerance=1e-4),
        Example("f64[3, 3]", values={0: _RANK_TWO}),
        Example("f64[3, 3]", values={0: _RANK_ONE}),
        Example("f32[1, 1]"),
        Example("f64[2, 0, 0]"),
        Example("f16[2, 2]", tolerance=1e-3),
    )

    def infer(self, x: TensorType) -> TensorType:
        require_square(self.name, x)
        return x

    def compute(self, x: te.Tensor) -> te.Tensor:
        *batch, size, _ = extents(x)

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b, (matrices,), (out,) = te.LoopBuilder(), inputs, outputs
            with nest(b, batch) as i:
                rows = copied(b, matrices, i, float64)
                orders = b.scratch((2, size), int64, "orders")
                sign = _factor(b, rows, orders)
                found = b.scratch((size, size), float64, "found")
                _store_upper_cofactors(b, found, rows, _other_pivots(b, rows, sign))
                _multiply_by_lower_cofactors(b, found, rows)
                with nest(b, (size, size)) as (r, c):
                    place = (*i, orders[te.const(0), r], orders[te.const(1), c])
                    b.store(out, place, te.cast(found[r, c], x.dtype))
            return b.finish()

        return te.loops([(x.shape, x.dtype)], [x], build, self.name)[0]

    def reference(self, x: Array) -> Array:
        """Multiply the cofactors of the factors of a singular value decomposition."""
        if not x.size:
            return x
        wide = x.astype(np.float64)
        is_finite = np.isfinite(wide).all((-2, -1), keepdims=True)
        left, sizes, right = np.linalg.svd(np.where(is_finite, wide, 0.0))
        others = [np.delete(sizes, k, -1).prod(-1) for k in range(sizes.shape[-1])]
        sign = np.sign(np.linalg.det(left) * np.linalg.det(right))
        scaled = left * (np.stack(others, -1) * sign[..., None])[..., None, :]
        return np.where(is_finite, scaled @ right, np.nan).astype(x.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative of the sum of the determinants of `x` with one row of `d_out`.

        That sum is the product of the cofactors with `d_out`.
        """
        (x,) = call.args
        axis = x.tensor_type.rank - 2
        places = numbered(x, axis + 1)
        unit = equal(Call(ExpandDims(1), (places,)), places)
        is_row = Call(ExpandDims(2), (unit,))
        many, other = (Call(ExpandDims(axis), (each,)) for each in (x, d_out))
        slopes = Call(Cofactors(), (where(is_row, other, many),))
        return (Call(Sum((axis,)), (where(is_row, number(0, x), slopes),)),)


def _factor(b: te.LoopBuilder, rows: Buffer, orders: Buffer) -> te.Scalar:
    """Factor a matrix with complete pivoting; return the sign of both permutations.

    The old numbers of rows and columns are stored in `orders`.
    """
    size, sign = rows.shape[0], b.cell(1.0, float64, "sign")
    with nest(b, orders.shape) as (which, k):
        b.store(orders, (which, k), k)
    with b.for_(size, "k") as k:
        row, column = _largest(b, rows, k)
        for which, chosen in enumerate((row, column)):
            sign.value = te.select(chosen > k, -sign.value, sign.value)
            with b.if_(chosen > k):
                _exchange(b, orders, (te.const(which), k), (te.const(which), chosen))
        with b.if_(row > k), b.for_(size, "c") as c:
            _exchange(b, rows, (k, c), (row, c))
        with b.if_(column > k), b.for_(size, "r") as r:
            _exchange(b, rows, (r, k), (r, column))
        eliminate_column(b, rows, k)
    return sign.value


def _largest(b: te.LoopBuilder, rows: Buffer, k: te.Scalar) -> tuple[te.Scalar, te.Scalar]:
    """Return the row and the column, both from `k` on, of the largest absolute value."""
    rest = lift(rows.shape[0]) - k
    best, row, column = (
        b.cell(-1.0, float64, "best"),
        b.cell(k, int64, "row"),
        b.cell(k, int64, "c"),
    )
    with b.for_(rest, "r", start=k) as r, b.for_(rest, "c", start=k) as c:
        size = b.let(te.abs(rows[r, c]), "size")
        with b.if_(size > best.value):
            best.value, row.value, column.value = size, r, c
    return b.let(row.value, "row"), b.let(column.value, "column")


def _exchange(
    b: te.LoopBuilder, of: Buffer, one: tuple[te.Scalar, ...], other: tuple[te.Scalar, ...]
) -> None:
    kept = b.let(of[one], "kept")
    b.store(of, one, of[other])
    b.store(of, other, kept)


def _other_pivots(b: te.LoopBuilder, rows: Buffer, sign: te.Scalar) -> Buffer:
    """Return the product of `sign` and of all other pivots for each pivot."""
    size = rows.shape[0]
    found, product = b.scratch((size,), float64, "others"), b.cell(sign, float64, "product")
    with b.for_(size, "k") as k:
        b.store(found, (k,), product.value)
        product.value = product.value * rows[k, k]
    product.value = te.const(1.0, float64)
    with b.for_(size, "step") as step:
        k = b.let(lift(size) - 1 - step, "k")
        b.store(found, (k,), found[k] * product.value)
        product.value = product.value * rows[k, k]
    return found


def _store_upper_cofactors(b: te.LoopBuilder, found: Buffer, rows: Buffer, others: Buffer) -> None:
    """Store the cofactors of `d u`: the inverse of the transposed `u`, its rows times `others`."""
    with nest(b, found.shape) as (r, c):
        b.store(found, (r, c), te.cast(te.equal(r, c), float64))
    with b.for_(rows.shape[0], "i") as i, b.for_(i, "r") as r:
        pivot = b.let(rows[r, r], "pivot")
        zero = te.const(0.0, float64)
        factor = b.let(te.select(te.equal(pivot, 0.0), zero, rows[r, i] / pivot), "factor")
        with b.for_(r + 1, "c") as c:
            b.store(found, (i, c), found[i, c] - factor * found[r, c])
    with nest(b, found.shape) as (r, c):
        b.store(found, (r, c), found[r, c] * others[r])


def _multiply_by_lower_cofactors(b: te.LoopBuilder, found: Buffer, rows: Buffer) -> None:
    """Multiply by the inverse of the transposed `l` from the left, in place."""
    size = lift(rows.shape[0])
    with b.for_(size, "step") as step:
        i = b.let(size - 1 - step, "i")
        with b.for_(step, "r", start=i + 1) as r, b.for_(size, "c") as c:
            b.store(found, (i, c), found[i, c] - rows[r, i] * found[r, c])
