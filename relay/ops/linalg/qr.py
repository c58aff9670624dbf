"""`qr`: orthogonal bases of the columns of matrices, by reflections."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dims import Dim
from relay.ir.expr import Array, Call, Expr, Tuple, TupleGetItem
from relay.ir.types import TensorType, TupleType
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.kernels.scalar import lift
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import add, subtract
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
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.dim_arithmetic import minimum
from relay.ops.tensor.loop_nests import nest
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import float64
from relay.support.error_codes import ErrorCode
from relay.support.errors import OpenSizeError

_TALL = [[1.0, 2.0], [4.0, -1.0], [0.5, 3.0]]


@operator("qr")
class QR(OperatorDef):
    """Return `(q, r)` with `x = q · r`: orthonormal columns, and an upper triangle. Takes floats.

    The matrices are those along the last two axes, `(…, m, n)`; `q` has `min(m, n)` columns, or `m`
    if `complete`. Signs are those of Householder's reflections, as in LAPACK. A complete
    factorisation has a derivative only if `m` is at most `n`.
    """

    complete: bool = False

    examples = (
        Example("f64[3, 2]", values={0: _TALL}),
        Example("f64[2, 3]", values={0: np.transpose(_TALL).tolist()}),
        Example("f32[2, 3, 3]", tolerance=1e-4),
        Example("f64[3, 2]", values={0: _TALL}, complete=True, differentiable=False),
        Example("f64[2, 2]", values={0: [[-2.0, 1.0], [0.0, 3.0]]}, differentiable=False),
        Example("f64[2, 2]", values={0: [[0.0, 1.0], [1.0, 2.0]]}, differentiable=False),
        Example("f16[1, 1]", tolerance=1e-3),
        Example("f32[2, 0, 0]"),
    )

    def infer(self, x: TensorType) -> TupleType:
        require_matrices(self.name, x)
        *batch, rows, columns = x.shape
        inner = self._inner(rows, columns)
        q, r = ((*batch, rows, inner), (*batch, inner, columns))
        return TupleType((TensorType(q, x.dtype), TensorType(r, x.dtype)))

    def _inner(self, rows: Dim, columns: Dim) -> Dim:
        return rows if self.complete else minimum(rows, columns)

    def compute(self, x: te.Tensor) -> tuple[te.Tensor, ...]:
        *batch, height, width = extents(x)
        inner, steps = self._inner(height, width), minimum(height, width)

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b, (matrices,), (q, r) = te.LoopBuilder(), inputs, outputs
            with nest(b, batch) as i:
                rows = copied(b, matrices, i, float64)
                factors = b.scratch((steps,), float64, "factors")
                with b.for_(steps, "k") as k:
                    reflect_column(b, rows, factors, k)
                with nest(b, (inner, width)) as (at, c):
                    value = te.select(at <= c, rows[at, c], te.const(0.0, float64))
                    b.store(r, (*i, at, c), te.cast(value, x.dtype))
                basis = b.scratch((height, inner), float64, "basis")
                with nest(b, basis.shape) as (at, c):
                    b.store(basis, (at, c), te.cast(te.equal(at, c), float64))
                with b.for_(steps, "step") as step:
                    k = b.let(lift(steps) - 1 - step, "k")
                    with b.for_(lift(inner) - k, "c", start=k) as c:
                        _reflect(b, rows, factors[k], k, basis, c)
                with nest(b, basis.shape) as place:
                    b.store(q, (*i, *place), te.cast(basis[place], x.dtype))
            return b.finish()

        results = [((*batch, height, inner), x.dtype), ((*batch, inner, width), x.dtype)]
        return te.loops(results, [x], build, self.name)

    def reference(self, x: Array) -> tuple[Array, Array]:
        mode = "complete" if self.complete else "reduced"
        q, r = np.linalg.qr(x.astype(np.float64), mode)
        return q.astype(x.dtype), r.astype(x.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return `(d_q + q · sym(r d_rᵀ - d_qᵀ q)) r⁻ᵀ`; `sym` mirrors the lower triangle (`T104`).

        Columns beyond a square matrix are products of `q` with columns of `r`.
        """
        x, (q, r) = call.args[0], (TupleGetItem(call, index) for index in (0, 1))
        d_q, d_r = (TupleGetItem(d_out, index) for index in (0, 1))
        rows, columns = x.tensor_type.shape[-2:]
        if rows != columns and not (isinstance(rows, int) and isinstance(columns, int)):
            message = (
                f"{self.name}: the derivative needs sizes known at compile time, not {rows} and "
                f"{columns}"
            )
            raise OpenSizeError(ErrorCode.T104, message)
        is_wide = isinstance(rows, int) and isinstance(columns, int) and rows < columns
        known = is_wide or not self.complete or rows == columns
        checks.attribute(
            self.name,
            known,
            "in mode 'complete' the derivative needs matrices with at most as many rows as columns",
        )
        if not is_wide:
            return (_square_part(q, r, d_q, d_r),)
        d_behind = matrix_product(q, _columns(d_r, rows, columns))
        back = matrix_product(
            _columns(x, rows, columns), _columns(d_r, rows, columns), transpose_b=True
        )
        first = [_columns(each, 0, rows) for each in (r, d_r)]
        d_first = _square_part(q, first[0], add(d_q, back), first[1])
        return (Call(Concatenate(-1), (Tuple((d_first, d_behind)),)),)


def _square_part(q: Expr, r: Expr, d_q: Expr, d_r: Expr) -> Expr:
    """Return the derivative by a matrix with at least as many rows as columns."""
    inner = subtract(
        matrix_product(r, upper(d_r), transpose_b=True), matrix_product(d_q, q, transpose_a=True)
    )
    mirrored = add(lower(inner), transposed(lower(inner, -1)))
    whole = add(d_q, matrix_product(q, mirrored))
    return transposed(Call(SolveTriangular(upper=True), (r, transposed(whole))))


def _columns(x: Expr, begin: Dim, end: Dim) -> Expr:
    return Call(StridedSlice((begin,), (end,), axes=(x.tensor_type.rank - 1,)), (x,))


def reflect_column(b: te.LoopBuilder, rows: Buffer, factors: Buffer, k: te.Scalar) -> None:
    """Reflect column `k` so that it is 0 below the diagonal, and the columns after it likewise.

    The vector of the reflection, whose first element is 1, replaces the column below the diagonal.
    Numbers are divided by the largest one, whose square may be too small to be exact.
    """
    height, width = (lift(size) for size in rows.shape)
    largest = b.cell(te.abs(rows[k, k]), float64, "largest")
    with b.for_(height - (k + 1), "at", start=k + 1) as at:
        largest.value = te.maximum(largest.value, te.abs(rows[at, k]))
    scale = b.let(te.select(te.equal(largest.value, 0.0), 1.0, largest.value), "scale")
    below = b.cell(0.0, float64, "below")
    with b.for_(height - (k + 1), "at", start=k + 1) as at:
        part = b.let(rows[at, k] / scale, "part")
        below.value = below.value + part * part
    b.store(factors, (k,), 0.0)
    with b.if_(te.not_equal(below.value, 0.0)):
        first = b.let(rows[k, k] / scale, "first")
        length = te.sqrt(first * first + below.value)
        target = b.let(te.select(first >= 0.0, -length, length), "target")
        b.store(factors, (k,), (target - first) / target)
        with b.for_(height - (k + 1), "at", start=k + 1) as at:
            b.store(rows, (at, k), rows[at, k] / scale / (first - target))
        b.store(rows, (k, k), target * scale)
        with b.for_(width - (k + 1), "c", start=k + 1) as c:
            _reflect(b, rows, factors[k], k, rows, c)


def _reflect(
    b: te.LoopBuilder, rows: Buffer, factor: te.Scalar, k: te.Scalar, target: Buffer, c: te.Scalar
) -> None:
    """Reflect one column of a matrix by the vector in column `k` of `rows`."""
    height = lift(rows.shape[0])
    product = b.cell(target[k, c], float64, "product")
    with b.for_(height - (k + 1), "at", start=k + 1) as at:
        product.value = product.value + rows[at, k] * target[at, c]
    step = b.let(product.value * factor, "step")
    b.store(target, (k, c), target[k, c] - step)
    with b.for_(height - (k + 1), "at", start=k + 1) as at:
        b.store(target, (at, c), target[at, c] - rows[at, k] * step)
