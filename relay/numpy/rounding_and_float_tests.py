"""Absolute values and signs, rounding, bounds, and elementwise tests."""

# ruff: noqa: A001 - NumPy's own names

from typing import Any

import numpy as np

from relay.ir.expr import Constant, Expr
from relay.numpy.argument_conversion import Apart, Given, Real, numpy_function
from relay.numpy.arithmetic import is_bool, is_float, maximum, minimum, truth
from relay.numpy.errors import mistake
from relay.numpy.tensor_conversion import constant, convert, floating, like, together
from relay.ops import derivatives_at_zero
from relay.ops.complex_numbers import real_functions
from relay.ops.functions import core
from relay.ops.identity_operators import with_derivatives_of
from relay.support.dtype import DType, Kind, float64, int32, int64, uint8, uint64
from relay.support.error_codes import ErrorCode


@numpy_function
def absolute(x: Expr) -> Expr:
    """Return absolute values; the most negative integer is unchanged."""
    return core.copy(x) if is_bool(x) else derivatives_at_zero.absolute(x)


@numpy_function
def fabs(x: Real) -> Expr:
    """Return absolute values as floats."""
    return derivatives_at_zero.absolute(x)


@numpy_function
def sign(x: Expr) -> Expr:
    """Return -1, 0 or 1; NaN stays NaN. Raises `F112` for booleans."""
    if is_bool(x):
        raise mistake(
            ErrorCode.F112,
            "np.sign does not accept booleans",
            None,
            "convert to integers: x.astype(int)",
        )
    return core.sign(x)


def _bits_type(x: Expr, kind: Kind) -> DType:
    return DType(kind, x.tensor_type.dtype.bits)


def bits_of(x: Expr) -> Expr:
    """Return the bits of floats as signed integers of the same width."""
    return core.reinterpret(core.stop_gradient(x), _bits_type(x, Kind.INT))


@numpy_function
def signbit(x: Real) -> Expr:
    """Return whether the sign bit is set, as in `-0.0`."""
    return real_functions.signbit(x)


@numpy_function
def copysign(x1: Real, x2: Real) -> Expr:
    """Return the absolute values of `x1` with the signs of `x2`."""
    return real_functions.copysign(x1, x2)


def unit_sign(x: Expr) -> Expr:
    """Return -1 where the sign bit is set, and 1 elsewhere, as floats without a derivative."""
    return core.where(signbit(x), like(-1, x), like(1, x))


@numpy_function
def floor(x: Expr) -> Expr:
    """Return numbers rounded down; integers are unchanged."""
    return core.floor(x) if is_float(x) else core.copy(x)


@numpy_function
def ceil(x: Expr) -> Expr:
    """Return numbers rounded up; integers are unchanged."""
    return core.ceil(x) if is_float(x) else core.copy(x)


@numpy_function
def trunc(x: Expr) -> Expr:
    """Return numbers rounded towards zero; integers are unchanged."""
    return core.trunc(x) if is_float(x) else core.copy(x)


@numpy_function
def rint(x: Real) -> Expr:
    """Return numbers rounded to the nearest integer as floats; halves go to even."""
    return core.rint(x)


@numpy_function
def modf(x: Real) -> tuple[Expr, Expr]:
    """Return the fractional and the integral parts, both with the sign of `x`."""
    whole = core.trunc(x)
    fraction = core.where(core.isinf(x), core.zeros_like(x), core.subtract(x, whole))
    return with_derivatives_of(fraction, copysign(fraction, x)), whole


@numpy_function
def round(a: Expr, decimals: int = 0) -> Expr:
    """Return numbers rounded to decimal digits; halves go to the even neighbour."""
    if is_bool(a):
        if decimals:
            raise mistake(
                ErrorCode.F112,
                "np.round does not accept booleans",
                None,
                "convert to integers: x.astype(int)",
            )
        return core.rint(floating(a))
    if is_float(a):
        return core.rint(a) if decimals == 0 else _rounded(a, decimals)
    if decimals >= 0:
        return core.copy(a)
    whole = _rounded(convert(a, float64), decimals)
    return convert(convert(whole, int64), a.tensor_type.dtype)  # which wraps around


def _rounded(a: Expr, decimals: int) -> Expr:
    scale = like(10.0 ** (decimals if decimals > 0 else -decimals), a)
    if decimals > 0:
        return core.divide(core.rint(core.multiply(a, scale)), scale)
    return core.multiply(core.rint(core.divide(a, scale)), scale)


@numpy_function
def clip(
    a: Apart, a_min: Given = None, a_max: Given = None, *, min: Given = None, max: Given = None
) -> Expr:
    """Return the elements limited to the given bounds."""
    low, high = a_min if min is None else min, a_max if max is None else max
    found = core.copy(a) if low is None and high is None else a
    found = found if low is None else maximum(found, _within(low, a))
    return found if high is None else minimum(found, _within(high, a))


def _within(bound: Any, x: Expr) -> Any:
    """Return a bound; a Python integer out of the type's range is clamped to it."""
    if not isinstance(bound, int) or isinstance(bound, bool) or not x.tensor_type.dtype.is_integer:
        return bound
    limits = np.iinfo(str(x.tensor_type.dtype))
    return sorted((int(limits.min), bound, int(limits.max)))[1]


@numpy_function
def nan_to_num(
    x: Expr, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None
) -> Expr:
    """Return numbers with NaN and infinities replaced: by default 0 and finite limits."""
    del copy
    if not is_float(x):
        return core.copy(x)
    limits = np.finfo(str(x.tensor_type.dtype))
    high, low = (
        float(limits.max) if posinf is None else posinf,
        float(limits.min) if neginf is None else neginf,
    )
    finite = core.where(core.equal(x, like(np.inf, x)), like(high, x), x)
    finite = core.where(core.equal(x, like(-np.inf, x)), like(low, x), finite)
    return core.where(core.isnan(x), like(nan, x), finite)


@numpy_function
def heaviside(x1: Real, x2: Real) -> Expr:
    """Return 0 for negative numbers, 1 for positive ones, `x2` for zero, and NaN for NaN."""
    zero = like(0, x1)
    side = core.where(core.isnan(x1), x1, convert(core.greater(x1, zero), x1.tensor_type.dtype))
    return core.where(core.equal(x1, zero), x2, side)


# Tests


def _no(x: Expr) -> Expr:
    return core.zeros_like(truth(x))


@numpy_function
def isnan(x: Apart) -> Expr:
    """Return whether elements are NaN."""
    return core.isnan(x) if is_float(x) else _no(x)


@numpy_function
def isinf(x: Apart) -> Expr:
    """Return whether elements are infinite."""
    return core.isinf(x) if is_float(x) else _no(x)


@numpy_function
def isfinite(x: Apart) -> Expr:
    """Return whether elements are neither NaN nor infinite."""
    return core.isfinite(x) if is_float(x) else core.logical_not(_no(x))


@numpy_function
def isposinf(x: Apart) -> Expr:
    """Return whether elements are positive infinity."""
    return core.equal(x, like(np.inf, x)) if is_float(x) else _no(x)


@numpy_function
def isneginf(x: Apart) -> Expr:
    """Return whether elements are negative infinity."""
    return core.equal(x, like(-np.inf, x)) if is_float(x) else _no(x)


# Comparisons with a tolerance


@numpy_function
def isclose(
    a: Apart, b: Apart, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Expr:
    """Return whether elements are nearly equal: `|a - b| <= atol + rtol * |b|` with finite `b`."""
    x, y = together((a, b))
    if not is_float(x):
        x, y = convert(x, float64), convert(y, float64)
    size = core.abs(y)
    bound = core.add(core.multiply(size, like(rtol, size)), like(atol, size))
    near = core.less_equal(core.abs(core.subtract(x, y)), bound)
    same = core.logical_or(core.equal(x, y), core.logical_and(near, core.isfinite(y)))
    if not equal_nan:
        return same
    return core.logical_or(same, core.logical_and(core.isnan(x), core.isnan(y)))


@numpy_function
def allclose(
    a: Apart, b: Apart, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Expr:
    """Return whether all elements are nearly equal."""
    return core.all(isclose(a, b, rtol, atol, equal_nan))


@numpy_function
def array_equal(a1: Expr, a2: Expr, equal_nan: bool = False) -> Expr:
    """Return whether two tensors have equal shapes and elements."""
    if a1.tensor_type.shape != a2.tensor_type.shape:
        return Constant(np.asarray(False))
    return core.all(_same(a1, a2, equal_nan=equal_nan))


@numpy_function
def array_equiv(a1: Expr, a2: Expr) -> Expr:
    """Return whether two tensors broadcast to equal elements."""
    try:
        np.broadcast_shapes(a1.tensor_type.static_shape, a2.tensor_type.static_shape)
    except ValueError:
        return Constant(np.asarray(False))
    return core.all(core.equal(a1, a2))


def _same(a: Expr, b: Expr, *, equal_nan: bool) -> Expr:
    same = core.equal(a, b)
    if not (equal_nan and is_float(a)):
        return same
    return core.logical_or(same, core.logical_and(core.isnan(a), core.isnan(b)))


# Bits of numbers


@numpy_function
def bitwise_count(x: Expr) -> Expr:
    """Return the number of bits set in absolute values; uint8."""
    if is_float(x):
        raise mistake(
            ErrorCode.F112,
            f"np.bitwise_count does not accept a tensor of type {x.ty!r}",
            None,
            "pass integers",
        )
    size = x if is_bool(x) else convert(core.abs(x), _bits_type(x, Kind.UINT))
    word = convert(size, uint64)
    masks = (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F)
    for shift, mask in zip((1, 2, 4), masks, strict=True):
        kept = constant(mask, uint64)
        above = core.right_shift(word, constant(shift, uint64))
        word = core.add(core.bitwise_and(word, kept), core.bitwise_and(above, kept))
    whole = core.multiply(word, constant(0x0101010101010101, uint64))
    return convert(core.right_shift(whole, constant(56, uint64)), uint8)


@numpy_function
def nextafter(x1: Real, x2: Real) -> Expr:
    """Return the next float from `x1` towards `x2`."""
    bits = bits_of(x1)
    one, zero = like(1, bits), like(0, x1)
    outwards = core.equal(core.greater(x2, x1), core.greater(x1, zero))
    moved = core.where(outwards, core.add(bits, one), core.subtract(bits, one))
    least = core.where(core.greater(x2, zero), like(_least(x1), x1), like(-_least(x1), x1))
    found = core.reinterpret(moved, x1.tensor_type.dtype)
    found = core.where(core.equal(x1, zero), least, found)
    found = core.where(core.equal(x1, x2), x2, found)
    return core.where(core.logical_or(core.isnan(x1), core.isnan(x2)), core.add(x1, x2), found)


def _least(x: Expr) -> float:
    return float(np.finfo(str(x.tensor_type.dtype)).smallest_subnormal)


@numpy_function
def spacing(x: Real) -> Expr:
    """Return the distance to the next float away from zero, with the sign of `x`."""
    far = core.where(core.less(x, like(0, x)), like(-np.inf, x), like(np.inf, x))
    distance = core.subtract(nextafter(x, far), x)
    return core.where(core.isfinite(x), distance, like(np.nan, x))


@numpy_function
def ldexp(x1: Apart, x2: Apart) -> Expr:
    """Return `x1 * 2 ** x2`."""
    x = floating(x1)
    limit = 3 * (np.finfo(str(x.tensor_type.dtype)).maxexp - 2)  # three factors reach all floats
    bound = [constant(each, int32) for each in (-limit, limit)]
    steps = core.minimum(core.maximum(convert(x2, int32), bound[0]), bound[1])
    three = constant(3, int32)
    first = core.trunc_divide(steps, three)
    rest = core.subtract(steps, core.multiply(first, constant(2, int32)))
    for count in (first, first, rest):
        x = core.multiply(x, core.power(like(2.0, x), convert(count, x.tensor_type.dtype)))
    return x


@numpy_function
def frexp(x: Real) -> tuple[Expr, Expr]:
    """Return mantissas in [0.5, 1) and exponents of 2; int32."""
    info = np.finfo(str(x.tensor_type.dtype))
    up = float(2.0 ** (info.nmant + 1))
    tiny = core.less(core.abs(x), like(float(info.smallest_normal), x))
    bits = bits_of(core.where(tiny, core.multiply(x, like(up, x)), x))
    field = core.right_shift(bits, like(info.nmant, bits))
    field = core.bitwise_and(field, like((1 << info.nexp) - 1, bits))
    lower = info.maxexp - 2
    exponent = core.subtract(convert(field, int32), constant(lower, int32))
    less = core.subtract(exponent, constant(info.nmant + 1, int32))
    exponent = core.where(tiny, less, exponent)
    kept = ~(((1 << info.nexp) - 1) << info.nmant)
    mantissa = core.bitwise_or(
        core.bitwise_and(bits, like(kept, bits)), like(lower << info.nmant, bits)
    )
    plain = core.logical_and(core.isfinite(x), core.not_equal(x, like(0, x)))
    zero = core.zeros_like(exponent)
    found = core.reinterpret(mantissa, x.tensor_type.dtype)
    scale = core.divide(found, core.where(plain, x, like(1, x)))  # a constant to derivatives
    found = core.where(core.isfinite(scale), core.multiply(x, core.stop_gradient(scale)), found)
    return core.where(plain, found, x), core.where(plain, exponent, zero)


abs = absolute
around = round


@numpy_function
def fix(x: Expr) -> Expr:
    """Return numbers rounded towards zero; integers are unchanged."""
    return trunc(x)
