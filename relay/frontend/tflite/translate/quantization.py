"""Translate conversions between floats and quantised numbers, and between scales."""

import numpy as np

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.tflite.integer_arithmetic import scaled, stored, without_zero
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.frontend.tflite.translate.convolution import dequantised
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import add, multiply, subtract
from relay.ops.cast import Cast
from relay.ops.elementwise import Clip, Floor
from relay.ops.qnn.quantize import Quantize
from relay.support.dtype import float32
from relay.support.error_codes import ErrorCode


@lite_operator("DENSIFY")
def densify(node: LiteNode) -> Expr:
    """Translate `DENSIFY`: the reader of the file has expanded sparse constants."""
    return node.expr(0)


@lite_operator("QUANTIZE")
def quantize(node: LiteNode) -> Expr:
    """Translate `QUANTIZE` of floats, or from one scale to another."""
    found, source = node.result.quantization, node.tensor(0)
    if found is None or node.result.dtype is None:
        raise node.error(ErrorCode.F026, "the quantised result has no scale")
    if source.is_quantized:
        factor = float(source.scale) / float(node.result.scale)
        return stored(scaled(without_zero(node, 0), [factor]), node.result)
    one = found.scales.size == 1
    scale, zero = (each.reshape(()) if one else each for each in (found.scales, found.zeros))
    op = Quantize(node.result.dtype, axis=found.axis)
    return Call(op, (node.expr(0), Constant(scale), Constant(zero)), span=node.span)


@lite_operator("DEQUANTIZE")
def dequantize(node: LiteNode) -> Expr:
    """Translate `DEQUANTIZE` of quantised numbers or 16-bit floats."""
    if node.tensor(0).is_quantized:
        return dequantised(node, 0)
    return Call(Cast(float32), (node.expr(0),), span=node.span)


@lite_operator("FAKE_QUANT")
def fake_quant(node: LiteNode) -> Expr:
    """Translate `FAKE_QUANT`: quantise floats between two limits, and dequantise."""
    low, high = np.float32(node.option("Min")), np.float32(node.option("Max"))
    least = np.float32(1 if node.option("NarrowRange") else 0)
    most = np.float32((1 << node.option("NumBits")) - 1)
    scale = (high - low) / (most - least)
    offset = least - low / scale
    zero = np.clip(np.floor(offset + np.float32(0.5)), least, most)
    begin, end = (least - zero) * scale, (most - zero) * scale
    first, step = (constant(float(each), float32) for each in (begin, scale))
    inside = subtract(Call(Clip(float(begin), float(end)), (node.expr(0),)), first)
    inverse = constant(float(np.float32(1) / scale), float32)
    steps = Call(Floor(), (add(multiply(inside, inverse), constant(0.5, float32)),))
    return add(multiply(steps, step), first)
