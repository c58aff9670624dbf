"""Compute the element indices of windows in images: argmax pooling, im2col and col2im."""

from collections.abc import Sequence
from functools import reduce
from operator import add

import numpy as np

from relay.frontend.builders.counted_loops import size_of
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.node_errors import static_sizes
from relay.ir.dims import ANY, elements
from relay.ir.expr import Array, Call, Constant, Expr, Tuple
from relay.ops.broadcasting import BroadcastTo
from relay.ops.cast import Cast
from relay.ops.max_min_reductions import ArgMax
from relay.ops.nn.pad import Pad
from relay.ops.selection import where
from relay.ops.tensor.concat_and_split import Stack
from relay.ops.tensor.dynamic_shapes import DynamicBroadcastTo
from relay.ops.tensor.gather import Gather, Take
from relay.ops.tensor.scatter import ScatterElements
from relay.support.dtype import DType, int64

OUTSIDE = -1
"""The index of a tap outside of the data."""


def positions(count: int, size: int, kernel: int, stride: int, before: int, dilation: int) -> Array:
    """Return the positions that each of `count` windows reads along an axis of this size.

    Positions outside of the axis are `OUTSIDE`.
    """
    found = (np.arange(count)[:, None] * stride - before) + np.arange(kernel)[None, :] * dilation
    return np.where((found >= 0) & (found < size), found, OUTSIDE)


def row_major(sizes: Sequence[int]) -> list[int]:
    """Return the row-major stride of each axis of an image of these sizes."""
    return [elements(sizes[axis + 1 :]) for axis in range(len(sizes))]


def flat_places(axes: Sequence[Array], apart: Sequence[int]) -> Array:
    """Return for each window the indices of its elements in the flattened image.

    For each axis, `axes` has the positions that each window along it reads, and `apart` its stride.

    >>> flat_places([np.array([[0, 1], [1, 2]]), np.array([[OUTSIDE, 0]])], [10, 1]).tolist()
    [[-1, 0, -1, 10], [-1, 10, -1, 20]]
    """
    rank = len(axes)
    spread: list[Array] = []
    for axis, each in enumerate(axes):
        shape = [1] * (2 * rank)
        shape[axis], shape[rank + axis] = each.shape
        spread.append(each.reshape(shape))
    inside = reduce(np.logical_and, (each != OUTSIDE for each in spread))
    places = reduce(add, (each * step for each, step in zip(spread, apart, strict=True)))
    windows = elements(len(each) for each in axes)
    return np.where(inside, places, OUTSIDE).reshape(windows, -1)


def largest(x: Expr, sizes: Sequence[int], places: Array, numbers: Array) -> Expr:
    """Return the index of the maximum of each window, in a result of shape (…, *`sizes`).

    For each window, `places` has the indices of its elements in the flattened image, and `numbers`
    the index to return for each of them. If several elements are equal, the first one counts. The
    sizes of the image must be static.
    """
    shape, dtype = x.tensor_type.shape, x.tensor_type.dtype
    lead = shape[: len(shape) - len(sizes)]
    flat = reshape(x, (*lead, elements(static_sizes(shape[len(lead) :]))))
    read = Call(Take(axis=len(lead)), (flat, Constant(np.maximum(places, 0))))
    taps = where(Constant(places != OUTSIDE), read, constant(_lowest(dtype), dtype))
    best = Call(Cast(int64), (Call(ArgMax(axis=(len(lead) + 1,), keepdims=True), (taps,)),))
    table = Call(BroadcastTo((*lead, *numbers.shape)), (Constant(numbers),))
    return reshape(Call(Gather(len(lead) + 1), (table, best)), (*lead, *sizes))


def _lowest(dtype: DType) -> float:
    return -np.inf if dtype.is_float else dtype.limits[0]


def column_places(
    sizes: Sequence[int], kernel: Sequence[int], dilation: Sequence[int], stride: Sequence[int]
) -> Array:
    """Return the index of each window element in a flattened image; each row is a kernel tap."""
    axes = [
        positions((size - (k - 1) * d - 1) // s + 1, size, k, s, 0, d)
        for size, k, d, s in zip(sizes, kernel, dilation, stride, strict=True)
    ]
    return flat_places(axes, row_major(sizes)).T


def columns_of_images(
    x: Expr,
    kernel: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    stride: Sequence[int],
) -> Expr:
    """Return the windows of images `(batch, channels, height, width)` as columns (im2col).

    The sizes of the images must be static.
    """
    batch, channels, *sizes = x.tensor_type.shape
    padded = [size + 2 * pad for size, pad in zip(static_sizes(tuple(sizes)), padding, strict=True)]
    places = column_places(padded, kernel, dilation, stride)
    frame = ((0, 0), (0, 0), *((each, each) for each in padding))
    wide = Call(Pad(frame), (x, constant(0.0, x.tensor_type.dtype)))
    flat = reshape(wide, (batch, channels, elements(padded)))
    found = Call(Take(axis=2), (flat, Constant(places)), span=x.span)
    return reshape(found, (batch, channels * places.shape[0], places.shape[1]))


def images_of_columns(
    x: Expr,
    sizes: Sequence[int],
    kernel: Sequence[int],
    frame: Sequence[tuple[int, int]],
    dilation: Sequence[int],
    stride: Sequence[int],
) -> Expr:
    """Return images in which overlapping columns are summed (col2im).

    `x` is `(batch, channels · taps, windows)`. The windows are those of an image of `sizes` with
    the padding `frame`, which the result lacks.
    """
    batch, rows, _ = x.tensor_type.shape
    channels, dtype = rows // elements(kernel), x.tensor_type.dtype
    padded = [size + sum(each) for size, each in zip(sizes, frame, strict=True)]
    places = column_places(padded, kernel, dilation, stride)
    columns = reshape(x, (batch, channels, places.size))
    index = _for_each_channel(Constant(places.reshape(-1)), columns, places.size)
    zeros = _for_each_channel(constant(0, dtype), columns, elements(padded))
    made = Call(ScatterElements(2, "add"), (zeros, index, columns), span=x.span)
    whole = reshape(made, (batch, channels, *padded))
    cut = ((0, 0), (0, 0), *((-before, -after) for before, after in frame))
    return Call(Pad(cut), (whole, constant(0, dtype)))


def _for_each_channel(row: Expr, columns: Expr, length: int) -> Expr:
    """Return a row repeated for each sample and channel of some columns."""
    lead = columns.tensor_type.shape[:2]
    if ANY not in lead:
        return Call(BroadcastTo((*lead, length)), (row,))
    sizes = (size_of(columns, 0), size_of(columns, 1), constant(length, int64))
    return Call(DynamicBroadcastTo(), (row, Call(Stack(0), (Tuple(sizes),))))
