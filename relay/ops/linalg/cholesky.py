"""`cholesky`: the triangular factors of positive definite matrices."""

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
from relay.ops.binary import add
from relay.ops.families import extents
from relay.ops.linalg.matrix_helpers import (
    copied,
    halved_lower,
    matrix_product,
    require_square,
    transposed,
)
from relay.ops.linalg.solve_triangular import SolveTriangular
from relay.ops.tensor.loop_nests import nest
from relay.support.dtype import float64

_POSITIVE = [[4.0, 9.0, 9.0], [1.0, 3.0, 9.0], [-2.0, 0.5, 5.0]]


@operator("cholesky")
class Cholesky(OperatorDef):
    """Return the lower triangles `l` with `l · lᵀ = x`, for positive definite matrices.

    Takes floats. The matrices are those along the last two axes, of which only the lower triangles
    are read. Where a matrix is not positive definite, the columns from the first bad pivot on are
    NaN.
    """

    examples = (
        Example("f64[3, 3]", values={0: _POSITIVE}, rolls=False),
        Example("f32[2, 3, 3]", values={0: [_POSITIVE, _POSITIVE]}, rolls=False),
        Example("f64[2, 2]", values={0: [[1.0, 2.0], [2.0, 1.0]]}, differentiable=False),
        Example("f16[1, 1]", values={0: [[2.0]]}, tolerance=1e-3, rolls=False),
        Example("f64[2, 0, 0]"),
    )

    def infer(self, x: TensorType) -> TensorType:
        require_square(self.name, x)
        return x

    def compute(self, x: te.Tensor) -> te.Tensor:
        *batch, size, _ = extents(x)
        wide = float64

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b, (matrices,) = te.LoopBuilder(), inputs
            with nest(b, batch) as i:
                rows = copied(b, matrices, i, wide)
                with b.for_(size, "k") as k:
                    _factor_column(b, rows, k)
                with nest(b, (size, size)) as (r, c):
                    value = te.select(r >= c, rows[r, c], te.const(0.0, wide))
                    b.store(outputs[0], (*i, r, c), te.cast(value, x.dtype))
            return b.finish()

        return te.loops([(x.shape, x.dtype)], [x], build, self.name)[0]

    def reference(self, x: Array) -> Array:
        wide, factor = x.astype(np.float64), np.zeros(x.shape)
        with np.errstate(all="ignore"):
            for k in range(x.shape[-1]):
                known = factor[..., k:, :k] @ factor[..., k, :k, None]
                rest = wide[..., k:, k] - known[..., 0]
                pivot = np.where(rest[..., :1] > 0, rest[..., :1], np.nan)
                factor[..., k:, k] = rest / np.sqrt(pivot)
        return factor.astype(x.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return `φ(s + sᵀ)` for `s = l⁻ᵀ φ(lᵀ d_out) l⁻¹`; `φ` halves the diagonal (Murray, 2016).

        Matrices are symmetric: an element below the diagonal is also the one above it.
        """
        back = SolveTriangular(transposed=True)
        inner = halved_lower(matrix_product(call, d_out, transpose_a=True))
        half = Call(back, (call, inner))
        whole = Call(back, (call, transposed(half)))
        return (halved_lower(add(whole, transposed(whole))),)


def _factor_column(b: te.LoopBuilder, rows: Buffer, k: te.Scalar) -> None:
    """Compute column `k` of the factor, and subtract its products from the columns after it."""
    size, wide = rows.shape[0], rows.dtype
    pivot = b.let(te.select(rows[k, k] > 0.0, rows[k, k], te.const(float("nan"), wide)), "pivot")
    root = b.let(te.sqrt(pivot), "root")
    with b.for_(lift(size) - k, "r", start=k) as r:
        b.store(rows, (r, k), rows[r, k] / root)
    with b.for_(lift(size) - (k + 1), "r", start=k + 1) as r:
        factor = b.let(rows[r, k], "factor")
        with b.for_(r - k, "c", start=k + 1) as c:
            b.store(rows, (r, c), rows[r, c] - factor * rows[c, k])
