"""Translate TensorFlow convolutions, and compute window padding."""

from collections.abc import Sequence
from dataclasses import replace

from relay.frontend.builders.operators_by_rank import CONV, TRANSPOSED
from relay.frontend.builders.same_padded_windows import (
    PaddedWindows,
    Pairs,
    explicitly_padded,
    same_padded,
    sides,
)
from relay.frontend.builders.same_padding import pairs_for_strides, rest_behind_windows
from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.dims import Dim
from relay.ir.expr import Call, Expr
from relay.ops.image.dilation import Dilation2D
from relay.ops.nn.pool_base import lowest
from relay.support.error_codes import ErrorCode

_SPATIAL = {1: "W", 2: "HW", 3: "DHW"}


def data_layout(node: TfNode, rank: int) -> str:
    """Return the layout of images with `rank` spatial axes; raises `F052` if it is unknown."""
    spatial = _SPATIAL[rank]
    plain, first = f"N{spatial}C", f"NC{spatial}"
    found = node.text("data_format", plain)
    if found not in (plain, first):
        raise node.wrong("data_format")
    return found


def per_axis(layout: str, values: Sequence[int]) -> tuple[int, ...]:
    """Return the entries for spatial axes from a list with one entry per axis."""
    pairs = zip(layout, values, strict=True)
    return tuple(each for letter, each in pairs if letter not in "NC")


def spatial_sizes(layout: str, sizes: Sequence[Dim]) -> tuple[Dim, ...]:
    """Return the sizes of the spatial axes."""
    return tuple(size for letter, size in zip(layout, sizes, strict=True) if letter not in "NC")


def padding(
    node: TfNode, layout: str, sizes: Sequence[Dim], kernel: Sequence[int],
    strides: Sequence[int], dilation: Sequence[int],
) -> Pairs:  # fmt: skip
    """Return the padding before and after each spatial axis; `sizes` are the axes' sizes."""
    mode = node.text("padding")
    if mode == "VALID":
        return [(0, 0)] * len(kernel)
    if mode == "EXPLICIT":
        found = node.ints_of("explicit_paddings")
        pairs = zip(found[::2], found[1::2], strict=True)
        return [pair for letter, pair in zip(layout, pairs, strict=True) if letter not in "NC"]
    if mode != "SAME":
        raise node.wrong("padding")
    node.ignore("explicit_paddings")
    return pairs_for_strides(sizes, kernel, strides, dilation, node.error)


def padded_windows(
    node: TfNode, layout: str, x: Expr, kernel: Sequence[int], strides: Sequence[int],
    dilation: Sequence[int], fill: float = 0,
) -> PaddedWindows:  # fmt: skip
    """Return the windows of a node over the images `x`, with the padding of the node.

    Padding that must be added to `x`, because its width is dynamic, has the value `fill`.
    """
    axes = [axis for axis, letter in enumerate(layout) if letter not in "NC"]
    reaches = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    if node.text("padding") == "SAME":
        node.ignore("explicit_paddings")
        return replace(same_padded(x, axes, reaches, strides, fill), span=node.span)
    sizes = spatial_sizes(layout, x.tensor_type.shape)
    pairs = padding(node, layout, sizes, kernel, strides, dilation)
    return replace(explicitly_padded(x, axes, sides(pairs), reaches, strides), span=node.span)


@tf_operator("Conv2D", "Conv3D")
def convolution(node: TfNode) -> Expr:
    """Translate `Conv2D` and `Conv3D`; the weight is `(…, in, out)`."""
    rank = int(node.op[4])
    layout = data_layout(node, rank)
    channels, taken = node.type(0).shape[layout.index("C")], node.type(1).static_shape[-2]
    groups = channels // max(taken, 1) if isinstance(channels, int) else 1
    return convolved(node, layout, node.expr(0), node.expr(1), groups)


@tf_operator("DepthwiseConv2dNative")
def depthwise(node: TfNode) -> Expr:
    """Translate depthwise convolution; the weight is `(H, W, channels, multiplier)`."""
    *kernel, channels, multiplier = node.type(1).static_shape
    weight = reshape(node.expr(1), (*kernel, 1, channels * multiplier))
    return convolved(node, data_layout(node, 2), node.expr(0), weight, channels)


def convolved(node: TfNode, layout: str, x: Expr, weight: Expr, groups: int) -> Expr:
    """Return the convolution of images with a weight, by the attributes of a node."""
    rank = len(layout) - 2
    kernel = weight.tensor_type.static_shape[:rank]
    strides = per_axis(layout, node.ints_of("strides"))
    dilation = per_axis(layout, node.ints_of("dilations", (1,) * len(layout)))
    padded = padded_windows(node, layout, x, kernel, strides, dilation)
    op = CONV[rank](
        strides=strides,
        padding=padded.padding,
        dilation=dilation,
        groups=groups,
        data_layout=layout,
        kernel_layout=f"{_SPATIAL[rank]}IO",
    )
    return padded.apply(op, weight)


@tf_operator("Conv2DBackpropInput", "Conv3DBackpropInputV2")
def transposed(node: TfNode) -> Expr:
    """Translate transposed convolution; the weight is `(…, out, in)`.

    The first input is the shape of the result.
    """
    rank = int(node.op[4])
    layout = data_layout(node, rank)
    kernel = node.type(1).static_shape[:rank]
    strides = per_axis(layout, node.ints_of("strides"))
    dilation = per_axis(layout, node.ints_of("dilations", (1,) * len(layout)))
    wanted = node.sizes(0)
    if wanted is None:
        raise node.error(
            ErrorCode.F022,
            "the shape of the result must be a constant, but is computed at run time",
        )
    wanted = spatial_sizes(layout, wanted)
    pairs = padding(node, layout, wanted, kernel, strides, dilation)
    rows = zip(
        wanted, spatial_sizes(layout, node.type(2).shape), kernel, strides, dilation, pairs,
        strict=True,
    )  # fmt: skip
    op = TRANSPOSED[rank](
        strides=strides,
        padding=sides(pairs),
        dilation=dilation,
        output_padding=tuple(rest_behind_windows(node.error, *row) for row in rows),
        data_layout=layout,
        kernel_layout=f"{_SPATIAL[rank]}OI",
    )
    return Call(op, (node.expr(2), node.expr(1)), span=node.span)


@tf_operator("Dilation2D")
def dilation_2d(node: TfNode) -> Expr:
    """Translate `Dilation2D`: the maximum of data plus weight `(H, W, channels)` over windows."""
    strides, rates = (per_axis("NHWC", node.ints_of(name)) for name in ("strides", "rates"))
    kernel = node.type(1).static_shape[:2]
    x = node.expr(0)
    fill = lowest(x.tensor_type.dtype.numpy)
    padded = padded_windows(node, "NHWC", x, kernel, strides, rates, fill)
    op = Dilation2D(
        strides=strides, padding=padded.padding, dilations=rates, data_layout="NHWC",
        kernel_layout="HWI",
    )  # fmt: skip
    return padded.apply(op, node.expr(1))
