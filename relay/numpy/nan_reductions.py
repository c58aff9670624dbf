"""Reductions that ignore NaN."""

from collections.abc import Callable

import numpy as np

from relay.ir.expr import Expr, If
from relay.ir.trap import failure
from relay.numpy.argument_conversion import Apart, Axes, Real, numpy_function
from relay.numpy.arithmetic import is_float
from relay.numpy.reductions import (
    argmax,
    argmin,
    countable,
    cumprod,
    cumsum,
    extreme,
    prod,
    reduced,
)
from relay.numpy.reductions import max as largest
from relay.numpy.reductions import min as smallest
from relay.numpy.reductions import sum as total
from relay.numpy.tensor_conversion import convert, like
from relay.ops.derivatives_at_zero import root_of_squares
from relay.ops.functions import core


def without_nan(a: Expr, other: float) -> Expr:
    """Return the elements with NaN replaced by another number."""
    return core.where(core.isnan(a), like(other, a), a) if is_float(a) else a


def _is_not_nan(a: Expr) -> Expr:
    """Return 0 for NaN and 1 for other elements."""
    return convert(core.logical_not(core.isnan(a)), a.tensor_type.dtype)


def _extreme(
    reduction: Callable[..., Expr], a: Expr, nothing: float, axis: Axes, keepdims: bool
) -> Expr:
    found = extreme(reduction, core.where(core.isnan(a), like(nothing, a), a), axis, keepdims)
    none = reduced(core.all, core.isnan(a), axis, keepdims)
    return core.where(none, like(np.nan, found), found)


@numpy_function
def nanmax(a: Apart, axis: Axes = None, keepdims: bool = False) -> Expr:
    """Return the largest element, ignoring NaN; NaN if all elements are NaN."""
    if not is_float(a):
        return largest(a, axis, keepdims)
    return _extreme(core.max, a, -np.inf, axis, keepdims)


@numpy_function
def nanmin(a: Apart, axis: Axes = None, keepdims: bool = False) -> Expr:
    """Return the smallest element, ignoring NaN; NaN if all elements are NaN."""
    if not is_float(a):
        return smallest(a, axis, keepdims)
    return _extreme(core.min, a, np.inf, axis, keepdims)


@numpy_function
def nansum(a: Apart, axis: Axes = None, dtype: object = None, keepdims: bool = False) -> Expr:
    """Return the sum, ignoring NaN."""
    return total(without_nan(a, 0), axis, dtype, keepdims)


@numpy_function
def nanprod(a: Apart, axis: Axes = None, dtype: object = None, keepdims: bool = False) -> Expr:
    """Return the product, ignoring NaN."""
    return prod(without_nan(a, 1), axis, dtype, keepdims)


@numpy_function
def nancumsum(a: Apart, axis: int | None = None, dtype: object = None) -> Expr:
    """Return cumulative sums, ignoring NaN."""
    return cumsum(without_nan(a, 0), axis, dtype)


@numpy_function
def nancumprod(a: Apart, axis: int | None = None, dtype: object = None) -> Expr:
    """Return cumulative products, ignoring NaN."""
    return cumprod(without_nan(a, 1), axis, dtype)


@numpy_function
def nanmean(a: Real, axis: Axes = None, dtype: object = None, keepdims: bool = False) -> Expr:
    """Return the mean, ignoring NaN."""
    elements = countable(a, dtype)
    count = reduced(core.sum, _is_not_nan(elements), axis, keepdims)
    whole = reduced(core.sum, without_nan(elements, 0), axis, keepdims)
    return core.divide(whole, count)


@numpy_function
def nanvar(a: Real, axis: Axes = None, ddof: float = 0, keepdims: bool = False) -> Expr:
    """Return the variance, ignoring NaN."""
    mean = nanmean(a, axis if axis is not None else tuple(range(a.tensor_type.rank)), None, True)
    apart = core.subtract(a, mean) if a.tensor_type.rank else core.subtract(a, nanmean(a))
    apart = core.where(core.isnan(a), like(0, a), apart)
    squares = reduced(core.sum, core.multiply(apart, apart), axis, keepdims)
    count = reduced(core.sum, _is_not_nan(a), axis, keepdims)
    divisor = core.subtract(count, like(ddof, a))
    found = core.divide(squares, divisor)
    few = core.less_equal(divisor, like(0, a))
    return core.where(few, like(np.nan, found), found)


@numpy_function
def nanstd(a: Real, axis: Axes = None, ddof: float = 0, keepdims: bool = False) -> Expr:
    """Return the standard deviation, ignoring NaN."""
    return root_of_squares(nanvar(a, axis, ddof, keepdims))


def _index_ignoring_nan(
    search: Callable[..., Expr], a: Expr, nothing: float, axis: int | None, keepdims: bool
) -> Expr:
    """Return the index that `search` finds after `nothing` replaced NaN in `a`.

    Traps if all elements are NaN, where NumPy raises.
    """
    found = search(without_nan(a, nothing), axis, keepdims=keepdims)
    if not is_float(a):
        return found
    none = core.any(core.all(core.isnan(a), axis, keepdims))
    return If(none, failure(found.type, "ValueError: all elements are NaN"), found)


@numpy_function
def nanargmax(a: Apart, axis: int | None = None, *, keepdims: bool = False) -> Expr:
    """Return the index of the largest element, ignoring NaN; traps if all are NaN."""
    return _index_ignoring_nan(argmax, a, -np.inf, axis, keepdims)


@numpy_function
def nanargmin(a: Apart, axis: int | None = None, *, keepdims: bool = False) -> Expr:
    """Return the index of the smallest element, ignoring NaN; traps if all are NaN."""
    return _index_ignoring_nan(argmin, a, np.inf, axis, keepdims)
