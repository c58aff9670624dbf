"""Norms of vectors and matrices."""

from typing import Any

import numpy as np

from relay.ir.expr import Expr
from relay.numpy.argument_conversion import Axes, Real, axes_of, numpy_function
from relay.numpy.errors import mistake
from relay.numpy.linalg.factorizations import svdvals
from relay.numpy.reductions import extreme, reduced
from relay.numpy.shapes import moveaxis
from relay.numpy.tensor_conversion import like
from relay.ops.derivatives_at_zero import absolute, power_of_nonnegative, root_of_squares
from relay.ops.functions import core
from relay.support.error_codes import ErrorCode


@numpy_function
def vector_norm(x: Real, *, axis: Axes = None, keepdims: bool = False, ord: float = 2) -> Expr:
    """Return the norm of vectors: the 2-norm, or the norm that `ord` selects."""
    size = absolute(x)
    if ord in (np.inf, -np.inf):
        return extreme(core.max if ord == np.inf else core.min, size, axis, keepdims)
    if ord == 0:
        there = core.cast(core.not_equal(x, like(0, x)), x.tensor_type.dtype)
        return reduced(core.sum, there, axis, keepdims)
    if ord == 1:
        return reduced(core.sum, size, axis, keepdims)
    if ord == 2:
        return root_of_squares(reduced(core.sum, core.multiply(x, x), axis, keepdims))
    total = reduced(core.sum, power_of_nonnegative(size, float(ord)), axis, keepdims)
    return power_of_nonnegative(total, 1 / ord)


@numpy_function
def matrix_norm(x: Real, *, keepdims: bool = False, ord: Any = "fro") -> Expr:
    """Return the norm of matrices in the last two axes: "fro", "nuc", 1, -1, 2, -2, inf or -inf."""
    if ord == "fro":
        return root_of_squares(reduced(core.sum, core.multiply(x, x), (-2, -1), keepdims))
    if ord in ("nuc", 2, -2):
        return _spectral_norm(x, keepdims, ord)
    if ord not in (1, -1, np.inf, -np.inf):
        advice = 'use ord="fro", "nuc", 1, -1, 2, -2, inf or -inf'
        raise mistake(ErrorCode.F120, f"the matrix norm ord={ord} is not supported", None, advice)
    sums, others = (-2, -1) if abs(ord) == 1 else (-1, -2)
    columns = reduced(core.sum, absolute(x), sums, keepdims=True)
    found = extreme(core.max if ord > 0 else core.min, columns, others, keepdims=True)
    return found if keepdims else core.squeeze(found, (-2, -1))


def _spectral_norm(x: Expr, keepdims: bool, ord: Any) -> Expr:
    """Return the largest (2), smallest (-2) or summed ("nuc") singular values of matrices."""
    values = svdvals(x)
    if ord == "nuc":
        found = core.sum(values, -1)
    else:
        found = extreme(core.max if ord == 2 else core.min, values, -1)
    return core.expand_dims(found, -1, 2) if keepdims else found


@numpy_function
def norm(x: Real, ord: Any = None, axis: Axes = None, keepdims: bool = False) -> Expr:
    """Return norms of vectors along an axis, of matrices along two, or of all elements."""
    if ord is None:
        return vector_norm(x, axis=axis, keepdims=keepdims)
    axes = axes_of(axis, x.tensor_type.rank)
    if len(axes) == 1:
        return vector_norm(x, axis=axes, keepdims=keepdims, ord=ord)
    if len(axes) != 2:
        what = f"norm with ord={ord} needs one axis or two, but the tensor is of type {x.ty!r}"
        raise mistake(
            ErrorCode.F120,
            what,
            None,
            "pass axis=0 for norms of vectors, or axis=(0, 1) for norms of matrices",
        )
    found = matrix_norm(moveaxis(x, axes, (-2, -1)), ord=ord)
    if keepdims:
        for each in sorted(axes):
            found = core.expand_dims(found, each)
    return found
