"""Sums, products, extremes and scans; narrow integers and booleans are summed as int32."""

# ruff: noqa: A001 - NumPy's own names

from collections.abc import Callable

import numpy as np

from relay.ir.dims import product
from relay.ir.expr import Constant, Expr
from relay.numpy.argument_conversion import Apart, Axes, MaybeApart, axes_of, numpy_function
from relay.numpy.arithmetic import maximum, minimum, truth
from relay.numpy.errors import mistake
from relay.numpy.tensor_conversion import convert, element_type, like
from relay.ops.functions import core
from relay.support.dtype import Kind, bool_, int32, uint8, uint32
from relay.support.error_codes import ErrorCode

Reduce = Callable[..., Expr]


def countable(a: Expr, wanted: object = None) -> Expr:
    """Return `a` converted to the type in which its elements are summed, or to type `wanted`."""
    own = a.tensor_type.dtype
    if wanted is not None:
        return convert(a, element_type(wanted, own))
    if own.is_float or own.bits >= 32:
        return a
    return convert(a, uint32 if own.kind is Kind.UINT else int32)


def reduced(reduction: Reduce, a: Expr, axis: Axes, keepdims: bool = False) -> Expr:
    """Return `reduction` of `a`; an empty list of axes combines nothing, as in NumPy.

    Operators read an empty list of axes as all axes, so an axis of size 1 is added and reduced.
    """
    rank = a.tensor_type.rank
    if axis is None:
        return reduction(a, None, keepdims)
    axes = axes_of(axis, rank)
    return reduction(a, axes, keepdims) if axes else reduction(core.expand_dims(a, rank), -1)


def kept_where(a: Expr, where: Expr | None, nothing: float) -> Expr:
    """Return elements where a condition holds, and the neutral element `nothing` elsewhere."""
    return a if where is None else core.where(truth(where), a, like(nothing, a))


def _begun(found: Expr, initial: float | None, operator: Callable[..., Expr]) -> Expr:
    return found if initial is None else operator(found, like(initial, found))


@numpy_function
def sum(
    a: Apart,
    axis: Axes = None,
    dtype: object = None,
    keepdims: bool = False,
    initial: float | None = None,
    where: MaybeApart = None,
) -> Expr:
    """Return the sum; 0 for no elements."""
    found = reduced(core.sum, kept_where(countable(a, dtype), where, 0), axis, keepdims)
    return _begun(found, initial, core.add)


@numpy_function
def prod(
    a: Apart,
    axis: Axes = None,
    dtype: object = None,
    keepdims: bool = False,
    initial: float | None = None,
    where: MaybeApart = None,
) -> Expr:
    """Return the product; 1 for no elements."""
    found = reduced(core.prod, kept_where(countable(a, dtype), where, 1), axis, keepdims)
    return _begun(found, initial, core.multiply)


def extreme(reduction: Reduce, a: Expr, axis: Axes, keepdims: bool = False) -> Expr:
    """Return the largest or smallest element; raises `F112` for no elements, as NumPy does."""
    found = reduced(reduction, a, axis, keepdims)
    refuse_empty(a, axis, found)
    return found


def refuse_empty(a: Expr, axis: Axes, found: Expr) -> None:
    """Raise `F112` if an element of `found` is to be selected from no elements of `a`.

    `found` is the reduction of `a` along `axis` that selects them.
    """
    shape = a.tensor_type.shape
    empty = 0 in (shape[each] for each in axes_of(axis, len(shape)))
    if empty and 0 not in found.tensor_type.shape:
        what = f"a tensor without elements has no minimum or maximum: {a.tensor_type!r}"
        raise mistake(
            ErrorCode.F112,
            what,
            None,
            "pass a tensor with elements; check its size in Python, before the call",
        )


def _limit(a: Expr, upper: bool) -> float:
    dtype = a.tensor_type.dtype
    if dtype.is_float or dtype is bool_:
        return np.inf if upper else -np.inf
    limits = np.iinfo(str(dtype))
    return int(limits.max if upper else limits.min)


@numpy_function
def max(
    a: Apart,
    axis: Axes = None,
    keepdims: bool = False,
    initial: float | None = None,
    where: MaybeApart = None,
) -> Expr:
    """Return the largest element; NaN if one is NaN. `where` needs `initial`."""
    if initial is None:
        _refuse_where(where)
        return extreme(core.max, a, axis, keepdims)
    found = reduced(core.max, kept_where(a, where, _limit(a, upper=False)), axis, keepdims)
    return maximum(found, like(initial, found))


@numpy_function
def min(
    a: Apart,
    axis: Axes = None,
    keepdims: bool = False,
    initial: float | None = None,
    where: MaybeApart = None,
) -> Expr:
    """Return the smallest element; NaN if one is NaN. `where` needs `initial`."""
    if initial is None:
        _refuse_where(where)
        return extreme(core.min, a, axis, keepdims)
    found = reduced(core.min, kept_where(a, where, _limit(a, upper=True)), axis, keepdims)
    return minimum(found, like(initial, found))


def _refuse_where(where: Expr | None) -> None:
    if where is not None:
        what = "the argument where may select no elements, so a result for this case is needed"
        raise mistake(ErrorCode.F120, what, None, "pass the result for this case: initial=0")


@numpy_function
def all(a: Apart, axis: Axes = None, keepdims: bool = False, *, where: MaybeApart = None) -> Expr:
    """Return whether all elements are nonzero."""
    return reduced(core.all, kept_where(truth(a), where, True), axis, keepdims)


@numpy_function
def any(a: Apart, axis: Axes = None, keepdims: bool = False, *, where: MaybeApart = None) -> Expr:
    """Return whether any element is nonzero."""
    return reduced(core.any, kept_where(truth(a), where, False), axis, keepdims)


@numpy_function
def count_nonzero(a: Apart, axis: Axes = None, *, keepdims: bool = False) -> Expr:
    """Return the number of nonzero elements; int32."""
    return reduced(core.sum, convert(truth(a), int32), axis, keepdims)


@numpy_function
def ptp(a: Expr, axis: Axes = None, keepdims: bool = False) -> Expr:
    """Return the difference of the largest and the smallest element."""
    return core.subtract(max(a, axis, keepdims), min(a, axis, keepdims))


def _index_of_extreme(reduction: Reduce, a: Expr, axis: int | None, keepdims: bool) -> Expr:
    """Return the index that `reduction` finds; booleans are compared as numbers."""
    if not a.tensor_type.rank:
        a = core.reshape(a, (1,))
    chosen = convert(a, uint8) if a.tensor_type.dtype is bool_ else a
    refuse_empty(a, axis, core.sum(countable(chosen), axis, keepdims))
    return reduction(chosen, axis, keepdims)


@numpy_function
def argmax(a: Apart, axis: int | None = None, *, keepdims: bool = False) -> Expr:
    """Return the index of the largest element, the first of equals; NaN is largest."""
    return _index_of_extreme(core.argmax, a, axis, keepdims)


@numpy_function
def argmin(a: Apart, axis: int | None = None, *, keepdims: bool = False) -> Expr:
    """Return the index of the smallest element, the first of equals; NaN is smallest."""
    return _index_of_extreme(core.argmin, a, axis, keepdims)


def _scan(reduction: Reduce, a: Expr, axis: int | None, dtype: object) -> Expr:
    elements = countable(a, dtype)
    if not a.tensor_type.rank:
        elements, axis = core.reshape(elements, (1,)), None
    return reduction(elements, axis)


@numpy_function
def cumsum(a: Apart, axis: int | None = None, dtype: object = None) -> Expr:
    """Return cumulative sums."""
    return _scan(core.cumsum, a, axis, dtype)


@numpy_function
def cumprod(a: Apart, axis: int | None = None, dtype: object = None) -> Expr:
    """Return cumulative products."""
    return _scan(core.cumprod, a, axis, dtype)


def _one_axis(name: str, x: Expr, axis: int | None) -> int:
    if axis is None and x.tensor_type.rank != 1:
        raise mistake(
            ErrorCode.F120,
            f"the function {name} needs an axis for a tensor of type {x.ty!r}",
            None,
            f"{name}(x, axis=0)",
        )
    return 0 if axis is None else axis


def _with_first(found: Expr, first: float, axis: int) -> Expr:
    shape = list(found.tensor_type.shape)
    shape[axis] = 1
    start = core.broadcast_to(like(first, found), shape)
    return core.concatenate([start, found], axis % len(shape))


@numpy_function
def cumulative_sum(
    x: Apart,
    *,
    axis: int | None = None,
    dtype: object = None,
    include_initial: bool = False,
) -> Expr:
    """Return cumulative sums; with `include_initial`, a 0 comes first."""
    place = _one_axis("cumulative_sum", x, axis)
    found = _scan(core.cumsum, x, place, dtype)
    return _with_first(found, 0, place) if include_initial else found


@numpy_function
def cumulative_prod(
    x: Apart,
    *,
    axis: int | None = None,
    dtype: object = None,
    include_initial: bool = False,
) -> Expr:
    """Return cumulative products; with `include_initial`, a 1 comes first."""
    place = _one_axis("cumulative_prod", x, axis)
    found = _scan(core.cumprod, x, place, dtype)
    return _with_first(found, 1, place) if include_initial else found


def number_of(a: Expr, axis: Axes) -> Expr:
    """Return the number of elements that a reduction combines, in their element type."""
    sizes = [a.tensor_type.shape[each] for each in axes_of(axis, a.tensor_type.rank)]
    number = product(sizes)
    if not isinstance(number, int):
        return reduced(core.sum, core.ones_like(a), axis)
    return Constant(np.asarray(number, a.tensor_type.dtype.numpy))


amax, amin = max, min
