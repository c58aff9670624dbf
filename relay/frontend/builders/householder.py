"""Multiply Householder reflections, given by their vectors and scales."""

import numpy as np

from relay.frontend.builders.complex_tensor import conjugate
from relay.frontend.builders.matrix_loops import length_of, sizes_of_matrices
from relay.frontend.builders.tensor_helpers import reshape
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import add, multiply, subtract
from relay.ops.linalg.matrix_helpers import lower, matrix_product, upper
from relay.ops.linalg.solve_triangular import SolveTriangular
from relay.ops.tensor.slice import StridedSlice


def reflections_product(x: Expr, scales: Expr) -> Expr:
    """Return the first columns of the product of reflections, as many as `x` has.

    The vectors are in the columns of `x`, below ones on the diagonal. The product of
    `1 - τᵢ·vᵢ·vᵢᴴ` is `1 - v·t·vᴴ` with the upper triangle `t`, the inverse of `1/τ` on the
    diagonal and `vᴴ·v` above it. Sizes of matrices must be known.
    """
    (rows, columns), count = sizes_of_matrices(x), length_of(scales)
    of = x.tensor_type.dtype.numpy
    vectors = _first(add(lower(x, -1), Constant(np.eye(rows, columns, dtype=of))), count, -1)
    factors = reshape(scales, (*scales.tensor_type.shape, 1))
    conjugates = conjugate(vectors)
    above = upper(matrix_product(conjugates, vectors, transpose_a=True), 1)
    identity = Constant(np.eye(count, dtype=of))
    system = add(multiply(factors, above), identity)
    right = matrix_product(
        multiply(factors, identity), _first(conjugates, columns, -2), transpose_b=True
    )
    inner = Call(SolveTriangular(upper=True), (system, right))
    return subtract(Constant(np.eye(rows, columns, dtype=of)), matrix_product(vectors, inner))


def _first(x: Expr, count: int, axis: int) -> Expr:
    return Call(StridedSlice((0,), (count,), axes=(axis % x.tensor_type.rank,)), (x,))
