"""Windows of tensors as lists of places: where maxima are, columns of images."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from relay.frontend.builders.tensors import constant, reshape
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.convolution import adaptive, batched, max_pool
from relay.frontend.torch.translate.promotion import converted
from relay.frontend.torch.translate.shapes import broadcast, reshaped
from relay.ir.dims import is_static, static
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ops.extremes import ArgMax
from relay.ops.nn.pad import Pad
from relay.ops.nn.pool_target_operators import (
    AdaptiveMaxPool1D,
    AdaptiveMaxPool2D,
    AdaptiveMaxPool3D,
)
from relay.ops.selection import where
from relay.ops.tensor.gather import Gather, Take
from relay.ops.tensor.scatter import ScatterElements
from relay.support.dtype import int64

_ADAPTIVE_MAX = {1: AdaptiveMaxPool1D, 2: AdaptiveMaxPool2D, 3: AdaptiveMaxPool3D}

OUTSIDE = -1
"""The place of a tap that lies outside of the data."""


@torch_operator("max_pool1d_with_indices", "max_pool2d_with_indices", "max_pool3d_with_indices")
def max_pool_with_indices(node: TorchNode) -> Sequence[Expr | None]:
    """Take the maximum of each window, and where it is in the flattened image of known size."""
    values = max_pool(node)
    rank = int(node.operator[len("max_pool")])
    x = node.tensor("self")
    kernel, stride, padding, dilation = (
        _numbers(node, name, rank) for name in ("kernel_size", "stride", "padding", "dilation")
    )
    stride = stride or kernel
    sizes = values.tensor_type.shape[-rank:]
    whole = x.tensor_type.shape[-rank:]
    if not (is_static(sizes) and is_static(whole)):
        return [values, None]
    axes = [
        (np.arange(count)[:, None] * s - p) + np.arange(k)[None, :] * d
        for count, k, s, p, d in zip(static(sizes), kernel, stride, padding, dilation, strict=True)
    ]
    return [values, _where_largest(x, static(sizes), _flat(axes, static(whole)))]


@torch_operator("adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d")
def adaptive_max_pool(node: TorchNode) -> Sequence[Expr | None]:
    """Take the maxima of as many windows as the result has elements, and where they are."""
    values = adaptive(node, _ADAPTIVE_MAX)
    rank = int(node.operator[-2])
    x = node.tensor("self")
    sizes, whole = values.tensor_type.shape[-rank:], x.tensor_type.shape[-rank:]
    if not (is_static(sizes) and is_static(whole)):
        return [values, None]
    axes = [_adaptive(n, m) for m, n in zip(static(sizes), static(whole), strict=True)]
    return [values, _where_largest(x, static(sizes), _flat(axes, static(whole)))]


def _adaptive(size: int, count: int) -> Array:
    """Return the positions in each of `count` windows over an axis, `OUTSIDE` behind the last."""
    bounds = [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]
    longest = max((end - begin for begin, end in bounds), default=0)
    rows = [[*range(b, e), *[OUTSIDE] * (longest - e + b)] for b, e in bounds]
    return np.array(rows, np.int64).reshape(count, longest)


def _flat(axes: Sequence[Array], sizes: Sequence[int]) -> Array:
    """Return for each window the places of its taps in the flattened image.

    `axes` has for each axis the positions of taps in each window along it.
    """
    windows = list(product(*(range(len(each)) for each in axes)))
    rows: list[list[int]] = []
    for window in windows:
        taps = product(*(axis[i].tolist() for axis, i in zip(axes, window, strict=True)))
        rows.append([_place(tap, sizes) for tap in taps])
    return np.array(rows, np.int64).reshape(len(windows), -1)


def _place(tap: Sequence[int], sizes: Sequence[int]) -> int:
    if not all(0 <= at < size for at, size in zip(tap, sizes, strict=True)):
        return OUTSIDE
    place = 0
    for at, size in zip(tap, sizes, strict=True):
        place = place * size + at
    return place


def _where_largest(x: Expr, sizes: Sequence[int], places: Array) -> Expr:
    """Return the place of the largest element of each window, in a result of these sizes."""
    shape = x.tensor_type.shape
    lead = shape[: len(shape) - len(sizes)]
    flat = reshaped(x, (*lead, int(np.prod(static(shape[len(lead) :])))))
    read = Call(Take(axis=len(lead)), (flat, Constant(np.maximum(places, 0))))
    lowest = constant(-np.inf if x.tensor_type.dtype.is_float else 0, x.tensor_type.dtype)
    taps = where(Constant(places != OUTSIDE), read, lowest)
    best = converted(Call(ArgMax(axis=(len(lead) + 1,), keepdims=True), (taps,)), int64)
    table = broadcast(Constant(places), (*lead, *places.shape))
    return reshaped(Call(Gather(len(lead) + 1), (table, best)), (*lead, *sizes))


def _numbers(node: TorchNode, name: str, rank: int) -> tuple[int, ...]:
    found = node.ints(name)
    return found * rank if len(found) == 1 else found


@torch_operator("im2col")
def im2col(node: TorchNode) -> Expr:
    """Return the windows of images as columns."""
    kernel, dilation, padding, stride = (
        _numbers(node, name, 2) for name in ("kernel_size", "dilation", "padding", "stride")
    )

    def columns(x: Expr) -> Expr:
        batch, channels, *sizes = x.tensor_type.shape
        if not is_static(tuple(sizes)):
            raise node.error("F032", "the sizes of the image must be known")
        padded = [size + 2 * pad for size, pad in zip(static(tuple(sizes)), padding, strict=True)]
        places = _columns(padded, kernel, dilation, stride)
        frame = ((0, 0), (0, 0), *((each, each) for each in padding))
        wide = Call(Pad(frame), (x, constant(0.0, x.tensor_type.dtype)))
        flat = reshaped(wide, (batch, channels, padded[0] * padded[1]))
        found = Call(Take(axis=2), (flat, Constant(places)), span=node.span)
        return reshaped(found, (batch, channels * places.shape[0], places.shape[1]))

    return batched(node.tensor("self"), 2, columns)


@torch_operator("col2im")
def col2im(node: TorchNode) -> Expr:
    """Add columns up to images, each window where it came from."""
    kernel, dilation, padding, stride = (
        _numbers(node, name, 2) for name in ("kernel_size", "dilation", "padding", "stride")
    )
    height, width = node.ints("output_size")

    def images(x: Expr) -> Expr:
        batch, rows, count = x.tensor_type.shape
        channels = rows // (kernel[0] * kernel[1])
        padded = (height + 2 * padding[0], width + 2 * padding[1])
        places = _columns(padded, kernel, dilation, stride)
        size = padded[0] * padded[1]
        zeros = broadcast(constant(0, x.tensor_type.dtype), (batch, channels, size))
        updates = reshaped(x, (batch, channels, places.size))
        index = broadcast(Constant(places.reshape(-1)), (batch, channels, places.size))
        del count
        made = Call(ScatterElements(2, "add"), (zeros, index, updates), span=node.span)
        whole = reshaped(made, (batch, channels, *padded))
        frame = ((0, 0), (0, 0), *((-each, -each) for each in padding))
        return Call(Pad(frame), (whole, constant(0, x.tensor_type.dtype)))

    x = node.tensor("self")
    if x.tensor_type.rank == 3:
        return images(x)
    result = images(reshape(x, (1, *x.tensor_type.shape)))
    return reshape(result, result.tensor_type.shape[1:])


def _columns(
    sizes: Sequence[int], kernel: Sequence[int], dilation: Sequence[int], stride: Sequence[int]
) -> Array:
    """Return the places of the taps of all windows, a row for each tap."""
    axes = [
        np.arange(k)[:, None] * d + np.arange(0, size - (k - 1) * d, s)[None, :]
        for size, k, d, s in zip(sizes, kernel, dilation, stride, strict=True)
    ]
    rows, columns = axes
    places = rows[:, None, :, None] * sizes[1] + columns[None, :, None, :]
    return places.reshape(rows.shape[0] * columns.shape[0], -1)
