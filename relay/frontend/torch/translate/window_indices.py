"""Translate max pooling with indices, `im2col` and `col2im`."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.argmax_in_windows import Window, largest_in_windows
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.builders.window_indices import (
    OUTSIDE,
    columns_of_images,
    flat_places,
    images_of_columns,
    largest,
    positions,
    row_major,
)
from relay.frontend.node_errors import static_sizes
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.convolution import adaptive, batched, max_pool
from relay.ir.dims import ANY, Dim, is_static
from relay.ir.expr import Array, Expr
from relay.ops.nn.adaptive_pool_operators import (
    AdaptiveMaxPool1D,
    AdaptiveMaxPool2D,
    AdaptiveMaxPool3D,
)
from relay.support.dtype import int64

_ADAPTIVE_MAX = {1: AdaptiveMaxPool1D, 2: AdaptiveMaxPool2D, 3: AdaptiveMaxPool3D}


@torch_operator("max_pool1d_with_indices", "max_pool2d_with_indices", "max_pool3d_with_indices")
def max_pool_with_indices(node: TorchNode) -> Sequence[Expr | None]:
    """Translate max pooling with the index of each maximum in the flattened image."""
    values = max_pool(node)
    rank = int(node.operator[len("max_pool")])
    x = node.tensor("self")
    kernel, stride, padding, dilation = (
        _numbers(node, name, rank) for name in ("kernel_size", "stride", "padding", "dilation")
    )
    stride = stride or kernel
    if ANY in values.tensor_type.shape:
        return [values, None]
    sizes = values.tensor_type.shape[-rank:]
    whole = x.tensor_type.shape[-rank:]
    if not (is_static(sizes) and is_static(whole)):
        before = [constant(each, int64) for each in padding]
        windows = [Window(*each) for each in zip(kernel, stride, before, dilation, strict=True)]
        return [values, largest_in_windows(x, values, windows)]
    parameters = static_sizes(sizes), static_sizes(whole), kernel, stride, padding, dilation
    axes = [positions(*each) for each in zip(*parameters, strict=True)]
    return [values, _where_largest(x, sizes, axes)]


@torch_operator("adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d")
def adaptive_max_pool(node: TorchNode) -> Sequence[Expr | None]:
    """Translate adaptive max pooling, with the index of each maximum."""
    values = adaptive(node, _ADAPTIVE_MAX)
    rank = int(node.operator[-2])
    x = node.tensor("self")
    sizes, whole = values.tensor_type.shape[-rank:], x.tensor_type.shape[-rank:]
    if not (is_static(sizes) and is_static(whole)):
        return [values, None]
    axes = [_adaptive(n, m) for m, n in zip(static_sizes(sizes), static_sizes(whole), strict=True)]
    return [values, _where_largest(x, sizes, axes)]


def _adaptive(size: int, count: int) -> Array:
    """Return the positions in each of `count` adaptive windows, padded with `OUTSIDE`."""
    bounds = [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]
    longest = max((end - begin for begin, end in bounds), default=0)
    rows = [[*range(b, e), *[OUTSIDE] * (longest - e + b)] for b, e in bounds]
    return np.array(rows, np.int64).reshape(count, longest)


def _where_largest(x: Expr, sizes: Sequence[Dim], axes: Sequence[Array]) -> Expr:
    """Return the index of the maximum of each window, in a result of these sizes."""
    whole = static_sizes(x.tensor_type.shape[-len(axes) :])
    places = flat_places(axes, row_major(whole))
    return largest(x, static_sizes(tuple(sizes)), places, places)


def _numbers(node: TorchNode, name: str, rank: int) -> tuple[int, ...]:
    found = node.ints(name)
    return found * rank if len(found) == 1 else found


@torch_operator("im2col")
def im2col(node: TorchNode) -> Expr:
    """Translate `im2col`: the windows of images become columns."""
    kernel, dilation, padding, stride = (
        _numbers(node, name, 2) for name in ("kernel_size", "dilation", "padding", "stride")
    )

    def columns(x: Expr) -> Expr:
        sizes = x.tensor_type.shape[2:]
        if not is_static(sizes):
            raise node.dynamic("the sizes of the image", *sizes)
        return columns_of_images(x, kernel, padding, dilation, stride)

    return batched(node.tensor("self"), 2, columns)


@torch_operator("col2im")
def col2im(node: TorchNode) -> Expr:
    """Translate `col2im`: add each column to the window that it belongs to."""
    kernel, dilation, padding, stride = (
        _numbers(node, name, 2) for name in ("kernel_size", "dilation", "padding", "stride")
    )
    sizes = node.ints("output_size")
    frame = [(each, each) for each in padding]

    def images(x: Expr) -> Expr:
        return images_of_columns(x, sizes, kernel, frame, dilation, stride)

    x = node.tensor("self")
    if x.tensor_type.rank == 3:
        return images(x)
    result = images(reshape(x, (1, *x.tensor_type.shape)))
    return reshape(result, result.tensor_type.shape[1:])
