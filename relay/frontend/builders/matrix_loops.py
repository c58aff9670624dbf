"""Factorisations of matrices by loops over their columns or rows, for batches of any rank.

The sizes of the matrices must be known. A step reads a row or a column and changes the whole
matrix, with masks for the parts that it keeps.
"""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.collect_loop_outputs import Collection, collecting
from relay.frontend.builders.complex_tensor import parts_of
from relay.frontend.builders.counted_loops import at, loop, mirrored
from relay.frontend.builders.tensor_helpers import constant
from relay.ir.expr import Call, Constant, Expr
from relay.ir.types import TensorType
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.broadcasting import BroadcastTo
from relay.ops.comparison import equal, less, less_equal
from relay.ops.creation import Zeros
from relay.ops.functions import core
from relay.ops.linalg.matrix_helpers import lower, upper
from relay.ops.selection import where
from relay.support.dtype import int32, int64


def complex_lu(x: Expr) -> tuple[Expr, Expr]:
    """Return the triangular factors of complex matrices in one, and the pivot rows from 0.

    The pivot has the largest sum of the lengths of its parts, as in LAPACK.
    """
    (rows, columns), batch = sizes_of_matrices(x), x.tensor_type.shape[:-2]
    count, of = min(rows, columns), x.tensor_type.dtype
    row, column, zero, one = numbers(rows), numbers(columns), constant(0, of), constant(1, of)

    def step(k: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
        matrix, pivots = state
        sizes = add(*map(core.abs, parts_of(at(matrix, k, -1)).parts))
        sizes = where(less(row, k), constant(-1, of.part), sizes)
        chosen = core.cast(core.argmax(sizes, axis=-1, keepdims=True), "int64")
        order = where(equal(row, k), chosen, where(equal(row, chosen), k, row))
        index = Call(BroadcastTo(matrix.tensor_type.shape), (core.expand_dims(order, -1),))
        matrix = core.gather(matrix, -2, index)
        top, left = (at(matrix, k, axis) for axis in (-2, -1))
        pivot, is_below = core.expand_dims(at(top, k, -1), -1), less(k, row)
        factors = divide(left, where(equal(pivot, zero), one, pivot))
        tall = core.expand_dims(where(is_below, factors, zero), -1)
        wide = core.expand_dims(where(less(k, column), top, zero), -2)
        is_factor = core.logical_and(core.expand_dims(is_below, -1), equal(column, k))
        found = where(is_factor, tall, subtract(matrix, multiply(tall, wide)))
        places = equal(numbers(count), k)
        return [found, where(places, core.cast(chosen, "int32"), pivots)], None

    state = [x, Call(Zeros((*batch, count), int32), ())]
    types = [each.type for each in state]
    factors, pivots = loop(constant(count, int64), None, state, types, step)
    return factors, pivots


def complex_cholesky(x: Expr) -> Expr:
    """Return the lower triangles `l` with `l · lᴴ = x`; NaN for matrices without such a factor.

    The elements above the diagonal are not read.
    """
    (size, _), of = sizes_of_matrices(x), x.tensor_type.dtype
    row, zero = numbers(size), constant(0, of)

    def step(k: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
        rest, factor = state
        column = at(rest, k, -1)
        pivot = core.sqrt(core.real(core.expand_dims(at(column, k, -1), -1)))
        below = where(less(k, row), divide(column, core.cast(pivot, str(of))), zero)
        scaled = where(equal(row, k), core.cast(pivot, str(of)), below)
        tall, wide = core.expand_dims(scaled, -1), core.expand_dims(core.conj(scaled), -2)
        rest = subtract(rest, multiply(tall, wide))
        return [rest, where(equal(row, k), tall, factor)], None

    state = [x, core.zeros_like(x)]
    types = [each.type for each in state]
    return loop(constant(size, int64), None, state, types, step)[1]


def hessenberg(x: Expr) -> tuple[Expr, Expr]:
    """Return matrices in Hessenberg form, and the scales of the reflections that make it.

    The vectors of the reflections are below the subdiagonal, as in LAPACK: the first element of
    each is 1 and not stored.
    """
    (size, _), batch = sizes_of_matrices(x), x.tensor_type.shape[:-2]
    of, row = x.tensor_type.dtype, numbers(size)

    def step(k: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
        matrix, vectors, scales = state
        vector, scale = reflection(at(matrix, k, -1), add(k, constant(1, int64)))
        matrix = reflected(reflected(matrix, vector, scale, axis=-1), vector, scale, axis=-2)
        vectors = where(equal(row, k), core.expand_dims(vector, -1), vectors)
        return [matrix, vectors, where(equal(numbers(size - 1), k), scale, scales)], None

    state = [x, core.zeros_like(x), Call(Zeros((*batch, size - 1), of), ())]
    types = [each.type for each in state]
    matrix, vectors, scales = loop(constant(size - 1, int64), None, state, types, step)
    return add(upper(matrix, -1), lower(vectors, -2)), scales


def reflection(column: Expr, place: Expr) -> tuple[Expr, Expr]:
    """Return `v` and `τ` of the reflection that makes the elements of a column after `place` zero.

    Elements before `place` stay; the element of `v` at `place` is 1.
    """
    of, row = column.tensor_type.dtype, numbers(length_of(column))
    zero, one = constant(0, of), constant(1, of)
    first = core.expand_dims(at(column, place, -1), -1)
    rest = where(less(place, row), column, zero)
    square = core.sum(multiply(rest, rest), axis=-1, keepdims=True)
    is_done = equal(square, zero)
    length = core.sqrt(add(multiply(first, first), square))
    turned = where(less(first, zero), length, subtract(zero, length))
    scale = where(is_done, zero, divide(subtract(turned, first), where(is_done, one, turned)))
    tail = divide(rest, where(is_done, one, subtract(first, turned)))
    return where(equal(row, place), one, tail), scale


def reflected(matrix: Expr, vector: Expr, scale: Expr, axis: int) -> Expr:
    """Return the matrices with their rows (`axis` -1) or columns reflected by `1 - τ·v·vᵀ`."""
    along = core.expand_dims(vector, -3 - axis)
    sums = core.sum(multiply(matrix, along), axis=axis, keepdims=True)
    return subtract(matrix, multiply(multiply(core.expand_dims(scale, -1), sums), along))


def tridiagonal_solution(below: Expr, diagonal: Expr, above: Expr, side: Expr) -> Expr:
    """Return the solutions of systems with tridiagonal matrices, by elimination with exchanges.

    The three diagonals are vectors of one length; the first element of `below` and the last of
    `above` are not used. A step eliminates the row after the current one, or exchanges both.
    """
    *batch, size, width = side.tensor_type.static_shape
    of, count = side.tensor_type.dtype, constant(size, int64)
    zero, is_last = constant(0, of), equal(numbers(size), constant(size - 1, int64))
    after = Constant(np.minimum(np.arange(size) + 1, size - 1))
    below = where(is_last, zero, core.take(below, after, axis=-1, mode="fast"))
    above = where(is_last, zero, above)
    one, row = TensorType((*batch, 1), of), TensorType((*batch, width), of)

    def element(x: Expr, k: Expr) -> Expr:
        return core.expand_dims(at(x, k, -1), -1)

    def eliminate(k: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
        pivot, right, value = state
        following = core.minimum(add(k, constant(1, int64)), constant(size - 1, int64))
        left, middle, outer = (
            element(below, k),
            element(diagonal, following),
            element(above, following),
        )
        other = at(side, following, -2)
        keeps = less_equal(core.abs(left), core.abs(pivot))
        factor = divide(where(keeps, left, pivot), where(keeps, pivot, left))
        done = [where(keeps, pivot, left), where(keeps, right, middle),
                where(keeps, zero, outer), where(keeps, value, other)]  # fmt: skip
        rest = [subtract(where(keeps, middle, right), multiply(factor, done[1])),
                subtract(where(keeps, outer, zero), multiply(factor, done[2])),
                subtract(where(keeps, other, value), multiply(factor, done[3]))]  # fmt: skip
        return [*rest, *done], None

    first = constant(0, int64)
    state = [element(diagonal, first), element(above, first), at(side, first, -2)]
    collections = [Collection(each, size, count) for each in (one, one, one, row)]
    *_, pivots, rights, outers, values = collecting(
        count, None, state, [one, one, row], collections, eliminate
    )

    def substitute(k: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
        here, (next_, second) = mirrored(k, count), state
        known = add(multiply(at(rights, here), next_), multiply(at(outers, here), second))
        found = divide(subtract(at(values, here), known), at(pivots, here))
        return [found, next_, found], None

    nothing = core.zeros((*batch, width), of)
    solutions = Collection(row, size, count, backwards=True, axis=len(batch))
    return collecting(count, None, [nothing, nothing], [row, row], [solutions], substitute)[-1]


def sizes_of_matrices(x: Expr) -> tuple[int, int]:
    """Return the numbers of rows and columns; the caller has checked that they are known."""
    rows, columns = x.tensor_type.shape[-2:]
    assert isinstance(rows, int), "the caller checks the sizes"
    assert isinstance(columns, int), "the caller checks the sizes"
    return rows, columns


def length_of(x: Expr) -> int:
    """Return the length of vectors; the caller has checked that it is known."""
    size = x.tensor_type.shape[-1]
    assert isinstance(size, int), "the caller checks the sizes"
    return size


def numbers(count: int) -> Constant:
    """Return the numbers from 0 to `count`, exclusive."""
    return Constant(np.arange(count))
