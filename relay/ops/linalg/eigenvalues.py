"""`eigh`: eigenvalues and eigenvectors of symmetric matrices, by rotations (Jacobi, 1846)."""

from collections.abc import Sequence

import numpy as np

from relay.ir.expr import Array, Call, Expr, TupleGetItem
from relay.ir.types import TensorType, TupleType
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.comparison import equal
from relay.ops.creation import number
from relay.ops.families import extents
from relay.ops.linalg.jacobi_rotations import (
    EPSILON,
    diagonalizing_rotation,
    fix_signs,
    rotate,
    sort_columns,
    sweeps,
)
from relay.ops.linalg.matrix_helpers import (
    copied,
    halved_lower,
    matrix_product,
    require_square,
    transposed,
)
from relay.ops.selection import where
from relay.ops.tensor.loop_nests import nest
from relay.ops.tensor.position_tensors import identity
from relay.ops.tensor.reshape import ExpandDims
from relay.support.dtype import float64

_SYMMETRIC = [[2.0, 9.0, 9.0], [0.5, -1.0, 9.0], [-1.0, 0.75, 4.0]]


@operator("eigh")
class Eigh(OperatorDef):
    """Return the eigenvalues of symmetric matrices in ascending order, and their vectors; floats.

    The matrices are those along the last two axes, of which only the lower triangles are read.
    Column `i` of the second result belongs to eigenvalue `i`; it has length 1, and its largest
    element is positive. Derivatives omit the terms of two vectors with equal eigenvalues.
    """

    examples = (
        Example("f64[3, 3]", values={0: _SYMMETRIC}),
        Example("f32[2, 3, 3]", values={0: [_SYMMETRIC, _SYMMETRIC]}, tolerance=1e-4),
        Example("f64[2, 2]", values={0: [[1.0, 0.0], [0.0, 3.0]]}),
        Example("f16[1, 1]", tolerance=1e-3),
        Example("f32[2, 0, 0]"),
    )

    def infer(self, x: TensorType) -> TupleType:
        require_square(self.name, x)
        return TupleType((TensorType(x.shape[:-1], x.dtype), x))

    def compute(self, x: te.Tensor) -> tuple[te.Tensor, ...]:
        *batch, size, _ = extents(x)

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b, (matrices,), (values, vectors) = te.LoopBuilder(), inputs, outputs
            with nest(b, batch) as i:
                rows = copied(b, matrices, i, float64)
                with nest(b, (size, size)) as (r, c), b.if_(r < c):
                    b.store(rows, (r, c), rows[c, r])
                basis = b.scratch((size, size), float64, "basis")
                with nest(b, (size, size)) as (r, c):
                    b.store(basis, (r, c), te.cast(te.equal(r, c), float64))
                _diagonalize(b, rows, basis)
                found = b.scratch((size,), float64, "found")
                with b.for_(size, "r") as r:
                    b.store(found, (r,), rows[r, r])
                sort_columns(b, found, lambda one, other: one < other, basis)
                fix_signs(b, basis)
                with b.for_(size, "r") as r:
                    b.store(values, (*i, r), te.cast(found[r], x.dtype))
                with nest(b, (size, size)) as place:
                    b.store(vectors, (*i, *place), te.cast(basis[place], x.dtype))
            return b.finish()

        return te.loops([((*batch, size), x.dtype), (x.shape, x.dtype)], [x], build, self.name)

    def reference(self, x: Array) -> tuple[Array, Array]:
        values, vectors = np.linalg.eigh(x.astype(np.float64))
        if x.size:
            places = np.abs(vectors).argmax(-2, keepdims=True)
            vectors = vectors * np.sign(np.take_along_axis(vectors, places, -2))
        return values.astype(x.dtype), vectors.astype(x.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return `v (diag(d_w) + (vᵀ d_v) / (w_j - w_i)) vᵀ`, symmetric.

        Matrices are symmetric: an element below the diagonal is also the one above it.
        """
        values, vectors = (TupleGetItem(call, index) for index in (0, 1))
        d_values, d_vectors = (TupleGetItem(d_out, index) for index in (0, 1))
        rank = vectors.tensor_type.rank
        across, down = (Call(ExpandDims(rank - each), (values,)) for each in (2, 1))
        unit = identity(values, rank - 2)
        turns = multiply(
            matrix_product(vectors, d_vectors, transpose_a=True), inverse(subtract(across, down))
        )
        diagonal = multiply(Call(ExpandDims(rank - 2), (d_values,)), unit)
        inner = matrix_product(
            matrix_product(vectors, add(diagonal, turns)), vectors, transpose_b=True
        )
        return (halved_lower(add(inner, transposed(inner))),)


def inverse(x: Expr) -> Expr:
    """Return reciprocals, and zero for zero."""
    zero, one = number(0, x), number(1, x)
    is_zero = equal(x, zero)
    return where(is_zero, zero, divide(one, where(is_zero, one, x)))


def _diagonalize(b: te.LoopBuilder, rows: Buffer, basis: Buffer) -> None:
    """Rotate a symmetric matrix until it is diagonal, and the columns of a basis with it."""
    with sweeps(b, rows.shape[0]) as (p, q, changed):
        mixed = b.let(rows[p, q], "mixed")
        limit = (te.abs(rows[p, p]) + te.abs(rows[q, q])) * EPSILON
        with b.if_(te.abs(mixed) > limit):
            changed.value = 1
            turn = diagonalizing_rotation(b, rows[p, p], rows[q, q], mixed)
            rotate(b, rows, p, q, turn)
            rotate(b, rows, p, q, turn, rows=True)
            rotate(b, basis, p, q, turn)
