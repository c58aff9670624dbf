"""NumPy's functions that look for elements, and take them from where they are."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.python.array_making import zeros
from relay.frontend.python.errors import mistake
from relay.frontend.python.places import places_along
from relay.frontend.python.tensor_arguments import Apart, MaybeExpr
from relay.ir.expr import Call, Constant, Expr, Tuple, TupleGetItem
from relay.ops.functions import core
from relay.ops.tensor.run_time_slice import DynamicStridedSlice


def argpartition(a: Expr, kth: int, axis: int = -1) -> Expr:
    """Return an order in which the element at `kth` is where it belongs: that of sorting."""
    del kth
    return argsort(a, axis)


def argsort(a: Expr, axis: int | None = -1) -> Expr:
    """Return the order of the elements along an axis."""
    return core.argsort(*_along(a, axis), dtype="int32")


def choose(a: Apart, choices: Sequence[Expr]) -> Expr:
    """Return elements of several tensors: each from that with the number in `a`."""
    found = choices[0]
    for number, choice in enumerate(choices[1:], 1):
        found = core.where(core.equal(a, number), choice, found)
    return found


def bincount(x: Apart, weights: MaybeExpr = None, minlength: int = 0) -> Expr:
    """Return how often each whole number occurs, or the sum of the weights beside it."""
    none = Constant(np.asarray([minlength - 1], np.int32))
    largest = core.max(core.concatenate([core.cast(x, "int32"), none], axis=0))
    bins = places_along(zeros((largest + 1,)), 0, None)
    hits = core.equal(core.expand_dims(bins, 1), core.expand_dims(x, 0))
    if weights is None:
        return core.sum(core.cast(hits, "int32"), 1)
    return core.sum(core.where(hits, core.expand_dims(weights, 0), core.zeros_like(weights)), 1)


def delete(arr: Expr, obj: int, axis: int | None = None) -> Expr:
    """Return the tensor without one slice."""
    whole, place = _along(arr, axis)
    size = whole.tensor_type.shape[place]
    if not isinstance(size, int) or not -size <= obj < size:
        advice = "name a slice of an axis whose size is known"
        raise mistake("F121", f"slice {obj} cannot be deleted from {size}", None, advice)
    kept = np.delete(np.arange(size, dtype=np.int32), obj)
    return core.take(whole, Constant(kept), place)


def digitize(x: Expr, bins: Expr, right: bool = False) -> Expr:
    """Return between which of the ascending bins elements lie."""
    return core.searchsorted(bins, x, not right, "int32")


def flatnonzero(a: Apart) -> Expr:
    """Return the places of what is not zero in the row of all elements."""
    rows = core.argwhere(core.reshape(a, (-1,)))
    return core.take(rows, Constant(np.asarray(0, np.int32)), 1)


def isin(element: Expr, test_elements: Expr) -> Expr:
    """Return whether elements are among others."""
    each = core.expand_dims(element, element.tensor_type.rank)
    return core.any(core.equal(each, core.reshape(test_elements, (-1,))), -1)


def partition(a: Expr, kth: int, axis: int = -1) -> Expr:
    """Return the elements in an order in which the one at `kth` is where it belongs."""
    del kth
    return sort(a, axis)


def searchsorted(a: Expr, v: Expr, side: str = "left") -> Expr:
    """Return where elements belong in an ascending vector."""
    return core.searchsorted(a, v, side == "right", "int32")


def sort(a: Expr, axis: int | None = -1) -> Expr:
    """Return the elements in ascending order along an axis."""
    return core.sort(*_along(a, axis))


def take(a: Apart, indices: Apart, axis: int | None = None) -> Expr:
    """Return the slices with these numbers along an axis, or elements of the row of all."""
    return core.take(a, core.cast(indices, "int32"), axis, mode="raise")


def take_along_axis(arr: Apart, indices: Apart, axis: int) -> Expr:
    """Return the elements with these places along an axis, which count backwards below 0."""
    place = axis % arr.tensor_type.rank
    size, chosen = arr.tensor_type.shape[place], core.cast(indices, "int32")
    if isinstance(size, int):
        chosen = core.where(core.less(chosen, 0), chosen + size, chosen)
    shape = [*arr.tensor_type.shape]
    shape[place] = indices.tensor_type.shape[place]
    if tuple(shape) != indices.tensor_type.shape:
        chosen = core.broadcast_to(chosen, shape)
    return core.gather(arr, place, chosen)


def unique(
    ar: Expr,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
) -> Expr:
    """Return the different elements in ascending order, and what else is asked for."""
    row = core.reshape(ar, (-1,))
    whole = core.unique(row, is_sorted=True, return_counts=return_counts)
    parts: list[Expr] = [TupleGetItem(whole, index) for index in range(4 + return_counts)]
    cut = [parts[0], *([parts[1]] if return_index else [])]
    found = [_first(each, parts[3]) for each in cut]
    found += [core.reshape(parts[2], ar.tensor_type.shape)] if return_inverse else []
    found += [_first(parts[4], parts[3])] if return_counts else []
    return found[0] if len(found) == 1 else Tuple(tuple(found))


def _first(x: Expr, count: Expr) -> Expr:
    """Return the first elements of a vector, as many as is known at run time."""
    begin, step = Constant(np.zeros(1, np.int32)), Constant(np.ones(1, np.int32))
    return Call(DynamicStridedSlice(), (x, begin, count, step))


def _along(a: Expr, axis: int | None) -> tuple[Expr, int]:
    """Return a tensor and an axis of it: for none, the row of all elements."""
    return (core.reshape(a, (-1,)), 0) if axis is None else (a, axis % a.tensor_type.rank)
