"""The rules of operators on whole complex tensors, by what they do with the parts.

Operators that move or add elements are applied to each part for itself, products of tensors to
each pair of parts.
"""

from collections.abc import Iterator, Sequence
from itertools import product as combinations
from typing import Any, cast

from relay.ir.expr import Call, Expr, Tuple, TupleGetItem
from relay.ir.types import TensorType, TupleType, Type
from relay.opdef.complex_rules import ComplexTensor, Operand, complex_rule, is_complex
from relay.opdef.definition import OperatorDef
from relay.ops import annotation, device_annotations
from relay.ops.binary import Add, Subtract, add, subtract
from relay.ops.broadcasting import BroadcastTo, BroadcastToLike, CollapseSumLike, CollapseSumTo
from relay.ops.complex_numbers import arithmetic
from relay.ops.complex_numbers.elementwise_rules import converted
from relay.ops.creation import Full, FullLike, Ones, OnesLike, Zeros, ZerosLike
from relay.ops.elementwise import Copy, Negative
from relay.ops.identity_operators import StopGradient, WithDerivativesOf
from relay.ops.nn import conv_operators, matmul
from relay.ops.nn.batch_norm_dropout import Dropout
from relay.ops.nn.bias_add import BiasAdd
from relay.ops.nn.dynamic_pad import DynamicPad
from relay.ops.nn.mirror_pad import MirrorPad
from relay.ops.nn.pad import Pad
from relay.ops.nn.space_to_depth_and_batch import (
    BatchFlatten,
    BatchToSpaceND,
    DepthToSpace,
    PixelShuffle,
    SpaceToBatchND,
    SpaceToDepth,
)
from relay.ops.sum_and_mean_reductions import Mean, Sum, Variance
from relay.ops.tensor import concat_and_split, dynamic_shapes, gather, reshape, transpose
from relay.ops.tensor.advanced_indexing import AdvIndex
from relay.ops.tensor.einsum import Einsum
from relay.ops.tensor.layout_transform import LayoutTransform
from relay.ops.tensor.one_hot_and_shape_of import NdarraySize, OneHot, ShapeOf
from relay.ops.tensor.run_time_slice import DynamicStridedSlice
from relay.ops.tensor.scan import Cumsum
from relay.ops.tensor.scatter import ScatterElements, ScatterND
from relay.ops.tensor.shape_assertion import Assured, Fits
from relay.ops.tensor.slice import SliceLike, StridedSlice, StridedSliceGrad
from relay.ops.tensor.strided_set import SetPart, StridedSet
from relay.ops.tensor.tile_and_repeat import Repeat, Tile
from relay.ops.tensor.triangles_masks_diagonals import MatrixSetDiag, SequenceMask, Trilu
from relay.ops.tensor.windows_and_fourier import SlidingWindow
from relay.support.dtype import DType
from relay.support.node import replace

_EACH_PART = (
    *(Add, Subtract, Negative, Copy, Sum, Mean, Cumsum, CollapseSumTo, CollapseSumLike, BiasAdd),
    *(Zeros, Ones, ZerosLike, BroadcastTo, BroadcastToLike, StopGradient, WithDerivativesOf),
    *(annotation.StopFusion, annotation.Checkpoint, annotation.Barrier, Assured, Fits),
    *(device_annotations.OnDevice, device_annotations.DeviceCopy),
    *(reshape.Reshape, reshape.ReverseReshape, reshape.ReshapeLike, reshape.ExpandDims),
    *(reshape.Squeeze, transpose.Transpose, transpose.Reverse, transpose.ReverseSequence),
    *(concat_and_split.Concatenate, concat_and_split.Stack, concat_and_split.Split),
    *(concat_and_split.Meshgrid, StridedSlice, SliceLike, StridedSet, StridedSliceGrad),
    *(gather.Take, gather.TakeGrad, gather.Gather, gather.GatherGrad, gather.GatherND),
    *(gather.GatherNDGrad, AdvIndex, Tile, Repeat, Trilu, SetPart, MatrixSetDiag, SlidingWindow),
    *(LayoutTransform, MirrorPad, BatchFlatten, DepthToSpace, SpaceToDepth),
    *(BatchToSpaceND, PixelShuffle),
    *(dynamic_shapes.DynamicReshape, dynamic_shapes.DynamicSqueeze, DynamicStridedSlice),
    *(dynamic_shapes.DynamicExpandDims, dynamic_shapes.DynamicTile),
    *(dynamic_shapes.DynamicBroadcastTo, dynamic_shapes.DynamicZeros, dynamic_shapes.DynamicOnes),
)
"""The operators that are linear over the reals, with real coefficients."""

_PRODUCTS = (
    *(matmul.Dense, matmul.Matmul, matmul.BatchMatmul, Einsum),
    *(conv_operators.Conv1D, conv_operators.Conv2D, conv_operators.Conv3D),
)
"""The operators that are linear in each of their operands."""


@complex_rule(*_EACH_PART)
def each_part(op: OperatorDef, *operands: Operand) -> Operand:
    """Return the operator applied to the real parts, and to the imaginary parts.

    Real operands, such as indices, are those of both calls. Results that are real, because only
    the shape of a complex operand matters, are those of the first call. If all operands are real,
    the imaginary part of the result is 0.
    """
    of_parts, result = with_real_types(op), op.result_type([*map(_type, operands)])
    real = Call(of_parts, tuple(_part(each, 0) for each in operands))
    if not is_complex(result):
        return real
    if not any(map(_is_complex, operands)):
        return arithmetic.of_real(real)
    imaginary = Call(of_parts, tuple(_part(each, 1) for each in operands))
    if not isinstance(result, TupleType):
        return ComplexTensor(real, imaginary)
    pairs = [(TupleGetItem(real, i), TupleGetItem(imaginary, i)) for i in range(len(result.fields))]
    return tuple(
        ComplexTensor(*pair) if is_complex(ty) else pair[0]
        for pair, ty in zip(pairs, result.fields, strict=True)
    )


def _type(operand: Operand) -> Type:
    match operand:
        case ComplexTensor():
            part = operand.tensor_type
            return TensorType(part.shape, part.dtype.as_complex)
        case tuple():
            return TupleType(tuple(map(_type, operand)))
        case _:
            return operand.type


@complex_rule(*_PRODUCTS)
def product(op: OperatorDef, *operands: Operand) -> Operand:
    """Return the sums of the products of parts: each imaginary factor is one turn by 90 degrees."""
    of_parts = with_real_types(op)
    if not any(map(_is_complex, operands)):
        return each_part(op, *operands)
    turns: list[list[Expr]] = [[], [], [], []]
    for chosen in combinations(*map(_choices, operands)):
        turn = sum(imaginary for imaginary, _ in chosen) % 4
        turns[turn].append(Call(of_parts, tuple(operand for _, operand in chosen)))
    return ComplexTensor(_sum(turns[0], turns[2]), _sum(turns[1], turns[3]))


def _choices(operand: Operand) -> list[tuple[int, Expr]]:
    """Return the parts of an operand, each with the number of imaginary tensors in it."""
    match operand:
        case ComplexTensor():
            return list(enumerate(operand.parts))
        case tuple():
            found = combinations(*map(_choices, operand))
            return [(sum(n for n, _ in each), Tuple(tuple(x for _, x in each))) for each in found]
        case _:
            return [(0, operand)]


def _sum(terms: Sequence[Expr], less: Sequence[Expr]) -> Expr:
    first, *others = terms
    for each in others:
        first = add(first, each)
    for each in less:
        first = subtract(first, each)
    return first


@complex_rule(ScatterElements, ScatterND)
def _scatter(op: ScatterElements | ScatterND, *operands: Operand) -> Operand:
    return each_part(op, *operands)


@complex_rule(ShapeOf, NdarraySize)
def _of_shape(op: OperatorDef, x: ComplexTensor) -> Operand:
    return Call(op, (x.real,))


@complex_rule(OnesLike)
def _ones_like(op: OnesLike, x: ComplexTensor) -> Operand:
    return arithmetic.of_real(Call(op, (x.real,)))


@complex_rule(Full)
def _full(op: Full, number: Expr | ComplexTensor) -> Operand:
    number = number if op.dtype is None else converted(number, op.dtype)
    plain = replace(op, dtype=None)
    return each_part(plain, number) if isinstance(number, ComplexTensor) else Call(plain, (number,))


@complex_rule(FullLike)
def _full_like(op: FullLike, data: Expr | ComplexTensor, number: Expr | ComplexTensor) -> Operand:
    if isinstance(data, Expr):
        assert isinstance(number, ComplexTensor), "one of both is complex"
        return Call(op, (data, number.real))
    if isinstance(number, ComplexTensor):
        return each_part(op, data, number)
    return arithmetic.of_real(Call(op, (data.real, number)))


@complex_rule(Pad, DynamicPad)
def _pad(
    op: OperatorDef, data: Expr | ComplexTensor, value: Expr | ComplexTensor, *sizes: Expr
) -> Operand:
    """Return each part padded with that part of the number, which is converted as by `cast`."""
    dtype = cast("TensorType", _type(data)).dtype
    return each_part(op, data, converted(value, dtype), *sizes)


@complex_rule(SpaceToBatchND)
def _space_to_batch(op: SpaceToBatchND, x: ComplexTensor) -> Operand:
    """Return both parts in blocks; the padding is a real number."""
    imaginary = Call(replace(op, pad_value=0.0), (x.imaginary,))
    return ComplexTensor(Call(op, (x.real,)), imaginary)


@complex_rule(Variance)
def _variance(op: Variance, x: ComplexTensor, mean: ComplexTensor) -> Operand:
    """Return the sum of the variances of the parts."""
    return add(*(Call(op, pair) for pair in zip(x.parts, mean.parts, strict=True)))


@complex_rule(OneHot)
def _one_hot(op: OneHot, indices: Expr, *values: Expr | ComplexTensor) -> Operand:
    """Return each part of the values where the index is, after the conversion of the values."""
    numbers = values if op.dtype is None else [converted(each, op.dtype) for each in values]
    return each_part(replace(op, dtype=None), indices, *numbers)


@complex_rule(Dropout)
def _dropout(_: Dropout, x: ComplexTensor) -> Operand:
    return x, arithmetic.of_real(Call(OnesLike(), (x.real,)))


@complex_rule(SequenceMask)
def _sequence_mask(op: SequenceMask, x: ComplexTensor, valid_length: Expr) -> Operand:
    """Return each part masked, the imaginary part by 0."""
    real = Call(op, (x.real, valid_length))
    return ComplexTensor(real, Call(replace(op, mask_value=0.0), (x.imaginary, valid_length)))


def with_real_types(op: OperatorDef) -> OperatorDef:
    """Return an operator with the element types of the parts in place of complex ones."""
    changed = dict(_complex_attributes(op))
    return replace(op, **cast("Any", changed)) if changed else op


def _complex_attributes(op: OperatorDef) -> Iterator[tuple[str, DType]]:
    for name in op.__match_args__:
        of: object = getattr(op, name)
        if isinstance(of, DType) and of.is_complex:
            yield name, of.part


def _is_complex(operand: Operand) -> bool:
    if isinstance(operand, tuple):
        return any(isinstance(each, ComplexTensor) for each in operand)
    return isinstance(operand, ComplexTensor)


def _part(operand: Operand, index: int) -> Expr:
    match operand:
        case ComplexTensor():
            return operand.parts[index]
        case tuple():
            return Tuple(tuple(_part(each, index) for each in operand))
        case _:
            return operand
