"""Translate TensorFlow Lite slices."""

import numpy as np

from relay.frontend.builders.run_time_slices import read_part, write_part
from relay.frontend.builders.strided_slice import Masks, scalars, strided_slice
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.ir.expr import Call, Constant, Expr
from relay.ops.tensor.dynamic_shapes import Dynamic
from relay.ops.tensor.run_time_slice import DynamicStridedSlice
from relay.ops.tensor.slice import StridedSlice
from relay.support.error_codes import ErrorCode


@lite_operator("SLICE")
def slice_node(node: LiteNode) -> Expr:
    """Translate `SLICE` by begins and sizes; a size of -1 extends to the end."""
    x = node.expr(0)
    if not isinstance(node.expr(2), Constant):
        return _at_run_time(node, DynamicStridedSlice(slice_mode="size"))
    sizes = node.ints(2, "the sizes")
    if isinstance(node.expr(1), Constant):
        begin = node.ints(1, "the begin of the slice")
        return Call(StridedSlice(begin, sizes, slice_mode="size"), (x,), span=node.span)
    if -1 in sizes:
        return _at_run_time(node, DynamicStridedSlice(slice_mode="size"))
    return read_part(x, scalars(node.expr(1), len(sizes)), sizes)


def _at_run_time(node: LiteNode, op: Dynamic) -> Expr:
    steps = Constant(np.ones(node.type(0).rank, np.int64))
    return Call(op, (node.expr(0), node.expr(1), node.expr(2), steps), span=node.span)


@lite_operator("DYNAMIC_UPDATE_SLICE")
def dynamic_update_slice(node: LiteNode) -> Expr:
    """Translate `DYNAMIC_UPDATE_SLICE`: write a tensor into another at clamped begins."""
    begins = scalars(node.expr(2), node.type(0).rank)
    return write_part(node.expr(0), node.expr(1), begins)


@lite_operator("STRIDED_SLICE")
def strided_slice_node(node: LiteNode) -> Expr:
    """Translate `STRIDED_SLICE`; masks remove axes and insert new ones."""
    if node.option_or("Offset", default=False):
        raise node.error(
            ErrorCode.F030, "the option offset=True, an end relative to the begin, is not supported"
        )
    masks = Masks(
        begin=node.option("BeginMask"),
        end=node.option("EndMask"),
        ellipsis=node.option("EllipsisMask"),
        new_axis=node.option("NewAxisMask"),
        shrink=node.option("ShrinkAxisMask"),
    )
    strides = node.ints(3, "the strides")
    return strided_slice(node.expr(0), node.expr(1), node.expr(2), strides, masks)
