"""The derivative of `eig` (Boeddeker et al., 2017), for the lengths and signs of its vectors.

Complex tensors are pairs of real tensors here. With `E[i, j] = l[j] - l[i]` and `P = V⁻¹ dA V`, a
change `dA` of the matrix changes the values by the diagonal of `P`, and the vectors by `V (P / E)`,
to which multiples of the vectors are added, so that they keep their length, and their largest
element stays real.
"""

import numpy as np

from relay.ir.expr import Call, Constant, Expr, Tuple, TupleGetItem
from relay.ops.binary import add, divide, multiply, opposite, scaled, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import GreaterEqual, equal
from relay.ops.creation import number
from relay.ops.linalg.eigenvalues import inverse
from relay.ops.linalg.matrix_helpers import matrix_product, transposed
from relay.ops.linalg.qr import QR
from relay.ops.linalg.solve_triangular import SolveTriangular
from relay.ops.logical import LogicalAnd
from relay.ops.max_min_reductions import Max
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.concat_and_split import Concatenate, Split, Stack
from relay.ops.tensor.gather import Take
from relay.ops.tensor.position_tensors import identity
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.scan import Cumsum
from relay.ops.transcendental import Sqrt
from relay.support.dtype import int64

Pair = tuple[Expr, Expr]

_ROUNDINGS = 64  # elements whose sizes differ by fewer roundings are equally large


def gradient(call: Call, d_out: Expr) -> Expr:
    """Return the derivative by the matrix, `V⁻ᴴ (Vᴴ dV / conj(E) + dl) Vᴴ`, as pairs."""
    values, v = (_parts(TupleGetItem(call, index)) for index in (0, 1))
    d_values, d_v = (_parts(TupleGetItem(d_out, index)) for index in (0, 1))
    axis = v[0].tensor_type.rank - 2
    inner = _product(_adjoint(v), _of_raw_vectors(v, d_v))
    real, imaginary = (
        subtract(Call(ExpandDims(axis), (each,)), Call(ExpandDims(axis + 1), (each,)))
        for each in values
    )
    share = inverse(add(multiply(real, real), multiply(imaginary, imaginary)))
    turned = _times(inner, (multiply(real, share), multiply(imaginary, share)))
    unit = identity(values[0], axis)
    core = (
        add(each, multiply(Call(ExpandDims(axis), (d_value,)), unit))
        for each, d_value in zip(turned, d_values, strict=True)
    )
    real, imaginary = core
    return _pairs(_solved(v, _product((real, imaginary), _adjoint(v))))


def _of_raw_vectors(v: Pair, d_v: Pair) -> Pair:
    """Return the derivative by vectors before they get their length and their sign."""
    rows = v[0].tensor_type.rank - 2
    sizes = add(multiply(v[0], v[0]), multiply(v[1], v[1]))
    along, across = (
        _column_sums(add(multiply(d_v[0], a), multiply(d_v[1], b)), rows)
        for a, b in ((v[0], v[1]), (v[1], opposite(v[0])))
    )
    largest = Call(Max(axis=(rows,), keepdims=True), (sizes,))
    turn = where(_first_largest(sizes, largest, rows), divide(across, Call(Sqrt(), (largest,))),
                 number(0, sizes))  # fmt: skip
    real, imaginary = (
        subtract(d_each, multiply(along, each)) for each, d_each in zip(v, d_v, strict=True)
    )
    return real, add(imaginary, turn)


def _column_sums(x: Expr, rows: int) -> Expr:
    return Call(Sum(axis=(rows,), keepdims=True), (x,))


def _first_largest(sizes: Expr, largest: Expr, rows: int) -> Expr:
    """Return whether an element is the first of the largest ones of its column."""
    slack = 1 + _ROUNDINGS * sizes.tensor_type.dtype.epsilon
    is_large = Call(GreaterEqual(), (scaled(sizes, slack), largest))
    place = Call(Cumsum(axis=rows), (Call(Cast(int64), (is_large,)),))
    return Call(LogicalAnd(), (is_large, equal(place, number(1, place))))


def _solved(v: Pair, right: Pair) -> Pair:
    """Return the solution `x` of `vᴴ x = right`, by real matrices of twice the size."""
    real, imaginary = v
    rank = real.tensor_type.rank
    halves = (
        Call(Concatenate(rank - 1), (Tuple(each),))
        for each in ((real, opposite(imaginary)), (imaginary, real))
    )
    whole = Call(Concatenate(rank - 2), (Tuple(tuple(halves)),))
    qr = Call(QR(), (transposed(whole),))
    side = Call(Concatenate(rank - 2), (Tuple(right),))
    turned = matrix_product(TupleGetItem(qr, 0), side, transpose_a=True)
    found = Call(SolveTriangular(upper=True), (TupleGetItem(qr, 1), turned))
    parts = Call(Split(2, rank - 2), (found,))
    return TupleGetItem(parts, 0), TupleGetItem(parts, 1)


def _product(a: Pair, b: Pair) -> Pair:
    real = subtract(matrix_product(a[0], b[0]), matrix_product(a[1], b[1]))
    return real, add(matrix_product(a[0], b[1]), matrix_product(a[1], b[0]))


def _times(a: Pair, b: Pair) -> Pair:
    real = subtract(multiply(a[0], b[0]), multiply(a[1], b[1]))
    return real, add(multiply(a[0], b[1]), multiply(a[1], b[0]))


def _adjoint(x: Pair) -> Pair:
    return transposed(x[0]), opposite(transposed(x[1]))


def _parts(x: Expr) -> Pair:
    real, imaginary = (
        Call(Take(axis=x.tensor_type.rank - 1), (x, Constant(np.array(index)))) for index in (0, 1)
    )
    return real, imaginary


def _pairs(x: Pair) -> Expr:
    return Call(Stack(-1), (Tuple(x),))
