"""Translate TensorFlow slices."""

from relay.frontend.builders.run_time_slices import read_part
from relay.frontend.builders.strided_slice import Masks, scalars, strided_slice
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.expr import Expr


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


@tf_operator("XlaDynamicSlice")
def dynamic_slice(node: TfNode) -> Expr:
    """Translate `XlaDynamicSlice`: read a part of static sizes at clamped begins."""
    sizes = node.ints(2, "the sizes")
    return read_part(node.expr(0), scalars(node.expr(1), len(sizes)), sizes)
