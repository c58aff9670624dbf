"""Rearrange elements: shapes, orders of axes and of elements, triangles."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from relay.ir.dims import AnyDim, Dim
from relay.ir.expr import Call, Constant, Expr
from relay.numpy.argument_conversion import (
    Apart,
    Axes,
    Given,
    Sizes,
    axes_of,
    known,
    known_shape,
    known_size,
    numpy_function,
)
from relay.numpy.creation import known_sizes, zeros
from relay.numpy.errors import mistake
from relay.numpy.tensor_conversion import convert, count_along, places_along
from relay.ops.functions import core
from relay.ops.tensor.reshape import Reshape, reshape_to
from relay.ops.tensor.run_time_slice import DynamicStridedSlice
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import int32
from relay.support.error_codes import ErrorCode


@numpy_function
def reshape(a: Apart, shape: Sizes) -> Expr:
    """Return the elements in another shape; one size may be -1."""
    known = known_sizes(shape)
    if known is None:
        what = "the new shape must be constant, but one of its sizes is computed by the program"
        raise mistake(
            ErrorCode.F120,
            what,
            None,
            "write -1 for that size, or use the size of an argument: x.shape[0]",
        )
    return reshaped(a, known)


def reshaped(a: Expr, shape: Sequence[Dim]) -> Expr:
    """Return the elements in another shape, in which 0 is a literal size."""
    none = 0 in shape and -1 not in shape
    return Call(Reshape(tuple(shape), allowzero=none), (a,))


@numpy_function
def ravel(a: Apart) -> Expr:
    """Return the flattened tensor."""
    return core.reshape(a, (-1,))


@numpy_function
def transpose(a: Apart, axes: Axes = None) -> Expr:
    """Return the tensor with its axes permuted; by default reversed."""
    return core.transpose(a, None if axes is None else axes_of(axes, a.tensor_type.rank))


permute_dims = transpose


@numpy_function
def matrix_transpose(x: Apart) -> Expr:
    """Return matrices transposed."""
    return swapaxes(x, -1, -2)


@numpy_function
def swapaxes(a: Apart, axis1: int, axis2: int) -> Expr:
    """Return the tensor with two axes exchanged."""
    axes = list(range(a.tensor_type.rank))
    first, second = axes_of((axis1, axis2), len(axes))
    axes[first], axes[second] = axes[second], axes[first]
    return core.transpose(a, axes)


@numpy_function
def moveaxis(a: Apart, source: Axes, destination: Axes) -> Expr:
    """Return the tensor with some axes moved to other positions."""
    rank = a.tensor_type.rank
    moved = axes_of(source, rank)
    order = [axis for axis in range(rank) if axis not in moved]
    for place, axis in sorted(zip(axes_of(destination, rank), moved, strict=True)):
        order.insert(place, axis)
    return core.transpose(a, order)


@numpy_function
def rollaxis(a: Apart, axis: int, start: int = 0) -> Expr:
    """Return the tensor with an axis moved before another one."""
    rank = a.tensor_type.rank
    (place,) = axes_of(axis, rank)
    target = start + rank if start < 0 else start
    order = [each for each in range(rank) if each != place]
    order.insert(target - (place < target), place)
    return core.transpose(a, order)


@numpy_function
def expand_dims(a: Apart, axis: Axes) -> Expr:
    """Return the tensor with new axes at these positions of the result."""
    places = (axis,) if isinstance(axis, int) else axis or ()
    for each in sorted(axes_of(places, a.tensor_type.rank + len(places))):
        a = core.expand_dims(a, each)
    return a


@numpy_function
def squeeze(a: Apart, axis: Axes = None) -> Expr:
    """Return the tensor without axes of size 1: all of them, or the given ones."""
    rank = a.tensor_type.rank
    ones = tuple(i for i, size in enumerate(a.tensor_type.shape) if size == 1)
    gone = ones if axis is None else axes_of(axis, rank)
    return core.squeeze(a, gone) if gone else a


# Orders


@numpy_function
def flip(m: Apart, axis: Axes = None) -> Expr:
    """Return the elements in reverse order along axes."""
    for each in axes_of(axis, m.tensor_type.rank):
        m = core.reverse(m, each)
    return m


@numpy_function
def fliplr(m: Apart) -> Expr:
    """Return the columns in reverse order."""
    return core.reverse(m, 1)


@numpy_function
def flipud(m: Apart) -> Expr:
    """Return the rows in reverse order."""
    return core.reverse(m, 0)


@numpy_function
def rot90(m: Apart, k: int = 1, axes: Sequence[int] = (0, 1)) -> Expr:
    """Return matrices rotated by `k` right angles, from the first axis towards the second."""
    first, second = axes_of(axes, m.tensor_type.rank)
    for _ in range(k % 4):
        m = core.reverse(swapaxes(m, first, second), first)
    return m


@numpy_function
def roll(a: Apart, shift: Given, axis: Axes = None) -> Expr:
    """Return the tensor with its elements shifted cyclically along axes."""
    if axis is None:
        row = roll(core.reshape(a, (-1,)), shift, 0)
        return reshape_to(row, a)
    axes = axes_of(axis, a.tensor_type.rank)
    if isinstance(shift, Expr) and not isinstance(shift, Constant):
        for place in axes:
            a = rolled_by(a, shift, place)
        return a
    shifts = np.broadcast_to(np.asarray(known(shift), np.int64), len(axes))
    for each, place in zip(shifts.tolist(), axes, strict=True):
        a = _rolled(a, each, place)
    return a


def rolled_by(a: Expr, shift: Expr, axis: int) -> Expr:
    """Return the tensor shifted cyclically along an axis by a number known only at run time."""
    places = core.subtract(places_along(a, axis), convert(shift, int32))
    return core.take(a, core.floor_mod(places, count_along(a, axis)), axis)


def _rolled(a: Expr, by: int, axis: int) -> Expr:
    """Return the tensor with its last `by` slices moved to the front.

    Slicing is used because kernels read contiguous slices without a copy.
    """
    size = a.tensor_type.shape[axis]
    if not isinstance(size, int):
        return rolled_by(a, Constant(np.asarray(by, np.int32)), axis)
    by %= max(size, 1)
    if by == 0:
        return core.copy(a)
    ends = ((size - by, size), (0, size - by))
    parts = [Call(StridedSlice((low,), (high,), axes=(axis,)), (a,)) for low, high in ends]
    return core.concatenate(parts, axis)


# Diagonals and triangles


@numpy_function
def diag(v: Apart, k: int = 0) -> Expr:
    """Return a matrix with this diagonal, or a diagonal of a matrix."""
    if v.tensor_type.rank != 1:
        return diagonal(v, k)
    size = v.tensor_type.shape[0] + abs(k)
    if size == 0 or v.tensor_type.shape[0] == 0:
        return zeros((size, size), v.tensor_type.dtype)
    return core.matrix_set_diag(_zeros(v, size, abs(k)), v, k)


def _zeros(v: Expr, size: Dim, more: int) -> Expr:
    """Return a square of zeros of this size, which has `more` rows than the vector elements."""
    if not isinstance(size, AnyDim):
        return core.zeros((size, size), v.tensor_type.dtype)
    side = core.concatenate([v, core.zeros((more,), v.tensor_type.dtype)], 0) if more else v
    sides = core.expand_dims(side, 0), core.expand_dims(side, 1)
    return core.zeros_like(core.add(*sides))


@numpy_function
def diagflat(v: Apart, k: int = 0) -> Expr:
    """Return the matrix with the flattened elements on a diagonal."""
    return diag(core.reshape(v, (-1,)), k)


@numpy_function
def diagonal(a: Apart, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Expr:
    """Return diagonals of matrices; a positive offset is above the main diagonal."""
    rank = a.tensor_type.rank
    if rank != 2:
        first, second = axes_of((axis1, axis2), rank)
        others = [each for each in range(rank) if each not in (first, second)]
        return _diagonals(core.transpose(a, (*others, first, second)), offset)
    turned = core.transpose(a, (1, 0)) if axes_of((axis1, axis2), 2) == (1, 0) else a
    rows, columns = turned.tensor_type.shape
    if not isinstance(rows, int) or not isinstance(columns, int):
        return _diagonal_at_run_time(turned, offset)
    places = np.diagonal(np.arange(rows * columns).reshape(rows, columns), offset)
    begin, end = (int(places[0]), int(places[-1]) + 1) if places.size else (0, 0)
    return Call(StridedSlice((begin,), (end,), (columns + 1,), axes=(0,)), (ravel(turned),))


def _diagonals(a: Expr, offset: int) -> Expr:
    """Return a diagonal of each matrix of a batch."""
    batch = a.tensor_type.shape[:-2]
    rows, columns = known_size(a, -2), known_size(a, -1)
    places = np.diagonal(np.arange(rows * columns).reshape(rows, columns), offset)
    flat = reshaped(a, (*batch, rows * columns))
    return core.take(flat, Constant(places.astype(np.int32)), len(batch))


def _diagonal_at_run_time(a: Expr, offset: int) -> Expr:
    """Return a diagonal of a square matrix whose size is known only at run time."""
    rows, columns = a.tensor_type.shape
    if rows != columns or isinstance(rows, AnyDim):
        advice = "annotate the sizes as numbers, Tensor[3, 4, float32], or write a loop"
        what = f"the diagonal needs constant sizes, but the tensor is of type {a.tensor_type!r}"
        raise mistake(ErrorCode.F120, what, None, advice)
    size = count_along(a, 0)
    begin = Constant(np.asarray(offset, np.int32)) if offset >= 0 else size * -offset
    end = size * (size - max(offset, 0))
    bounds = [core.reshape(each, (1,)) for each in (begin, end, size + 1)]
    whole = Call(DynamicStridedSlice("end", (0,)), (ravel(a), *bounds))
    return core.reshape(whole, (rows - abs(offset),))


@numpy_function
def trace(a: Expr, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Expr:
    """Return the sum of a diagonal."""
    found = diagonal(a, offset, axis1, axis2)
    narrow = found.tensor_type.dtype.bits < 32 and not found.tensor_type.dtype.is_float
    return core.sum(convert(found, int32) if narrow else found, -1)


def _triangle(m: Expr, k: int, upper: bool) -> Expr:
    wide = core.broadcast_to(m, (m.tensor_type.shape[0],) * 2) if m.tensor_type.rank == 1 else m
    return core.trilu(wide, k, upper)


@numpy_function
def tril(m: Apart, k: int = 0) -> Expr:
    """Return the lower triangle."""
    return _triangle(m, k, False)


@numpy_function
def triu(m: Apart, k: int = 0) -> Expr:
    """Return the upper triangle."""
    return _triangle(m, k, True)


def _indices(arr: Expr, k: int, upper: bool) -> tuple[Expr, ...]:
    rows, columns = known_shape(arr)
    find = np.triu_indices if upper else np.tril_indices
    return tuple(Constant(each.astype(np.int32)) for each in find(rows, k, columns))


@numpy_function
def tril_indices_from(arr: Apart, k: int = 0) -> tuple[Expr, ...]:
    """Return the indices of the lower triangle of a matrix."""
    return _indices(arr, k, upper=False)


@numpy_function
def triu_indices_from(arr: Apart, k: int = 0) -> tuple[Expr, ...]:
    """Return the indices of the upper triangle of a matrix."""
    return _indices(arr, k, upper=True)


@numpy_function
def diag_indices_from(arr: Apart) -> tuple[Expr, ...]:
    """Return the indices of the diagonal of a tensor with equal sizes."""
    shape = known_shape(arr)
    places = np.arange(shape[0], dtype=np.int32)
    if len(set(shape)) > 1:
        raise mistake(
            ErrorCode.F120,
            f"the axes of the tensor differ in size: {arr.ty!r}",
            None,
            "pass a tensor with equal sizes",
        )
    return tuple(Constant(places) for _ in shape)


# Shape queries


@numpy_function
def shape(a: Apart) -> tuple[Dim, ...]:
    """Return the sizes of a tensor."""
    return a.tensor_type.shape


@numpy_function
def ndim(a: Apart) -> int:
    """Return the rank of a tensor."""
    return a.tensor_type.rank


@numpy_function
def size(a: Apart, axis: int | None = None) -> Any:
    """Return the number of elements of a tensor, or its size along an axis."""
    sizes = a.tensor_type.shape if axis is None else (a.tensor_type.shape[axis],)
    whole: Dim = 1
    for each in sizes:
        whole = whole * each
    return whole
