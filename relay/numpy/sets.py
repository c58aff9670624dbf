"""Distinct elements of tensors, their counts, and set operations."""

from typing import Any

import numpy as np

from relay.ir.expr import Call, Constant, Expr, TupleGetItem
from relay.numpy.argument_conversion import Apart, MaybeExpr, numpy_function
from relay.numpy.creation import ones_like, zeros
from relay.numpy.shapes import reshaped
from relay.numpy.sort_search_select import places_of
from relay.numpy.tensor_conversion import convert, like
from relay.ops.functions import core
from relay.ops.tensor.run_time_slice import DynamicStridedSlice
from relay.support.dtype import bool_, int32


@numpy_function
def unique(
    ar: Apart,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
) -> Any:
    """Return the distinct elements in ascending order, and the other requested results."""
    row = core.reshape(ar, (-1,))
    of_bools = row.tensor_type.dtype is bool_
    row = convert(row, int32) if of_bools else row
    whole = core.unique(row, is_sorted=True, return_counts=return_counts)
    parts = [TupleGetItem(whole, index) for index in range(4 + return_counts)]
    values = _first_elements(parts[0], parts[3])
    found: list[Expr] = [convert(values, bool_) if of_bools else values]
    found += [_first_elements(parts[1], parts[3])] if return_index else []
    found += [reshaped(parts[2], ar.tensor_type.shape)] if return_inverse else []
    found += [_first_elements(parts[4], parts[3])] if return_counts else []
    return found[0] if len(found) == 1 else tuple(found)


def _first_elements(x: Expr, count: Expr) -> Expr:
    """Return the first elements of a vector; their number is known at run time."""
    begin, step = Constant(np.zeros(1, np.int32)), Constant(np.ones(1, np.int32))
    return Call(DynamicStridedSlice(), (x, begin, count, step))


@numpy_function
def isin(element: Expr, test_elements: Expr, *, invert: bool = False) -> Expr:
    """Return whether elements occur in another tensor."""
    each = core.expand_dims(element, element.tensor_type.rank)
    found = core.any(core.equal(each, core.reshape(test_elements, (-1,))), -1)
    return core.logical_not(found) if invert else found


@numpy_function
def union1d(ar1: Expr, ar2: Expr) -> Expr:
    """Return the elements of either tensor, in ascending order."""
    return unique(core.concatenate([core.reshape(x, (-1,)) for x in (ar1, ar2)], 0))


def _those(ar1: Expr, ar2: Expr, *, among: bool) -> Expr:
    found = unique(ar1)
    return core.take(found, places_of(isin(found, ar2, invert=not among))[0], 0)


@numpy_function
def intersect1d(ar1: Expr, ar2: Expr, assume_unique: bool = False) -> Expr:
    """Return the elements of both tensors, in ascending order."""
    del assume_unique
    return _those(ar1, ar2, among=True)


@numpy_function
def setdiff1d(ar1: Expr, ar2: Expr, assume_unique: bool = False) -> Expr:
    """Return the elements of only the first tensor, in ascending order."""
    del assume_unique
    return _those(ar1, ar2, among=False)


@numpy_function
def setxor1d(ar1: Expr, ar2: Expr, assume_unique: bool = False) -> Expr:
    """Return the elements of exactly one tensor, in ascending order."""
    del assume_unique
    parts = [_those(ar1, ar2, among=False), _those(ar2, ar1, among=False)]
    return core.sort(core.concatenate(parts, 0))


@numpy_function
def bincount(x: Apart, weights: MaybeExpr = None, minlength: int = 0) -> Expr:
    """Return the number of occurrences of each integer, or the sum of its weights.

    A negative element is an index out of bounds, which traps.
    """
    places = convert(x, int32)
    none = Constant(np.asarray([minlength - 1], np.int32))
    largest = core.max(core.concatenate([places, none], 0))
    length = core.add(largest, like(1, largest))
    added = ones_like(places) if weights is None else weights
    checked = core.where(core.less(places, like(0, places)), length, places)
    bins = zeros((length,), added.tensor_type.dtype)
    return core.scatter_elements(bins, checked, added, 0, "add")
