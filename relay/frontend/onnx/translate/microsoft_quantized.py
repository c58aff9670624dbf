"""Quantised operators that ONNX Runtime's tools write into models (domain `com.microsoft`)."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.products import multiplied
from relay.frontend.builders.quantization import dynamically_quantised
from relay.frontend.builders.tensors import constant, reshape
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.microsoft import MICROSOFT
from relay.frontend.onnx.translate.microsoft_attention import attended
from relay.frontend.onnx.translate.quantized import quantised
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import add, multiply, scaled, subtract
from relay.ops.cast import Cast
from relay.ops.logical import BitwiseAnd, RightShift
from relay.ops.nn.matmul import Dense
from relay.ops.tensor.gather import Take
from relay.ops.tensor.repeat import Repeat
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import int32, uint8


@onnx_operator("MatMulNBits", domain=MICROSOFT)
def matmul_nbits(node: OnnxNode) -> Expr:
    """Multiply by weights of a few bits, in blocks with a scale and an optional zero point."""
    x = node.expr(0)
    element = x.tensor_type.dtype
    inner, outer = node.required("K"), node.required("N")
    bits, size = node.attribute("bits", 4), node.required("block_size")
    blocks = -(-inner // size)
    whole = Call(Cast(element), (_unpacked(node.expr(1), bits, (outer, blocks * size)),))
    scales = reshape(node.expr(2), (outer, blocks))
    zeros = _zeros(node, bits, outer, blocks)
    if node.has(4):  # the block of each row of weights
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
    """Return the zero point of each block, by default the middle of the range."""
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
    """Return the numbers packed in bytes, the lowest bits first."""
    flat = reshape(packed, (shape[0], shape[1] * bits // 8))
    if bits == 8:
        return flat
    shifts = Constant(np.arange(0, 8, bits, dtype=np.uint8))
    moved = Call(RightShift(), (Call(ExpandDims(2), (flat,)), shifts))
    return reshape(Call(BitwiseAnd(), (moved, constant(2**bits - 1, uint8))), shape)


@onnx_operator("DynamicQuantizeMatMul", domain=MICROSOFT)
def dynamic_quantize_matmul(node: OnnxNode) -> Expr:
    """Quantise the first matrix by its range, multiply integers, and scale back."""
    a, scale, zero = dynamically_quantised(node.expr(0))
    whole = multiplied(_centred(a, zero), _centred(node.expr(1), node.optional(3)))
    return _scaled_back(node, whole, multiply(scale, node.expr(2)), 4)


@onnx_operator("MatMulIntegerToFloat", domain=MICROSOFT)
def matmul_integer_to_float(node: OnnxNode) -> Expr:
    """Multiply integers without their zero points, and scale."""
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
    """Multiply quantised matrices and add an integer bias; requantise if there is a scale."""
    sides = [_centred(node.expr(i), node.optional(i + 2)) for i in (0, 3)]
    for i, name in enumerate(("transA", "transB")):
        if node.attribute(name, 0):
            sides[i] = Call(Transpose((1, 0)), (sides[i],))
    whole = multiplied(*sides)
    if node.has(6):
        whole = add(whole, node.expr(6))
    scale = multiply(node.expr(1), node.expr(4))
    real = multiply(Call(Cast(scale.tensor_type.dtype), (whole,)), scale)
    real = scaled(real, node.attribute("alpha", 1.0))
    return quantised(node, real, 7) if node.has(7) else real


@onnx_operator("QAttention", domain=MICROSOFT)
def qattention(node: OnnxNode) -> Sequence[Expr]:
    """Project quantised data to queries, keys and values, and average."""
    sides = [_centred(node.expr(0), node.optional(6)), _centred(node.expr(1), node.optional(7))]
    scale = multiply(node.expr(3), node.expr(4))
    real = multiply(Call(Cast(scale.tensor_type.dtype), (multiplied(*sides),)), scale)
    return attended(node, add(real, node.expr(2)), mask=5, past=8, bias=9)
