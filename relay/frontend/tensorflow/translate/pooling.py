"""Translate TensorFlow image pooling."""

from collections.abc import Sequence

from relay.frontend.builders.operators_by_rank import AVERAGE_POOL, MAX_POOL
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.frontend.tensorflow.translate.convolution import (
    data_layout,
    padding,
    per_axis,
    sides,
    spatial_sizes,
)
from relay.ir.expr import Call, Expr


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
    if any(each[layout.index(letter)] != 1 for each in (windows, every) for letter in "NC"):
        raise node.wrong("ksize")
    sizes = spatial_sizes(layout, node.type(0).shape)
    pairs = padding(node, layout, sizes, window, strides, (1,) * rank)
    kind = (MAX_POOL if node.op.startswith("Max") else AVERAGE_POOL)[rank]
    op = kind(pool_size=window, strides=strides, padding=sides(pairs), layout=layout)
    return Call(op, (node.expr(0),), span=node.span)
