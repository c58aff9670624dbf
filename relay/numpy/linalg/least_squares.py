"""Ranks and condition numbers of matrices, pseudoinverses, and least squares."""

from typing import Any

import numpy as np

from relay.ir.expr import Constant, Expr
from relay.numpy.argument_conversion import Given, Real, known_shape, numpy_function
from relay.numpy.errors import mistake
from relay.numpy.linalg.factorizations import svdvals, symmetric
from relay.numpy.linalg.linear_systems import inverse_or_infinite
from relay.numpy.linalg.norms import matrix_norm
from relay.numpy.matrix_products import matmul
from relay.numpy.sort_search_select import compress
from relay.numpy.tensor_conversion import convert, like, tensor
from relay.ops.functions import core
from relay.support.dtype import int32
from relay.support.error_codes import ErrorCode


def _tolerance(given: object, values: Expr) -> Expr:
    """Return a tolerance, a number or one for each matrix, that broadcasts to singular values."""
    if isinstance(given, int | float):
        return like(given, values)
    found = convert(tensor(given), values.tensor_type.dtype)
    return core.expand_dims(found, -1) if found.tensor_type.rank else found


def _rounding(a: Expr) -> float:
    """Return the relative size of singular values that rounding may have made."""
    dtype = a.tensor_type.dtype
    return max(known_shape(a)[-2:]) * float(np.finfo(str(dtype)).eps)


def _limit(values: Expr, relative: object) -> Expr:
    """Return the limit up to which singular values count as zero: a part of the largest one."""
    *batch, count = known_shape(values)
    if not count:
        return core.zeros((*batch, 1), values.tensor_type.dtype)
    top = core.strided_slice(values, (0,), (1,), axes=(len(batch),))
    return core.multiply(_tolerance(relative, values), top)


def _count_above(values: Expr, limit: Expr) -> Expr:
    return core.sum(convert(core.greater(values, limit), int32), -1)


@numpy_function
def matrix_rank(
    A: Real,  # noqa: N803
    tol: Given = None,
    hermitian: bool = False,
    *,
    rtol: Given = None,
) -> Expr:
    """Return the numbers of singular values above `tol`, or above `rtol` of the largest; int32."""
    if A.tensor_type.rank < 2:
        return convert(core.any(core.not_equal(A, like(0, A))), int32)
    values = svdvals(symmetric(A) if hermitian else A)
    if tol is None:
        return _count_above(values, _limit(values, _rounding(A) if rtol is None else rtol))
    return _count_above(values, _tolerance(tol, values))


@numpy_function
def pinv(
    a: Real,
    rcond: Given = None,
    hermitian: bool = False,
    *,
    rtol: Given = ...,
) -> Expr:
    """Return pseudoinverses; singular values up to `rtol` times the largest count as zero.

    `rcond` is another name of `rtol`; if neither is passed, it is 1e-15, and for None the rounding
    error of the largest singular value. The derivative is that for matrices of constant rank.
    """
    if rcond is not None and rtol is not ...:
        what = "np.linalg.pinv takes rtol or rcond, which are the same, but not both"
        raise mistake(ErrorCode.F120, what, None, "pass only rtol")
    relative = (1e-15 if rtol is ... else rtol) if rcond is None else rcond
    a = symmetric(a) if hermitian else a
    return core.pinv(a, _limit(svdvals(a), _rounding(a) if relative is None else relative))


@numpy_function
def lstsq(a: Real, b: Real, rcond: Given = None) -> tuple[Expr, Expr, Expr, Expr]:
    """Return the least-squares solution `x` of `a @ x = b`, residuals, the rank, singular values.

    There are residuals, one for each column of `b`, if `a` has more rows than columns and full
    rank.
    """
    if a.tensor_type.rank != 2 or b.tensor_type.rank not in (1, 2):
        what = f"np.linalg.lstsq takes a matrix, and a vector or matrix, not {a.ty!r} and {b.ty!r}"
        raise mistake(
            ErrorCode.F112, what, None, "solve one system at a time, or use np.linalg.pinv"
        )
    values = svdvals(a)
    limit = _limit(values, _rounding(a) if rcond is None else rcond)
    found = matmul(core.pinv(a, limit), b)
    rank = _count_above(values, limit)
    return found, _residuals(a, b, found, rank), rank, values


def _residuals(a: Expr, b: Expr, found: Expr, rank: Expr) -> Expr:
    """Return sums of squared residuals of full rank; none for other ranks."""
    rows, columns = known_shape(a)
    if rows <= columns:
        return core.zeros((0,), a.tensor_type.dtype)
    rest = core.subtract(b, matmul(a, found))
    sums = core.reshape(core.sum(core.multiply(rest, rest), 0), (-1,))
    full = core.equal(rank, Constant(np.asarray(columns, np.int32)))
    return compress(core.broadcast_to(full, sums.tensor_type.shape), sums)


@numpy_function
def cond(x: Real, p: Any = None) -> Expr:
    """Return condition numbers in the norm `p`, by default 2; infinite for singular matrices."""
    if 0 in known_shape(x):
        what = f"the condition number of an empty matrix is not defined: {x.ty!r}"
        raise mistake(ErrorCode.F112, what, None, "check the size in Python, before the call")
    found = _cond(x, 2 if p is None else p)
    lost = core.logical_and(core.isnan(found), core.logical_not(core.any(core.isnan(x), (-2, -1))))
    return core.where(lost, like(np.inf, x), found)


def _cond(x: Expr, p: Any) -> Expr:
    if p not in (2, -2):
        return core.multiply(matrix_norm(x, ord=p), matrix_norm(inverse_or_infinite(x), ord=p))
    values = svdvals(x)
    axis, count = values.tensor_type.rank - 1, known_shape(values)[-1]
    ends = [
        core.squeeze(core.strided_slice(values, (at,), (at + 1,), axes=(axis,)), (axis,))
        for at in (0, count - 1)
    ]
    return core.divide(*(ends if p == 2 else reversed(ends)))
