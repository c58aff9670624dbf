"""Determinants, inverses and systems of equations, by elimination.

Elimination is unrolled row by row, for matrices of static size with at most 16 rows.
"""

import numpy as np

from relay.ir.expr import Constant, Expr
from relay.numpy.argument_conversion import Real, known_shape, numpy_function
from relay.numpy.creation import checked, eye
from relay.numpy.errors import mistake
from relay.numpy.matrix_products import matmul
from relay.numpy.tensor_conversion import like
from relay.ops.functions import core
from relay.support.error_codes import ErrorCode

_MOST_ROWS = 16  # each row of an elimination is a kernel or two; larger systems belong to a library


def _rows(a: Expr) -> int:
    shape = known_shape(a)
    if len(shape) != 2 or shape[0] != shape[1]:
        what = f"expected one square matrix, not {a.ty!r}"
        raise mistake(ErrorCode.F112, what, None, "loop over the matrices of a batch")
    return shape[0]


def _bounded(a: Expr) -> int:
    size = _rows(a)
    if size > _MOST_ROWS:
        what = f"elimination is limited to {_MOST_ROWS} rows, and this matrix has {size}"
        advice = f"solve systems of more than {_MOST_ROWS} rows in Python, around the function"
        raise mistake(ErrorCode.F120, what, None, advice)
    return size


def _number(at: int) -> Constant:
    return Constant(np.asarray(at, np.int32))


def _row(a: Expr, at: Expr) -> Expr:
    return core.take(a, at, 0)


def _eliminated(a: Expr, size: int, below_only: bool) -> tuple[Expr, Expr, Expr]:
    """Return a matrix after Gaussian elimination below (or also above) the diagonal.

    Also return its pivots and the sign of the row permutation.
    """
    rows = Constant(np.arange(a.tensor_type.static_shape[0], dtype=np.int32))
    sign, pivots = like(1.0, a), list[Expr]()
    for at in range(size):
        column = core.take(a, _number(at), 1)
        open_ = core.greater_equal(rows, _number(at))
        sizes = core.where(open_, core.abs(column), like(-1.0, a))
        best = core.argmax(sizes, 0)
        swapped = core.where(
            core.equal(rows, _number(at)),
            best,
            core.where(core.equal(rows, best), _number(at), rows),
        )
        a = core.take(a, swapped, 0)
        sign = core.where(core.equal(best, _number(at)), sign, core.negative(sign))
        row = _row(a, _number(at))
        pivot = core.take(row, _number(at), 0)
        pivots.append(pivot)
        safe = core.where(core.equal(pivot, like(0, pivot)), like(1.0, pivot), pivot)
        factors = core.divide(core.take(a, _number(at), 1), safe)
        chosen = (
            core.greater(rows, _number(at)) if below_only else core.not_equal(rows, _number(at))
        )
        factors = core.where(chosen, factors, like(0, factors))
        step = core.multiply(core.expand_dims(factors, 1), core.expand_dims(row, 0))
        a = core.subtract(a, step)
    return a, core.stack(pivots, 0), sign


@numpy_function
def det(a: Real) -> Expr:
    """Return the determinant of a matrix of up to 16 rows."""
    size = _bounded(a)
    if not size:
        return like(1.0, a)
    _, pivots, sign = _eliminated(a, size, below_only=True)
    return core.multiply(core.prod(pivots), sign)


@numpy_function
def slogdet(a: Real) -> tuple[Expr, Expr]:
    """Return the sign and the logarithm of the absolute value of a determinant."""
    size = _bounded(a)
    if not size:
        return like(1.0, a), like(0.0, a)
    _, pivots, sign = _eliminated(a, size, below_only=True)
    signs = core.multiply(core.prod(core.sign(pivots)), sign)
    return signs, core.sum(core.log(core.abs(pivots)))


def _solved(a: Expr, b: Expr) -> Expr:
    """Return the solution of a system for the columns `b`; traps if there is none."""
    size = _bounded(a)
    whole, pivots, _ = _eliminated(core.concatenate([a, b], 1), size, below_only=False)
    columns = known_shape(whole)[1]
    right = core.strided_slice(whole, (size,), (columns,), axes=(1,))
    found = core.divide(right, core.expand_dims(pivots, 1))
    regular = core.all(core.not_equal(pivots, like(0, pivots)))
    return checked(found, regular, "the matrix is singular")


@numpy_function
def solve(a: Real, b: Real) -> Expr:
    """Return the solution of `a @ x = b`; traps if `a` is singular."""
    if not _bounded(a):
        return core.copy(b)
    if b.tensor_type.rank > 1:
        return _solved(a, b)
    return core.squeeze(_solved(a, core.expand_dims(b, 1)), (1,))


@numpy_function
def inv(a: Real) -> Expr:
    """Return the inverse of a matrix; traps if it is singular."""
    size = _bounded(a)
    if not size:
        return core.copy(a)
    return _solved(a, eye(size, dtype=a.tensor_type.dtype))


@numpy_function
def cholesky(a: Real) -> Expr:
    """Return the lower triangular matrix whose product with its transpose is `a`.

    Traps if `a` is not positive definite.
    """
    size = _bounded(a)
    places = Constant(np.arange(size, dtype=np.int32))
    columns, pivots = list[Expr](), list[Expr]()
    for at in range(size):
        column = core.take(a, _number(at), 1)
        pivot = core.take(column, _number(at), 0)
        pivots.append(pivot)
        scaled = core.divide(column, core.sqrt(pivot))
        scaled = core.where(core.greater_equal(places, _number(at)), scaled, like(0, scaled))
        columns.append(scaled)
        step = core.multiply(core.expand_dims(scaled, 1), core.expand_dims(scaled, 0))
        a = core.subtract(a, step)
    if not columns:
        return core.copy(a)
    positive = core.all(core.greater(core.stack(pivots, 0), like(0, a)))
    return checked(core.stack(columns, 1), positive, "the matrix is not positive definite")


@numpy_function
def matrix_power(a: Real, n: int) -> Expr:
    """Return a power of a square matrix; a negative power inverts the matrix first."""
    size = _rows(a)
    if n < 0:
        return matrix_power(inv(a), -n)
    found: Expr | None = None
    while n:
        if n & 1:
            found = a if found is None else matmul(found, a)
        n >>= 1
        a = matmul(a, a) if n else a
    if found is not None:
        return found
    unit = eye(size, dtype=a.tensor_type.dtype)
    return core.broadcast_to(unit, known_shape(a))
