"""Reflections that make complex matrices triangular, by a loop over their columns, as in LAPACK."""

from collections.abc import Sequence

from relay.frontend.builders.counted_loops import at, loop
from relay.frontend.builders.householder import reflections_product
from relay.frontend.builders.matrix_loops import length_of, numbers, sizes_of_matrices
from relay.frontend.builders.tensor_helpers import constant
from relay.ir.expr import Call, Expr, Tuple
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.comparison import equal, less
from relay.ops.creation import Zeros
from relay.ops.functions import core
from relay.ops.linalg.matrix_helpers import lower, upper
from relay.ops.selection import where
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import int64


def complex_qr(x: Expr, *, complete: bool = False) -> tuple[Expr, Expr]:
    """Return the unitary and the triangular factor of complex matrices of known sizes.

    The diagonal of the triangles is real. `complete` unitary matrices are square.
    """
    rows, columns = sizes_of_matrices(x)
    count = min(rows, columns)
    form, scales = complex_householder(x)
    vectors = _first(form, count, -1)
    if complete:
        rest = Call(Zeros((*x.tensor_type.shape[:-1], rows - count), x.tensor_type.dtype), ())
        vectors = Call(Concatenate(-1), (Tuple((vectors, rest)),))
    triangle = upper(form if complete else _first(form, count, -2))
    return reflections_product(vectors, scales), triangle


def _first(x: Expr, count: int, axis: int) -> Expr:
    return Call(StridedSlice((0,), (count,), axes=(axis % x.tensor_type.rank,)), (x,))


def complex_householder(x: Expr) -> tuple[Expr, Expr]:
    """Return the reflections of a QR factorisation of complex matrices, and their scales.

    `r`, whose diagonal is real, is the upper triangle of the first result. The vectors of the
    reflections `1 - τ·v·vᴴ` are below it, without their first element, which is 1. The sizes of the
    matrices must be known.
    """
    (rows, columns), batch = sizes_of_matrices(x), x.tensor_type.shape[:-2]
    count, of = min(rows, columns), x.tensor_type.dtype

    def step(k: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
        matrix, vectors, scales = state
        vector, scale = complex_reflection(at(matrix, k, -1), k)
        tall = core.expand_dims(vector, -1)
        sums = core.sum(multiply(matrix, core.conj(tall)), axis=-2, keepdims=True)
        factor = core.expand_dims(core.conj(scale), -1)
        matrix = subtract(matrix, multiply(multiply(factor, sums), tall))
        is_here = equal(numbers(columns), k)
        return [matrix, where(is_here, tall, vectors),
                where(equal(numbers(count), k), scale, scales)], None  # fmt: skip

    state = [x, core.zeros_like(x), Call(Zeros((*batch, count), of), ())]
    types = [each.type for each in state]
    matrix, vectors, scales = loop(constant(count, int64), None, state, types, step)
    return add(upper(matrix), lower(vectors, -1)), scales


def complex_reflection(column: Expr, place: Expr) -> tuple[Expr, Expr]:
    """Return `v` and `τ` of the reflection whose conjugate makes a column zero after `place`.

    It is `1 - τ·v·vᴴ`. Elements before `place` stay, the one at `place` becomes real; the element
    of `v` there is 1.
    """
    of, row = column.tensor_type.dtype, numbers(length_of(column))
    zero, one, real_zero = constant(0, of), constant(1, of), constant(0, of.part)
    first = core.expand_dims(at(column, place, -1), -1)
    real, imaginary = core.real(first), core.imag(first)
    rest = where(less(place, row), column, zero)
    below = core.sum(_square(rest), axis=-1, keepdims=True)
    is_done = equal(add(below, multiply(imaginary, imaginary)), real_zero)
    length = core.sqrt(add(_square(first), below))
    target = where(less(real, real_zero), length, subtract(real_zero, length))
    target = core.cast(where(is_done, constant(1, of.part), target), str(of))
    scale = where(is_done, zero, divide(subtract(target, first), target))
    tail = divide(rest, where(is_done, one, subtract(first, target)))
    return where(equal(row, place), one, tail), scale


def _square(x: Expr) -> Expr:
    """Return the squared lengths of complex numbers."""
    return add(*(multiply(part, part) for part in (core.real(x), core.imag(x))))
