"""Determinants, inverses, systems of equations and Cholesky factors, by factorisations."""

import math

import numpy as np

from relay.ir.dims import Dim, is_static, static
from relay.ir.expr import Expr, TupleGetItem
from relay.numpy.argument_conversion import (
    Axes,
    Real,
    axes_of,
    known_shape,
    known_size,
    numpy_function,
)
from relay.numpy.creation import checked, eye
from relay.numpy.errors import mistake
from relay.numpy.matrix_products import matmul
from relay.numpy.shapes import diagonal, moveaxis, reshaped
from relay.numpy.sort_search_select import take_along_axis
from relay.numpy.tensor_conversion import like, places_along
from relay.ops.functions import core
from relay.support.error_codes import ErrorCode
from relay.support.node import node


@node
class _Factors:
    """The triangular factors of matrices, both in one; row exchanges and the order of rows."""

    lu: Expr
    exchanges: Expr
    order: Expr

    @property
    def pivots(self) -> Expr:
        """Return the diagonals of the upper factors."""
        return diagonal(self.lu, 0, -2, -1)

    @property
    def sign(self) -> Expr:
        """Return the signs of the permutations: a factor of -1 for each exchange of rows."""
        kept = core.equal(self.exchanges, places_along(self.exchanges, -1))
        return core.prod(core.where(kept, like(1.0, self.lu), like(-1.0, self.lu)), -1)

    def solved(self, side: Expr) -> Expr:
        """Return the solutions for the columns of `side`; traps if a matrix is singular."""
        regular = core.all(core.not_equal(self.pivots, like(0, self.lu)))
        return checked(self.solved_or_infinite(side), regular, "the matrix is singular")

    def solved_or_infinite(self, side: Expr) -> Expr:
        """Return the solutions for the columns of `side`; infinite or NaN for singular matrices."""
        places = core.expand_dims(self.order, -1)
        ordered = take_along_axis(side, core.broadcast_to(places, side.tensor_type.shape), -2)
        inner = core.solve_triangular(self.lu, ordered, unit=True)
        return core.solve_triangular(self.lu, inner, upper=True)


def _factored(a: Expr) -> _Factors:
    both = core.lu_factor(a)
    return _Factors(*(TupleGetItem(both, index) for index in range(3)))


def require_square(a: Expr) -> None:
    """Raise `F112` unless the last two axes of `a` hold square matrices."""
    shape = a.tensor_type.shape
    if len(shape) < 2 or shape[-2] != shape[-1]:
        what = f"the last two axes must hold square matrices, but the tensor is of type {a.ty!r}"
        raise mistake(ErrorCode.F112, what, None, "pass a tensor whose last two sizes are equal")


@numpy_function
def det(a: Real) -> Expr:
    """Return the determinants of matrices."""
    require_square(a)
    return core.det(a)


@numpy_function
def slogdet(a: Real) -> tuple[Expr, Expr]:
    """Return the signs and the logarithms of the absolute values of determinants."""
    require_square(a)
    factors = _factored(a)
    signs = core.multiply(core.prod(core.sign(factors.pivots), -1), factors.sign)
    signs = core.add(signs, core.zeros_like(signs))  # 0, not -0
    return signs, core.sum(core.log(core.abs(factors.pivots)), -1)


@numpy_function
def solve(a: Real, b: Real) -> Expr:
    """Return the solutions of `a @ x = b`; traps if a matrix is singular."""
    require_square(a)
    if b.tensor_type.rank == 1:
        return core.squeeze(_solved(a, core.expand_dims(b, 1)), (-1,))
    return _solved(a, b)


def _solved(a: Expr, b: Expr) -> Expr:
    batches = [each.tensor_type.shape[:-2] for each in (a, b)]
    if batches[0] != batches[1]:
        batch = common_batch(a, b)
        a, b = (core.broadcast_to(x, (*batch, *x.tensor_type.shape[-2:])) for x in (a, b))
    return _factored(a).solved(b)


def common_batch(a: Expr, b: Expr) -> tuple[Dim, ...]:
    """Return the leading sizes to which those of two batches of matrices broadcast.

    Symbolic sizes are those of the batch with more axes; the others must be equal to them.
    """
    batches = [each.tensor_type.shape[:-2] for each in (a, b)]
    if is_static((*batches[0], *batches[1])):
        return np.broadcast_shapes(*(static(each) for each in batches))
    return max(batches, key=len)


@numpy_function
def inv(a: Real) -> Expr:
    """Return the inverses of matrices; traps if one is singular."""
    require_square(a)
    return _factored(a).solved(_unit(a))


def inverse_or_infinite(a: Expr) -> Expr:
    """Return the inverses of matrices, whose elements are infinite or NaN for singular ones."""
    require_square(a)
    return _factored(a).solved_or_infinite(_unit(a))


def _unit(a: Expr) -> Expr:
    """Return identity matrices of the shape and element type of `a`."""
    shape = a.tensor_type.shape
    return core.broadcast_to(eye(known_size(a, -1), dtype=a.tensor_type.dtype), shape)


@numpy_function
def cholesky(a: Real) -> Expr:
    """Return the lower triangular matrices whose products with their transposes are `a`.

    Reads the lower triangles only; traps if a matrix is not positive definite.
    """
    require_square(a)
    found = core.cholesky(a)
    positive = core.all(core.greater(diagonal(found, 0, -2, -1), like(0, found)))
    return checked(found, positive, "the matrix is not positive definite")


@numpy_function
def matrix_power(a: Real, n: int) -> Expr:
    """Return powers of square matrices; a negative power inverts the matrices first."""
    require_square(a)
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
    return _unit(a)


@numpy_function
def tensorinv(a: Real, ind: int = 2) -> Expr:
    """Return the inverse of a tensor, seen as a matrix whose rows are its first `ind` axes."""
    rows, columns = known_shape(a)[:ind], known_shape(a)[ind:]
    if ind < 1 or math.prod(rows) != math.prod(columns):
        what = (
            f"np.linalg.tensorinv: the sizes of the first {ind} axes must have the same product as "
            f"the other sizes, but the tensor is of type {a.ty!r}"
        )
        raise mistake(
            ErrorCode.F112,
            what,
            None,
            "choose another number of axes, ind, so that both products are equal",
        )
    return reshaped(inv(reshaped(a, (math.prod(rows),) * 2)), (*columns, *rows))


@numpy_function
def tensorsolve(a: Real, b: Real, axes: Axes = None) -> Expr:
    """Return the tensor `x` whose product with `a`, over the axes of `x`, is `b`."""
    if axes is not None:
        chosen = axes_of(axes, a.tensor_type.rank)
        a = moveaxis(a, chosen, range(-len(chosen), 0))
    shape, count = known_shape(a)[b.tensor_type.rank :], math.prod(known_shape(b))
    if math.prod(shape) != count:
        what = (
            f"np.linalg.tensorsolve: the last {len(shape)} sizes of a must have the product "
            f"{count}, "
            f"the number of elements of b, but a is of type {a.ty!r}"
        )
        raise mistake(
            ErrorCode.F112,
            what,
            None,
            "check the shapes, or pass the axes of a to sum over as axes=(…)",
        )
    found = solve(reshaped(a, (count, count)), reshaped(b, (count,)))
    return reshaped(found, shape)
