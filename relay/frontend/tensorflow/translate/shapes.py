"""Translate TensorFlow operators that reshape, join, pad, repeat or reorder tensors."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.builders.tensorflow_operators import reshaped, shape_of, split_parts
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.frontend.tensorflow.translate.constants_and_variables import weight
from relay.ir.dims import is_static, product
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.numpy.shapes import roll
from relay.ops.nn.dynamic_pad import DynamicPad
from relay.ops.nn.mirror_pad import MirrorPad
from relay.ops.nn.pad import Pad
from relay.ops.nn.space_to_depth_and_batch import (
    BatchToSpaceND,
    DepthToSpace,
    SpaceToBatchND,
    SpaceToDepth,
)
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.gather import Take
from relay.ops.tensor.one_hot_and_shape_of import NdarraySize
from relay.ops.tensor.search_and_unique import InvertPermutation
from relay.support.dtype import DType, int32


@tf_operator("Reshape")
def reshape_node(node: TfNode) -> Expr:
    """Translate `Reshape`; a size of -1 is inferred."""
    return reshaped(node, node.sizes(1))


@tf_operator("Shape", "ShapeN")
def shape(node: TfNode) -> Sequence[Expr]:
    """Translate `Shape` and `ShapeN`: the sizes of one or several tensors."""
    of = _out_type(node)
    return [shape_of(node, x, of) for x in node.exprs()]


def _out_type(node: TfNode) -> DType:
    return node.dtype("out_type") if "out_type" in node else int32


@tf_operator("VariableShape")
def variable_shape(node: TfNode) -> Expr:
    """Translate `VariableShape`: the sizes of a variable."""
    return shape_of(node, weight(node, 0), _out_type(node))


@tf_operator("Size")
def size(node: TfNode) -> Expr:
    """Translate `Size`: the number of elements."""
    count, of = product(node.type(0).shape), _out_type(node)
    if isinstance(count, int):
        return constant(count, of)
    return Call(NdarraySize(of), (node.expr(0),), span=node.span)


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


@tf_operator("Split")
def split(node: TfNode) -> Sequence[Expr]:
    """Translate `Split` into equal parts along an axis."""
    count = node.integer_of("num_split")
    return split_parts(node, node.expr(1), count, node.integer(0, "the axis"), count)


@tf_operator("Pad", "PadV2")
def pad(node: TfNode) -> Expr:
    """Translate `Pad` with zeros, and `PadV2` with a value."""
    x = node.expr(0)
    value = node.expr(2) if len(node.inputs) > 2 else constant(0, x.tensor_type.dtype)
    widths = node.sizes(1)
    if widths is None or not is_static(widths):
        return Call(DynamicPad(), (x, reshape(value, ()), node.expr(1)), span=node.span)
    return Call(Pad(node.pairs(1, "the widths")), (x, reshape(value, ())), span=node.span)


@tf_operator("MirrorPad")
def mirror_pad(node: TfNode) -> Expr:
    """Translate `MirrorPad`: pad with a reflection, with or without the edge itself."""
    op = MirrorPad(node.pairs(1, "the widths"), node.text("mode"))
    return Call(op, (node.expr(0),), span=node.span)


@tf_operator("DepthToSpace", "SpaceToDepth")
def pixels(node: TfNode) -> Expr:
    """Translate `DepthToSpace` and `SpaceToDepth`."""
    kind = DepthToSpace if node.op == "DepthToSpace" else SpaceToDepth
    op = kind(block_size=node.integer_of("block_size"), layout=node.text("data_format", "NHWC"))
    return Call(op, (node.expr(0),), span=node.span)


@tf_operator("SpaceToBatchND")
def space_to_batch(node: TfNode) -> Expr:
    """Translate `SpaceToBatchND`: move blocks of padded spatial axes to the batch."""
    op = SpaceToBatchND(node.ints(1, "the block"), node.pairs(2, "the paddings"))
    return Call(op, (node.expr(0),), span=node.span)


@tf_operator("SpaceToBatch")
def space_to_batch_v1(node: TfNode) -> Expr:
    """Translate `SpaceToBatch`, which has square blocks."""
    op = SpaceToBatchND((node.integer_of("block_size"),) * 2, node.pairs(1, "the paddings"))
    return Call(op, (node.expr(0),), span=node.span)


@tf_operator("BatchToSpace")
def batch_to_space_v1(node: TfNode) -> Expr:
    """Translate `BatchToSpace`, which has square blocks."""
    op = BatchToSpaceND((node.integer_of("block_size"),) * 2, node.pairs(1, "the crops"))
    return Call(op, (node.expr(0),), span=node.span)


@tf_operator("Roll")
def roll_node(node: TfNode) -> Expr:
    """Translate `Roll`: rotate a tensor cyclically along axes."""
    x = node.expr(0)
    shifts, axes = node.ints(1, "the shifts"), node.ints(2, "the axes")
    for shift, axis in zip(shifts, axes, strict=True):
        x = roll(x, shift, axis)
    return x
