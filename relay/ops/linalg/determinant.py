"""The operator `det`: determinants of square matrices."""

from collections.abc import Sequence

import numpy as np

from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import multiply
from relay.ops.families import extents
from relay.ops.linalg.cofactors import Cofactors
from relay.ops.linalg.lu_factorization import eliminate_column
from relay.ops.linalg.matrix_helpers import copied, require_square
from relay.ops.tensor.loop_nests import nest
from relay.ops.tensor.reshape import ExpandDims
from relay.support.dtype import float64


@operator("det")
class Det(OperatorDef):
    """Return the determinants of the matrices along the last two axes of `x`. Takes floats.

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
        require_square(self.name, x)
        return TensorType(x.shape[:-2], x.dtype)

    def compute(self, x: te.Tensor) -> te.Tensor:
        *batch, size, _ = extents(x)

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b, (matrices,) = te.LoopBuilder(), inputs
            with nest(b, batch) as i:
                rows = copied(b, matrices, i, float64)
                product = b.cell(1.0, float64, "product")
                with b.for_(size, "k") as k:
                    chosen = eliminate_column(b, rows, k)
                    sign = te.select(chosen > k, te.const(-1.0, float64), te.const(1.0, float64))
                    product.value = product.value * sign * rows[k, k]
                b.store(outputs[0], i, te.cast(product.value, x.dtype))
            return b.finish()

        return te.loops([(batch, x.dtype)], [x], build, "det")[0]

    def reference(self, x: Array) -> Array:
        found = np.linalg.det(x.astype(np.float64)) if x.size else np.ones(x.shape[:-2])
        return np.asarray(found).astype(x.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the cofactors."""
        slopes = Call(Cofactors(), call.args)
        return (multiply(slopes, Call(ExpandDims(-1, 2), (d_out,))),)
