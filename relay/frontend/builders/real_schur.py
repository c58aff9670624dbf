"""The real Schur form `A = Q T Qᵀ` by the QR algorithm with double shifts (Francis, 1961).

`T` is upper triangular, except for blocks of two rows with complex eigenvalues on its diagonal. The
matrix is first brought to Hessenberg form. A step of the algorithm reflects three neighbouring rows
and columns, from the first to the last row of a block that no zero below the diagonal divides.
"""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.counted_loops import at, loop
from relay.frontend.builders.householder import reflections_product
from relay.frontend.builders.matrix_loops import hessenberg, numbers, reflected, reflection
from relay.frontend.builders.tensor_helpers import constant
from relay.ir.expr import Constant, Expr, If, Tuple, TupleGetItem
from relay.ops.binary import add, divide, multiply, opposite, subtract
from relay.ops.comparison import equal, less, less_equal
from relay.ops.functions import core
from relay.ops.functions.nn import pad
from relay.ops.linalg.matrix_helpers import matrix_product, upper
from relay.ops.selection import where
from relay.support.dtype import bool_, int64

_STEPS = 40  # for each row; most eigenvalues need two or three
_UNUSUAL = 10  # steps after which a shift is chosen differently, as it may repeat itself

_ONE = constant(1, int64)


def real_schur(x: Expr) -> tuple[Expr, Expr]:
    """Return `T` and `Q` of one matrix of known size; NaN if the algorithm does not converge.

    The two elements on the diagonal of a block of two rows are equal, as in LAPACK.
    """
    size, _ = x.tensor_type.static_shape
    form, scales = hessenberg(x)
    state = [upper(form, -1), _basis(form, scales), constant(size - 1, int64)]
    types = [each.type for each in state]
    count = constant(_STEPS * size, int64)
    whole, basis, last = loop(count, constant(1, bool_), state, types, _step)
    nan = constant(np.nan, x.tensor_type.dtype)
    is_done = less_equal(last, constant(0, int64))
    return where(is_done, whole, nan), where(is_done, basis, nan)


def _basis(form: Expr, scales: Expr) -> Expr:
    """Return the orthogonal matrix of a Hessenberg form: all reflections leave the first row."""
    size, _ = form.tensor_type.static_shape
    if size == 1:
        return core.ones_like(form)
    inner = core.strided_slice(form, [1, 0], [size, size - 1])
    corner = np.zeros((size, size), form.tensor_type.dtype.numpy)
    corner[0, 0] = 1
    return add(pad(reflections_product(inner, scales), ((1, 0), (1, 0))), Constant(corner))


def _step(number: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], Expr]:
    """Split off one or two rows that have converged, or do one step of the QR algorithm."""
    whole, basis, last = state
    whole, first = _divided(whole, last)
    rows = add(subtract(last, first), _ONE)
    is_small = less_equal(rows, constant(2, int64))
    several = If(
        is_small, _pair(whole, basis, first, last), _swept(number, whole, basis, first, last)
    )
    found = If(equal(rows, _ONE), Tuple((whole, basis)), several)
    left = where(is_small, subtract(last, rows), last)
    return [TupleGetItem(found, 0), TupleGetItem(found, 1), left], less(constant(0, int64), left)


def _divided(whole: Expr, last: Expr) -> tuple[Expr, Expr]:
    """Return the matrix without negligible elements, and the first row of the block to `last`."""
    size, _ = whole.tensor_type.static_shape
    of = whole.tensor_type.dtype.numpy
    below = np.eye(size, k=-1, dtype=of)
    sizes = core.abs(core.sum(multiply(whole, Constant(np.eye(size, dtype=of))), axis=-1))
    before = core.take(sizes, Constant(np.maximum(np.arange(size) - 1, 0)), axis=0)
    epsilon = float(np.finfo(whole.tensor_type.dtype.name).eps)
    limit = multiply(add(sizes, before), constant(epsilon, whole.tensor_type.dtype))
    is_zero = less_equal(core.abs(core.sum(multiply(whole, Constant(below)), axis=-1)), limit)
    zero, row = constant(0, whole.tensor_type.dtype), numbers(size)
    cleared = core.logical_and(core.expand_dims(is_zero, -1), Constant(below.astype(bool)))
    is_start = core.logical_and(is_zero, less_equal(row, last))
    starts = where(is_start, row, constant(0, int64))
    return where(cleared, zero, whole), core.max(starts)


def _element(x: Expr, row: Expr, column: Expr) -> Expr:
    return at(at(x, row), column)


def _pair(whole: Expr, basis: Expr, first: Expr, last: Expr) -> Expr:
    """Return `T` and `Q` with a block of two rows in its final form.

    It becomes triangular if its eigenvalues are real; otherwise the elements on its diagonal become
    equal.
    """
    of = whole.tensor_type.dtype
    zero, one, half = (constant(each, of) for each in (0, 1, 0.5))
    a, b, c, d = (_element(whole, i, j) for i in (first, last) for j in (first, last))
    middle = multiply(half, subtract(a, d))
    square = add(multiply(middle, middle), multiply(b, c))
    is_real = less_equal(zero, square)
    root = core.sqrt(core.maximum(square, zero))
    far = where(less(middle, zero), subtract(middle, root), add(middle, root))
    total = add(b, c)
    sides = where(is_real, c, total), where(is_real, far, subtract(a, d))
    long = core.sqrt(add(*(multiply(each, each) for each in sides)))
    is_final = equal(long, zero)
    safe = where(is_final, one, long)
    cosine = core.sqrt(multiply(half, add(one, divide(core.abs(total), safe))))
    sine = divide(middle, multiply(safe, cosine))
    turned = where(is_real, divide(c, safe), where(less(total, zero), sine, opposite(sine)))
    cosine = where(is_final, one, where(is_real, divide(far, safe), cosine))
    sine = where(is_final, zero, turned)
    return _rotated(whole, basis, (first, last), cosine, sine, is_real)


def _rotated(
    whole: Expr, basis: Expr, rows: tuple[Expr, Expr], cosine: Expr, sine: Expr, is_real: Expr
) -> Expr:
    """Return `T` and `Q` with two rotated rows and columns; the lower element is 0 if `is_real`."""
    size, _ = whole.tensor_type.static_shape
    of = whole.tensor_type.dtype
    row, column, (first, last) = core.expand_dims(numbers(size), -1), numbers(size), rows
    is_first, is_last = equal(row, first), equal(row, last)
    is_upper = core.logical_and(is_first, equal(column, last))
    is_lower = core.logical_and(is_last, equal(column, first))
    is_diagonal = core.logical_and(core.logical_or(is_first, is_last), equal(row, column))
    turn = where(is_diagonal, cosine, Constant(np.eye(size, dtype=of.numpy)))
    turn = where(is_upper, sine, where(is_lower, opposite(sine), turn))
    whole = matrix_product(turn, matrix_product(whole, turn, transpose_b=True))
    whole = where(core.logical_and(is_lower, is_real), constant(0, of), whole)
    return Tuple((whole, matrix_product(basis, turn, transpose_b=True)))


def _swept(number: Expr, whole: Expr, basis: Expr, first: Expr, last: Expr) -> Expr:
    """Return `T` and `Q` after one step of the QR algorithm in the block `first` to `last`."""
    size, _ = whole.tensor_type.static_shape
    zero, row = constant(0, whole.tensor_type.dtype), numbers(size)
    begin = _beginning(number, whole, first, last)

    def step(t: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
        whole, basis = state
        k = add(first, t)
        before = core.maximum(subtract(k, _ONE), constant(0, int64))
        column = where(equal(t, constant(0, int64)), begin, at(whole, before, -1))
        end = core.minimum(add(k, constant(2, int64)), last)
        is_inside = core.logical_and(less_equal(k, row), less_equal(row, end))
        vector, scale = reflection(where(is_inside, column, zero), k)
        whole = reflected(reflected(whole, vector, scale, axis=-1), vector, scale, axis=-2)
        is_past = core.logical_and(
            less(k, core.expand_dims(row, -1)), equal(row, subtract(k, _ONE))
        )
        return [where(is_past, zero, whole), reflected(basis, vector, scale, axis=-1)], None

    types = [whole.type, basis.type]
    return Tuple(tuple(loop(subtract(last, first), None, [whole, basis], types, step)))


def _beginning(number: Expr, whole: Expr, first: Expr, last: Expr) -> Expr:
    """Return the first column of `(T - λ)(T - μ)`, with the eigenvalues of the last two rows."""
    size, _ = whole.tensor_type.static_shape
    of, zero_index = whole.tensor_type.dtype, constant(0, int64)
    upper_row = core.maximum(subtract(last, _ONE), zero_index)
    a, b, c, d = (_element(whole, i, j) for i in (upper_row, last) for j in (upper_row, last))
    unusual = equal(core.mod(number, constant(_UNUSUAL, int64)), constant(_UNUSUAL - 1, int64))
    size_of_last = core.abs(c)
    total = where(unusual, multiply(constant(1.5, of), size_of_last), add(a, d))
    product = where(
        unusual, multiply(size_of_last, size_of_last), subtract(multiply(a, d), multiply(b, c))
    )
    second = core.minimum(add(first, _ONE), last)
    third = core.minimum(add(second, _ONE), last)
    e, f, g, h = (_element(whole, i, j) for i in (first, second) for j in (first, second))
    x = add(subtract(add(multiply(e, e), multiply(f, g)), multiply(total, e)), product)
    y = multiply(g, subtract(add(e, h), total))
    z = multiply(g, _element(whole, third, second))
    row, zero = numbers(size), constant(0, of)
    return where(
        equal(row, first), x, where(equal(row, second), y, where(equal(row, third), z, zero))
    )
