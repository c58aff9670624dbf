"""Translate ONNX convolutions and poolings over one to three spatial axes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from relay.frontend.builders.operators_by_rank import (
    AVERAGE_POOL,
    CONV,
    MAX_POOL,
    TRANSPOSED,
    of_rank,
)
from relay.frontend.builders.pooling_windows import (
    average_of_padded,
    rounded_up,
    rounded_up_for_any_size,
)
from relay.frontend.builders.same_padded_windows import PaddedWindows
from relay.frontend.builders.tensor_helpers import add_channels, constant
from relay.frontend.node_errors import static_size, static_sizes
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.window_padding import (
    Windows,
    auto_pad,
    explicit_padding,
    padded_windows,
    small_axes,
    widths_before,
)
from relay.ir.dims import Dim, is_static
from relay.ir.expr import Call, Expr
from relay.ops.max_min_reductions import Max
from relay.ops.nn.pad import Pad
from relay.ops.nn.pool_base import AvgPool, Pool, lowest
from relay.ops.sum_and_mean_reductions import Mean
from relay.support.error_codes import ErrorCode
from relay.support.node import replace as with_fields


@dataclass(frozen=True)
class Pooling:
    """A pooling of data; `before` are the widths of its padding before each axis.

    Windows along axes that may be smaller than a window read up to `missing` elements of padding
    more, and `counts` of them remain; None keeps all.
    """

    op: Pool
    padded: PaddedWindows
    before: Sequence[Expr]
    missing: Sequence[int]
    counts: Sequence[Dim | None]

    @property
    def result(self) -> Expr:
        """Return the pooled data."""
        after = (0,) * len(self.missing) + tuple(self.missing)
        wider = tuple(map(sum, zip(self.op.padding, after, strict=True)))
        result = self.padded.apply(with_fields(self.op, padding=wider))
        ty = result.tensor_type
        sizes = zip(self.counts, ty.shape[2:], strict=True)
        fewer = [0 if count is None else count - size for count, size in sizes]
        if not any(fewer):
            return result
        return Call(Pad(tuple((0, by) for by in (0, 0, *fewer))), (result, constant(0, ty.dtype)))


@onnx_operator("Conv")
def conv(node: OnnxNode) -> Expr:
    """Translate `Conv`; the bias is a separate addition."""
    return convolved(node)


def convolved(node: OnnxNode) -> Expr:
    """Return the first input convolved with the second, plus the third, the bias, if present."""
    return add_channels(convolution(node, node.expr(0), node.expr(1)), node.optional(2))


def convolution(node: OnnxNode, x: Expr, weight: Expr) -> Expr:
    """Return `x` convolved with `weight`, with the attributes of the node."""
    windows = _windows(node, weight.tensor_type.shape[2:])
    padded = padded_windows(node, x, windows, 0)
    op = of_rank(CONV, node.rank(0) - 2, node.error)(
        strides=windows.strides,
        dilation=windows.dilation,
        padding=padded.padding,
        groups=node.attribute("group", 1),
    )
    return padded.apply(op, weight)


def convolution_attributes(node: OnnxNode, weight: Expr) -> dict[str, Any]:
    """Return the attributes of Relay's convolution operator for explicitly padded windows."""
    windows = _windows(node, weight.tensor_type.shape[2:])
    return {
        "strides": windows.strides,
        "dilation": windows.dilation,
        "padding": explicit_padding(node, len(windows.kernel)),
        "groups": node.attribute("group", 1),
    }


@onnx_operator("ConvTranspose")
def conv_transpose(node: OnnxNode) -> Expr:
    """Translate `ConvTranspose`; `output_shape`, if present, determines the padding."""
    windows = _windows(node, node.type(1).shape[2:])
    extra = list(node.attribute("output_padding", [0] * len(windows.kernel)))
    padding = _transposed_padding(node, windows, extra)
    op = of_rank(TRANSPOSED, node.rank(0) - 2, node.error)(
        strides=windows.strides,
        dilation=windows.dilation,
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


def maximum_pooling(node: OnnxNode) -> Pooling:
    """Return the max pooling of a node."""
    x = node.expr(0)
    return _pooling(node, x, MAX_POOL, {}, fill=lowest(x.tensor_type.dtype.numpy))


def pooled_average(node: OnnxNode, x: Expr, *, whole: bool = False) -> Expr:
    """Return the average of each window of `x`, with the node's attributes.

    With `whole`, each sum is divided by the full window size, even at borders.
    """
    include = whole or bool(node.attribute("count_include_pad", 0))
    extra = {"count_include_pad": include}
    pooling = _pooling(node, x, AVERAGE_POOL, extra, whole=whole)
    op, padded = pooling.op, pooling.padded
    assert isinstance(op, AvgPool)
    if _reads_behind_padding(pooling, whole=whole):
        op, data = average_of_padded(op, padded.data)
        pooling = replace(pooling, op=op, padded=replace(padded, data=data, unpadded=data))
    return padded.mean(op) if padded.is_padded and not include else pooling.result


def _reads_behind_padding(pooling: Pooling, *, whole: bool) -> bool:
    """Whether an average counts its padding, but may also read elements behind it."""
    op = pooling.op
    assert isinstance(op, AvgPool)
    return op.count_include_pad and not whole and (op.ceil_mode or any(pooling.missing))


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
    fill: float = 0,
    whole: bool = False,
) -> Pooling:
    """Return the pooling of `x` by a node; elements that are added to the data are `fill`.

    With `whole`, averages count the padding that rounding up (`ceil_mode`) adds.
    """
    windows = _windows(node, node.required("kernel_shape"))
    rounds_up = bool(node.attribute("ceil_mode", 0))
    padded = padded_windows(node, x, windows, fill)
    missing, counts = small_axes(padded, windows, rounds_up=rounds_up)
    ceil, padding = _ceil_mode(node, padded, windows, whole=whole)
    op = of_rank(classes, node.rank(0) - 2, node.error)(
        pool_size=windows.kernel,
        strides=windows.strides,
        dilation=windows.dilation,
        padding=padding,
        ceil_mode=ceil,
        **extra,
    )
    return Pooling(op, padded, widths_before(padded, windows), missing, counts)


def _ceil_mode(
    node: OnnxNode, padded: PaddedWindows, windows: Windows, *, whole: bool
) -> tuple[bool, tuple[int, ...]]:
    """Return whether the operator rounds up the number of windows, and its padding."""
    padding, strides, sizes = padded.padding, windows.strides, padded.data.tensor_type.shape[2:]
    if not node.attribute("ceil_mode", 0) or padded.is_padded:
        return False, padding
    if is_static(sizes):
        wider = rounded_up(static_sizes(sizes), windows.kernel, strides, windows.dilation, padding)
        hangs_over = any(a > b for a, b in zip(wider, padding, strict=True))
        if hangs_over and node.attribute("count_include_pad", 0) and not whole:
            return True, tuple(map(min, wider, padding))  # only a dropped window covers the rest
        return False, wider
    if node.attribute("count_include_pad", 0) and not whole:
        return True, padding
    return False, rounded_up_for_any_size(windows.kernel, strides, windows.dilation, padding)


def window_size(node: OnnxNode) -> tuple[int, ...]:
    """Return the size of a pooling's windows."""
    return _windows(node, node.required("kernel_shape")).kernel


def _windows(node: OnnxNode, kernel: Sequence[Dim]) -> Windows:
    """Return the sizes, strides and dilations of a node's windows."""
    sizes = tuple(node.attribute("kernel_shape", kernel))
    if not is_static(sizes):
        raise node.error(
            ErrorCode.F022, "the kernel size must be a constant, but is computed from data"
        )
    ones = [1] * len(sizes)
    return Windows(
        tuple(static_size(size) for size in sizes),
        tuple(node.attribute("strides", ones)),
        tuple(node.attribute("dilations", ones)),
    )


_GIVE_SHAPES = "specify the input shapes: load(path, shapes={…})"


def _transposed_padding(node: OnnxNode, windows: Windows, extra: list[int]) -> tuple[int, ...]:
    """Return the padding of a transposed convolution; `extra` is its output padding.

    If the requested shape is larger than any padding gives, `extra` is increased in place.
    """
    wanted = node.attribute("output_shape")
    explicit = explicit_padding(node, len(windows.kernel))
    if wanted is None and explicit is not None:
        return explicit
    before: list[int] = []
    after: list[int] = []
    rows = zip(node.type(0).shape[2:], windows.reaches, windows.strides, strict=True)
    for i, (size, reach, s) in enumerate(rows):
        if wanted is not None and not isinstance(size, int):
            raise node.error(
                ErrorCode.F032,
                "output_shape needs input sizes that are known at compile time",
                help=_GIVE_SHAPES,
            )
        full = reach + extra[i]
        # With SAME the result has `size * s` elements, so the size itself cancels out.
        total = (
            full - s
            if wanted is None
            else s * (static_size(size) - 1) + full - wanted[-len(windows.kernel) :][i]
        )
        extra[i] += max(0, -total)
        total = max(0, total)
        small, large = total // 2, total - total // 2
        is_upper = auto_pad(node) == "SAME_UPPER"
        before.append(small if is_upper else large)
        after.append(large if is_upper else small)
    return (*before, *after)
