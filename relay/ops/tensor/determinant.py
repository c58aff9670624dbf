"""The operator `det`: determinants of square matrices."""

from collections.abc import Sequence

import numpy as np

from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.kernels.te.hand_written_loops import Cell
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import multiply
from relay.ops.cast import cast_like
from relay.ops.comparison import equal
from relay.ops.families import FLOATS, accumulator, extents
from relay.ops.selection import where
from relay.ops.tensor.loop_nests import nest
from relay.ops.tensor.position_tensors import numbered
from relay.ops.tensor.reshape import ExpandDims
from relay.support.dtype import int64


@operator("det")
class Det(OperatorDef):
    """Return the determinants of the matrices along the last two axes of `x`. Floating-point.

    They are products of pivots of Gaussian elimination with partial pivoting.
    """

    examples = (
        Example("f32[2, 3, 3]", tolerance=1e-4),
        Example("f64[4, 4]"),
        Example("f32[1, 1]"),
        Example("f64[2, 0, 0]"),
        Example("f64[2, 2]", values={0: [[1.0, 2.0], [2.0, 4.0]]}),
        Example("f16[2, 2]", tolerance=1e-3),
    )

    def infer(self, x: TensorType) -> TensorType:
        checks.kind(self.name, "x", x, *FLOATS)
        checks.attribute(self.name, x.rank > 1, f"{x!r} does not contain matrices")
        checks.size(self.name, "columns", x.shape[-2], x.shape[-1])
        return TensorType(x.shape[:-2], x.dtype)

    def compute(self, x: te.Tensor) -> te.Tensor:
        *batch, size, _ = extents(x)
        wide = accumulator(x.dtype)

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b, (matrices,) = te.LoopBuilder(), inputs
            with nest(b, batch) as i:
                rows = b.scratch((size, size), wide, "rows")
                with nest(b, (size, size)) as (r, c):
                    b.store(rows, (r, c), te.cast(matrices[(*i, r, c)], wide))
                product = b.cell(te.const(1.0, wide), wide, "product")
                with b.for_(size, "k") as k:
                    _eliminate(b, rows, product, k, size)
                b.store(outputs[0], i, te.cast(product.value, x.dtype))
            return b.finish()

        return te.loops([(batch, x.dtype)], [x], build, "det")[0]

    def reference(self, x: Array) -> Array:
        found = np.linalg.det(x.astype(np.float64)) if x.size else np.ones(x.shape[:-2])
        return np.asarray(found).astype(x.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the cofactors: determinants of `x` with a row replaced by a unit vector."""
        (x,) = call.args
        places = numbered(x, x.tensor_type.rank - 1)
        unit = equal(Call(ExpandDims(1), (places,)), places)
        is_row = Call(ExpandDims(3), (Call(ExpandDims(1), (unit,)),))
        rows = cast_like(Call(ExpandDims(1), (unit,)), x)
        replaced = where(is_row, rows, Call(ExpandDims(-3, 2), (x,)))
        return (multiply(Call(Det(), (replaced,)), Call(ExpandDims(-1, 2), (d_out,))),)


def _eliminate(b: te.LoopBuilder, rows: Buffer, product: Cell, k: te.Scalar, size: te.Dim) -> None:
    """Move the largest element of a column to the diagonal, and eliminate the column below it."""
    best = b.cell(k, int64, "best")
    with (
        b.for_(size - (k + 1), "r", start=k + 1) as r,
        b.if_(te.abs(rows[r, k]) > te.abs(rows[best.value, k])),
    ):
        best.value = r
    chosen = b.let(best.value, "chosen")
    with b.if_(chosen > k):
        product.value = -product.value
        with b.for_(size, "c") as c:
            kept = b.let(rows[k, c], "kept")
            b.store(rows, (k, c), rows[chosen, c])
            b.store(rows, (chosen, c), kept)
    pivot = b.let(rows[k, k], "pivot")
    product.value = product.value * pivot
    with b.if_(te.not_equal(pivot, 0.0)), b.for_(size - (k + 1), "r", start=k + 1) as r:
        factor = b.let(rows[r, k] / pivot, "factor")
        with b.for_(size, "c") as c:
            b.store(rows, (r, c), rows[r, c] - factor * rows[k, c])
