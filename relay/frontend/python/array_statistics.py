"""NumPy's reductions and scans; narrow whole numbers and bools are added up as int32."""

# ruff: noqa: A001 - NumPy's own names

from collections.abc import Callable

import numpy as np

from relay.frontend.python.array_making import element_type
from relay.frontend.python.errors import mistake
from relay.frontend.python.tensor_arguments import Apart, Axes, MaybeExpr, Real, axes_of
from relay.ir.dims import product
from relay.ir.expr import Constant, Expr
from relay.ops.functions import core
from relay.support.dtype import DType, Kind


def _countable(a: Expr, wanted: object = None) -> Expr:
    """Return elements of a type in which they can be added up, or of the wanted one."""
    if wanted is not None:
        return core.cast(a, element_type(wanted, a.tensor_type.dtype))
    own: DType = a.tensor_type.dtype
    if own.is_float or own.bits >= 32:
        return a
    return core.cast(a, "uint32" if own.kind is Kind.UINT else "int32")


def _along(reduction: Callable[..., Expr], a: Expr, axis: Axes, keepdims: bool = False) -> Expr:
    """Return a reduction, which combines nothing where no axes are given, as NumPy has it.

    An operator takes no axes for all of them, so it gets one more, of size 1.
    """
    if axis is None or isinstance(axis, int) or len(axis):
        return reduction(a, axis, keepdims)
    return reduction(core.expand_dims(a, a.tensor_type.rank), -1)


def _extreme(reduction: Callable[..., Expr], a: Expr, axis: Axes, keepdims: bool) -> Expr:
    """Return the largest or the smallest; raises `F112` where there is none, as NumPy does."""
    found = _along(reduction, a, axis, keepdims)
    shape = a.tensor_type.shape
    empty = 0 in (shape[each] for each in axes_of(axis, len(shape)))
    if empty and 0 not in found.tensor_type.shape:
        what = f"{a.tensor_type!r} has no element to choose"
        raise mistake("F112", what, None, "test its size in Python, around the function")
    return found


def _count(a: Expr, axis: Axes) -> Expr:
    """Return how many elements a reduction combines, as a float like them."""
    sizes = [a.tensor_type.shape[each] for each in axes_of(axis, a.tensor_type.rank)]
    number = product(sizes)
    if not isinstance(number, int):
        return _along(core.sum, core.ones_like(a), axis)
    return Constant(np.asarray(number, a.tensor_type.dtype.numpy))


def all(a: Apart, axis: Axes = None, keepdims: bool = False) -> Expr:
    """Return whether all elements are not zero."""
    return _along(core.all, core.cast(a, "bool"), axis, keepdims)


def any(a: Apart, axis: Axes = None, keepdims: bool = False) -> Expr:
    """Return whether an element is not zero."""
    return _along(core.any, core.cast(a, "bool"), axis, keepdims)


def average(a: Real, axis: Axes = None, weights: MaybeExpr = None) -> Expr:
    """Return the mean, in which each element has a weight."""
    if weights is None:
        return _along(core.mean, a, axis)
    return _along(core.sum, a * weights, axis) / _along(core.sum, weights, axis)


def count_nonzero(a: Apart, axis: Axes = None) -> Expr:
    """Return how many elements are not zero."""
    return _along(core.sum, core.cast(core.cast(a, "bool"), "int32"), axis)


def cumprod(a: Apart, axis: int | None = None, dtype: object = None) -> Expr:
    """Return the products of all elements up to each."""
    return core.cumprod(_countable(a, dtype), axis)


def cumsum(a: Apart, axis: int | None = None, dtype: object = None) -> Expr:
    """Return the sums of all elements up to each."""
    return core.cumsum(_countable(a, dtype), axis)


def diff(a: Expr, n: int = 1, axis: int = -1) -> Expr:
    """Return the differences of neighbours, `n` times."""
    last = np.iinfo(np.int32).max
    for _ in range(n):
        after = core.strided_slice(a, (1,), (last,), axes=(axis,))
        a = after - core.strided_slice(a, (0,), (-1,), axes=(axis,))
    return a


def logsumexp(a: Real, axis: Axes = None, keepdims: bool = False) -> Expr:
    """Return the logarithm of the sum of powers of e."""
    return _along(core.logsumexp, a, axis, keepdims)


def max(a: Apart, axis: Axes = None, keepdims: bool = False) -> Expr:
    """Return the largest element."""
    return _extreme(core.max, a, axis, keepdims)


def mean(a: Real, axis: Axes = None, dtype: object = None, keepdims: bool = False) -> Expr:
    """Return the mean."""
    return _along(core.mean, _countable(a, dtype), axis, keepdims)


def median(a: Real, axis: int | None = None, keepdims: bool = False) -> Expr:
    """Return the element in the middle, or the mean of the two there."""
    return quantile(a, 0.5, axis, keepdims)


def min(a: Apart, axis: Axes = None, keepdims: bool = False) -> Expr:
    """Return the smallest element."""
    return _extreme(core.min, a, axis, keepdims)


def nanmax(a: Real, axis: Axes = None, keepdims: bool = False) -> Expr:
    """Return the largest number, of those that are numbers."""
    return _extreme(core.max, core.where(core.isnan(a), -np.inf, a), axis, keepdims)


def nanmean(a: Real, axis: Axes = None, keepdims: bool = False) -> Expr:
    """Return the mean of those that are numbers."""
    present = core.cast_like(core.logical_not(core.isnan(a)), a)
    return nansum(a, axis, keepdims) / _along(core.sum, present, axis, keepdims)


def nanmin(a: Real, axis: Axes = None, keepdims: bool = False) -> Expr:
    """Return the smallest number, of those that are numbers."""
    return _extreme(core.min, core.where(core.isnan(a), np.inf, a), axis, keepdims)


def nansum(a: Real, axis: Axes = None, keepdims: bool = False) -> Expr:
    """Return the sum of those that are numbers."""
    return _along(core.sum, core.where(core.isnan(a), 0.0, a), axis, keepdims)


def norm(x: Real, ord: object = None, axis: Axes = None, keepdims: bool = False) -> Expr:
    """Return the length of vectors: 2-norms, or those of `ord` 1, inf, -inf or another number.

    Raises `F120` for norms of matrices other than the length of all their elements.
    """
    if ord not in (None, "fro") and axis is None and x.tensor_type.rank > 1:
        advice = "give the axis of the vectors: np.linalg.norm(x, 1, axis=-1)"
        raise mistake("F120", "norms of matrices have no form here", None, advice)
    if ord in (None, "fro", 2):
        return core.sqrt(_along(core.sum, x * x, axis, keepdims))
    size = core.abs(x)
    if ord in (np.inf, -np.inf):
        return _extreme(core.max if ord == np.inf else core.min, size, axis, keepdims)
    if ord == 1 or not isinstance(ord, int | float):
        return _along(core.sum, size, axis, keepdims)
    powers = core.power(size, float(ord))
    return core.power(_along(core.sum, powers, axis, keepdims), 1 / ord)


def percentile(a: Real, q: float, axis: int | None = None, keepdims: bool = False) -> Expr:
    """Return the number below which `q` percent of the elements lie."""
    return quantile(a, q / 100, axis, keepdims)


def prod(a: Apart, axis: Axes = None, dtype: object = None, keepdims: bool = False) -> Expr:
    """Return the product."""
    return _along(core.prod, _countable(a, dtype), axis, keepdims)


def ptp(a: Expr, axis: Axes = None, keepdims: bool = False) -> Expr:
    """Return how far the largest is from the smallest."""
    return max(a, axis, keepdims) - min(a, axis, keepdims)


def quantile(a: Real, q: float, axis: int | None = None, keepdims: bool = False) -> Expr:
    """Return the number below which the part `q` of the elements lies, between two of them."""
    rank = a.tensor_type.rank
    row = core.reshape(a, (-1,)) if axis is None else a
    place = (axis or 0) % row.tensor_type.rank
    size = row.tensor_type.shape[place]
    if not isinstance(size, int):
        advice = "sort it, np.sort(x), and take what is in the middle"
        raise mistake("F120", "quantiles need an axis of known size", None, advice)
    low, part = divmod(q * (size - 1), 1)
    ordered = core.sort(row, place)
    first = core.take(ordered, _place(low), place)
    second = core.take(ordered, _place(float(np.minimum(low + 1, size - 1))), place)
    found = first + (second - first) * part
    if not keepdims:
        return found
    return core.reshape(found, (1,) * rank) if axis is None else core.expand_dims(found, place)


def _place(number: float) -> Constant:
    return Constant(np.asarray(int(number), np.int32))


def std(a: Real, axis: Axes = None, ddof: int = 0, keepdims: bool = False) -> Expr:
    """Return the standard deviation."""
    return core.sqrt(var(a, axis, ddof, keepdims))


def sum(a: Apart, axis: Axes = None, dtype: object = None, keepdims: bool = False) -> Expr:
    """Return the sum."""
    return _along(core.sum, _countable(a, dtype), axis, keepdims)


def trapezoid(y: Real, dx: float = 1.0) -> Expr:
    """Return the area below a line through points along the last axis."""
    last = np.iinfo(np.int32).max
    after = core.strided_slice(y, (1,), (last,), axes=(-1,))
    before = core.strided_slice(y, (0,), (-1,), axes=(-1,))
    return core.sum((after + before) * (dx / 2), -1)


def var(a: Real, axis: Axes = None, ddof: int = 0, keepdims: bool = False) -> Expr:
    """Return the mean of squared distances from the mean, for `ddof` elements fewer."""
    found = _along(core.variance, a, axis, keepdims)
    if not ddof:
        return found
    count = _count(a, axis)
    return found * (count / (count - float(ddof)))
