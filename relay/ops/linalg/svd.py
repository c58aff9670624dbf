"""`svd`: singular values and vectors, by rotations of columns (Hestenes, 1958)."""

from collections.abc import Sequence

import numpy as np

from relay.ir.expr import Array, Call, Expr, TupleGetItem
from relay.ir.types import TensorType, TupleType
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import add, multiply, subtract
from relay.ops.families import known_extents
from relay.ops.linalg.eigenvalues import inverse
from relay.ops.linalg.jacobi_rotations import (
    EPSILON,
    diagonalizing_rotation,
    fix_signs,
    rotate,
    sort_columns,
    sweeps,
)
from relay.ops.linalg.matrix_helpers import matrix_product, require_matrices, transposed
from relay.ops.tensor.dim_arithmetic import minimum
from relay.ops.tensor.loop_nests import nest
from relay.ops.tensor.position_tensors import identity
from relay.ops.tensor.reshape import ExpandDims
from relay.support.dtype import float64, int64

_TALL = [[1.0, 2.0], [4.0, -1.0], [0.5, 3.0]]


@operator("svd")
class SVD(OperatorDef):
    """Return `(u, s, v)` with `x = u · diag(s) · vᵀ`: orthonormal columns, `s` descending; floats.

    The matrices are those along the last two axes, `(…, m, n)`; `u` and `v` have `min(m, n)`
    columns. The largest element of each column of `v` is positive. Derivatives omit the
    terms of two vectors with equal singular values. A kernel needs known sizes (`T104`).
    """

    examples = (
        Example("f64[3, 2]", values={0: _TALL}),
        Example("f64[2, 3]", values={0: np.transpose(_TALL).tolist()}),
        Example("f32[2, 3, 2]", values={0: [_TALL, _TALL[::-1]]}, tolerance=1e-4),
        Example("f64[2, 2]", values={0: [[1.0, 0.5], [0.25, -3.0]]}),
        Example("f16[1, 1]", values={0: [[-2.0]]}, tolerance=1e-3),
        Example("f32[2, 0, 0]"),
    )

    def infer(self, x: TensorType) -> TupleType:
        require_matrices(self.name, x)
        *batch, rows, columns = x.shape
        inner = minimum(rows, columns)
        shapes = ((*batch, rows, inner), (*batch, inner), (*batch, columns, inner))
        return TupleType(tuple(TensorType(shape, x.dtype) for shape in shapes))

    def compute(self, x: te.Tensor) -> tuple[te.Tensor, ...]:
        *batch, rows, columns = known_extents(self.name, x)
        inner, is_wide = min(rows, columns), rows < columns

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b, (matrices,) = te.LoopBuilder(), inputs
            with nest(b, batch) as i:
                tall = b.scratch((max(rows, columns), inner), float64, "tall")
                with nest(b, tall.shape) as (r, c):
                    place = (c, r) if is_wide else (r, c)
                    b.store(tall, (r, c), te.cast(matrices[(*i, *place)], float64))
                scale = _scaled(b, tall)
                basis = b.scratch((inner, inner), float64, "basis")
                values = b.scratch((inner,), float64, "values")
                _factor(b, tall, values, basis)
                with b.for_(inner, "c") as c:
                    b.store(values, (c,), values[c] * scale)
                u, v = (basis, tall) if is_wide else (tall, basis)
                fix_signs(b, v, u)
                for source, out in zip((u, values, v), outputs, strict=True):
                    with nest(b, source.shape) as place:
                        b.store(out, (*i, *place), te.cast(source[place], x.dtype))
            return b.finish()

        shapes = ((*batch, rows, inner), (*batch, inner), (*batch, columns, inner))
        return te.loops([(shape, x.dtype) for shape in shapes], [x], build, self.name)

    def reference(self, x: Array) -> tuple[Array, Array, Array]:
        u, s, vh = np.linalg.svd(x.astype(np.float64), full_matrices=False)
        v = vh.swapaxes(-1, -2)
        if x.size:
            places = np.abs(v).argmax(-2, keepdims=True)
            signs = np.sign(np.take_along_axis(v, places, -2))
            u, v = u * signs, v * signs
        return u.astype(x.dtype), s.astype(x.dtype), v.astype(x.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative by Townsend's formula (2016), with `f = 1 / (s_j² - s_i²)`."""
        u, s, v = (TupleGetItem(call, index) for index in range(3))
        d_u, d_s, d_v = (TupleGetItem(d_out, index) for index in range(3))
        rank = u.tensor_type.rank
        across, down = (Call(ExpandDims(rank - each), (s,)) for each in (2, 1))
        f = inverse(subtract(multiply(across, across), multiply(down, down)))
        of_u, of_v = (
            multiply(f, matrix_product(side, d_side, transpose_a=True))
            for side, d_side in ((u, d_u), (v, d_v))
        )
        turns_u, turns_v = (add(each, transposed(each)) for each in (of_u, of_v))
        core = add(multiply(turns_u, across), multiply(down, turns_v))
        core = add(core, multiply(Call(ExpandDims(rank - 2), (d_s,)), identity(s, rank - 2)))
        inside = matrix_product(matrix_product(u, core), v, transpose_b=True)
        scale = inverse(across)
        beyond_u = matrix_product(multiply(_orthogonal_part(u, d_u), scale), v, transpose_b=True)
        beyond_v = matrix_product(u, multiply(_orthogonal_part(v, d_v), scale), transpose_b=True)
        return (add(inside, add(beyond_u, beyond_v)),)


def _orthogonal_part(basis: Expr, x: Expr) -> Expr:
    """Return the part of the columns of `x` that is orthogonal to the columns of `basis`."""
    return subtract(x, matrix_product(basis, matrix_product(basis, x, transpose_a=True)))


def _scaled(b: te.LoopBuilder, matrix: Buffer) -> te.Scalar:
    """Divide a matrix by its largest element, whose square may overflow or underflow; return it."""
    largest = b.cell(0.0, float64, "largest")
    with nest(b, matrix.shape) as place:
        largest.value = te.maximum(largest.value, te.abs(matrix[place]))
    scale = b.let(te.select(te.equal(largest.value, 0.0), 1.0, largest.value), "scale")
    with nest(b, matrix.shape) as place:
        b.store(matrix, place, matrix[place] / scale)
    return scale


def _factor(b: te.LoopBuilder, tall: Buffer, values: Buffer, basis: Buffer) -> None:
    """Rotate the columns of `tall` until they are orthogonal; their lengths go to `values`.

    The columns become unit vectors, and `basis` gets the product of the rotations.
    """
    height, width = tall.shape
    with nest(b, basis.shape) as (r, c):
        b.store(basis, (r, c), te.cast(te.equal(r, c), float64))
    with sweeps(b, width) as (p, q, changed):
        sums = [b.cell(0.0, float64, "sum") for _ in range(3)]
        with b.for_(height, "r") as r:
            x, y = b.let(tall[r, p]), b.let(tall[r, q])
            for total, term in zip(sums, (x * x, y * y, x * y), strict=True):
                total.value = total.value + term
        first, second, mixed = (b.let(each.value) for each in sums)
        with b.if_(te.abs(mixed) > te.sqrt(first * second) * EPSILON):
            changed.value = 1
            turn = diagonalizing_rotation(b, first, second, mixed)
            rotate(b, tall, p, q, turn)
            rotate(b, basis, p, q, turn)
    with b.for_(width, "c") as c:
        total = b.cell(0.0, float64, "total")
        with b.for_(height, "r") as r:
            total.value = total.value + tall[r, c] * tall[r, c]
        b.store(values, (c,), te.sqrt(total.value))
    sort_columns(b, values, lambda one, other: one > other, tall, basis)
    with b.for_(width, "c") as c:
        limit = b.let(values[0] * (EPSILON * max(static_sizes(height, width))), "limit")
        with b.if_(values[c] > limit), b.for_(height, "r") as r:
            b.store(tall, (r, c), tall[r, c] / values[c])
        with b.else_():
            _replace_by_orthogonal_unit_vector(b, tall, c)


def static_sizes(*sizes: te.Dim) -> list[int]:
    """Return those of the sizes that are integers, not symbolic."""
    return [size for size in sizes if isinstance(size, int)]


def _replace_by_orthogonal_unit_vector(b: te.LoopBuilder, tall: Buffer, c: te.Scalar) -> None:
    """Replace column `c` by a unit vector that is orthogonal to the columns before it.

    It is the orthogonal part of the first unit vector for which that is long enough.
    """
    (height,) = static_sizes(tall.shape[0])
    done = b.cell(0, int64, "done")
    with b.for_(height, "axis") as axis, b.if_(te.equal(done.value, 0)):
        with b.for_(height, "r") as r:
            b.store(tall, (r, c), te.cast(te.equal(r, axis), float64))
        for _ in range(2):  # the second time removes the rounding of the first
            with b.for_(c, "k") as k:
                product = b.cell(0.0, float64, "product")
                with b.for_(height, "r") as r:
                    product.value = product.value + tall[r, k] * tall[r, c]
                with b.for_(height, "r") as r:
                    b.store(tall, (r, c), tall[r, c] - product.value * tall[r, k])
        rest = b.cell(0.0, float64, "rest")
        with b.for_(height, "r") as r:
            rest.value = rest.value + tall[r, c] * tall[r, c]
        with b.if_(rest.value > te.cast(height - c, float64) / (2.0 * height)):
            done.value = 1
            with b.for_(height, "r") as r:
                b.store(tall, (r, c), tall[r, c] / te.sqrt(rest.value))
