"""Translate TensorFlow image pooling."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.argmax_in_windows import Window, largest_in_windows
from relay.frontend.builders.operators_by_rank import AVERAGE_POOL, MAX_POOL
from relay.frontend.builders.same_padded_windows import sides
from relay.frontend.builders.tensor_helpers import channels_first, channels_last, constant
from relay.frontend.node_errors import static_sizes
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.frontend.tensorflow.translate.convolution import (
    data_layout,
    padded_windows,
    padding,
    per_axis,
)
from relay.frontend.unsupported_operators import custom_help
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import add, multiply
from relay.ops.cast import Cast
from relay.ops.nn.pool_base import lowest
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode


@tf_operator("MaxPool", "MaxPool3D", "AvgPool", "AvgPool3D")
def pool(node: TfNode) -> Expr:
    """Translate maximum and average pooling."""
    return _pooled(node, node.ints_of("ksize"), node.ints_of("strides"))


@tf_operator("MaxPoolV2")
def pool_v2(node: TfNode) -> Expr:
    """Translate `MaxPoolV2`, whose window sizes and strides are inputs."""
    return _pooled(node, node.ints(1, "the window"), node.ints(2, "the strides"))


def _pooled(node: TfNode, windows: Sequence[int], every: Sequence[int]) -> Expr:
    rank = 3 if node.op.endswith("3D") else 2
    layout = data_layout(node, rank)
    window, strides = per_axis(layout, windows), per_axis(layout, every)
    for what, sizes in (("window sizes", windows), ("strides", every)):
        if any(sizes[layout.index(letter)] != 1 for letter in "NC"):
            problem = f"the {what} of batch and channels must be 1, but those of {layout} are"
            raise node.error(ErrorCode.F052, f"{problem} {[*sizes]}", custom_help(node.op))
    x, is_maximum = node.expr(0), node.op.startswith("Max")
    fill = lowest(x.tensor_type.dtype.numpy) if is_maximum else 0
    padded = padded_windows(node, layout, x, window, strides, (1,) * rank, fill)
    attributes = {
        "pool_size": window, "strides": strides, "padding": padded.padding, "layout": layout,
    }  # fmt: skip
    if is_maximum:
        return padded.apply(MAX_POOL[rank](**attributes))
    return padded.mean(AVERAGE_POOL[rank](**attributes))


@tf_operator("MaxPoolWithArgmax")
def max_pool_with_places(node: TfNode) -> Sequence[Expr]:
    """Translate `MaxPoolWithArgmax`: maxima, and their positions in the flattened images."""
    window = per_axis("NHWC", node.ints_of("ksize"))
    strides = per_axis("NHWC", node.ints_of("strides"))
    of = node.dtype("Targmax") if "Targmax" in node else int64
    x = node.expr(0)
    batch, rows, columns, channels = x.tensor_type.shape
    pairs = padding(node, "NHWC", (rows, columns), window, strides, (1, 1))
    images = channels_first(x)
    op = MAX_POOL[2](pool_size=window, strides=strides, padding=sides(pairs), layout="NCHW")
    maxima = Call(op, (images,), span=node.span)
    windows = [
        Window(size, stride, constant(before, int64), 1)
        for size, stride, (before, _) in zip(window, strides, pairs, strict=True)
    ]
    count = static_sizes((rows, columns, channels))
    places = channels_last(largest_in_windows(images, maxima, windows))
    numbers = Constant(np.arange(count[2]))
    places = add(multiply(places, constant(count[2], int64)), numbers)
    if node.flag("include_batch_in_index"):
        sizes = static_sizes((batch,))
        first = np.arange(sizes[0]).reshape(-1, 1, 1, 1) * int(np.prod(count))
        places = add(places, Constant(first))
    return [channels_last(maxima), Call(Cast(of), (places,))]
