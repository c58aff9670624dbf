"""What factorisations promise of their results, where several results are right.

Signs and phases of columns, and bases of equal eigenvalues or of a null space, are free, and
rounding decides whether a pivot of a singular matrix is positive, so that results are compared by
invariants: arrays in float64 that all right results have in common.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from relay.ir.expr import Array
from relay.opdef.definition import OperatorDef
from relay.ops.linalg.cholesky import Cholesky
from relay.ops.linalg.eig import Schur
from relay.ops.linalg.eigenvalues import Eigh
from relay.ops.linalg.householder import HouseholderQR
from relay.ops.linalg.lu_factorization import LUFactor
from relay.ops.linalg.qr import QR
from relay.ops.linalg.svd import SVD
from tools.fuzzing.joined.subject import Invariants


def invariants_of(op: type[OperatorDef]) -> Invariants | None:
    """Return the invariants of an operator's results; None if only one result is right."""
    return _INVARIANTS.get(op)


def _cholesky(results: Sequence[Array]) -> Sequence[Array]:
    """The columns before the first pivot that is NaN, or so small that it may be an error."""
    (factor,) = results
    pivots = np.nan_to_num(np.diagonal(factor, axis1=-2, axis2=-1))
    is_clear = pivots > _SMALL_PIVOT * np.maximum.accumulate(pivots, axis=-1)
    is_known = np.logical_and.accumulate(is_clear, axis=-1)
    return is_known, np.where(is_known[..., None, :], factor, 0)


_SMALL_PIVOT = 1e-6
"""A pivot that is smaller than this share of those before it may be the root of an error."""


def _eigh(results: Sequence[Array]) -> Sequence[Array]:
    """Ascending values, orthonormal vectors, and their product, a symmetric matrix."""
    values, vectors = results
    return values, _gram(vectors), vectors * values[..., None, :] @ vectors.swapaxes(-1, -2)


def _svd(results: Sequence[Array]) -> Sequence[Array]:
    """Descending values, orthonormal vectors where values are not zero, and the product."""
    u, values, v = results
    return values, _gram(u), _gram(v), u * values[..., None, :] @ v.swapaxes(-1, -2)


def _qr(results: Sequence[Array]) -> Sequence[Array]:
    """Orthonormal columns, the zeros below the triangle, and the product."""
    q, r = results
    return _gram(q), np.tril(r, -1), q @ r


def _householder(results: Sequence[Array]) -> Sequence[Array]:
    """An orthogonal matrix, the product of all reflections, and its product with the triangle."""
    factors, scales = results
    rows = factors.shape[-2]
    vectors = np.tril(factors, -1)[..., : scales.shape[-1]] + np.eye(rows, scales.shape[-1])
    q = np.broadcast_to(np.eye(rows), (*scales.shape[:-1], rows, rows))
    for k in range(scales.shape[-1]):
        v = vectors[..., k, None]
        q = q - (q @ v) * scales[..., k, None, None] @ v.swapaxes(-1, -2)
    return _gram(q), q @ np.triu(factors)


def _schur(results: Sequence[Array]) -> Sequence[Array]:
    """A unitary matrix, the zeros below the triangle, and the product, of pairs of parts."""
    t, q = (each[..., 0] + 1j * each[..., 1] for each in results)
    adjoint = q.conj().swapaxes(-1, -2)
    return adjoint @ q, np.tril(t, -1), q @ t @ adjoint


def _lu(results: Sequence[Array]) -> Sequence[Array]:
    """Factors of at most 1 below the diagonal, a permutation, and the product in its order."""
    lu, pivots, permutation = results
    rows, columns = lu.shape[-2:]
    inner = min(rows, columns)
    lower = np.tril(lu[..., :inner], -1) + np.eye(rows, inner)
    product = np.zeros_like(lu)
    order = permutation.astype(np.int64)
    np.put_along_axis(product, order[..., None], lower @ np.triu(lu[..., :inner, :]), -2)
    return np.abs(lower) <= 1 + 1e-3, np.sort(order), _exchanged(rows, pivots) - order, product


def _exchanged(rows: int, pivots: Array) -> Array:
    """Return the order of rows after row `k` changed places with row `pivots[k]` in each step."""
    order = np.broadcast_to(np.arange(rows), (*pivots.shape[:-1], rows)).copy()
    for place in np.ndindex(pivots.shape[:-1]):
        for k, chosen in enumerate(pivots[place].astype(np.int64)):
            order[(*place, [k, chosen])] = order[(*place, [chosen, k])]
    return order


def _gram(columns: Array) -> Array:
    return columns.swapaxes(-1, -2) @ columns


_INVARIANTS: Mapping[type[OperatorDef], Invariants] = {
    Cholesky: _cholesky,
    Eigh: _eigh,
    Schur: _schur,
    SVD: _svd,
    QR: _qr,
    HouseholderQR: _householder,
    LUFactor: _lu,
}
