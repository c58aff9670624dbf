"""Fixed-point arithmetic of TensorFlow Lite on int64 arrays, to compute lookup tables."""

import numpy as np

from relay.ir.expr import Array


def high_product(a: Array | int, b: Array | int, bits: int = 32) -> Array:
    """Return the upper half of twice the product `a · b`, rounded to nearest, halves up.

    Both are integers of `bits` bits; the product of the two minima saturates.
    """
    places = bits - 1
    product = np.asarray(a, np.int64) * np.asarray(b, np.int64)
    return np.minimum((product + (1 << (places - 1))) >> places, (1 << places) - 1)


def rounded_shift(x: Array, places: Array | int) -> Array:
    """Return integers divided by 2^`places`, rounded to nearest, halves away from zero."""
    half = (1 << places) >> 1
    return np.sign(x) * ((np.abs(x) + half) >> places)


def times(x: Array, factor: tuple[int, int]) -> Array:
    """Return 32-bit integers times a fixed-point factor (mantissa, exponent); rounded twice."""
    number, power = factor
    raised = (x << max(power, 0)).astype(np.int32).astype(np.int64)
    return rounded_shift(high_product(raised, number), max(-power, 0))


def saturated(x: Array, bits: int) -> Array:
    """Return integers saturated to `bits` bits."""
    return np.clip(x, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)
