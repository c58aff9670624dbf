"""Translate StableHLO operations that change the bits of numbers."""

from collections.abc import Sequence
from functools import reduce

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.stablehlo.node import HloNode
from relay.frontend.stablehlo.registry import hlo_operation
from relay.ir.expr import Call, Expr, Tuple
from relay.ops.binary import add, subtract
from relay.ops.cast import Cast, Reinterpret
from relay.ops.comparison import GreaterEqual, Less
from relay.ops.elementwise import IsNan
from relay.ops.logical import BitwiseAnd, BitwiseNot, BitwiseOr, LeftShift, RightShift
from relay.ops.selection import where
from relay.ops.tensor.concat_and_split import Stack
from relay.ops.tensor.gather import Take
from relay.support.dtype import DType, bool_, dtype, int64
from relay.support.error_codes import ErrorCode


@hlo_operation("bitcast_convert")
def bitcast_convert(node: HloNode) -> Expr:
    """Translate `bitcast_convert`; narrower elements are along a last axis, low bits first."""
    (x,), to = node.operands, node.result_type.dtype
    of = x.tensor_type.dtype
    if bool_ in (of, to) and of is not to:
        raise node.error(ErrorCode.F030, f"a bitcast from {of} to {to} is not supported")
    if of.bits == to.bits:
        return _as(x, to)
    bits = _as(x, _unsigned(of))
    return _as(_split(bits, to) if of.bits > to.bits else _joined(bits, to), to)


def _split(x: Expr, to: DType) -> Expr:
    wide, narrow = x.tensor_type.dtype, _unsigned(to)
    shifts = [constant(place, wide) for place in range(0, wide.bits, to.bits)]
    parts = [Call(Cast(narrow), (Call(RightShift(), (x, by)),)) for by in shifts]
    return Call(Stack(-1), (Tuple(tuple(parts)),))


def _joined(x: Expr, to: DType) -> Expr:
    wide, step = _unsigned(to), x.tensor_type.dtype.bits
    parts: list[Expr] = []
    for index in range(to.bits // step):
        one = Call(Take(axis=-1), (x, constant(index, int64)))
        parts.append(Call(LeftShift(), (Call(Cast(wide), (one,)), constant(index * step, wide))))
    return _all_bits(parts)


def _all_bits(parts: Sequence[Expr]) -> Expr:
    return reduce(lambda a, b: Call(BitwiseOr(), (a, b)), parts)


def _unsigned(of: DType) -> DType:
    return dtype(f"uint{of.bits}")


def _as(x: Expr, to: DType) -> Expr:
    return x if x.tensor_type.dtype is to else Call(Reinterpret(to), (x,))


_FORMATS = {"float16": (5, 10), "bfloat16": (8, 7), "float32": (8, 23), "float64": (11, 52)}
"""The numbers of bits of exponents and mantissas."""


@hlo_operation("reduce_precision")
def reduce_precision(node: HloNode) -> Expr:
    """Translate `reduce_precision`: round to fewer bits of the mantissa and of the exponent.

    1. The mantissa is rounded to the nearest number, ties to even.
    2. Numbers whose exponents are too large become infinities; too small ones become zero.
    3. NaN stays NaN.
    """
    (x,) = node.operands
    exponent, mantissa = node.integer("exponent_bits"), node.integer("mantissa_bits")
    own_exponent, own_mantissa = _FORMATS[x.tensor_type.dtype.name]
    bits = _as(x, _unsigned(x.tensor_type.dtype))
    if mantissa < own_mantissa:
        bits = _rounded(bits, own_mantissa - mantissa)
    if exponent < own_exponent:
        bits = _limited(bits, exponent, own_exponent, own_mantissa)
    return where(Call(IsNan(), (x,)), x, _as(bits, x.tensor_type.dtype))


def _rounded(bits: Expr, dropped: int) -> Expr:
    of = bits.tensor_type.dtype
    last = Call(RightShift(), (bits, constant(dropped, of)))
    is_odd = Call(BitwiseAnd(), (last, constant(1, of)))
    near = add(bits, add(is_odd, constant((1 << (dropped - 1)) - 1, of)))
    return Call(BitwiseAnd(), (near, Call(BitwiseNot(), (constant((1 << dropped) - 1, of),))))


def _limited(bits: Expr, exponent: int, own_exponent: int, own_mantissa: int) -> Expr:
    """Return infinity for exponents above the limit of fewer bits, and zero for those below."""
    of = bits.tensor_type.dtype
    bias, own_bias = (1 << (exponent - 1)) - 1, (1 << (own_exponent - 1)) - 1
    least = constant((own_bias - bias + 1) << own_mantissa, of)
    above = constant((own_bias + bias + 1) << own_mantissa, of)
    infinity = constant(((1 << own_exponent) - 1) << own_mantissa, of)
    sign = Call(BitwiseAnd(), (bits, constant(1 << (of.bits - 1), of)))
    size = subtract(bits, sign)
    size = where(Call(GreaterEqual(), (size, above)), infinity, size)
    size = where(Call(Less(), (size, least)), constant(0, of), size)
    return add(sign, size)
