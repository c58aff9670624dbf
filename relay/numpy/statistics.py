"""Means, variances and quantiles."""

import math
from collections.abc import Sequence

import numpy as np

from relay.ir.expr import Constant, Expr, If
from relay.ir.trap import failure
from relay.numpy.argument_conversion import (
    Apart,
    Axes,
    MaybeApart,
    MaybeReal,
    Real,
    axes_of,
    numpy_function,
)
from relay.numpy.arithmetic import is_bool, is_float
from relay.numpy.errors import mistake
from relay.numpy.reductions import countable, kept_where, number_of, reduced
from relay.numpy.tensor_conversion import convert, floating, like
from relay.ops.derivatives_at_zero import root_of_squares
from relay.ops.functions import core
from relay.support.dtype import int32
from relay.support.error_codes import ErrorCode


@numpy_function
def mean(
    a: Real,
    axis: Axes = None,
    dtype: object = None,
    keepdims: bool = False,
    *,
    where: MaybeApart = None,
) -> Expr:
    """Return the mean; NaN for no elements."""
    elements = countable(a, dtype)
    if where is None:
        return reduced(core.mean, elements, axis, keepdims)
    chosen = core.add(core.zeros_like(elements), convert(where, elements.tensor_type.dtype))
    whole = reduced(core.sum, kept_where(elements, where, 0), axis, keepdims)
    return core.divide(whole, reduced(core.sum, chosen, axis, keepdims))


@numpy_function
def average(
    a: Real,
    axis: Axes = None,
    weights: MaybeReal = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Expr | tuple[Expr, Expr]:
    """Return the weighted mean and, if `returned` is set, the sum of the weights.

    Traps if the weights add up to 0, where NumPy raises.
    """
    if weights is None:
        found = reduced(core.mean, a, axis, keepdims)
        return (found, core.add(core.zeros_like(found), number_of(a, axis))) if returned else found
    if weights.tensor_type.rank == 1 < a.tensor_type.rank and isinstance(axis, int):
        behind = a.tensor_type.rank - 1 - axis % a.tensor_type.rank
        weights = core.expand_dims(weights, 1, behind) if behind else weights
    weights = core.add(core.zeros_like(a), weights)
    whole = reduced(core.sum, weights, axis, keepdims)
    products = reduced(core.sum, core.multiply(a, weights), axis, keepdims)
    found = core.divide(products, whole)
    none = core.equal(whole, like(0, whole))
    none = core.any(none) if none.tensor_type.rank else none
    why = "ZeroDivisionError: the weights add up to zero"
    found = If(none, failure(found.type, why), found)
    return (found, whole) if returned else found


@numpy_function
def var(
    a: Real,
    axis: Axes = None,
    dtype: object = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    correction: float | None = None,
) -> Expr:
    """Return the sum of squared distances from the mean, over the count minus `ddof`."""
    elements = countable(a, dtype)
    found = reduced(core.variance, elements, axis, keepdims)
    less = ddof if correction is None else correction
    if not less:
        return found
    count = number_of(elements, axis)
    rest = core.maximum(core.subtract(count, like(less, count)), like(0, count))
    return core.divide(core.multiply(found, count), rest)


@numpy_function
def std(
    a: Real,
    axis: Axes = None,
    dtype: object = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    correction: float | None = None,
) -> Expr:
    """Return the standard deviation."""
    return root_of_squares(var(a, axis, dtype, ddof, keepdims, correction=correction))


# Quantiles


def _merge_reduced_axes(a: Expr, axis: Axes) -> Expr:
    """Return a tensor with the axes of a reduction moved to the end and merged into one."""
    axes = axes_of(axis, a.tensor_type.rank)
    kept = [each for each in range(a.tensor_type.rank) if each not in axes]
    sizes = [a.tensor_type.shape[each] for each in kept]
    return core.reshape(core.transpose(a, (*kept, *axes)), (*sizes, -1)) if axes else a


def _restored(found: Expr, a: Expr, axis: Axes, keepdims: bool) -> Expr:
    if not keepdims:
        return found
    for each in sorted(axes_of(axis, a.tensor_type.rank)):
        found = core.expand_dims(found, each)
    return found


def _known_length(line: Expr, advice: str) -> int:
    length = line.tensor_type.shape[-1]
    if not isinstance(length, int):
        raise mistake(
            ErrorCode.F120, "a quantile or median needs an axis of constant size", None, advice
        )
    return length


def _at(line: Expr, place: float) -> Expr:
    number = Constant(np.asarray(int(place), np.int32))
    return core.take(line, number, line.tensor_type.rank - 1)


def _nan_where_any_is(line: Expr, found: Expr) -> Expr:
    """Return `found`, which has a number for each row of `line`, with NaN for rows with a NaN."""
    return core.where(core.any(core.isnan(line), -1), like(np.nan, found), found)


@numpy_function
def median(a: Real, axis: Axes = None, keepdims: bool = False) -> Expr:
    """Return the median, the mean of the two middle elements if there are two.

    NaN if any is NaN.
    """
    line = _merge_reduced_axes(core.reshape(a, (1,)) if not a.tensor_type.rank else a, axis)
    length = _known_length(line, "sort the tensor, np.sort(x), and index the middle element")
    if not length:
        return _restored(reduced(core.mean, line, -1), a, axis, keepdims)
    ordered = core.sort(line, -1)
    low, high = _at(ordered, (length - 1) // 2), _at(ordered, length // 2)
    found = low if length % 2 else core.multiply(core.add(low, high), like(0.5, low))
    return _restored(_nan_where_any_is(line, found), a, axis, keepdims)


_METHODS = ("linear", "lower", "higher", "midpoint", "nearest")


@numpy_function
def quantile(
    a: Apart,
    q: float | Sequence[float],
    axis: Axes = None,
    method: str = "linear",
    keepdims: bool = False,
) -> Expr:
    """Return the `q`-quantile of the elements; NaN if one element is NaN.

    The methods are linear, lower, higher, midpoint and nearest.
    """
    if method not in _METHODS:
        what = f"np.quantile does not support the method {method}"
        raise mistake(ErrorCode.F120, what, None, f"use one of the methods {', '.join(_METHODS)}")
    if isinstance(q, Sequence):
        return core.stack([quantile(a, each, axis, method, keepdims) for each in q], 0)
    if not 0 <= q <= 1:
        raise mistake(
            ErrorCode.F112,
            f"the quantile q must be a number from 0 to 1, not {q}",
            None,
            "divide percentages by 100",
        )
    a = _interpolable(a) if method in ("linear", "midpoint") else a
    line = _merge_reduced_axes(core.reshape(a, (1,)) if not a.tensor_type.rank else a, axis)
    length = _known_length(
        line, "sort the tensor, np.sort(x), and index the element at the position of the quantile"
    )
    if not length:
        raise mistake(
            ErrorCode.F112,
            f"a tensor without elements has no quantiles: {a.ty!r}",
            None,
            "pass a tensor with elements",
        )
    ordered = core.sort(line, -1)
    part = like(q, a).array.item() if is_float(a) else q  # NumPy rounds in the same way
    position = part * (length - 1)
    if a.tensor_type.dtype.bits < 64 and is_float(a):
        position = like(position, a).array.item()
    found = _interpolated(ordered, position, method)
    return _restored(_nan_where_any_is(line, found) if is_float(a) else found, a, axis, keepdims)


def _interpolable(a: Expr) -> Expr:
    """Return floats; raises `F112` for booleans, which cannot be interpolated."""
    if is_bool(a):
        raise mistake(
            ErrorCode.F112,
            "quantiles of booleans are not defined",
            None,
            "convert to integers: x.astype(int)",
        )
    return floating(a)


def _interpolated(ordered: Expr, position: float, method: str) -> Expr:
    """Return the value at a fractional position between two elements."""
    low, high = math.floor(position), math.ceil(position)
    match method:
        case "lower":
            return _at(ordered, low)
        case "higher":
            return _at(ordered, high)
        case "nearest":
            return _at(ordered, np.rint(position))
        case "midpoint":
            part = 0.5 if low != high else 0.0
        case _:
            part = position - low
    first, second = _at(ordered, low), _at(ordered, high)
    step = core.subtract(second, first)
    if part < 0.5:
        return core.add(first, core.multiply(step, like(part, step)))
    return core.subtract(second, core.multiply(step, like(1 - part, step)))


@numpy_function
def percentile(
    a: Apart,
    q: float | Sequence[float],
    axis: Axes = None,
    method: str = "linear",
    keepdims: bool = False,
) -> Expr:
    """Return the `q`-th percentile of the elements; NaN if one element is NaN."""
    parts = [each / 100 for each in q] if isinstance(q, Sequence) else q / 100
    return quantile(a, parts, axis, method, keepdims)


def _nan_quantile(a: Expr, q: float | None, axis: Axes, keepdims: bool) -> Expr:
    """Return the `q`-quantile, ignoring NaN, which sorting puts last; `q` None means the median."""
    line = _merge_reduced_axes(core.reshape(a, (1,)) if not a.tensor_type.rank else a, axis)
    if not _known_length(line, "remove NaN first: x[~np.isnan(x)]"):
        return _restored(reduced(core.mean, line, -1), a, axis, keepdims)
    count = core.sum(convert(core.logical_not(core.isnan(line)), int32), -1, True)
    last = core.maximum(core.subtract(count, like(1, count)), like(0, count))
    position = core.multiply(convert(last, a.tensor_type.dtype), like(0.5 if q is None else q, a))
    low = core.floor(position)
    ordered, axis_ = core.sort(line, -1), line.tensor_type.rank - 1
    first = core.gather(ordered, axis_, convert(low, int32))
    second = core.gather(ordered, axis_, convert(core.ceil(position), int32))
    if q is None:
        middle = core.multiply(core.add(first, second), like(0.5, first))
        return _restored(core.squeeze(middle, (axis_,)), a, axis, keepdims)
    part, step = core.subtract(position, low), core.subtract(second, first)
    near = core.add(first, core.multiply(step, part))
    far = core.subtract(second, core.multiply(step, core.subtract(like(1, part), part)))
    found = core.where(core.less(part, like(0.5, part)), near, far)
    return _restored(core.squeeze(found, (axis_,)), a, axis, keepdims)


@numpy_function
def nanquantile(
    a: Apart, q: float | Sequence[float], axis: Axes = None, keepdims: bool = False
) -> Expr:
    """Return the `q`-quantile, ignoring NaN."""
    if isinstance(q, Sequence):
        return core.stack([nanquantile(a, each, axis, keepdims) for each in q], 0)
    return _nan_quantile(_interpolable(a), q, axis, keepdims)


@numpy_function
def nanpercentile(
    a: Apart, q: float | Sequence[float], axis: Axes = None, keepdims: bool = False
) -> Expr:
    """Return the `q`-th percentile, ignoring NaN."""
    parts = [each / 100 for each in q] if isinstance(q, Sequence) else q / 100
    return nanquantile(a, parts, axis, keepdims)


@numpy_function
def nanmedian(a: Real, axis: Axes = None, keepdims: bool = False) -> Expr:
    """Return the median, ignoring NaN."""
    return _nan_quantile(a, None, axis, keepdims)
