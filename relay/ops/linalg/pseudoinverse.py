"""`pinv`: pseudoinverses of matrices, from their singular values."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dims import Dim
from relay.ir.expr import Array, Call, Expr, TupleGetItem
from relay.ir.types import TensorType, Type
from relay.opdef import checks
from relay.opdef.batched_call import Batched
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import add, multiply, subtract
from relay.ops.comparison import less
from relay.ops.creation import number
from relay.ops.linalg.eigenvalues import inverse
from relay.ops.linalg.matrix_helpers import matrix_product, require_matrices, transposed
from relay.ops.linalg.svd import SVD
from relay.ops.selection import where
from relay.ops.tensor.reshape import ExpandDims

_TALL = [[1.0, 2.0], [4.0, -1.0], [0.5, 3.0]]


@operator("pinv")
class Pinv(OperatorDef):
    """Return the pseudoinverses (Penrose, 1955) of matrices; floats.

    The matrices are those along the last two axes of `x`. Singular values up to `limit`, of shape
    `(…, 1)`, count as zero. Derivatives are those of matrices whose rank stays the same; singular
    values may be equal. A kernel needs known sizes (`T104`).
    """

    not_differentiated_by = ("limit",)
    examples = (
        Example("f64[3, 2]", "f64[1]", values={0: _TALL, 1: [0.0]}),
        Example("f64[2, 3]", "f64[1]", values={0: np.transpose(_TALL).tolist(), 1: [0.0]}),
        Example(
            "f32[2, 3, 2]",
            "f32[2, 1]",
            values={0: [_TALL, _TALL[::-1]], 1: [[0.5], [0.25]]},
            tolerance=1e-4,
        ),
        Example("f64[2, 2]", "f64[1]", values={0: [[0.0, 1.0], [-1.0, 0.0]], 1: [0.5]}),
        Example("f16[1, 1]", "f16[1]", values={0: [[-2.0]], 1: [0.5]}, tolerance=1e-3),
        Example("f32[2, 0, 3]", "f32[2, 1]"),
    )

    def infer(self, x: TensorType, limit: TensorType) -> TensorType:
        require_matrices(self.name, x)
        checks.same_dtype(self.name, x, limit)
        checks.rank(self.name, "limit", limit, x.rank - 1)
        *batch, rows, columns = x.shape
        for expected, found in zip((*batch, 1), limit.shape, strict=True):
            checks.size(self.name, "limit", expected, found)
        return TensorType((*batch, columns, rows), x.dtype)

    def batched(self, types: Sequence[Type], mapped: Sequence[bool], size: Dim) -> Batched | None:
        del types, mapped, size
        return Batched(self, spreads=True)

    def decompose(self, x: Expr, limit: Expr) -> Expr:
        factors = Call(SVD(), (x,))
        left, values, right = (TupleGetItem(factors, index) for index in range(3))
        kept = inverse(where(less(limit, values), values, number(0, values)))
        scaled = multiply(right, Call(ExpandDims(x.tensor_type.rank - 2), (kept,)))
        return matrix_product(scaled, left, transpose_b=True)

    def reference(self, x: Array, limit: Array) -> Array:
        u, s, vh = np.linalg.svd(x.astype(np.float64), full_matrices=False)
        is_kept = s.astype(x.dtype) > limit  # a limit may be one of the values that SVD returns
        kept = np.where(is_kept, 1 / np.where(is_kept, s, 1), 0)
        found = vh.swapaxes(-1, -2) * kept[..., None, :] @ u.swapaxes(-1, -2)
        return found.astype(x.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative by the formula of Golub and Pereyra (1973).

        It is `-pᵀ d pᵀ + (1 - x p) dᵀ p pᵀ + pᵀ p dᵀ (1 - p x)` for the result `p` and `d = d_out`.
        """
        x, turned = call.args[0], transposed(d_out)
        inner = matrix_product(
            matrix_product(call, d_out, transpose_a=True), call, transpose_b=True
        )
        left = matrix_product(matrix_product(turned, call), call, transpose_b=True)
        left = subtract(left, matrix_product(x, matrix_product(call, left)))
        right = matrix_product(call, matrix_product(call, turned), transpose_a=True)
        right = subtract(right, matrix_product(matrix_product(right, call), x))
        return (subtract(add(left, right), inner), None)
