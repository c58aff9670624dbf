"""Search, sort, and select elements."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from relay.ir.expr import Constant, Expr
from relay.numpy.argument_conversion import (
    Apart,
    MaybeApart,
    MaybeExpr,
    axes_of,
    known_shape,
    numpy_function,
)
from relay.numpy.arithmetic import truth
from relay.numpy.creation import checked
from relay.numpy.errors import mistake
from relay.numpy.tensor_conversion import convert, count_along, like
from relay.ops.functions import core
from relay.support.dtype import int32
from relay.support.error_codes import ErrorCode


def _flattened_without_axis(a: Expr, axis: int | None) -> tuple[Expr, int]:
    """Return a tensor and its axis; None flattens the tensor."""
    if axis is None:
        return core.reshape(a, (-1,)), 0
    return a, axes_of(axis, a.tensor_type.rank)[0]


@numpy_function
def sort(a: Apart, axis: int | None = -1, kind: Any = None, *, stable: Any = None) -> Expr:
    """Return the elements in ascending order along an axis; NaN is last."""
    del kind, stable
    return core.sort(*_flattened_without_axis(a, axis))


@numpy_function
def argsort(a: Apart, axis: int | None = -1, kind: Any = None, *, stable: Any = None) -> Expr:
    """Return the indices that sort along an axis, stably; int32."""
    del kind, stable
    return core.argsort(*_flattened_without_axis(a, axis), dtype="int32")


@numpy_function
def partition(a: Apart, kth: Any, axis: int | None = -1) -> Expr:
    """Return the elements reordered so that the one at `kth` is at its sorted position."""
    del kth
    return core.sort(*_flattened_without_axis(a, axis))


@numpy_function
def argpartition(a: Apart, kth: Any, axis: int | None = -1) -> Expr:
    """Return indices that partition at `kth`; they sort the whole axis."""
    del kth
    return core.argsort(*_flattened_without_axis(a, axis), dtype="int32")


@numpy_function
def lexsort(keys: Sequence[Apart], axis: int = -1) -> Expr:
    """Return the indices that sort by several keys, the last key first."""
    (place,) = axes_of(axis, keys[0].tensor_type.rank)
    order = core.argsort(keys[0], place, dtype="int32")
    for key in keys[1:]:
        found = core.argsort(core.gather(key, place, order), place, dtype="int32")
        order = core.gather(order, place, found)
    return order


@numpy_function
def searchsorted(a: Expr, v: Expr, side: str = "left", sorter: MaybeApart = None) -> Expr:
    """Return the insertion indices of elements in an ascending vector; int32."""
    if side not in ("left", "right"):
        raise mistake(
            ErrorCode.F120,
            f"np.searchsorted does not support side={side!r}",
            None,
            'use side="left" or side="right"',
        )
    ordered = a if sorter is None else core.take(a, convert(sorter, int32), 0)
    return core.searchsorted(ordered, v, side == "right", "int32")


@numpy_function
def digitize(x: Expr, bins: Expr, right: bool = False) -> Expr:
    """Return the index of the ascending or descending bin of each element; int32."""
    ascending = core.searchsorted(bins, x, not right, "int32")
    if bins.tensor_type.shape[0] in (0, 1):
        return ascending
    first, last = (
        core.take(bins, Constant(np.asarray(i, np.int32)), 0, mode="raise") for i in (0, -1)
    )
    turned = core.searchsorted(core.reverse(bins, 0), x, right, "int32")
    descending = core.subtract(count_along(bins, 0), turned)
    return core.where(core.greater(first, last), descending, ascending)


# Indices


@numpy_function
def argwhere(a: Apart) -> Expr:
    """Return the indices of nonzero elements, one row each; int32."""
    return core.argwhere(a if a.tensor_type.rank else core.reshape(a, (1,)))


def places_of(mask: Expr) -> tuple[Expr, ...]:
    """Return the indices where a mask is true: one vector per axis."""
    rows = core.argwhere(mask)
    axes = range(mask.tensor_type.rank)
    return tuple(core.take(rows, Constant(np.asarray(i, np.int32)), 1) for i in axes)


@numpy_function
def nonzero(a: Apart) -> tuple[Expr, ...]:
    """Return the indices of nonzero elements, one vector per axis; int32."""
    return places_of(a)


@numpy_function
def flatnonzero(a: Apart) -> Expr:
    """Return the indices of nonzero elements of the flattened tensor; int32."""
    return places_of(core.reshape(a, (-1,)))[0]


@numpy_function
def where(condition: Apart, x: MaybeExpr = None, y: MaybeExpr = None) -> Any:
    """Return `x` where the condition holds and `y` elsewhere, or the indices where it holds."""
    if x is None or y is None:
        return places_of(condition)
    return core.where(truth(condition), x, y)


@numpy_function
def compress(condition: Apart, a: Apart, axis: int | None = None) -> Expr:
    """Return the slices along an axis where a vector of conditions holds."""
    whole, place = _flattened_without_axis(a, axis)
    return core.take(whole, places_of(truth(condition))[0], place)


@numpy_function
def extract(condition: Apart, arr: Apart) -> Expr:
    """Return the elements where a condition holds, as a vector."""
    return compress(core.reshape(condition, (-1,)), core.reshape(arr, (-1,)))


@numpy_function
def take(a: Apart, indices: Apart, axis: int | None = None, *, mode: str = "raise") -> Expr:
    """Return the slices at these indices along an axis, or elements of the flattened tensor."""
    if mode not in ("raise", "wrap", "clip"):
        raise mistake(
            ErrorCode.F120,
            f"np.take does not support the mode {mode}",
            None,
            'use mode="raise", "wrap" or "clip"',
        )
    whole, place = _flattened_without_axis(a, axis)
    return core.take(whole, convert(indices, int32), place, mode=mode)


@numpy_function
def take_along_axis(arr: Apart, indices: Apart, axis: int | None = -1) -> Expr:
    """Return the elements at these indices along an axis; negative indices count from the end."""
    whole, place = _flattened_without_axis(arr, axis)
    size, chosen = whole.tensor_type.shape[place], convert(indices, int32)
    if isinstance(size, int):
        zero = like(0, chosen)
        moved = core.add(chosen, like(size, chosen))
        chosen = core.where(core.less(chosen, zero), moved, chosen)
    shape = [*whole.tensor_type.shape]
    shape[place] = indices.tensor_type.shape[place]
    if tuple(shape) != indices.tensor_type.shape:
        chosen = core.broadcast_to(chosen, shape)
    return core.gather(whole, place, chosen)


@numpy_function
def choose(a: Apart, choices: Sequence[Expr], mode: str = "raise") -> Expr:
    """Return elements of several tensors: each from the tensor that `a` selects."""
    count, zero = like(len(choices), a), like(0, a)
    if mode == "wrap":
        a = core.floor_mod(a, count)
    elif mode == "clip":
        a = core.minimum(core.maximum(a, zero), core.subtract(count, like(1, a)))
    found = choices[0]
    for number, choice in enumerate(choices[1:], 1):
        found = core.where(core.equal(a, like(number, a)), choice, found)
    if len(choices) == 1:
        found = core.where(core.equal(a, a), found, found)
    if mode != "raise":
        return found
    inside = core.logical_and(core.greater_equal(a, zero), core.less(a, count))
    return checked(found, core.all(inside), "invalid entry in choice array")


@numpy_function
def select(
    condlist: Sequence[Apart], choicelist: Sequence[Expr], default: MaybeExpr = None
) -> Expr:
    """Return each element from the first choice whose condition holds."""
    found = like(0, choicelist[0]) if default is None else default
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        found = core.where(truth(condition), choice, found)
    return found


# Deletion and insertion


def _known_places(name: str, obj: Any, size: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    try:
        return np.arange(size)[obj] if isinstance(obj, slice) else np.asarray(obj, np.int64)
    except (IndexError, TypeError):
        what = f"the indices of np.{name} must be constants, but these are computed by the program"
        raise mistake(ErrorCode.F121, what, None, "write the indices as numbers") from None


@numpy_function
def delete(arr: Apart, obj: Any, axis: int | None = None) -> Expr:
    """Return the tensor without the given slices."""
    whole, place = _flattened_without_axis(arr, axis)
    size = whole.tensor_type.shape[place]
    if not isinstance(size, int):
        advice = "annotate the size as a number: Tensor[3, 4, float32]"
        what = f"np.delete needs an axis of constant size, but the size is {size}"
        raise mistake(ErrorCode.F121, what, None, advice)
    gone = _known_places("delete", obj, size)
    if gone.size and not (-size <= gone.min() and gone.max() < size):
        advice = "indices are counted from 0, or from -1 backwards"
        what = f"np.delete: the index {obj} is out of range for an axis with {size} elements"
        raise mistake(ErrorCode.F121, what, None, advice)
    kept = np.delete(np.arange(size, dtype=np.int32), gone)
    return core.take(whole, Constant(kept), place)


@numpy_function
def insert(arr: Apart, obj: int, values: Apart, axis: int | None = None) -> Expr:
    """Return the tensor with slices inserted before an index."""
    whole, place = _flattened_without_axis(arr, axis)
    size = known_shape(whole)[place]
    if not -size <= obj <= size:
        raise mistake(
            ErrorCode.F121,
            f"np.insert: the index {obj} is out of range for an axis with {size} elements",
            None,
            f"use an index from 0 to {size}",
        )
    at = obj + size if obj < 0 else obj
    new = convert(values, whole.tensor_type.dtype)
    shape = list(whole.tensor_type.shape)
    if not new.tensor_type.rank or axis is not None:
        shape[place] = 1
        new = core.broadcast_to(new, shape)
    parts = [
        core.strided_slice(whole, (low,), (high,), axes=(place,))
        for low, high in ((0, at), (at, size))
    ]
    return core.concatenate([parts[0], new, parts[1]], place)
