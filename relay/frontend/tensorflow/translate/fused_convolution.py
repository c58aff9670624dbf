"""Translate convolutions that `optimize_for_inference` fused with padding and resizing."""

from relay.frontend.builders.image_resizing import resized_linear
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.frontend.tensorflow.translate.convolution import convolved
from relay.ir.expr import Call, Expr
from relay.ops.nn.mirror_pad import MirrorPad


@tf_operator("FusedPadConv2D")
def padded_convolution(node: TfNode) -> Expr:
    """Translate `FusedPadConv2D`: mirrored padding, then a convolution."""
    return _padded_and_convolved(node, node.expr(0), 1)


@tf_operator("FusedResizeAndPadConv2D")
def resized_and_padded_convolution(node: TfNode) -> Expr:
    """Translate `FusedResizeAndPadConv2D`: resizing, mirrored padding, then a convolution."""
    size = node.ints(1, "the size")
    corners = node.flag("resize_align_corners")
    x = resized_linear(node.expr(0), size, corners=corners, centres=False)
    return _padded_and_convolved(node, x, 2)


def _padded_and_convolved(node: TfNode, x: Expr, index: int) -> Expr:
    """Return a convolution of padded images; the widths are input `index`, the weight is next."""
    widths = node.ints(index, "the widths")
    pairs = tuple(zip(widths[::2], widths[1::2], strict=True))
    padded = Call(MirrorPad(pairs, node.text("mode")), (x,), span=node.span)
    return convolved(node, "NHWC", padded, node.expr(index + 1), 1)
