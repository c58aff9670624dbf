"""Parts of matrices along the last two axes, and systems of equations with their factors."""

from dataclasses import dataclass

import numpy as np

from relay.frontend.builders.complex_tensor import joined, parts_of
from relay.frontend.builders.matrix_loops import complex_lu
from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.torch.translate.shapes import broadcast, common_shape, transposed
from relay.ir.dims import Dim
from relay.ir.expr import Call, Constant, Expr, TupleGetItem
from relay.ops.binary import add
from relay.ops.comparison import equal
from relay.ops.complex_numbers.real_systems import complex_columns, real_columns, real_matrix
from relay.ops.creation import number
from relay.ops.linalg.lu_factorization import LUFactor
from relay.ops.linalg.solve_triangular import SolveTriangular
from relay.ops.max_min_reductions import Any, ArgMax
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Prod
from relay.ops.tensor.gather import Gather
from relay.ops.tensor.one_hot_and_shape_of import OneHot
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.sort import Argsort
from relay.ops.tensor.triangles_masks_diagonals import Trilu
from relay.support.dtype import int32, int64
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError


@dataclass(frozen=True, eq=False)
class Factors:
    """The triangular factors of matrices (LU), stored in one matrix, and the exchanges of rows.

    Pivots and the permutation of rows are counted from 0, and of type int32.
    """

    lu: Expr
    pivots: Expr
    permutation: Expr

    @property
    def sign(self) -> Expr:
        """Return the signs of the permutations: a factor of -1 for each exchange of rows."""
        count, dtype = _known(self.pivots.tensor_type.shape[-1]), self.lu.tensor_type.dtype
        places = Constant(np.arange(count, dtype=np.int32))
        ends = constant(1, dtype), constant(-1, dtype)
        signs = where(equal(self.pivots, places), *ends)
        return Call(Prod(axis=(-1,)), (signs,))


def factored(x: Expr) -> Factors:
    """Factor matrices by elimination; the sizes of complex ones must be known."""
    if x.tensor_type.dtype.is_complex:
        require_known_sizes(x)
        lu, pivots = complex_lu(x)
        return Factors(lu, pivots, permutation_of(pivots, x.tensor_type.shape[-2]))
    both = Call(LUFactor(), (x,), span=x.span)
    return Factors(*(TupleGetItem(both, index) for index in range(3)))


def solved(factors: Factors, side: Expr, *, transposes: bool = False) -> Expr:
    """Return the solutions `x` of `a · x = side` for factored `a`, or of `aᵀ · x = side`."""
    lu, side = broadcast_batches(factors.lu, side)
    upper, lower = SolveTriangular(upper=True), SolveTriangular(unit=True)
    order = factors.permutation
    if transposes:
        inner = Call(SolveTriangular(upper=True, transposed=True), (lu, side))
        found = Call(SolveTriangular(transposed=True, unit=True), (lu, inner))
        return rows_of(found, Call(Argsort(-1, is_ascend=True, dtype=int32), (order,)))
    return Call(upper, (lu, Call(lower, (lu, rows_of(side, order)))))


def solutions(a: Expr, side: Expr, *, transposes: bool = False) -> tuple[Factors, Expr]:
    """Return the factors of matrices, and the solutions `x` of `a · x = side` or `aᵀ · x = side`.

    Those of complex numbers are the solutions of real systems of twice the size, whose factors are
    returned.
    """
    if not a.tensor_type.dtype.is_complex:
        factors = factored(a)
        return factors, solved(factors, side, transposes=transposes)
    factors = factored(real_matrix(parts_of(turned(a) if transposes else a)))
    found = complex_columns(solved(factors, real_columns(parts_of(side))))
    return factors, joined(*found.parts)


def rows_of(x: Expr, order: Expr) -> Expr:
    """Return matrices with the rows in the order of the row indices in `order`."""
    places = reshape(order, (*order.tensor_type.shape, 1))
    index = broadcast(converted(places, int64), x.tensor_type.shape)
    return Call(Gather(-2), (x, index))


def permutation_matrix(factors: Factors) -> Expr:
    """Return the matrices `p` with `p · x = l · u`."""
    order, lu = factors.permutation, factors.lu
    ends = number(1, lu), number(0, lu)
    return Call(OneHot(order.tensor_type.shape[-1]), (order, *ends))


def permutation_of(pivots: Expr, size: Dim) -> Expr:
    """Return the row permutation of `pivots`: row `i` is exchanged with row `pivots[i]`."""
    *batch, steps = pivots.tensor_type.shape
    places = Constant(np.arange(_known(size), dtype=np.int32))
    order = broadcast(places, (*batch, size))
    for step in range(_known(steps)):
        at = constant(step, int32)
        chosen = Call(StridedSlice((step,), (step + 1,), axes=(len(batch),)), (pivots,))
        swapped = where(equal(places, at), chosen, where(equal(places, chosen), at, places))
        order = Call(Gather(-1), (order, converted(swapped, int64)))
    return order


def turned(x: Expr) -> Expr:
    """Return matrices with rows and columns exchanged."""
    rank = x.tensor_type.rank
    return transposed(x, (*range(rank - 2), rank - 1, rank - 2))


def triangle(x: Expr, *, upper: bool, offset: int = 0) -> Expr:
    """Return one triangle of matrices, from a diagonal on."""
    return Call(Trilu(upper=upper), (x, constant(offset, int64)))


def ones_below(x: Expr) -> Expr:
    """Return the lower triangles with ones on the diagonal."""
    rows, columns = map(_known, x.tensor_type.shape[-2:])
    ones = Constant(np.eye(rows, columns, dtype=x.tensor_type.dtype.numpy))
    return add(triangle(x, upper=False, offset=-1), ones)


def columns_of(x: Expr, count: int, axis: int = -1) -> Expr:
    """Return the first columns, or rows, of matrices."""
    return Call(StridedSlice((0,), (count,), axes=(axis % x.tensor_type.rank,)), (x,))


def diagonal(x: Expr) -> Expr:
    """Return the diagonals of matrices."""
    *batch, rows, columns = x.tensor_type.shape
    count = min(_known(rows), _known(columns))
    places = np.broadcast_to(np.arange(count).reshape(-1, 1), (*(1 for _ in batch), count, 1))
    index = broadcast(Constant(places.copy()), (*batch, count, 1))
    return reshape(Call(Gather(-1), (columns_of(x, count, -2), index)), (*batch, count))


def first_place(condition: Expr) -> Expr:
    """Return the number of the first element that is true, from 1; 0 if there is none (int32)."""
    *batch, count = condition.tensor_type.shape
    if count == 0:
        return broadcast(constant(0, int32), batch)
    some = Call(Any(axis=(-1,)), (condition,))
    place = converted(Call(ArgMax(axis=(-1,)), (converted(condition, int32),)), int32)
    return where(some, add(place, constant(1, int32)), constant(0, int32))


def identity(like: Expr) -> Expr:
    """Return identity matrices with the shape of the square matrices `like`."""
    *batch, _, size = like.tensor_type.shape
    one = Constant(np.eye(_known(size), dtype=like.tensor_type.dtype.numpy))
    return broadcast(one, (*batch, size, size))


def broadcast_batches(a: Expr, b: Expr) -> tuple[Expr, Expr]:
    """Return matrices whose leading axes are broadcast to common ones."""
    shapes = [x.tensor_type.shape for x in (a, b)]
    batch = common_shape([shape[:-2] for shape in shapes])
    first, second = (
        broadcast(x, (*batch, *shape[-2:])) for x, shape in zip((a, b), shapes, strict=True)
    )
    return first, second


def require_known_sizes(x: Expr) -> None:
    """Raise `F032` unless the sizes of matrices are known."""
    for size in x.tensor_type.shape[-2:]:
        _known(size)


def _known(size: Dim) -> int:
    if not isinstance(size, int):
        help_ = "export the model with a number for this size"
        message = f"the size of the matrices must be known at compile time, not {size}"
        raise RelayImportError(ErrorCode.F032, message, help=help_)
    return size
