"""Eigenvalues of symmetric matrices, singular values, and orthogonal factors."""

from typing import Any

from relay.ir.expr import Expr, TupleGetItem
from relay.numpy.argument_conversion import Real, known_shape, numpy_function
from relay.numpy.errors import mistake
from relay.numpy.linalg.linear_systems import require_square
from relay.numpy.shapes import matrix_transpose, tril
from relay.ops.functions import core
from relay.ops.linalg.orthonormal_bases import square_basis
from relay.support.error_codes import ErrorCode


@numpy_function
def eigh(a: Real, UPLO: str = "L") -> tuple[Expr, Expr]:  # noqa: N803
    """Return the ascending eigenvalues of symmetric matrices, and their vectors in columns.

    Only one triangle is read. The largest element of each vector is positive.
    """
    both = _eigh(a, UPLO)
    return TupleGetItem(both, 0), TupleGetItem(both, 1)


@numpy_function
def eigvalsh(a: Real, UPLO: str = "L") -> Expr:  # noqa: N803
    """Return the ascending eigenvalues of symmetric matrices, of which one triangle is read."""
    return TupleGetItem(_eigh(a, UPLO), 0)


def _eigh(a: Expr, triangle: str) -> Expr:
    require_square(a)
    if triangle.upper() not in ("L", "U"):
        what = f"the argument UPLO must be 'L' or 'U', not {triangle!r}"
        raise mistake(ErrorCode.F120, what, None, 'pass UPLO="L" to read the lower triangle')
    return core.eigh(matrix_transpose(a) if triangle.upper() == "U" else a)


def _require_matrices(a: Expr) -> None:
    if a.tensor_type.rank < 2:
        what = f"the last two axes must hold matrices, but the tensor is of type {a.ty!r}"
        raise mistake(ErrorCode.F112, what, None, "pass a tensor with two axes or more")
    known_shape(a)


def symmetric(a: Expr) -> Expr:
    """Return symmetric matrices with the lower triangles of `a`."""
    require_square(a)
    return core.add(tril(a), matrix_transpose(tril(a, -1)))


@numpy_function
def svd(
    a: Real, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """Return factors `u`, `s` and `vh` of matrices, or only the singular values `s`, descending.

    The largest element of each row of `vh` is positive.
    """
    left, values, right = _svd(symmetric(a) if hermitian else a)
    if not compute_uv:
        return values
    if full_matrices:
        left, right = square_basis(left), square_basis(right)
    return left, values, matrix_transpose(right)


def _svd(a: Expr) -> tuple[Expr, Expr, Expr]:
    _require_matrices(a)
    whole = core.svd(a)
    return TupleGetItem(whole, 0), TupleGetItem(whole, 1), TupleGetItem(whole, 2)


@numpy_function
def svdvals(x: Real) -> Expr:
    """Return the singular values of matrices in descending order."""
    return _svd(x)[1]


@numpy_function
def qr(a: Real, mode: str = "reduced") -> Any:
    """Return orthonormal columns and an upper triangle; only that in the mode "r"."""
    _require_matrices(a)
    if mode not in ("reduced", "complete", "r"):
        advice = 'use mode="reduced", "complete" or "r"'
        raise mistake(ErrorCode.F120, f"np.linalg.qr: unknown mode {mode!r}", None, advice)
    both = core.qr(a, mode == "complete")
    q, r = TupleGetItem(both, 0), TupleGetItem(both, 1)
    return r if mode == "r" else (q, r)
