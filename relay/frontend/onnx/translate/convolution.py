"""Translate ONNX convolutions and poolings over one to three spatial axes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from relay.frontend.builders.pooling_windows import rounded_up
from relay.frontend.builders.tensors import add_channels
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.ir.dims import Dim, is_static, static
from relay.ir.expr import Call, Expr
from relay.ops.max_min_reductions import Max
from relay.ops.nn.conv_operators import (
    Conv1D,
    Conv1DTranspose,
    Conv2D,
    Conv2DTranspose,
    Conv3D,
    Conv3DTranspose,
)
from relay.ops.nn.pool_base import Pool
from relay.ops.nn.pool_operators import (
    AvgPool1D,
    AvgPool2D,
    AvgPool3D,
    MaxPool1D,
    MaxPool2D,
    MaxPool3D,
)
from relay.ops.sum_and_mean_reductions import Mean
from relay.support.error_codes import ErrorCode

_Class = TypeVar("_Class")

_CONV = {1: Conv1D, 2: Conv2D, 3: Conv3D}
_TRANSPOSED = {1: Conv1DTranspose, 2: Conv2DTranspose, 3: Conv3DTranspose}
_MAX_POOL = {1: MaxPool1D, 2: MaxPool2D, 3: MaxPool3D}
_AVG_POOL = {1: AvgPool1D, 2: AvgPool2D, 3: AvgPool3D}


@onnx_operator("Conv")
def conv(node: OnnxNode) -> Expr:
    """Translate `Conv`; the bias is a separate addition."""
    return convolved(node)


def convolved(node: OnnxNode) -> Expr:
    """Return the first input convolved with the second, plus the third, the bias, if present."""
    return add_channels(convolution(node, node.expr(0), node.expr(1)), node.optional(2))


def convolution(node: OnnxNode, x: Expr, weight: Expr) -> Expr:
    """Return `x` convolved with `weight`, with the attributes of the node."""
    op = _class(node, _CONV)(**convolution_attributes(node, weight))
    return Call(op, (x, weight), span=node.span)


def convolution_attributes(node: OnnxNode, weight: Expr) -> dict[str, Any]:
    """Return the attributes of Relay's convolution operator for a node and its weight."""
    kernel, strides, dilation = _window(node, weight.tensor_type.shape[2:])
    return {
        "strides": strides,
        "dilation": dilation,
        "padding": _padding(node, kernel, strides, dilation),
        "groups": node.attribute("group", 1),
    }


@onnx_operator("ConvTranspose")
def conv_transpose(node: OnnxNode) -> Expr:
    """Translate `ConvTranspose`; `output_shape`, if present, determines the padding."""
    kernel, strides, dilation = _window(node, node.type(1).shape[2:])
    extra = list(node.attribute("output_padding", [0] * len(kernel)))
    padding = _transposed_padding(node, kernel, strides, dilation, extra)
    op = _class(node, _TRANSPOSED)(
        strides=strides,
        dilation=dilation,
        padding=padding,
        output_padding=tuple(extra),
        groups=node.attribute("group", 1),
    )
    result = Call(op, (node.expr(0), node.expr(1)), span=node.span)
    return add_channels(result, node.optional(2))


@onnx_operator("AveragePool")
def average_pool(node: OnnxNode) -> Expr:
    """Translate `AveragePool`."""
    return pooled_average(node, node.expr(0))


def maximum_pooling(node: OnnxNode) -> Pool:
    """Return Relay's max pooling operator for a node."""
    return _pooling(node, node.expr(0), _MAX_POOL, {})


def pooled_average(node: OnnxNode, x: Expr, *, whole: bool = False) -> Expr:
    """Return the average of each window of `x`, with the node's attributes.

    With `whole`, each sum is divided by the full window size, even at borders.
    """
    include = whole or bool(node.attribute("count_include_pad", 0))
    op = _pooling(node, x, _AVG_POOL, {"count_include_pad": include}, whole=whole)
    return Call(op, (x,), span=node.span)


@onnx_operator("GlobalAveragePool")
def global_average_pool(node: OnnxNode) -> Expr:
    """Translate `GlobalAveragePool`."""
    return Call(Mean(axis=_spatial(node), keepdims=True), (node.expr(0),), span=node.span)


@onnx_operator("GlobalMaxPool")
def global_max_pool(node: OnnxNode) -> Expr:
    """Translate `GlobalMaxPool`."""
    return Call(Max(axis=_spatial(node), keepdims=True), (node.expr(0),), span=node.span)


def _spatial(node: OnnxNode) -> tuple[int, ...]:
    return tuple(range(2, node.rank(0)))


def _pooling(
    node: OnnxNode,
    x: Expr,
    classes: Mapping[int, Callable[..., Pool]],
    extra: Mapping[str, bool],
    *,
    whole: bool = False,
) -> Pool:
    """Return the pooling operator of a node.

    With `whole`, averages count the padding that rounding up (`ceil_mode`) adds.
    """
    kernel, strides, dilation = _window(node, node.required("kernel_shape"))
    padding = _padding(node, kernel, strides, dilation)
    ceil = bool(node.attribute("ceil_mode", 0))
    if ceil and is_static(x.tensor_type.shape[2:]):
        sizes = static(x.tensor_type.shape[2:])
        wider = rounded_up(sizes, kernel, strides, dilation, padding)
        hangs_over = any(a > b for a, b in zip(wider, padding, strict=True))
        if hangs_over and node.attribute("count_include_pad", 0):
            padding = tuple(map(min, wider, padding))  # only a dropped window covers the rest
        else:
            ceil, padding = False, wider
    elif ceil and whole:
        count = len(strides)
        after = (pad + stride - 1 for pad, stride in zip(padding[count:], strides, strict=True))
        ceil, padding = False, (*padding[:count], *after)
    return _class(node, classes)(
        pool_size=kernel,
        strides=strides,
        dilation=dilation,
        padding=padding,
        ceil_mode=ceil,
        **extra,
    )


def window_size(node: OnnxNode) -> tuple[int, ...]:
    """Return the size of a pooling's windows."""
    return _window(node, node.required("kernel_shape"))[0]


def _class(node: OnnxNode, classes: Mapping[int, _Class]) -> _Class:
    rank = node.rank(0) - 2
    if rank not in classes:
        raise node.error(
            ErrorCode.F031, f"the images have {rank} spatial axes, but only 1, 2 or 3 are supported"
        )
    return classes[rank]


def _window(
    node: OnnxNode, kernel: Sequence[Dim]
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Return the sizes, strides and dilations of a node's windows."""
    sizes = tuple(node.attribute("kernel_shape", kernel))
    if not is_static(sizes):
        raise node.error(
            ErrorCode.F022, "the kernel size must be a constant, but is computed from data"
        )
    ones = [1] * len(sizes)
    return (
        tuple(int(str(size)) for size in sizes),
        tuple(node.attribute("strides", ones)),
        tuple(node.attribute("dilations", ones)),
    )


def _padding(
    node: OnnxNode, kernel: Sequence[int], strides: Sequence[int], dilation: Sequence[int]
) -> tuple[int, ...]:
    """Return the padding before each axis, then after each.

    Raises `F032` for `SAME` padding with dynamic sizes.
    """
    auto = node.attribute("auto_pad", "NOTSET")
    if auto in ("NOTSET", "VALID", ""):
        explicit = node.attribute("pads", [0] * (2 * len(kernel)))
        return tuple(explicit if auto != "VALID" else [0] * (2 * len(kernel)))
    before: list[int] = []
    after: list[int] = []
    for size, k, s, d in zip(node.type(0).shape[2:], kernel, strides, dilation, strict=True):
        if s == 1:
            total = (k - 1) * d
        elif isinstance(size, int):
            total = max(0, (-(-size // s) - 1) * s + (k - 1) * d + 1 - size)
        else:
            raise node.error(
                ErrorCode.F032,
                "auto_pad needs input sizes that are known at compile time",
                help=_GIVE_SHAPES,
            )
        small, large = total // 2, total - total // 2
        before.append(large if auto == "SAME_LOWER" else small)
        after.append(small if auto == "SAME_LOWER" else large)
    return (*before, *after)


_GIVE_SHAPES = "specify the input shapes: load(path, shapes={…})"


def _transposed_padding(
    node: OnnxNode,
    kernel: Sequence[int],
    strides: Sequence[int],
    dilation: Sequence[int],
    extra: list[int],
) -> tuple[int, ...]:
    """Return the padding of a transposed convolution; `extra` is its output padding.

    If the requested shape is larger than any padding gives, `extra` is increased in place.
    """
    wanted = node.attribute("output_shape")
    auto = node.attribute("auto_pad", "NOTSET")
    if wanted is None and auto in ("NOTSET", "VALID", ""):
        return _padding(node, kernel, strides, dilation)
    before: list[int] = []
    after: list[int] = []
    sizes = node.type(0).shape[2:]
    for i, (size, k, s, d) in enumerate(zip(sizes, kernel, strides, dilation, strict=True)):
        if wanted is not None and not isinstance(size, int):
            raise node.error(
                ErrorCode.F032,
                "output_shape needs input sizes that are known at compile time",
                help=_GIVE_SHAPES,
            )
        full = (k - 1) * d + 1 + extra[i]
        # With SAME the result has `size * s` elements, so the size itself cancels out.
        total = (
            full - s
            if wanted is None
            else s * (int(str(size)) - 1) + full - wanted[-len(kernel) :][i]
        )
        extra[i] += max(0, -total)
        total = max(0, total)
        small, large = total // 2, total - total // 2
        before.append(small if auto == "SAME_UPPER" else large)
        after.append(large if auto == "SAME_UPPER" else small)
    return (*before, *after)
