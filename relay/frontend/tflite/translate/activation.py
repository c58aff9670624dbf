"""Translate TensorFlow Lite activations of floats and of quantised numbers."""

from math import erfc, inf

import numpy as np

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.tflite.fixed_point import high_product, rounded_shift, saturated, times
from relay.frontend.tflite.integer_arithmetic import (
    integer_range,
    multiplier,
    scaled,
    stored,
    without_zero,
)
from relay.frontend.tflite.lookup_tables import Real, all_codes, coded, looked_up, real_table
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.ir.expr import Array, Call, Expr
from relay.opdef.definition import OperatorDef
from relay.ops.binary import multiply
from relay.ops.comparison import less
from relay.ops.elementwise import Clip
from relay.ops.nn.activations import LeakyRelu
from relay.ops.nn.more_activations import Elu, Gelu, HardSwish
from relay.ops.selection import where
from relay.ops.transcendental import Sigmoid, Tanh
from relay.support.dtype import int32
from relay.support.error_codes import ErrorCode

_CLIPS = {
    "RELU": (0.0, inf),
    "RELU6": (0.0, 6.0),
    "RELU_N1_TO_1": (-1.0, 1.0),
    "RELU_0_TO_1": (0.0, 1.0),
}


@lite_operator(*_CLIPS)
def clip(node: LiteNode) -> Expr:
    """Translate activations that clip elements to a range."""
    low, high = _CLIPS[node.op]
    if not node.result.is_quantized:
        return Call(Clip(low, high), (node.expr(0),), span=node.span)
    ratio = float(node.tensor(0).scale / node.result.scale)
    moved = scaled(without_zero(node, 0), [ratio])
    return stored(moved, node.result, integer_range(node.result, low, high))


def of_reals(node: LiteNode, op: OperatorDef, function: Real) -> Expr:
    """Return a float operator, or for quantised data a lookup table of `function`."""
    if not node.result.is_quantized:
        return Call(op, (node.expr(0),), span=node.span)
    table = real_table(function, node.tensor(0), node.result)
    return looked_up(node.expr(0), table)


@lite_operator("LOGISTIC")
def logistic(node: LiteNode) -> Expr:
    """Translate `LOGISTIC`; 16-bit results are interpolated in a table of 256 numbers."""
    if node.result.is_quantized and node.result.element == "INT16":
        found = _sigmoid_of_16_bits(_in_logistic_steps(node, range(1)))
        return looked_up(node.expr(0), coded(found, node.result))
    return of_reals(node, Sigmoid(), lambda x: _single(1 / _single(1 + _single(np.exp(-x)))))


@lite_operator("TANH")
def tanh(node: LiteNode) -> Expr:
    """Translate `TANH`; for 16-bit numbers, from a logistic function."""
    if node.result.is_quantized and node.result.element == "INT16":
        found = _tanh_of_16_bits(_in_logistic_steps(node, range(2)))
        return looked_up(node.expr(0), coded(found, node.result))
    return of_reals(node, Tanh(), np.tanh)


def _single(x: Array) -> Array:
    """Return float64 numbers rounded to float32."""
    return np.asarray(x, np.float32).astype(np.float64)


def _in_logistic_steps(node: LiteNode, exact: range) -> Array:
    """Return all 16-bit numbers of the input, converted to steps of 1 / 12288.

    Scales of 2⁻¹² times a power of two with an exponent in `exact` are multiplied exactly, others
    as a 15-bit mantissa and an exponent.
    """
    codes, scale = all_codes(node.tensor(0)), float(node.tensor(0).scale)
    power = np.log2(scale)
    near = int(np.rint(power))
    if abs(power - near) < 1e-3 and 12 + near in exact:
        return (codes * 3) << (12 + near)
    number, places = scale * 4096 * 3, 0
    while number <= 32767 / 2 and places <= 30:
        number, places = number * 2, places + 1
    half = (1 << places) >> 1
    return (codes * int(number) + half) >> places


_BENT = (
    "0110101011111111111111111111221112121111111211111111111111111111101110101111111111111011110001"
    "1001111101000110111011101100010011010100110001101011111011110011001000000101000100011010100111"
    "00000111001101101010101001011011001100110001100001110000011111000001"
)
"""The bias of the reference table above the function, which fits its lines best."""

_PLAIN = np.floor(65536 / (1 + np.exp(-np.arange(256) / 24))).astype(np.int64)
_SIGMOIDS = _PLAIN + np.array([*map(int, _BENT)])
"""The logistic function at multiples of 1 / 24 in 16 bits, from the reference table."""


def _interpolated_logistic(x: Array, places: int, most: int) -> Array:
    """Return the logistic function of magnitudes `x`, interpolated in the table.

    The upper bits of a magnitude are the index of the preceding table entry; magnitudes beyond the
    table give the limit. Results have `places` additional bits.
    """
    size = np.abs(x)
    place = np.minimum(size >> places, 254)
    below, above = _SIGMOIDS[place], _SIGMOIDS[place + 1]
    inside = (below << places) + (size & ((1 << places) - 1)) * (above - below)
    return np.where(size >> places >= 255, most, inside)


def _sigmoid_of_16_bits(x: Array) -> Array:
    found = _interpolated_logistic(x, 9, 0x7FFF << 10)
    positive, negative = found + (1 << 9), (1 << 25) - found + (1 << 9) - 1
    return np.where(x >= 0, positive, negative) >> 10


def _tanh_of_16_bits(x: Array) -> Array:
    found = _interpolated_logistic(x, 8, 0xFFFF << 8)
    positive, negative = found - (1 << 23) + (1 << 7), (1 << 23) - found + (1 << 7) - 1
    return np.where(x >= 0, positive, negative) >> 8


@lite_operator("ELU")
def elu(node: LiteNode) -> Expr:
    """Translate `ELU`: `exp(x) - 1` for negative elements."""
    return of_reals(node, Elu(1.0), lambda x: np.where(x < 0, np.expm1(x), x))


@lite_operator("GELU")
def gelu(node: LiteNode) -> Expr:
    """Translate `GELU`: `x · Φ(x)`, optionally approximated with tanh."""
    if node.option("Approximate"):
        return of_reals(node, Gelu("tanh"), _gelu_by_tanh)
    return of_reals(node, Gelu(), _gelu)


def _gelu(x: Array) -> Array:
    beyond = np.vectorize(erfc, otypes=[np.float64])
    return 0.5 * x * _single(beyond(_single(x * _single(-np.sqrt(0.5)))))


def _gelu_by_tanh(x: Array) -> Array:
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


@lite_operator("HARD_SWISH")
def hard_swish(node: LiteNode) -> Expr:
    """Translate `HARD_SWISH`; 8-bit numbers are computed in 16-bit fixed point."""
    if not node.result.is_quantized:
        return Call(HardSwish(), (node.expr(0),), span=node.span)
    return looked_up(node.expr(0), coded(_hard_swish(node), node.result))


def _hard_swish(node: LiteNode) -> Array:
    fine = np.float32(1 / 128) * node.tensor(0).scale
    out, out_power = multiplier(float(fine / node.result.scale))
    slope, power = multiplier(float(fine / np.float32(3 / 32768)))
    if out_power > 0:
        raise node.error(
            ErrorCode.F026,
            f"the scale of the result must be more than {fine}, but is {node.result.scale}",
        )
    x = saturated((all_codes(node.tensor(0)) - node.tensor(0).zero) << 7, 16)
    value = high_product(x, _upper(out), 16)
    gate = saturated(x << (power - 1), 16) if power > 0 else x
    gate = high_product(gate, _upper(slope), 16)
    gate = saturated(gate << 1, 16) if power > 0 else rounded_shift(gate, -power)
    product = ((gate + (1 << 15)) >> 1) * value
    return rounded_shift(np.sign(product) * (np.abs(product) >> 15), -out_power)


def _upper(number: int) -> int:
    """Return a 32-bit number divided by 2^16, rounded, and limited to 32767."""
    return min((number + (1 << 15)) >> 16, 0x7FFF)


@lite_operator("LEAKY_RELU")
def leaky_relu(node: LiteNode) -> Expr:
    """Translate `LEAKY_RELU`: `alpha · x` for negative elements."""
    alpha = np.float32(node.option("Alpha"))
    if not node.result.is_quantized:
        return Call(LeakyRelu(float(alpha)), (node.expr(0),), span=node.span)
    source, out = node.tensor(0), node.result.scale
    below = float(source.scale * alpha / out)
    x = all_codes(source) - source.zero
    low = times(x, multiplier(abs(below))) * (-1 if below < 0 else 1)
    found = np.where(x >= 0, times(x, multiplier(float(source.scale / out))), low)
    return looked_up(node.expr(0), coded(found, node.result))


@lite_operator("PRELU")
def prelu(node: LiteNode) -> Expr:
    """Translate `PRELU`: `alpha · x` for negative elements; `alpha` is a tensor."""
    if not node.result.is_quantized:
        x = node.expr(0)
        zero = constant(0.0, x.tensor_type.dtype)
        return where(less(x, zero), multiply(x, node.expr(1)), x)
    first, second, out = node.tensor(0).scale, node.tensor(1).scale, node.result.scale
    x, alpha = without_zero(node, 0), without_zero(node, 1)
    above = scaled(x, [float(first / out)])
    below = scaled(multiply(x, alpha), [float(first * second / out)])
    return stored(where(less(x, constant(0, int32)), below, above), node.result)
