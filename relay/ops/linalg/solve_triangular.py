"""`solve_triangular`: systems of equations with triangular matrices."""

from collections.abc import Sequence

import numpy as np

from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.kernels.scalar import lift
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import opposite
from relay.ops.families import extents
from relay.ops.linalg.matrix_helpers import (
    copied,
    lower,
    matrix_product,
    require_matrices,
    require_square,
)
from relay.ops.linalg.matrix_helpers import upper as upper_part
from relay.ops.tensor.dim_arithmetic import require_same_shape
from relay.ops.tensor.loop_nests import nest
from relay.support.dtype import float64
from relay.support.node import replace

_LOWER = [[2.0, 9.0, 9.0], [0.5, -1.5, 9.0], [-1.0, 0.25, 1.25]]


@operator("solve_triangular")
class SolveTriangular(OperatorDef):
    """Return the solutions `x` of `a · x = b` for triangular matrices `a`; floats of one type.

    `a` is `(…, n, n)`, and `b` is `(…, n, columns)` with the same leading axes. Only the lower
    triangle of `a` is read, or with `upper` the upper one, and with `unit` its diagonal is 1
    instead. With `transposed`, `aᵀ · x = b` is solved. A zero on the diagonal gives infinities and
    NaN.
    """

    upper: bool = False
    transposed: bool = False
    unit: bool = False

    examples = (
        Example("f64[3, 3]", "f64[3, 2]", values={0: _LOWER}),
        Example("f64[3, 3]", "f64[3, 2]", values={0: _LOWER}, transposed=True),
        Example("f32[2, 3, 3]", "f32[2, 3, 1]", values={0: [_LOWER, _LOWER]}, unit=True),
        Example("f64[3, 3]", "f64[3, 1]", values={0: np.transpose(_LOWER).tolist()}, upper=True),
        Example("f32[2, 2]", "f32[2, 2]", values={0: [[1.0, 2.0], [9.0, 4.0]]},
                upper=True, transposed=True),
        Example("f16[1, 1]", "f16[1, 2]", values={0: [[2.0]]}, tolerance=1e-3),
        Example("f32[2, 0, 0]", "f32[2, 0, 3]"),
    )  # fmt: skip

    def infer(self, a: TensorType, b: TensorType) -> TensorType:
        require_square(self.name, a, "a")
        require_matrices(self.name, b, "b")
        checks.same_dtype(self.name, a, b)
        require_same_shape(self.name, "sizes of the batch axes", a.shape[:-2], b.shape[:-2])
        checks.size(self.name, "rows of b", a.shape[-1], b.shape[-2])
        return b

    @property
    def _is_lower(self) -> bool:
        """Whether the matrix of the system, after any transposition, is lower triangular."""
        return self.upper == self.transposed

    def compute(self, a: te.Tensor, b: te.Tensor) -> te.Tensor:
        *batch, size, columns = extents(b)
        wide = float64

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            builder, (matrices, sides) = te.LoopBuilder(), inputs
            with nest(builder, batch) as i:
                found = copied(builder, sides, i, wide)
                with builder.for_(size, "step") as step:
                    row = step if self._is_lower else lift(size) - 1 - step
                    self._solve_row(builder, matrices, found, i, builder.let(row, "row"))
                with nest(builder, (size, columns)) as place:
                    value = te.cast(found[place], b.dtype)
                    builder.store(outputs[0], (*i, *place), value)
            return builder.finish()

        return te.loops([(b.shape, b.dtype)], [a, b], build, self.name)[0]

    def _solve_row(
        self, b: te.LoopBuilder, matrices: Buffer, solutions: Buffer, batch: tuple[te.Scalar, ...],
        row: te.Scalar,
    ) -> None:  # fmt: skip
        """Replace row `row` of `solutions`, a right-hand side, by the unknowns of that row."""
        size, columns = solutions.shape
        wide = solutions.dtype

        def coefficient(column: te.Scalar) -> te.Scalar:
            place = (column, row) if self.transposed else (row, column)
            return te.cast(matrices[(*batch, *place)], wide)

        start = te.const(0) if self._is_lower else row + 1
        count = row if self._is_lower else lift(size) - (row + 1)
        with b.for_(count, "known", start=start) as known:
            factor = b.let(coefficient(known), "factor")
            with b.for_(columns, "column") as c:
                b.store(solutions, (row, c), solutions[row, c] - factor * solutions[known, c])
        if not self.unit:
            pivot = b.let(coefficient(row), "pivot")
            with b.for_(columns, "column") as c:
                b.store(solutions, (row, c), solutions[row, c] / pivot)

    def reference(self, a: Array, b: Array) -> Array:
        of = np.result_type(a.dtype, np.float64)
        wide = (np.triu if self.upper else np.tril)(a.astype(of))
        matrix = wide.swapaxes(-1, -2) if self.transposed else wide
        found, size = b.astype(of), b.shape[-2]
        with np.errstate(all="ignore"):
            for row in range(size) if self._is_lower else reversed(range(size)):
                rest = matrix[..., row, :].copy()
                rest[..., row] = 0
                found[..., row, :] -= (rest[..., None, :] @ found)[..., 0, :]
                if not self.unit:
                    found[..., row, :] /= matrix[..., row, row, None]
        return found.astype(b.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivatives by `a` and `b`.

        The derivative by `b` is the solution of the transposed system for `d_out`. The derivative
        by `a` is the triangle of the negated product of that solution and the result.
        """
        a = call.args[0]
        d_b = Call(replace(self, transposed=not self.transposed), (a, d_out))
        left, right = (call, d_b) if self.transposed else (d_b, call)
        whole = opposite(matrix_product(left, right, transpose_b=True))
        edge = int(self.unit)
        return upper_part(whole, edge) if self.upper else lower(whole, -edge), d_b
