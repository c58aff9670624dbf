"""Translate TensorFlow slices."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.run_time_slices import read_part, write_part
from relay.frontend.builders.strided_slice import Masks, scalars, strided_slice
from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.dims import ANY, Dim
from relay.ir.expr import Call, Constant, Expr
from relay.ops.tensor.run_time_slice import DynamicStridedSlice
from relay.ops.tensor.slice import StridedSlice


@tf_operator("Slice")
def slice_node(node: TfNode) -> Expr:
    """Translate `Slice` by begins and sizes; a size of -1 extends to the end."""
    x, begin, sizes = node.expr(0), node.sizes(1), node.sizes(2)
    if begin is not None and sizes is not None:
        part = Call(StridedSlice(begin, sizes, slice_mode="size"), (x,), span=node.span)
        return _of_sizes(part, sizes)
    counts = node.ints(2, "the sizes") if isinstance(node.expr(2), Constant) else ()
    if counts and -1 not in counts:
        return read_part(x, scalars(node.expr(1), len(counts)), counts)
    steps = Constant(np.ones(node.type(0).rank, np.int64))
    op = DynamicStridedSlice(slice_mode="size")
    return Call(op, (x, node.expr(1), node.expr(2), steps), span=node.span)


def _of_sizes(part: Expr, sizes: Sequence[Dim]) -> Expr:
    """Return a slice with a run-time check that it has the requested sizes."""
    found = part.tensor_type.shape
    wanted = [old if new == -1 else new for old, new in zip(found, sizes, strict=True)]
    is_known = ANY in wanted or all(a == b for a, b in zip(found, wanted, strict=True))
    return part if is_known else reshape(part, wanted)


@tf_operator("StridedSlice")
def strided_slice_node(node: TfNode) -> Expr:
    """Translate `StridedSlice`; masks remove axes and insert new ones."""
    strides = node.ints(3, "the strides")
    return strided_slice(node.expr(0), node.expr(1), node.expr(2), strides, masks_of(node))


def masks_of(node: TfNode) -> Masks:
    """Return the masks of a strided slice, which are attributes of the node."""
    return Masks(
        begin=node.integer_of("begin_mask", 0),
        end=node.integer_of("end_mask", 0),
        ellipsis=node.integer_of("ellipsis_mask", 0),
        new_axis=node.integer_of("new_axis_mask", 0),
        shrink=node.integer_of("shrink_axis_mask", 0),
    )


@tf_operator("XlaDynamicUpdateSlice")
def dynamic_update_slice(node: TfNode) -> Expr:
    """Translate `XlaDynamicUpdateSlice`: write a tensor at clamped begins."""
    begins = scalars(node.expr(2), node.type(0).rank)
    return write_part(node.expr(0), node.expr(1), begins)


@tf_operator("XlaDynamicSlice")
def dynamic_slice(node: TfNode) -> Expr:
    """Translate `XlaDynamicSlice`: read a part of static sizes at clamped begins."""
    sizes = node.ints(2, "the sizes")
    return read_part(node.expr(0), scalars(node.expr(1), len(sizes)), sizes)
