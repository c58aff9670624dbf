"""`householder_qr`: the reflections of a QR factorisation, stored in the matrix, as in LAPACK."""

import numpy as np

from relay.ir.expr import Array
from relay.ir.types import TensorType, TupleType
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.families import extents
from relay.ops.linalg.matrix_helpers import copied, require_matrices
from relay.ops.linalg.qr import reflect_column
from relay.ops.tensor.dim_arithmetic import minimum
from relay.ops.tensor.loop_nests import nest
from relay.support.dtype import float64

_TALL = [[1.0, 2.0], [4.0, -1.0], [0.5, 3.0]]


@operator("householder_qr")
class HouseholderQR(OperatorDef):
    """Return `(factors, scales)` of a QR factorisation by Householder's reflections; floats.

    The matrices are those along the last two axes, `(…, m, n)`. `factors` holds `r` from the
    diagonal on and the vectors of the reflections, whose first element is 1, below it. Reflection
    `k` is `1 - scales[k] · v · vᵀ`; there are `min(m, n)`. It has no derivative; `qr` has one.
    """

    examples = (
        Example("f64[3, 2]", values={0: _TALL}, differentiable=False),
        Example("f64[2, 3]", values={0: np.transpose(_TALL).tolist()}, differentiable=False),
        Example("f32[2, 3, 3]", tolerance=1e-4, differentiable=False),
        Example("f64[2, 2]", values={0: [[-2.0, 1.0], [0.0, 3.0]]}, differentiable=False),
        Example("f32[2, 0, 0]", differentiable=False),
    )

    undifferentiable = "its vectors are an encoding of `qr`, which has a derivative"

    def infer(self, x: TensorType) -> TupleType:
        require_matrices(self.name, x)
        *batch, rows, columns = x.shape
        return TupleType((x, TensorType((*batch, minimum(rows, columns)), x.dtype)))

    def compute(self, x: te.Tensor) -> tuple[te.Tensor, ...]:
        *batch, height, width = extents(x)
        steps = minimum(height, width)

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b, (matrices,), (factors, scales) = te.LoopBuilder(), inputs, outputs
            with nest(b, batch) as i:
                rows = copied(b, matrices, i, float64)
                found = b.scratch((steps,), float64, "scales")
                with b.for_(steps, "k") as k:
                    reflect_column(b, rows, found, k)
                    b.store(scales, (*i, k), te.cast(found[k], x.dtype))
                with nest(b, (height, width)) as place:
                    b.store(factors, (*i, *place), te.cast(rows[place], x.dtype))
            return b.finish()

        return te.loops([(x.shape, x.dtype), ((*batch, steps), x.dtype)], [x], build, self.name)

    def reference(self, x: Array) -> tuple[Array, Array]:
        *batch, rows, columns = x.shape
        factors = np.zeros(x.shape, x.dtype)
        scales = np.zeros((*batch, min(rows, columns)), x.dtype)
        for i in np.ndindex(*batch):
            packed, found = np.linalg.qr(x[i].astype(np.float64), "raw")
            factors[i], scales[i] = packed.T, found
        return factors, scales
