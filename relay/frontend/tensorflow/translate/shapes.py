"""Translate TensorFlow operators that reshape, join, pad, repeat or reorder tensors."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.frontend.tensorflow.translate.constants_and_variables import weight
from relay.ir.dims import is_static, product
from relay.ir.expr import Call, Constant, Expr, Tuple, TupleGetItem
from relay.numpy.shapes import roll
from relay.ops.broadcasting import BroadcastTo
from relay.ops.complex_numbers.operators import Conj
from relay.ops.nn.dynamic_pad import DynamicPad
from relay.ops.nn.mirror_pad import MirrorPad
from relay.ops.nn.pad import Pad
from relay.ops.nn.space_to_depth_and_batch import (
    BatchToSpaceND,
    DepthToSpace,
    SpaceToBatchND,
    SpaceToDepth,
)
from relay.ops.tensor.concat_and_split import Concatenate, Split, Stack
from relay.ops.tensor.dynamic_shapes import DynamicBroadcastTo, DynamicReshape, DynamicTile
from relay.ops.tensor.gather import Take
from relay.ops.tensor.one_hot_and_shape_of import NdarraySize, ShapeOf
from relay.ops.tensor.reshape import ExpandDims, Reshape, Squeeze
from relay.ops.tensor.search_and_unique import InvertPermutation
from relay.ops.tensor.tile_and_repeat import Tile
from relay.ops.tensor.transpose import Reverse, ReverseSequence, Transpose
from relay.support.dtype import DType, int32


@tf_operator("Reshape")
def reshape_node(node: TfNode) -> Expr:
    """Translate `Reshape`; a size of -1 is inferred."""
    x, wanted = node.expr(0), node.sizes(1)
    if wanted is None:
        return Call(DynamicReshape(allowzero=True), (x, node.expr(1)), span=node.span)
    if -1 not in wanted:
        return reshape(x, wanted)
    if isinstance(x, Constant) and is_static(wanted):
        return Constant(x.data.reshape([int(str(size)) for size in wanted]), span=x.span)
    return Call(Reshape(wanted, allowzero=0 in wanted and -1 not in wanted), (x,), span=node.span)


@tf_operator("Squeeze")
def squeeze(node: TfNode) -> Expr:
    """Translate `Squeeze`: remove the listed axes of size 1, or all."""
    axes = node.ints_of("squeeze_dims", ())
    return Call(Squeeze(axes or None), (node.expr(0),), span=node.span)


@tf_operator("ExpandDims")
def expand_dims(node: TfNode) -> Expr:
    """Translate `ExpandDims`, which inserts an axis of size 1."""
    return Call(ExpandDims(node.integer(1, "the axis")), (node.expr(0),), span=node.span)


@tf_operator("Shape", "ShapeN")
def shape(node: TfNode) -> Sequence[Expr]:
    """Translate `Shape` and `ShapeN`: the sizes of one or several tensors."""
    of = _out_type(node)
    return [_shape_of(x, of, node) for x in node.exprs()]


def _out_type(node: TfNode) -> DType:
    return node.dtype("out_type") if "out_type" in node else int32


def _shape_of(x: Expr, of: DType, node: TfNode) -> Expr:
    sizes = x.tensor_type.shape
    if is_static(sizes):
        return Constant(np.array(sizes, of.numpy))
    return Call(ShapeOf(of), (x,), span=node.span)


@tf_operator("VariableShape")
def variable_shape(node: TfNode) -> Expr:
    """Translate `VariableShape`: the sizes of a variable."""
    return _shape_of(weight(node, 0), _out_type(node), node)


@tf_operator("Size")
def size(node: TfNode) -> Expr:
    """Translate `Size`: the number of elements."""
    count, of = product(node.type(0).shape), _out_type(node)
    if isinstance(count, int):
        return constant(count, of)
    return Call(NdarraySize(of), (node.expr(0),), span=node.span)


@tf_operator("Rank")
def rank(node: TfNode) -> Expr:
    """Translate `Rank`: the number of axes."""
    return constant(node.type(0).rank, int32)


@tf_operator("Transpose", "ConjugateTranspose")
def transpose(node: TfNode) -> Expr:
    """Translate `Transpose`, and `ConjugateTranspose`, which is the same for real numbers."""
    x = node.expr(0)
    if node.op == "ConjugateTranspose" and x.tensor_type.dtype.is_complex:
        x = Call(Conj(), (x,))
    return Call(Transpose(node.ints(1, "the permutation")), (x,), span=node.span)


@tf_operator("InvertPermutation")
def invert_permutation(node: TfNode) -> Expr:
    """Translate `InvertPermutation`."""
    return Call(InvertPermutation(), (node.expr(0),), span=node.span)


@tf_operator("ConcatV2")
def concatenate(node: TfNode) -> Expr:
    """Translate `ConcatV2`, whose axis is the last input."""
    *parts, _ = node.exprs()
    axis = node.integer(len(parts), "the axis")
    return Call(Concatenate(axis), (Tuple(tuple(parts)),), span=node.span)


@tf_operator("Concat")
def concatenate_v1(node: TfNode) -> Expr:
    """Translate `Concat`, whose axis is the first input."""
    _, *parts = node.exprs()
    return Call(Concatenate(node.integer(0, "the axis")), (Tuple(tuple(parts)),), span=node.span)


@tf_operator("ParallelConcat")
def parallel_concatenate(node: TfNode) -> Expr:
    """Translate `ParallelConcat`: join rows along the first axis."""
    node.ignore("shape")
    return Call(Concatenate(0), (Tuple(tuple(node.exprs())),), span=node.span)


@tf_operator("DataFormatDimMap", "DataFormatVecPermute")
def data_format(node: TfNode) -> Expr:
    """Translate `DataFormatDimMap` and `DataFormatVecPermute`: numbers of axes, or sizes.

    They are those of one data format, and become those of another.
    """
    source, target = node.text("src_format", "NHWC"), node.text("dst_format", "NCHW")
    x = node.expr(0)
    if node.op == "DataFormatDimMap":
        table = Constant(
            np.array([target.index(each) for each in source], x.tensor_type.dtype.numpy)
        )
        return Call(Take(axis=0, mode="wrap"), (table, x), span=node.span)
    if x.tensor_type.shape[0] != len(source):
        source, target = (
            "".join(each for each in format_ if each not in "NC") for format_ in (source, target)
        )
    order = Constant(np.array([source.index(each) for each in target]))
    return Call(Take(axis=0, mode="fast"), (x, order), span=node.span)


@tf_operator("Pack")
def pack(node: TfNode) -> Expr:
    """Translate `Pack`: stack tensors along a new axis."""
    op = Stack(node.integer_of("axis", 0))
    return Call(op, (Tuple(tuple(node.exprs())),), span=node.span)


@tf_operator("Unpack")
def unpack(node: TfNode) -> Sequence[Expr]:
    """Translate `Unpack`: the slices of a tensor along an axis, which is removed."""
    axis, count = node.integer_of("axis", 0), node.integer_of("num")
    parts = _parts(node, node.expr(0), count, axis, count) if count else []
    return [Call(Squeeze((axis,)), (part,)) for part in parts]


@tf_operator("Split")
def split(node: TfNode) -> Sequence[Expr]:
    """Translate `Split` into equal parts along an axis."""
    count = node.integer_of("num_split")
    return _parts(node, node.expr(1), count, node.integer(0, "the axis"), count)


@tf_operator("SplitV")
def split_v(node: TfNode) -> Sequence[Expr]:
    """Translate `SplitV` into parts of the given sizes, one of which may be -1."""
    axis, sizes = node.integer(2, "the axis"), list(node.ints(1, "the sizes"))
    node.ignore("num_split")
    if -1 in sizes:
        whole = node.type(0).static_shape[axis]
        sizes[sizes.index(-1)] = whole - sum(sizes) - 1
    ends = tuple(int(each) for each in np.cumsum(sizes)[:-1])
    return _parts(node, node.expr(0), ends, axis, len(sizes))


def _parts(node: TfNode, x: Expr, cuts: int | tuple[int, ...], axis: int, count: int) -> list[Expr]:
    whole = Call(Split(cuts, axis), (x,), span=node.span)
    return [TupleGetItem(whole, index) for index in range(count)]


@tf_operator("Tile")
def tile(node: TfNode) -> Expr:
    """Translate `Tile`: repeat a tensor along its axes."""
    counts = node.sizes(1)
    if counts is None or not is_static(counts):
        return Call(DynamicTile(), (node.expr(0), node.expr(1)), span=node.span)
    return Call(Tile(node.ints(1, "the counts")), (node.expr(0),), span=node.span)


@tf_operator("BroadcastTo")
def broadcast_to(node: TfNode) -> Expr:
    """Translate `BroadcastTo`."""
    wanted = node.sizes(1)
    if wanted is None:
        return Call(DynamicBroadcastTo(), (node.expr(0), node.expr(1)), span=node.span)
    return Call(BroadcastTo(wanted), (node.expr(0),), span=node.span)


@tf_operator("BroadcastArgs")
def broadcast_args(node: TfNode) -> Expr:
    """Translate `BroadcastArgs`: the shape to which two shapes broadcast."""
    found = np.broadcast_shapes(node.ints(0, "a shape"), node.ints(1, "a shape"))
    return Constant(np.array(found, node.type(0).dtype.numpy))


def _pairs(node: TfNode, index: int, what: str) -> tuple[tuple[int, int], ...]:
    found = node.ints(index, what)
    return tuple(zip(found[::2], found[1::2], strict=True))


@tf_operator("Pad", "PadV2")
def pad(node: TfNode) -> Expr:
    """Translate `Pad` with zeros, and `PadV2` with a value."""
    x = node.expr(0)
    value = node.expr(2) if len(node.inputs) > 2 else constant(0, x.tensor_type.dtype)
    widths = node.sizes(1)
    if widths is None or not is_static(widths):
        return Call(DynamicPad(), (x, reshape(value, ()), node.expr(1)), span=node.span)
    return Call(Pad(_pairs(node, 1, "the widths")), (x, reshape(value, ())), span=node.span)


@tf_operator("MirrorPad")
def mirror_pad(node: TfNode) -> Expr:
    """Translate `MirrorPad`: pad with a reflection, with or without the edge itself."""
    op = MirrorPad(_pairs(node, 1, "the widths"), node.text("mode"))
    return Call(op, (node.expr(0),), span=node.span)


@tf_operator("ReverseV2")
def reverse(node: TfNode) -> Expr:
    """Translate `ReverseV2` along axes."""
    x = node.expr(0)
    for axis in node.ints(1, "the axes"):
        x = Call(Reverse(axis), (x,), span=node.span)
    return x


@tf_operator("ReverseSequence")
def reverse_sequence(node: TfNode) -> Expr:
    """Translate `ReverseSequence`: reverse the first elements of each sequence, by length."""
    op = ReverseSequence(node.integer_of("seq_dim"), node.integer_of("batch_dim", 0))
    return Call(op, (node.expr(0), node.expr(1)), span=node.span)


@tf_operator("DepthToSpace", "SpaceToDepth")
def pixels(node: TfNode) -> Expr:
    """Translate `DepthToSpace` and `SpaceToDepth`."""
    kind = DepthToSpace if node.op == "DepthToSpace" else SpaceToDepth
    op = kind(block_size=node.integer_of("block_size"), layout=node.text("data_format", "NHWC"))
    return Call(op, (node.expr(0),), span=node.span)


@tf_operator("SpaceToBatchND")
def space_to_batch(node: TfNode) -> Expr:
    """Translate `SpaceToBatchND`: move blocks of padded spatial axes to the batch."""
    op = SpaceToBatchND(node.ints(1, "the block"), _pairs(node, 2, "the paddings"))
    return Call(op, (node.expr(0),), span=node.span)


@tf_operator("BatchToSpaceND")
def batch_to_space(node: TfNode) -> Expr:
    """Translate `BatchToSpaceND`: move blocks of the batch to spatial axes, then crop."""
    op = BatchToSpaceND(node.ints(1, "the block"), _pairs(node, 2, "the crops"))
    return Call(op, (node.expr(0),), span=node.span)


@tf_operator("SpaceToBatch")
def space_to_batch_v1(node: TfNode) -> Expr:
    """Translate `SpaceToBatch`, which has square blocks."""
    op = SpaceToBatchND((node.integer_of("block_size"),) * 2, _pairs(node, 1, "the paddings"))
    return Call(op, (node.expr(0),), span=node.span)


@tf_operator("BatchToSpace")
def batch_to_space_v1(node: TfNode) -> Expr:
    """Translate `BatchToSpace`, which has square blocks."""
    op = BatchToSpaceND((node.integer_of("block_size"),) * 2, _pairs(node, 1, "the crops"))
    return Call(op, (node.expr(0),), span=node.span)


@tf_operator("Roll")
def roll_node(node: TfNode) -> Expr:
    """Translate `Roll`: rotate a tensor cyclically along axes."""
    x = node.expr(0)
    shifts, axes = node.ints(1, "the shifts"), node.ints(2, "the axes")
    for shift, axis in zip(shifts, axes, strict=True):
        x = roll(x, shift, axis)
    return x
