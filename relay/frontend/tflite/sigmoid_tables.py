"""Lookup tables of sigmoid and tanh, as TensorFlow Lite's integer LSTM computes them.

The index of an entry is its argument, a 16-bit fixed-point number, as an unsigned integer: positive
arguments come first, in increasing order, then the negative ones. An argument between -8 and 8 has
12 fraction bits, so 1.0 has the index 4096. Entries are 16-bit numbers that represent the range
from -1 to 1. Both functions are ratios of the exponential of a negative number; the reciprocal is
computed by three steps of Newton's method.
"""

import numpy as np

from relay.frontend.tflite.fixed_point import high_product, rounded_shift, saturated
from relay.ir.expr import Array

_ONE = 32767  # the largest code, closest to 1

_EXPONENTIALS = {
    -2: 1672461947, -1: 1302514674, 0: 790015084, 1: 290630308, 2: 39332535, 3: 720401, 4: 242,
}  # fmt: skip
"""The exponential of minus two to each power, with 31 fraction bits."""

MOST_INTEGER_BITS = 4
"""The most integer bits of an argument of the tangent: the range is from -16 to 16."""


def sigmoid_table() -> Array:
    """Return the sigmoid table for arguments from -8 to 8.

    >>> table = sigmoid_table()
    >>> int(table[0]), round(float(table[4096]) / 32768, 3)  # of 0 and 1
    (16384, 0.731)
    """
    x = _all_codes()
    found = saturated(_reciprocal(_exponential(-np.abs(x), 3)) << 1, 16)
    found = np.where(x < 0, _ONE - found, found)
    return np.where(x == 0, 1 << 14, found).astype(np.int16)


def tanh_table(integer_bits: int) -> Array:
    """Return the tanh table for arguments with `integer_bits` bits before the fraction bits.

    >>> round(float(tanh_table(3)[4096]) / 32768, 3)  # of 1
    0.762
    """
    x = _all_codes()
    exponential = _exponential(-np.abs(x), integer_bits + 1)  # exp(-2|x|)
    found = saturated((_reciprocal(exponential) - (1 << 13)) << 2, 16)
    return (found * np.sign(x)).astype(np.int16)


def _all_codes() -> Array:
    return np.arange(1 << 16).astype(np.uint16).view(np.int16).astype(np.int64)


def _exponential(x: Array, integer_bits: int) -> Array:
    """Return the exponential of numbers that are at most 0, with 15 fraction bits.

    It is the product of the exponential of a number between -1/4 and 0, and of a constant factor
    for each bit of the rest.
    """
    fraction_bits = 15 - integer_bits
    quarter = 1 << (fraction_bits - 2)
    part = (x & (quarter - 1)) - quarter
    rest = part - x
    found = _exponential_near_zero(part << integer_bits)
    for power, number in _EXPONENTIALS.items():
        if power < integer_bits:
            has = (rest >> (fraction_bits + power)) & 1
            found = np.where(has, _product(found, _shortened(number)), found)
    return np.where(x == 0, _ONE, found)


def _exponential_near_zero(x: Array) -> Array:
    """Return the exponential of numbers from -1/4 to 0, by the Taylor series at -1/8."""
    center, third = _shortened(1895147668), _shortened(715827883)
    x = x + (1 << 12)
    square = _product(x, x)
    cube, fourth = _product(square, x), _product(square, square)
    terms = rounded_shift(_product(rounded_shift(fourth, 2) + cube, third) + square, 1)
    return saturated(center + _product(np.asarray(center), x + terms), 16)


def _reciprocal(x: Array) -> Array:
    """Return 2 / (1 + x) for x from 0 to 1, with 13 fraction bits."""
    half = (x + _ONE + 1) >> 1
    found = _shortened(1515870810) + _product(half, _shortened(-1010580540))
    for _ in range(3):
        error = (1 << 13) - _product(half, found)
        found = found + saturated(_product(found, error) << 2, 16)
    return found


def _product(a: Array, b: Array | int) -> Array:
    return high_product(a, b, 16)


def _shortened(number: int) -> int:
    """Return a 32-bit fixed-point constant rounded to 16 bits."""
    return int(rounded_shift(np.asarray(number), 16))
