"""Translate quantised operators that ONNX Runtime's tools create (domain `com.microsoft`)."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.matrix_products import multiplied
from relay.frontend.builders.quantization import dynamically_quantised
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import MICROSOFT, onnx_operator
from relay.frontend.onnx.translate.microsoft_attention import attended
from relay.frontend.onnx.translate.quantized import quantised
from relay.frontend.onnx.translate.recurrent import lstm
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ops.binary import add, multiply, scaled, subtract
from relay.ops.cast import Cast
from relay.ops.logical import BitwiseAnd, RightShift
from relay.ops.nn.matmul import Dense
from relay.ops.tensor.concat_and_split import Stack
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.tile_and_repeat import Repeat
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import int32, uint8


@onnx_operator("MatMulNBits", domain=MICROSOFT)
def matmul_nbits(node: OnnxNode) -> Expr:
    """Translate `MatMulNBits`: multiply by a weight that is quantised in blocks.

    A block has a scale and an optional zero point.
    """
    x = node.expr(0)
    element = x.tensor_type.dtype
    inner, outer = node.required("K"), node.required("N")
    bits, size = node.attribute("bits", 4), node.required("block_size")
    blocks = -(-inner // size)
    whole = Call(Cast(element), (_unpacked(node.expr(1), bits, (outer, blocks * size)),))
    scales = reshape(node.expr(2), (outer, blocks))
    zeros = _zeros(node, bits, outer, blocks)
    if node.has(4):  # each row's block of weights
        groups = Call(Cast(int32), (node.expr(4),))
        scale, zero = (Call(Take(axis=1, mode="clip"), (each, groups)) for each in (scales, zeros))
        whole = _cut(whole, inner)
    else:
        scale, zero = (Call(Repeat(size, 1), (each,)) for each in (scales, zeros))
    weight = multiply(subtract(whole, zero), scale)
    weight = weight if node.has(4) else _cut(weight, inner)
    *lead, _ = x.tensor_type.shape
    result = Call(Dense(outer), (x, weight), span=node.span)
    result = reshape(result, (*lead, outer))
    return add(result, node.expr(5)) if node.has(5) else result


def _cut(x: Expr, columns: int) -> Expr:
    if x.tensor_type.shape[1] == columns:
        return x
    return Call(StridedSlice((0,), (columns,), axes=(1,)), (x,))


def _zeros(node: OnnxNode, bits: int, outer: int, blocks: int) -> Expr:
    """Return the zero point of each block; the default is the middle of the range."""
    element = node.type(0).dtype
    if not node.has(3):
        return Constant(np.full((outer, blocks), 2 ** (bits - 1), element.numpy))
    given = node.expr(3)
    if given.tensor_type.dtype is not uint8:
        return Call(Cast(element), (reshape(given, (outer, blocks)),))
    per_byte = 8 // bits
    columns = -(-blocks // per_byte)
    packed = reshape(given, (outer, columns))
    whole = _unpacked(packed, bits, (outer, columns * per_byte))
    return Call(Cast(element), (_cut(whole, blocks),))


def _unpacked(packed: Expr, bits: int, shape: tuple[int, int]) -> Expr:
    """Return the `bits`-bit numbers that bytes contain, lowest bits first."""
    flat = reshape(packed, (shape[0], shape[1] * bits // 8))
    return flat if bits == 8 else _of_few_bits(flat, bits)


_NORMAL_FLOATS = (
    -1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
    -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725,
    0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941,
    0.7229568362236023, 1.0,
)  # fmt: skip
"""The quantiles of a normal distribution that four bits stand for (NF4)."""

_MAGNITUDES = (0.0, 0.0625 / 12, 8 / 12, 1.0, 4 / 12, 6 / 12, 2 / 12, 3 / 12)
_FLOATS = (*_MAGNITUDES, *(-each for each in _MAGNITUDES))
"""The floats that four bits stand for: a sign, an exponent of two bits, a fraction of one (FP4)."""


@onnx_operator("MatMulBnb4", domain=MICROSOFT)
def matmul_bnb4(node: OnnxNode) -> Expr:
    """Translate `MatMulBnb4`: multiply by a weight of 4-bit codes in blocks with scales.

    Codes are indices into a table of 16 floats.
    """
    x, inner, outer = node.expr(0), node.required("K"), node.required("N")
    element, size = x.tensor_type.dtype, node.required("block_size")
    packed = reshape(node.expr(1), (inner * outer // 2,))
    halves = (Call(RightShift(), (packed, constant(4, uint8))), packed)
    low = [Call(BitwiseAnd(), (half, constant(15, uint8))) for half in halves]
    codes = Call(Cast(int32), (Call(Stack(1), (Tuple(tuple(low)),)),))
    table = np.array(_NORMAL_FLOATS if node.required("quant_type") else _FLOATS, element.numpy)
    whole = Call(Take(axis=0), (Constant(table), reshape(codes, (inner * outer,))))
    scales = Call(Repeat(size, 0), (node.expr(2),))
    weight = multiply(whole, _first(scales, inner * outer))
    op = Dense(outer)
    return Call(op, (x, reshape(weight, (outer, inner))), span=node.span)


def _first(x: Expr, count: int) -> Expr:
    if x.tensor_type.shape[0] == count:
        return x
    return Call(StridedSlice((0,), (count,), axes=(0,)), (x,))


@onnx_operator("GatherBlockQuantized", domain=MICROSOFT)
def gather_block_quantized(node: OnnxNode) -> Expr:
    """Translate `GatherBlockQuantized`: dequantised slices of a tensor with a scale per block."""
    data, scales = node.expr(0), node.expr(2)
    rank, element = data.tensor_type.rank, scales.tensor_type.dtype
    axis = node.attribute("quantize_axis", 1) % rank
    bits, size = node.attribute("bits", 4), node.attribute("block_size", 128)
    if data.tensor_type.dtype is uint8 and bits < 8:
        data = _of_few_bits(data, bits)
    middle = 2 ** (bits - 1) if data.tensor_type.dtype is uint8 else 0
    zeros = constant(middle, element)
    if node.has(3):
        zero = node.expr(3)
        if zero.tensor_type.dtype is uint8 and bits < 8:
            zero = _cut_like(_of_few_bits(zero, bits), scales)
        zeros = Call(Repeat(size, axis), (Call(Cast(element), (zero,)),))
        zeros = _cut_like(zeros, data)
    steps = _cut_like(Call(Repeat(size, axis), (scales,)), data)
    real = multiply(subtract(Call(Cast(element), (data,)), zeros), steps)
    op = Take(axis=node.attribute("gather_axis", 0), mode="raise")
    return Call(op, (real, node.expr(1)), span=node.span)


def _of_few_bits(packed: Expr, bits: int) -> Expr:
    """Unpack `bits`-bit numbers from the bytes of the last axis, lowest bits first."""
    *lead, last = packed.tensor_type.shape
    shifts = Constant(np.arange(0, 8, bits, dtype=np.uint8))
    rank = packed.tensor_type.rank
    moved = Call(RightShift(), (Call(ExpandDims(rank), (packed,)), shifts))
    each = Call(BitwiseAnd(), (moved, constant(2**bits - 1, uint8)))
    return reshape(each, (*lead, last * (8 // bits)))


def _cut_like(x: Expr, like: Expr) -> Expr:
    """Return `x` cropped to the sizes of `like` along the axes where `x` is longer."""
    sizes = zip(x.tensor_type.shape, like.tensor_type.shape, strict=True)
    longer = [(axis, end) for axis, (size, end) in enumerate(sizes) if size != end]
    if not longer:
        return x
    axes, ends = zip(*longer, strict=True)
    return Call(StridedSlice((0,) * len(axes), ends, axes=axes), (x,))


@onnx_operator("MatMulInteger16", domain=MICROSOFT)
def matmul_integer16(node: OnnxNode) -> Expr:
    """Translate `MatMulInteger16`: multiply 16-bit integer matrices into int32."""
    return multiplied(*(Call(Cast(int32), (node.expr(i),)) for i in (0, 1)))


@onnx_operator("DynamicQuantizeMatMul", domain=MICROSOFT)
def dynamic_quantize_matmul(node: OnnxNode) -> Expr:
    """Translate `DynamicQuantizeMatMul`: quantise by range, multiply integers, dequantise."""
    a, scale, zero = dynamically_quantised(node.expr(0))
    whole = multiplied(_centred(a, zero), _centred(node.expr(1), node.optional(3)))
    return _scaled_back(node, whole, multiply(scale, node.expr(2)), 4)


@onnx_operator("MatMulIntegerToFloat", domain=MICROSOFT)
def matmul_integer_to_float(node: OnnxNode) -> Expr:
    """Translate `MatMulIntegerToFloat`: multiply integers minus zero points, dequantise."""
    sides = [_centred(node.expr(i), node.optional(4 + i)) for i in (0, 1)]
    return _scaled_back(node, multiplied(*sides), multiply(node.expr(2), node.expr(3)), 6)


def _centred(x: Expr, zero: Expr | None) -> Expr:
    wide = Call(Cast(int32), (x,))
    return wide if zero is None else subtract(wide, Call(Cast(int32), (zero,)))


def _scaled_back(node: OnnxNode, whole: Expr, scale: Expr, bias: int) -> Expr:
    real = multiply(Call(Cast(scale.tensor_type.dtype), (whole,), span=node.span), scale)
    return add(real, node.expr(bias)) if node.has(bias) else real


@onnx_operator("QGemm", domain=MICROSOFT)
def qgemm(node: OnnxNode) -> Expr:
    """Translate `QGemm`: multiply quantised matrices, add a bias, and requantise if requested.

    The zero point of the second matrix may have an element for each column of the result, and so
    it is subtracted after the transposition.
    """
    sides = [node.expr(0), node.expr(3)]
    for i, name in enumerate(("transA", "transB")):
        if node.attribute(name, 0):
            sides[i] = Call(Transpose((1, 0)), (sides[i],))
    whole = multiplied(*(_centred(side, node.optional(2 + 3 * i)) for i, side in enumerate(sides)))
    if node.has(6):
        whole = add(whole, node.expr(6))
    scale = multiply(node.expr(1), node.expr(4))
    real = multiply(Call(Cast(scale.tensor_type.dtype), (whole,)), scale)
    real = scaled(real, node.attribute("alpha", 1.0))
    return quantised(node, real, 7) if node.has(7) else real


@onnx_operator("QAttention", domain=MICROSOFT)
def qattention(node: OnnxNode) -> Sequence[Expr]:
    """Translate `QAttention`: attention whose projection is quantised."""
    sides = [_centred(node.expr(0), node.optional(6)), _centred(node.expr(1), node.optional(7))]
    scale = multiply(node.expr(3), node.expr(4))
    real = multiply(Call(Cast(scale.tensor_type.dtype), (multiplied(*sides),)), scale)
    return attended(node, add(real, node.expr(2)), mask=5, past=8, bias=9)


@onnx_operator("DynamicQuantizeLSTM", domain=MICROSOFT)
def dynamic_quantize_lstm(node: OnnxNode) -> Sequence[Expr]:
    """Translate `DynamicQuantizeLSTM` with dequantised weights; states stay floats."""
    real = {place: _real_weight(node, place, 6 + 2 * place) for place in (1, 2)}
    return lstm(node.with_inputs(real).in_order(*range(8)))


def _real_weight(node: OnnxNode, weight: int, scale: int) -> Expr:
    """Dequantise a weight `(directions, in, out)` and transpose it to `(directions, out, in)`."""
    whole = node.expr(weight)
    directions = whole.tensor_type.shape[0]
    factor, zero = (reshape(node.expr(scale + k), (directions, 1, -1)) for k in (0, 1))
    real = multiply(Call(Cast(factor.tensor_type.dtype), (_centred(whole, zero),)), factor)
    return Call(Transpose((0, 2, 1)), (real,))
