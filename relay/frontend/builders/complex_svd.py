"""Singular values of complex matrices, by the real ones of a bidiagonal form, as in LAPACK."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.complex_householder import complex_qr, complex_reflection
from relay.frontend.builders.complex_tensor import adjoint
from relay.frontend.builders.counted_loops import at, loop
from relay.frontend.builders.matrix_loops import sizes_of_matrices
from relay.frontend.builders.tensor_helpers import constant
from relay.ir.expr import Call, Constant, Expr, Tuple, TupleGetItem
from relay.ops.binary import add, multiply, subtract
from relay.ops.broadcasting import BroadcastTo
from relay.ops.functions import core
from relay.ops.linalg.matrix_helpers import matrix_product
from relay.ops.linalg.svd import SVD
from relay.ops.selection import where
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import int64


def complex_svd(x: Expr) -> tuple[Expr, Expr, Expr]:
    """Return `(u, s, v)` with `x = u · diag(s) · vᴴ` for complex matrices of known sizes.

    `s` is real and descending; `u` and `v` have `min(m, n)` orthonormal columns.
    """
    rows, columns = sizes_of_matrices(x)
    if rows < columns:
        v, values, u = complex_svd(adjoint(x))
        return u, values, v
    basis, triangle = complex_qr(x)
    left, bidiagonal, right = _bidiagonal(triangle)
    factors = Call(SVD(), (bidiagonal,), span=x.span)
    u, values, v = (TupleGetItem(factors, index) for index in range(3))
    return _product(basis, _product(left, u)), values, _product(right, v)


def unitary_basis(basis: Expr) -> Expr:
    """Return orthonormal complex columns of known sizes, extended to square unitary matrices."""
    rows, columns = sizes_of_matrices(basis)
    if rows == columns:
        return basis
    whole, _ = complex_qr(basis, complete=True)
    axis = basis.tensor_type.rank - 1
    more = Call(StridedSlice((columns,), (rows,), axes=(axis,)), (whole,))
    return Call(Concatenate(axis), (Tuple((basis, more)),))


def _product(a: Expr, real: Expr) -> Expr:
    """Return the product of complex or real matrices `a` and real ones, of the type of `a`."""
    return matrix_product(a, core.cast(real, str(a.tensor_type.dtype)))


def _bidiagonal(x: Expr) -> tuple[Expr, Expr, Expr]:
    """Return `(l, b, r)` with `x = l · b · rᴴ` for square `x`: unitary `l` and `r`, and real `b`.

    `b` is zero except on its diagonal and above it. Step `k` reflects the rows from `k` on, so that
    column `k` becomes zero below the diagonal, and then the columns after `k`.
    """
    size, _ = sizes_of_matrices(x)
    eye = np.eye(size, dtype=x.tensor_type.dtype.numpy)
    last = constant(max(size - 1, 0), int64)

    def step(k: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
        matrix, left, right = state
        turn = complex_reflection(at(matrix, k, -1), k)
        matrix = adjoint(_reflected(adjoint(matrix), *turn))
        left = _reflected(left, *turn)
        following = core.minimum(add(k, constant(1, int64)), last)
        turn = complex_reflection(core.conj(at(matrix, k, -2)), following)
        return [_reflected(matrix, *turn), left, _reflected(right, *turn)], None

    begin = Call(BroadcastTo(x.tensor_type.shape), (Constant(eye),))
    state = [x, begin, begin]
    types = [each.type for each in state]
    matrix, left, right = loop(constant(size, int64), None, state, types, step)
    is_kept = Constant((np.eye(size) + np.eye(size, k=1)).astype(bool))
    real = core.real(matrix)
    return left, where(is_kept, real, core.zeros_like(real)), right


def _reflected(matrix: Expr, vector: Expr, scale: Expr) -> Expr:
    """Return `a · (1 - τ·v·vᴴ)` for the matrices `a`."""
    wide = core.expand_dims(vector, -2)
    sums = core.sum(multiply(matrix, wide), axis=-1, keepdims=True)
    factors = multiply(core.expand_dims(scale, -1), sums)
    return subtract(matrix, multiply(factors, core.conj(wide)))
