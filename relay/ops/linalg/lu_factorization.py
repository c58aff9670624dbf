"""`lu_factor`: Gaussian elimination with partial pivoting."""

from collections.abc import Sequence

import numpy as np

from relay.ir.expr import Array, Call, Expr, TupleGetItem
from relay.ir.types import TensorType, TupleType
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.kernels.scalar import lift
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import add
from relay.ops.creation import number
from relay.ops.families import extents
from relay.ops.linalg.matrix_helpers import (
    copied,
    lower,
    matrix_product,
    require_matrices,
    transposed,
    upper,
)
from relay.ops.linalg.solve_triangular import SolveTriangular
from relay.ops.tensor.dim_arithmetic import minimum
from relay.ops.tensor.loop_nests import nest
from relay.ops.tensor.one_hot_and_shape_of import OneHot
from relay.support.dtype import float64, int32, int64

_ROWS = [[1.0, 2.0, 0.5], [4.0, -1.0, 2.0], [0.5, 3.0, -2.0]]


@operator("lu_factor")
class LUFactor(OperatorDef):
    """Return `(lu, pivots, permutation)` with `x[permutation] = l · u`; floats.

    The matrices are those along the last two axes, `(…, m, n)`. `lu` holds `u` from the diagonal on
    and `l`, whose diagonal is 1, below it. In step `k`, row `k` changed places with row
    `pivots[k]`; `pivots` and `permutation` are vectors of int32, of the lengths `min(m, n)` and
    `m`. Only square matrices have a derivative.
    """

    examples = (
        Example("f64[3, 3]", values={0: _ROWS}),
        Example("f32[2, 3, 3]", values={0: [_ROWS, _ROWS[::-1]]}),
        Example("f64[2, 4]", differentiable=False),
        Example("f64[4, 2]", differentiable=False),
        Example("f64[2, 2]", values={0: [[0.0, 1.0], [0.0, 2.0]]}, differentiable=False),
        Example("f16[1, 1]"),
        Example("f32[2, 0, 0]"),
    )

    def infer(self, x: TensorType) -> TupleType:
        require_matrices(self.name, x)
        *batch, rows, columns = x.shape
        pivots = TensorType((*batch, minimum(rows, columns)), int32)
        return TupleType((x, pivots, TensorType((*batch, rows), int32)))

    def compute(self, x: te.Tensor) -> tuple[te.Tensor, ...]:
        *batch, height, width = extents(x)
        steps = minimum(height, width)

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b, (matrices,), (lu, pivots, permutation) = te.LoopBuilder(), inputs, outputs
            with nest(b, batch) as i:
                rows = copied(b, matrices, i, float64)
                with b.for_(height, "r") as r:
                    b.store(permutation, (*i, r), te.cast(r, int32))
                with b.for_(steps, "k") as k:
                    chosen = eliminate_column(b, rows, k)
                    b.store(pivots, (*i, k), te.cast(chosen, int32))
                    kept = b.let(permutation[(*i, k)], "kept")
                    b.store(permutation, (*i, k), permutation[(*i, chosen)])
                    b.store(permutation, (*i, chosen), kept)
                with nest(b, (height, width)) as place:
                    b.store(lu, (*i, *place), te.cast(rows[place], x.dtype))
            return b.finish()

        results = [
            (x.shape, x.dtype), ((*batch, steps), int32), ((*batch, height), int32),
        ]  # fmt: skip
        return te.loops(results, [x], build, self.name)

    def reference(self, x: Array) -> tuple[Array, Array, Array]:
        *batch, height, width = x.shape
        lu, steps = x.astype(np.float64), min(height, width)
        pivots = np.zeros((*batch, steps), np.int32)
        permutation = np.broadcast_to(np.arange(height, dtype=np.int32), (*batch, height)).copy()
        for i in np.ndindex(*batch):
            for k in range(steps):
                chosen = k + int(np.argmax(np.abs(lu[(*i, slice(k, None), k)])))
                pivots[(*i, k)] = chosen
                for each in (lu[i], permutation[i]):
                    each[[k, chosen]] = each[[chosen, k]]
                if lu[(*i, k, k)] != 0:
                    lu[(*i, slice(k + 1, None), k)] /= lu[(*i, k, k)]
                below = lu[(*i, slice(k + 1, None), k)]
                row = lu[(*i, k, slice(k + 1, None))]
                lu[(*i, slice(k + 1, None), slice(k + 1, None))] -= np.outer(below, row)
        return lu.astype(x.dtype), pivots, permutation

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return `pᵀ l⁻ᵀ (tril(lᵀ d_l) + triu(d_u uᵀ)) u⁻ᵀ` for the permutation `p` (`T104`)."""
        rows, columns = call.args[0].tensor_type.shape[-2:]
        checks.attribute(
            self.name, rows == columns, "the derivative is defined for square matrices only"
        )
        lu, permutation = TupleGetItem(call, 0), TupleGetItem(call, 2)
        d_lu = TupleGetItem(d_out, 0)
        d_l = lower(d_lu, -1)
        of_l = add(matrix_product(lower(lu, -1), d_l, transpose_a=True), d_l)
        of_u = matrix_product(upper(d_lu), upper(lu), transpose_b=True)
        inner = add(lower(of_l, -1), upper(of_u))
        left = Call(SolveTriangular(transposed=True, unit=True), (lu, inner))
        whole = transposed(Call(SolveTriangular(upper=True), (lu, transposed(left))))
        order = Call(OneHot(rows), (permutation, number(1, lu), number(0, lu)))
        return (matrix_product(order, whole, transpose_a=True),)


def eliminate_column(b: te.LoopBuilder, rows: Buffer, k: te.Scalar) -> te.Scalar:
    """Eliminate column `k` below the diagonal; return the row from which the pivot was moved.

    The pivot is the largest element of the column from the diagonal on; its row changes places with
    row `k`. The factors of the elimination replace the column below the diagonal.
    """
    height, width = (lift(size) for size in rows.shape)
    best = b.cell(k, int64, "best")
    with (
        b.for_(height - (k + 1), "r", start=k + 1) as r,
        b.if_(te.abs(rows[r, k]) > te.abs(rows[best.value, k])),
    ):
        best.value = r
    chosen = b.let(best.value, "chosen")
    with b.if_(chosen > k), b.for_(width, "c") as c:
        kept = b.let(rows[k, c], "kept")
        b.store(rows, (k, c), rows[chosen, c])
        b.store(rows, (chosen, c), kept)
    pivot = b.let(rows[k, k], "pivot")
    with b.if_(te.not_equal(pivot, 0.0)), b.for_(height - (k + 1), "r", start=k + 1) as r:
        factor = b.let(rows[r, k] / pivot, "factor")
        b.store(rows, (r, k), factor)
        with b.for_(width - (k + 1), "c", start=k + 1) as c:
            b.store(rows, (r, c), rows[r, c] - factor * rows[k, c])
    return chosen
