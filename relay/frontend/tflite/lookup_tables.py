"""Lookup tables of functions of 8-bit and 16-bit quantised numbers, computed at import."""

from collections.abc import Callable

import numpy as np

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.tflite.model import LiteTensor
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ops.binary import add, multiply
from relay.ops.cast import Cast
from relay.ops.tensor.gather import Take
from relay.support.dtype import dtype, int16, int32, uint8

Real = Callable[[Array], Array]
"""A function of real numbers, computed in double precision."""

Float = np.float32 | np.float64


def looked_up(x: Expr, table: Array) -> Expr:
    """Return the elements of a table at indices `x`, which are reinterpreted as unsigned."""
    unsigned = dtype(f"uint{x.tensor_type.dtype.bits}")
    places = Call(Cast(int32), (Call(Cast(unsigned), (x,)),))
    return Call(Take(axis=0, mode="fast"), (Constant(table), places))


def looked_up_pair(x: Expr, y: Expr, table: Array) -> Expr:
    """Return the elements of a square table of 8-bit numbers at rows `x` and columns `y`."""
    rows, columns = (Call(Cast(int32), (Call(Cast(uint8), (each,)),)) for each in (x, y))
    places = add(multiply(rows, constant(256, int32)), columns)
    return Call(Take(axis=0, mode="fast"), (Constant(table.reshape(-1)), places))


def all_codes(tensor: LiteTensor) -> Array:
    """Return all values of a tensor's element type as int64, in the order of unsigned integers."""
    assert tensor.dtype is not None, "quantised tensors have integers"
    unsigned = np.arange(1 << tensor.dtype.bits).astype(f"uint{tensor.dtype.bits}")
    return unsigned.view(tensor.dtype.numpy).astype(np.int64)


def coded(found: Array, target: LiteTensor) -> Array:
    """Return integers as stored elements of `target`: zero point added, saturated."""
    assert target.dtype is not None, "quantised tensors have integers"
    low, high = target.dtype.limits
    return np.clip(found + target.zero, low, high).astype(target.dtype.numpy)


def real_table(function: Real, source: LiteTensor, target: LiteTensor) -> Array:
    """Return the lookup table of a function of the real numbers that elements represent.

    Each step is rounded to float32; the last one multiplies by the inverse of the scale. 16-bit
    functions are interpolated.
    """
    if source.element == "INT16":
        ends = [source.scale * np.float32(end - source.zero) for end in int16.limits]
        inverse = np.float32(65536) / (target.scale * np.float32(65535))
        return coded(interpolated(function, ends[0], ends[1], inverse), target)
    real = source.scale * (all_codes(source) - source.zero).astype(np.float32)
    with np.errstate(all="ignore"):
        found = function(real.astype(np.float64)).astype(np.float32)
        ratio = found * (np.float32(1) / target.scale)
    wide = np.clip(np.nan_to_num(_nearest(ratio)), -(2.0**31), 2.0**31 - 1).astype(np.int64)
    return coded(wide, target)


def interpolated(function: Real, low: Float, high: Float, inverse: Float) -> Array:
    """Return the table of a function of 16-bit numbers that represent `low` to `high`.

    The function is computed at 513 points and linearly interpolated between them, shifted by half
    the error at the midpoint. Results are 16-bit numbers, divided by the scale whose inverse is
    `inverse`. Each step is rounded to the type of `low`, float32 or float64.
    """
    real = type(low)
    step = (high - low) / real(_STEPS)
    places = low + np.arange(_STEPS + 1, dtype=real) * step

    def at(x: Array) -> Array:
        return function(x.astype(np.float64)).astype(real) * inverse

    with np.errstate(all="ignore"):
        values, middles = at(places), at(places[:-1] + step / real(2))
    near = _nearest(values)
    between = (values[1:] + near[:-1].astype(real)) / real(2)
    error = _nearest(between) - _nearest(middles)
    knots = np.append(near[:-1] - _nearest(error / 2), near[-1])
    knots = np.clip(np.nan_to_num(knots), *int16.limits).astype(np.int64)
    codes = np.arange(1 << 16).astype(np.uint16).view(np.int16).astype(np.int64)
    place, rest = (codes >> 7) + _STEPS // 2, codes & 0x7F
    slope = knots[place + 1] - knots[place]
    return knots[place] + ((slope * rest + 64) >> 7)


_STEPS = 512


def _nearest(x: Array) -> Array:
    """Return the nearest integers; halves are rounded away from zero."""
    return np.trunc(x.astype(np.float64) + np.copysign(0.5, x))
