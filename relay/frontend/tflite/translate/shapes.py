"""Translate TensorFlow Lite operators that reshape, join, pad, repeat or reorder tensors."""

from collections.abc import Sequence

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.builders.tensorflow_operators import reshaped, shape_of, split_parts
from relay.frontend.tflite.integer_arithmetic import scaled, stored, without_zero
from relay.frontend.tflite.node import Activation, LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.ir.expr import Call, Expr, Tuple
from relay.ops.nn.mirror_pad import MirrorPad
from relay.ops.nn.pad import Pad
from relay.ops.nn.space_to_depth_and_batch import (
    DepthToSpace,
    SpaceToBatchND,
    SpaceToDepth,
)
from relay.ops.tensor.concat_and_split import Concatenate
from relay.support.error_codes import ErrorCode


@lite_operator("RESHAPE")
def reshape_node(node: LiteNode) -> Expr:
    """Translate `RESHAPE`; a size of -1 is inferred."""
    wanted = node.sizes(1) if node.has(1) else node.vector("NewShape")
    node.ignore("NewShape")
    return reshaped(node, wanted)


@lite_operator("SHAPE")
def shape(node: LiteNode) -> Expr:
    """Translate `SHAPE`: the sizes of a tensor."""
    node.ignore("OutType")  # the result tensor has this type
    assert node.result.dtype is not None, "sizes are integers"
    return shape_of(node, node.expr(0), node.result.dtype)


@lite_operator("CONCATENATION")
def concatenation(node: LiteNode) -> Expr:
    """Translate `CONCATENATION`; quantised tensors are converted to the result's scale."""
    if node.activation() is not Activation.NONE:
        raise node.error(ErrorCode.F030, "a concatenation with a fused activation is not supported")
    parts = [_in_scale(node, index) for index in range(len(node.inputs))]
    return Call(Concatenate(node.option("Axis")), (Tuple(tuple(parts)),), span=node.span)


def _in_scale(node: LiteNode, index: int) -> Expr:
    """Return an input converted to the scale and zero point of the result."""
    tensor, out = node.tensor(index), node.result
    if not (tensor.is_quantized and out.is_quantized):
        return node.expr(index)
    if tensor.scale == out.scale and tensor.zero == out.zero:
        return node.expr(index)
    factor = float(tensor.scale) / float(out.scale)
    return stored(scaled(without_zero(node, index), [factor]), out)


@lite_operator("SPLIT")
def split(node: LiteNode) -> Sequence[Expr]:
    """Translate `SPLIT` into equal parts along an axis."""
    count = node.option("NumSplits")
    return split_parts(node, node.expr(1), count, node.integer(0, "the axis"), count)


@lite_operator("PAD", "PADV2")
def pad(node: LiteNode) -> Expr:
    """Translate `PAD` with the stored form of zero, and `PADV2` with a value."""
    x, out = node.expr(0), node.result
    zero = out.zero if out.is_quantized else 0
    value = node.expr(2) if node.has(2) else constant(zero, x.tensor_type.dtype)
    return Call(Pad(node.pairs(1, "the widths")), (x, reshape(value, ())), span=node.span)


@lite_operator("MIRROR_PAD")
def mirror_pad(node: LiteNode) -> Expr:
    """Translate `MIRROR_PAD`: pad with a reflection, with or without the edge itself."""
    mode = "SYMMETRIC" if node.option("Mode") else "REFLECT"
    return Call(MirrorPad(node.pairs(1, "the widths"), mode), (node.expr(0),), span=node.span)


@lite_operator("DEPTH_TO_SPACE", "SPACE_TO_DEPTH")
def pixels(node: LiteNode) -> Expr:
    """Translate `DEPTH_TO_SPACE` and `SPACE_TO_DEPTH` of images `(N, H, W, C)`."""
    kind = DepthToSpace if node.op == "DEPTH_TO_SPACE" else SpaceToDepth
    op = kind(block_size=node.option("BlockSize"), layout="NHWC")
    return Call(op, (node.expr(0),), span=node.span)


@lite_operator("SPACE_TO_BATCH_ND")
def space_to_batch(node: LiteNode) -> Expr:
    """Translate `SPACE_TO_BATCH_ND`: move blocks of padded spatial axes to the batch."""
    zero = node.result.zero if node.result.is_quantized else 0
    op = SpaceToBatchND(node.ints(1, "the block"), node.pairs(2, "the paddings"), zero)
    return Call(op, (node.expr(0),), span=node.span)
