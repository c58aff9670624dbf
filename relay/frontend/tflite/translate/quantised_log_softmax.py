"""Translate quantised log-softmax, in TensorFlow Lite's fixed-point arithmetic.

Exponentials of differences from the largest element are summed with 19 fraction bits. The logarithm
of the sum is that of a power of two plus that of a number near 1, a ratio of polynomials.
"""

from math import floor

import numpy as np

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.tflite.fixed_point import high_product, rounded_shift
from relay.frontend.tflite.integer_arithmetic import multiplier, over_power
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.translate.quantised_softmax import (
    exponentials,
    leading_zeros,
    one_over_one_plus,
    product_of_high_halves,
    saturated,
    shifted_left,
)
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import Maximum, Minimum, add, multiply, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import Less
from relay.ops.elementwise import Clip
from relay.ops.logical import RightShift
from relay.ops.max_min_reductions import Max
from relay.ops.qnn.scale_and_zero_point import cast
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.gather import Take
from relay.support.dtype import int32, int64
from relay.support.error_codes import ErrorCode

_LOG_2, _ROOT_OF_ROOT, _ROOT = 1488522236, 1805811301, 1518500250  # ln 2, 2^(-1/4), 2^(-1/2)
_NUMERATOR, _SQUARE, _ONE, _LINEAR = 117049297, 127690142, 1057819769, 638450708
"""Coefficients of the ratio of polynomials, with 31 fraction bits."""

_QUARTER = 1 << 23  # with 25 fraction bits


def quantised_log_softmax(node: LiteNode) -> Expr:
    """Return the log-softmax along the last axis; raises `F030` unless elements have 8 bits."""
    x, source, to = node.expr(0), node.tensor(0), node.result.dtype
    if source.dtype is not to or to is None or to.bits != 8:
        problem = f"a log-softmax from {source.dtype} to {to} is not supported"
        raise node.error(ErrorCode.F030, problem)
    wide = cast(x, int32)
    below = subtract(Call(Max((-1,), keepdims=True), (wide,)), wide)
    factor = min(float(source.scale) * (1 << 26), 2.0**31 - 1)
    number, power = multiplier(factor)
    farthest = floor(31 * 2.0 ** (26 - power))
    distances = np.arange(256, dtype=np.int64)
    steps = high_product(-distances << power, number)  # with 26 fraction bits
    table = np.where(distances <= farthest, rounded_shift(exponentials(steps), 12), 0)
    powers = Call(Take(axis=0, mode="fast"), (Constant(table), below))
    logarithm = _logarithm(Call(Sum((-1,), keepdims=True), (powers,)))
    difference = subtract(Call(Take(axis=0, mode="fast"), (Constant(steps), below)), logarithm)
    low, high = to.limits
    moved = add(over_power(difference, 22), constant(high, int64))
    found = Call(Clip(float(low), float(high)), (moved,))
    inside = Call(Less(), (cast(below, int64), _limit(logarithm, number, power, farthest)))
    return Call(Cast(to), (where(inside, found, constant(low, int64)),))


def _limit(logarithm: Expr, number: int, power: int, farthest: int) -> Expr:
    """Return the distance from the largest element at which results are the least number."""
    inverse, shift = multiplier((1 << (31 - power)) / number)
    least = subtract(logarithm, constant(1 << 31, int64))
    scaled = over_power(product_of_high_halves(least, constant(inverse, int64)), -shift)
    return Call(Minimum(), (constant(farthest + 1, int64), subtract(constant(0, int64), scaled)))


def _logarithm(x: Expr) -> Expr:
    """Return the logarithms, with 26 fraction bits, of numbers from 1 with 19 fraction bits."""
    one, root = constant(1, int64), constant(_ROOT, int64)
    free = leading_zeros(x)
    raised = saturated(shifted_left(x, subtract(free, one)))
    first = saturated(multiply(product_of_high_halves(raised, root), constant(2, int64)))
    first_power = add(_accumulator(subtract(constant(12, int64), free)), constant(_QUARTER, int64))
    room = subtract(leading_zeros(product_of_high_halves(x, root)), one)
    second = saturated(shifted_left(x, room))
    second_power = subtract(
        _accumulator(subtract(constant(12, int64), room)), constant(_QUARTER, int64)
    )
    near = Call(Minimum(), (first, second))
    power = Call(Maximum(), (first_power, second_power))
    whole = product_of_high_halves(power, constant(_LOG_2, int64))
    return saturated(multiply(add(whole, _near_one(near)), constant(2, int64)))


def _accumulator(x: Expr) -> Expr:
    """Return integers with 25 fraction bits."""
    return multiply(x, constant(1 << 25, int64))


def _near_one(r: Expr) -> Expr:
    """Return the logarithm of `r · 2^(1/4)`, with 25 fraction bits."""
    middle = constant(_ROOT_OF_ROOT, int64)
    half = _halved_sum(r, middle)
    q = multiply(subtract(r, middle), constant(2, int64))
    square = product_of_high_halves(q, q)
    cubic = product_of_high_halves(product_of_high_halves(q, square), constant(_NUMERATOR, int64))
    numerator = add(product_of_high_halves(q, r), cubic)
    series = product_of_high_halves(constant(_SQUARE, int64), square)
    inner = add(add(constant(_ONE, int64), q), series)
    linear = product_of_high_halves(constant(_LINEAR, int64), q)
    below_one = add(product_of_high_halves(half, inner), linear)
    return product_of_high_halves(over_power(numerator, 6), one_over_one_plus(below_one))


def _halved_sum(a: Expr, b: Expr) -> Expr:
    """Return half of a positive sum, halves rounded up."""
    return Call(RightShift(), (add(add(a, b), constant(1, int64)), constant(1, int64)))
