"""Translate TensorFlow Lite operators that reshape, join, pad, repeat or reorder tensors."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.tflite.integer_arithmetic import scaled, stored, without_zero
from relay.frontend.tflite.node import Activation, LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.ir.dims import is_static
from relay.ir.expr import Call, Constant, Expr, Tuple, TupleGetItem
from relay.ops.broadcasting import BroadcastTo
from relay.ops.nn.mirror_pad import MirrorPad
from relay.ops.nn.pad import Pad
from relay.ops.nn.space_to_depth_and_batch import (
    BatchToSpaceND,
    DepthToSpace,
    SpaceToBatchND,
    SpaceToDepth,
)
from relay.ops.tensor.concat_and_split import Concatenate, Split, Stack
from relay.ops.tensor.dynamic_shapes import DynamicBroadcastTo, DynamicReshape
from relay.ops.tensor.one_hot_and_shape_of import ShapeOf
from relay.ops.tensor.reshape import ExpandDims, Reshape, Squeeze
from relay.ops.tensor.tile_and_repeat import Tile
from relay.ops.tensor.transpose import Reverse, ReverseSequence, Transpose
from relay.support.error_codes import ErrorCode


@lite_operator("RESHAPE")
def reshape_node(node: LiteNode) -> Expr:
    """Translate `RESHAPE`; a size of -1 is inferred."""
    wanted = node.sizes(1) if node.has(1) else node.vector("NewShape")
    node.ignore("NewShape")
    if wanted is None:
        return Call(DynamicReshape(allowzero=True), (node.expr(0), node.expr(1)), span=node.span)
    if -1 not in wanted:
        return reshape(node.expr(0), wanted)
    return Call(Reshape(wanted, allowzero=0 in wanted and -1 not in wanted), (node.expr(0),))


@lite_operator("SQUEEZE")
def squeeze(node: LiteNode) -> Expr:
    """Translate `SQUEEZE`: remove the listed axes of size 1, or all."""
    return Call(Squeeze(node.vector("SqueezeDims") or None), (node.expr(0),), span=node.span)


@lite_operator("EXPAND_DIMS")
def expand_dims(node: LiteNode) -> Expr:
    """Translate `EXPAND_DIMS`, which inserts an axis of size 1."""
    return Call(ExpandDims(node.integer(1, "the axis")), (node.expr(0),), span=node.span)


@lite_operator("SHAPE")
def shape(node: LiteNode) -> Expr:
    """Translate `SHAPE`: the sizes of a tensor."""
    node.ignore("OutType")  # the result tensor has this type
    assert node.result.dtype is not None, "sizes are integers"
    sizes = node.type(0).shape
    if is_static(sizes):
        return Constant(np.array(sizes, node.result.dtype.numpy))
    return Call(ShapeOf(node.result.dtype), (node.expr(0),), span=node.span)


@lite_operator("RANK")
def rank(node: LiteNode) -> Expr:
    """Translate `RANK`: the number of axes."""
    return Constant(np.array(node.type(0).rank, np.int32))


@lite_operator("TRANSPOSE")
def transpose(node: LiteNode) -> Expr:
    """Translate `TRANSPOSE`."""
    return Call(Transpose(node.ints(1, "the permutation")), (node.expr(0),), span=node.span)


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


@lite_operator("PACK")
def pack(node: LiteNode) -> Expr:
    """Translate `PACK`: stack tensors along a new axis."""
    node.ignore("ValuesCount")
    return Call(Stack(node.option("Axis")), (Tuple(tuple(node.exprs())),), span=node.span)


@lite_operator("UNPACK")
def unpack(node: LiteNode) -> Sequence[Expr]:
    """Translate `UNPACK`: the slices of a tensor along an axis, which is removed."""
    axis, count = node.option("Axis"), node.option("Num")
    parts = _parts(node, node.expr(0), count, axis) if count else []
    return [Call(Squeeze((axis,)), (part,)) for part in parts]


@lite_operator("SPLIT")
def split(node: LiteNode) -> Sequence[Expr]:
    """Translate `SPLIT` into equal parts along an axis."""
    return _parts(node, node.expr(1), node.option("NumSplits"), node.integer(0, "the axis"))


@lite_operator("SPLIT_V")
def split_v(node: LiteNode) -> Sequence[Expr]:
    """Translate `SPLIT_V` into parts of the given sizes, one of which may be -1."""
    node.ignore("NumSplits")
    axis, sizes = node.integer(2, "the axis"), list(node.ints(1, "the sizes"))
    if -1 in sizes:
        whole = node.type(0).static_shape[axis]
        sizes[sizes.index(-1)] = whole - sum(sizes) - 1
    ends = tuple(int(each) for each in np.cumsum(sizes)[:-1])
    return _parts(node, node.expr(0), ends, axis)


def _parts(node: LiteNode, x: Expr, cuts: int | tuple[int, ...], axis: int) -> list[Expr]:
    whole = Call(Split(cuts, axis), (x,), span=node.span)
    return [TupleGetItem(whole, index) for index in range(len(node.results))]


@lite_operator("TILE")
def tile(node: LiteNode) -> Expr:
    """Translate `TILE`: repeat a tensor along its axes."""
    return Call(Tile(node.ints(1, "the counts")), (node.expr(0),), span=node.span)


@lite_operator("BROADCAST_TO")
def broadcast_to(node: LiteNode) -> Expr:
    """Translate `BROADCAST_TO`."""
    wanted = node.sizes(1)
    if wanted is None:
        return Call(DynamicBroadcastTo(), (node.expr(0), node.expr(1)), span=node.span)
    return Call(BroadcastTo(wanted), (node.expr(0),), span=node.span)


@lite_operator("BROADCAST_ARGS")
def broadcast_args(node: LiteNode) -> Expr:
    """Translate `BROADCAST_ARGS`: the shape to which two shapes broadcast."""
    found = np.broadcast_shapes(node.ints(0, "a shape"), node.ints(1, "a shape"))
    assert node.result.dtype is not None, "sizes are integers"
    return Constant(np.array(found, node.result.dtype.numpy))


def _widths(node: LiteNode) -> tuple[tuple[int, int], ...]:
    found = node.ints(1, "the widths")
    return tuple(zip(found[::2], found[1::2], strict=True))


@lite_operator("PAD", "PADV2")
def pad(node: LiteNode) -> Expr:
    """Translate `PAD` with the stored form of zero, and `PADV2` with a value."""
    x, out = node.expr(0), node.result
    zero = out.zero if out.is_quantized else 0
    value = node.expr(2) if node.has(2) else constant(zero, x.tensor_type.dtype)
    return Call(Pad(_widths(node)), (x, reshape(value, ())), span=node.span)


@lite_operator("MIRROR_PAD")
def mirror_pad(node: LiteNode) -> Expr:
    """Translate `MIRROR_PAD`: pad with a reflection, with or without the edge itself."""
    mode = "SYMMETRIC" if node.option("Mode") else "REFLECT"
    return Call(MirrorPad(_widths(node), mode), (node.expr(0),), span=node.span)


@lite_operator("REVERSE_V2")
def reverse(node: LiteNode) -> Expr:
    """Translate `REVERSE_V2` along axes."""
    x = node.expr(0)
    for axis in node.ints(1, "the axes"):
        x = Call(Reverse(axis), (x,), span=node.span)
    return x


@lite_operator("REVERSE_SEQUENCE")
def reverse_sequence(node: LiteNode) -> Expr:
    """Translate `REVERSE_SEQUENCE`: reverse the first elements of each sequence, by length."""
    op = ReverseSequence(node.option("SeqDim"), node.option("BatchDim"))
    return Call(op, (node.expr(0), node.expr(1)), span=node.span)


@lite_operator("DEPTH_TO_SPACE", "SPACE_TO_DEPTH")
def pixels(node: LiteNode) -> Expr:
    """Translate `DEPTH_TO_SPACE` and `SPACE_TO_DEPTH` of images `(N, H, W, C)`."""
    kind = DepthToSpace if node.op == "DEPTH_TO_SPACE" else SpaceToDepth
    op = kind(block_size=node.option("BlockSize"), layout="NHWC")
    return Call(op, (node.expr(0),), span=node.span)


@lite_operator("SPACE_TO_BATCH_ND")
def space_to_batch(node: LiteNode) -> Expr:
    """Translate `SPACE_TO_BATCH_ND`: move blocks of padded spatial axes to the batch."""
    found = node.ints(2, "the paddings")
    zero = node.result.zero if node.result.is_quantized else 0
    paddings = tuple(zip(found[::2], found[1::2], strict=True))
    op = SpaceToBatchND(node.ints(1, "the block"), paddings, zero)
    return Call(op, (node.expr(0),), span=node.span)


@lite_operator("BATCH_TO_SPACE_ND")
def batch_to_space(node: LiteNode) -> Expr:
    """Translate `BATCH_TO_SPACE_ND`: move blocks of the batch to spatial axes, then crop."""
    found = node.ints(2, "the crops")
    crops = tuple(zip(found[::2], found[1::2], strict=True))
    return Call(BatchToSpaceND(node.ints(1, "the block"), crops), (node.expr(0),), span=node.span)
