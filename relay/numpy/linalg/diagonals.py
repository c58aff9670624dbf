"""Diagonals of matrices in the last two axes, and products of several matrices."""

from collections.abc import Sequence

from relay.ir.expr import Expr
from relay.numpy.argument_conversion import Real, numpy_function
from relay.numpy.matrix_products import matmul
from relay.numpy.shapes import diagonal as _diagonal
from relay.ops.functions import core


@numpy_function
def diagonal(x: Real, *, offset: int = 0) -> Expr:
    """Return the diagonals of matrices in the last two axes."""
    return _diagonal(x, offset, -2, -1)


@numpy_function
def trace(x: Expr, *, offset: int = 0) -> Expr:
    """Return the sums of the diagonals of matrices in the last two axes."""
    return core.sum(_diagonal(x, offset, -2, -1), -1)


@numpy_function
def multi_dot(arrays: Sequence[Expr]) -> Expr:
    """Return the product of several matrices, evaluated from left to right."""
    found = arrays[0]
    for each in arrays[1:]:
        found = matmul(found, each)
    return found
