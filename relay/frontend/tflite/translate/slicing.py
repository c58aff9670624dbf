"""Translate TensorFlow Lite slices."""

from relay.frontend.builders.strided_slice import Masks, strided_slice
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.ir.expr import Expr
from relay.support.error_codes import ErrorCode


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
