"""Integer arithmetic of TensorFlow Lite, bit-exact with its reference kernels.

A ratio of scales is represented in fixed point: 31 bits and a power of two. 32-bit sums of products
are multiplied by it and rounded twice (`fixed_point_multiply`, rounding DOUBLE). 64-bit sums are
multiplied by its upper 15 bits. Sums of a fully connected layer are multiplied by the ratio itself,
in double precision. An activation clips to a range of integers.
"""

from collections.abc import Sequence
from math import inf

import numpy as np

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.tflite.model import LiteTensor
from relay.frontend.tflite.node import Activation, LiteNode
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import add, multiply
from relay.ops.cast import Cast
from relay.ops.elementwise import Clip, Round
from relay.ops.fixed_point import multiply_by_fixed_point
from relay.ops.logical import RightShift
from relay.ops.qnn.scale_and_zero_point import (
    broadcast_parameter,
    cast,
    fixed_point,
    subtract_zero_point,
)
from relay.support.dtype import DType, float64, int32
from relay.support.error_codes import ErrorCode

_LIMITS = {
    Activation.NONE: (-inf, inf),
    Activation.RELU: (0.0, inf),
    Activation.RELU6: (0.0, 6.0),
    Activation.RELU_N1_TO_1: (-1.0, 1.0),
}


def clipped_range(node: LiteNode) -> tuple[float, float]:
    """Return the range that an activation clips to; raises `F030` for other activations."""
    activation = node.activation()
    if activation not in _LIMITS:
        problem = f"the activation {activation.name} is not supported for quantised tensors"
        raise node.error(ErrorCode.F030, problem)
    return _LIMITS[activation]


def integer_range(tensor: LiteTensor, low: float = -inf, high: float = inf) -> tuple[int, int]:
    """Return the range of stored integers that represents a range of real numbers."""
    assert tensor.dtype is not None, "quantised tensors have integers"
    least, most = tensor.dtype.limits

    def quantised(number: float) -> int:
        return tensor.zero + round_half_away(float(np.float32(number) / tensor.scale))

    return (
        least if low == -inf else max(least, quantised(low)),
        most if high == inf else min(most, quantised(high)),
    )


def round_half_away(number: float) -> int:
    """Return the nearest integer; halves are rounded away from zero.

    >>> round_half_away(-2.5), round_half_away(0.49999999999999994)
    (-3, 0)
    """
    whole = int(abs(number))
    whole += abs(number) - whole >= 0.5
    return whole if number >= 0 else -whole


def multiplier(real: float) -> tuple[int, int]:
    """Return a factor as a 31-bit mantissa and an exponent; factors below 2⁻³² become 0."""
    if real == 0:
        return 0, 0
    found, power = fixed_point(real)
    return (0, 0) if power < -31 else (found, power)


def scaled(x: Expr, factors: Sequence[float], axis: int = -1) -> Expr:
    """Return int32 numbers times a fixed-point factor, or one per index of an axis."""
    return multiply_by_fixed_point(x, [multiplier(each) for each in factors], axis, "DOUBLE")


def scaled_in_double(x: Expr, factors: Sequence[float], axis: int = -1) -> Expr:
    """Return integers times factors in double precision, rounded, halves away from zero."""
    real = np.array(factors if len(factors) > 1 else factors[0], np.float64)
    product = multiply(
        cast(x, float64), broadcast_parameter(Constant(real), axis, x.tensor_type.rank)
    )
    return Call(Cast(int32), (Call(Round(), (product,)),))


def scaled_wide(x: Expr, factors: Sequence[float], axis: int = -1) -> Expr:
    """Return int64 numbers times 15-bit factors as int32, rounded once."""
    pairs = [multiplier(each) for each in factors]

    def vector(of: Sequence[int]) -> Expr:
        numbers = np.array(of if len(of) > 1 else of[0], np.int64)
        return broadcast_parameter(Constant(numbers), axis, x.tensor_type.rank)

    short = vector([(m + (1 << 15)) >> 16 if m < 0x7FFF0000 else 0x7FFF for m, _ in pairs])
    shift = vector([15 - power for _, power in pairs])
    half = vector([1 << (14 - power) for _, power in pairs])
    product = add(multiply(x, short), half)
    return Call(Cast(int32), (Call(RightShift(), (product, shift)),))


def stored(x: Expr, tensor: LiteTensor, limited: tuple[int, int] | None = None) -> Expr:
    """Return int32 numbers as stored elements of `tensor`: zero point added, saturated."""
    assert tensor.dtype is not None, "quantised tensors have integers"
    low, high = limited or integer_range(tensor)
    moved = add(x, constant(tensor.zero, int32)) if tensor.zero else x
    return Call(Cast(tensor.dtype), (Call(Clip(float(low), float(high)), (moved,)),))


def over_power(x: Expr, places: int) -> Expr:
    """Return integers divided by 2^`places`, rounded to nearest, halves away from zero."""
    if places == 0:
        return x
    of = x.tensor_type.dtype
    half, sign = constant(1 << (places - 1), of), constant(of.bits - 1, of)
    away = Call(RightShift(), (x, sign))  # -1 for negative values
    return Call(RightShift(), (add(add(x, half), away), constant(places, of)))


def without_zero(node: LiteNode, index: int, to: DType = int32) -> Expr:
    """Return the elements of a quantised input minus its zero point."""
    wide = subtract_zero_point(node.expr(index), constant(node.tensor(index).zero, int32))
    return cast(wide, to)


def activated(node: LiteNode, x: Expr) -> Expr:
    """Return floats, or integers without scale, with the node's activation applied."""
    low, high = clipped_range(node)
    return x if (low, high) == (-inf, inf) else Call(Clip(low, high), (x,), span=node.span)
