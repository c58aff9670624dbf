"""Translate quantised softmax, in TensorFlow Lite's fixed-point arithmetic.

For 8 bits, the exponentials of differences from the largest element are computed with 31 fraction
bits, and summed with 19 fraction bits; the inverse of the sum is computed by three Newton steps.
For 16 bits, exponentials and the inverse are interpolated in tables of 512 intervals, with 15
fraction bits.
"""

from math import floor

import numpy as np

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.tflite.fixed_point import high_product, rounded_shift
from relay.frontend.tflite.integer_arithmetic import multiplier, scaled
from relay.frontend.tflite.lookup_tables import Real, interpolated, looked_up
from relay.frontend.tflite.node import LiteNode
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ops.binary import add, multiply, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import GreaterEqual
from relay.ops.elementwise import Clip
from relay.ops.logical import LeftShift, RightShift
from relay.ops.max_min_reductions import Max
from relay.ops.qnn.scale_and_zero_point import cast
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import ExpandDims
from relay.support.dtype import int16, int32, int64
from relay.support.error_codes import ErrorCode

_QUARTER = 1 << 24  # a quarter, with 26 fraction bits
_TAYLOR = 1895147668  # exp(-1/8), with 31 fraction bits
_THIRD = 715827883  # 1/3
_POWERS = (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)
"""exp(-2ⁿ) for n from -2 on."""

_ONE = (1 << 31) - 1
_48_OVER_17, _32_OVER_17 = 1515870810, 1010580540  # with 29 fraction bits


def exponentials(x: Array) -> Array:
    """Return exp(x) with 31 fraction bits, for x from -32 to 0 with 26 fraction bits."""
    rest = (x & (_QUARTER - 1)) - _QUARTER  # in [-1/4, 0)
    near = (rest << 5) + (1 << 28)  # the distance to -1/8
    square = high_product(near, near)
    cube, fourth = high_product(square, near), high_product(square, square)
    series = high_product(rounded_shift(fourth, 2) + cube, _THIRD) + square
    found = _TAYLOR + high_product(_TAYLOR, near + rounded_shift(series, 1))
    steps = (rest - x) >> 24
    for place, power in enumerate(_POWERS):
        found = np.where(steps >> place & 1, high_product(found, power), found)
    return np.where(x == 0, _ONE, found)


def quantised_softmax(node: LiteNode, beta: float) -> Expr:
    """Return the softmax along the last axis; raises `F030` for results of another type."""
    x, source = node.expr(0), node.tensor(0)
    if source.dtype is not node.result.dtype:
        raise node.error(
            ErrorCode.F030, f"a softmax from {source.dtype} to {node.result.dtype} is not supported"
        )
    wide = cast(x, int32)
    below = subtract(Call(Max((-1,), keepdims=True), (wide,)), wide)
    if source.element == "INT16":
        return _of_16_bits(node, below, beta)
    return _of_8_bits(node, below, beta)


def _of_8_bits(node: LiteNode, below: Expr, beta: float) -> Expr:
    factor = min(beta * float(node.tensor(0).scale) * (1 << 26), 2.0**31 - 1)
    number, power = multiplier(factor)
    farthest = floor(31 * 2.0 ** (26 - power))
    differences = -np.arange(256, dtype=np.int64)
    table = exponentials(high_product(differences << power, number))
    table = np.where(-differences <= farthest, table, 0)
    powers = Call(Take(axis=0, mode="fast"), (Constant(table), below))
    terms = Call(Take(axis=0, mode="fast"), (Constant(rounded_shift(table, 12)), below))
    total = Call(Sum((-1,), keepdims=True), (terms,))
    free = leading_zeros(total)
    inverse = one_over_one_plus(subtract(shifted_left(total, free), constant(1 << 31, int64)))
    places = subtract(constant(35, int64), free)  # 12 integer bits, 23 dropped bits
    product = product_of_high_halves(inverse, powers)
    half = shifted_left(constant(1, int64), subtract(places, constant(1, int64)))
    found = Call(RightShift(), (add(product, half), places))
    assert node.result.dtype is not None, "quantised tensors have integers"
    low, high = node.result.dtype.limits
    moved = add(found, constant(low, int64)) if low else found
    return Call(Cast(node.result.dtype), (Call(Clip(float(low), float(high)), (moved,)),))


def leading_zeros(x: Expr) -> Expr:
    """Return the number of leading zeros of positive int64 numbers, taken as 32-bit numbers."""
    powers = Constant(1 << np.arange(32, dtype=np.int64))
    each = Call(GreaterEqual(), (Call(ExpandDims(x.tensor_type.rank), (x,)), powers))
    used = Call(Sum((-1,)), (Call(Cast(int64), (each,)),))
    return subtract(constant(32, int64), used)


def shifted_left(x: Expr, places: Expr) -> Expr:
    """Return integers times powers of two."""
    return Call(LeftShift(), (x, places))


def product_of_high_halves(a: Expr, b: Expr) -> Expr:
    """Return the upper half of twice the product of 32-bit numbers in int64, halves rounded up."""
    product = add(multiply(a, b), constant(1 << 30, int64))
    return Call(RightShift(), (product, constant(31, int64)))


def saturated(x: Expr) -> Expr:
    """Return int64 numbers limited to the range of int32."""
    return Call(Clip(-(2.0**31), 2.0**31 - 1), (x,))


def one_over_one_plus(x: Expr) -> Expr:
    """Return `1 / (1 + x)` for x in [0, 1), both with 31 fraction bits."""
    one = constant(1, int64)
    half = Call(RightShift(), (add(add(x, constant(_ONE, int64)), one), one))
    first = product_of_high_halves(half, constant(-_32_OVER_17, int64))
    found = add(constant(_48_OVER_17, int64), first)
    for _ in range(3):
        error = subtract(constant(1 << 29, int64), product_of_high_halves(half, found))
        step = multiply(product_of_high_halves(found, error), constant(4, int64))
        found = add(found, saturated(step))
    return saturated(multiply(found, constant(2, int64)))


def _of_16_bits(node: LiteNode, below: Expr, beta: float) -> Expr:
    factor = float(node.tensor(0).scale * np.float32(beta)) / (10.0 / 65535.0)
    steps = scaled(subtract(constant(0, int32), below), [factor])
    powers = _table_lookup(add(steps, constant(32767, int32)), np.exp, -10.0, 0.0)
    total = Call(Sum((-1,), keepdims=True), (powers,))
    free = leading_zeros(total)
    one = constant(1, int64)
    up = shifted_left(total, subtract(free, one))
    sum_ = Call(RightShift(), (add(up, constant(1 << 13, int64)), constant(14, int64)))
    over = subtract(sum_, constant((1 << 15) + (1 << 16), int64))
    inverse = _table_lookup(over, lambda x: 1 / (1 + x), 0.0, 1.0)
    places = subtract(constant(31, int64), free)
    half = shifted_left(one, subtract(places, one))
    found = Call(RightShift(), (add(multiply(powers, inverse), half), places))
    return Call(Cast(int16), (Call(Clip(0.0, 32767.0), (found,)),))


def _table_lookup(x: Expr, function: Real, low: float, high: float) -> Expr:
    """Look up a function whose table covers `low` to `high`; 15 fraction bits.

    LiteRT computes these tables in double precision, and those of other operators in single.
    """
    table = interpolated(function, np.float64(low), np.float64(high), np.float64(1 << 15))
    place = Call(Cast(int16), (Call(Clip(-32768.0, 32767.0), (x,)),))
    return cast(looked_up(place, table.astype(np.int16)), int64)
