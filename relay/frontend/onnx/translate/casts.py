"""Translate ONNX type conversions, with its rules for numbers that are not representable."""

from relay.frontend.builders.narrow_floats import saturated
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.onnx.dtypes import tensor_dtype
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.ir.expr import Call, Expr
from relay.ops.binary import Maximum, Minimum, add
from relay.ops.cast import Cast, Reinterpret
from relay.ops.comparison import Less
from relay.ops.logical import BitwiseAnd
from relay.ops.selection import where
from relay.support.dtype import DType, Kind, float32, int32, uint32

_FRACTION, _POWER = 0x007FFFFF, 0xFF800000
"""The number of fraction bits of a float32, and the mask of its sign and exponent."""

_LEAST, _LARGEST, _INFINITY = 0x00400000, 0x7F000000, 0x7F800000
"""The bits of the smallest and the largest power of two, and of infinity."""


@onnx_operator("Cast")
def cast_node(node: OnnxNode) -> Expr:
    """Translate `Cast` to the element type of an attribute."""
    return converted(node, node.expr(0), tensor_dtype(node.required("to"), node.span))


@onnx_operator("CastLike")
def cast_like(node: OnnxNode) -> Expr:
    """Translate `CastLike`: convert to the element type of the second input."""
    return converted(node, node.expr(0), node.type(1).dtype)


def converted(node: OnnxNode, x: Expr, to: DType) -> Expr:
    """Return a tensor converted to another element type.

    Three kinds of types have special rules:
    1. Conversions to 8-bit floats saturate if the node requests it.
    2. Conversions to powers of two (float8e8m0) round as the node specifies.
    3. Conversions to integers below 8 bits go through wider integers, whose upper bits are dropped.
    """
    source = x.tensor_type.dtype
    if source is to:
        return x
    if to.kind is Kind.FLOAT8_E8M0FNU:
        return _power_of_two(node, x, to)
    if to.is_minifloat and node.attribute("saturate", 1):
        return saturated(x, to)
    if to.is_integer and to.bits < 8 and not source.is_integer:
        x = Call(Cast(int32), (x,), span=node.span)
    return Call(Cast(to), (x,), span=node.span)


def _power_of_two(node: OnnxNode, x: Expr, to: DType) -> Expr:
    """Return the powers of two to which numbers are rounded: up, down, or to the nearest."""
    mode = node.choice("round_mode", ("up", "down", "nearest"), "up")
    single = x if x.tensor_type.dtype is float32 else Call(Cast(float32), (x,))
    bits = Call(Reinterpret(uint32), (single,))
    above = add(bits, constant(_FRACTION, uint32)) if mode == "up" else bits
    whole = above if mode == "nearest" else Call(BitwiseAnd(), (above, constant(_POWER, uint32)))
    whole = Call(Maximum(), (whole, constant(_LEAST, uint32)))
    if node.attribute("saturate", 1):
        whole = Call(Minimum(), (whole, constant(_LARGEST, uint32)))
    is_finite = Call(Less(), (bits, constant(_INFINITY, uint32)))
    rounded = Call(Reinterpret(float32), (where(is_finite, whole, bits),))
    return Call(Cast(to), (rounded,), span=node.span)
