"""Lookup tables of quotients of 8-bit quantised numbers, in TensorFlow Lite's fixed point.

A divisor is inverted by three Newton steps: its inverse is a 31-bit fraction and a power of two.
"""

import numpy as np

from relay.frontend.tflite.fixed_point import high_product, rounded_shift, saturated
from relay.frontend.tflite.integer_arithmetic import multiplier
from relay.frontend.tflite.lookup_tables import all_codes
from relay.frontend.tflite.model import LiteTensor
from relay.ir.expr import Array

_ONE = (1 << 31) - 1  # the largest fraction
_FIRST = 1515870810, -1010580540  # 48/17 and -32/17 with 29 fraction bits


def quotients(left: LiteTensor, right: LiteTensor, result: LiteTensor) -> Array:
    """Return the quotients of all codes of two tensors, before the zero point is added.

    A quotient by zero, which TensorFlow Lite leaves undefined, has the largest size.
    """
    codes = all_codes(left) - left.zero, all_codes(right) - right.zero
    a, b = codes[0][:, None], codes[1][None]
    inverse, places = _inverted(np.maximum(np.abs(b), 1))
    a = np.where(b < 0, -a, a)
    room = _room(a)
    number, power = multiplier(float(left.scale / (right.scale * result.scale)))
    quotient = high_product(high_product(a << room, inverse), number)
    found = rounded_shift(quotient, np.minimum(places + room - power, 62))
    return np.where(b == 0, np.sign(a) << 31, found)


def _inverted(x: Array) -> tuple[Array, Array]:
    """Return 1 / x of positive integers as fractions times 2^(1 - places), and the places."""
    size = _bits(x)
    half = ((x << (32 - size)) - (1 << 31) + _ONE + 1) >> 1
    found = _FIRST[0] + high_product(half, _FIRST[1])
    for _ in range(3):
        rest = high_product(found, (1 << 29) - high_product(half, found))
        found = found + saturated(rest << 2, 32)
    return saturated(found << 1, 32), size - 1


def _room(x: Array) -> Array:
    """Return by how many bits 32-bit integers can be shifted to the left."""
    return 31 - _bits(np.where(x < 0, ~x, x))


def _bits(x: Array) -> Array:
    """Return the lengths of nonnegative integers in bits."""
    return np.frexp(x.astype(np.float64))[1].astype(np.int64)
