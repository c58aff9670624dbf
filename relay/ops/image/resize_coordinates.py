"""Exact computation of the position in an image from which an element of the resized image is read.

Every coordinate transformation is linear with rational coefficients, so the source position of `x`
is `(step · x + offset) / denominator`, with integers. It is rounded to a neighbour by an integer
division, which has no rounding error.

An ONNX scale is a float32, and so is the position computed with it; as in ONNX Runtime, rounding
errors may move it to the other side of an integer. Where they do not, as for most scales that are
integers, the integer division is faster: vectors of its results are known when it is compiled.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import frexp, lcm

import numpy as np
from numpy.typing import NDArray

from relay.ir.dims import Dim, maximum
from relay.kernels import te
from relay.kernels.scalar import Number, lift
from relay.support.dtype import DType, float32, int32, int64

MODES = (
    "half_pixel",
    "half_pixel_symmetric",
    "align_corners",
    "asymmetric",
    "pytorch_half_pixel",
    "tf_half_pixel_for_nn",
    "tf_crop_and_resize",
)
ROUNDINGS = ("", "round", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
_HALF = Fraction(1, 2)
_EXACT = 6  # scales up to 2 ** 6 divide positions below 2 ** 17 without rounding errors
_LONG = 2**20  # positions, of which each is compared
_FINEST = 2**20  # the largest denominator of a fraction that approximates a region or a scale


@dataclass(frozen=True)
class Source:
    """The position `(step · x + offset) / denominator` along one axis of the source image.

    `in_float32` is the same position as ONNX Runtime computes it, if that may be another element.
    If `narrow`, the division has 32 bits, because vector instructions divide these faster than 64
    bits.
    """

    step: Number
    offset: Number
    denominator: Number
    in_float32: "Float32Source | None" = None
    narrow: bool = False

    def numerator(self, x: te.Scalar) -> te.Scalar:
        """Return `step · x + offset`, the dividend of the position."""
        return x * self.step + self.offset

    def floor(self, x: te.Scalar) -> te.Scalar:
        """Return the source position of `x`, rounded down."""
        return te.cast(self._dividend(x) // self.denominator, int64)

    def _dividend(self, x: te.Scalar) -> te.Scalar:
        return self.numerator(te.cast(x, int32) if self.narrow else x)

    def fraction(self, x: te.Scalar, dtype: DType) -> te.Scalar:
        """Return the fractional part of the source position of `x`."""
        rest = te.cast(self._dividend(x) % self.denominator, dtype)
        if isinstance(self.denominator, int):
            return rest * (1 / self.denominator)
        return rest / te.cast(lift(self.denominator), dtype)

    def nearest(self, x: te.Scalar, rounding: str) -> te.Scalar:
        """Return the source position of `x`, rounded to an integer; by default, halves round up."""
        p, q = self._dividend(x), self.denominator
        if self.in_float32 is not None and rounding in ("floor", "ceil"):
            position = self.in_float32.position(te.cast(x, float32))
            near = te.floor(position) if rounding == "floor" else te.ceil(position)
            return te.cast(near, int64)
        match rounding:
            case "floor":
                found = p // q
            case "ceil":
                found = (p + (q - 1)) // q
            case "round_prefer_floor":
                found = (p * 2 + (q - 1)) // (2 * q)
            case _:  # halves below 0 are irrelevant: they are clamped to 0
                found = (p * 2 + q) // (2 * q)
        return te.cast(found, int64)


@dataclass(frozen=True)
class Float32Source:
    """The source position `(x + before) / scale - behind`, computed in float32."""

    scale: float
    before: float
    behind: float

    def position(self, x: te.Scalar) -> te.Scalar:
        """Return the source position of a float32 `x`."""
        return (x + self.before) / self.scale - self.behind

    def agrees(self, with_: Source, new_size: Dim) -> bool:
        """Whether an axis of `new_size` has the same positions, rounded down or up.

        With an unknown or huge size, only divisions without rounding errors certainly agree.
        """
        match with_, new_size:
            case Source(step=int(step), offset=int(offset), denominator=int(by)), int() if (
                new_size < _LONG
            ):
                x = np.arange(new_size)
                dividends: NDArray[np.int64] = x * step + offset
                found = self._positions(x.astype(np.float32))
                down, up = np.floor(found), np.ceil(found)
                return bool((down == dividends // by).all() and (up == -(-dividends // by)).all())
            case _:
                fraction, exponent = frexp(self.scale)
                exact = fraction == _HALF and abs(exponent) <= _EXACT  # a power of two
                whole = float(self.scale).is_integer()
                return exact or (whole and self.before == self.behind == 0)

    def _positions(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        before, scale, behind = map(np.float32, (self.before, self.scale, self.behind))
        return (x + before) / scale - behind


def float32_source(mode: str, new_size: Dim, scale: float | None) -> Float32Source | None:
    """Return ONNX Runtime's float32 positions for a scale; None if ONNX Runtime uses others."""
    match mode:
        case _ if scale is None:
            return None
        case "asymmetric":
            return Float32Source(scale, 0.0, 0.0)
        case "tf_half_pixel_for_nn":
            return Float32Source(scale, 0.5, 0.0)
        case "pytorch_half_pixel" if not isinstance(new_size, int) or new_size == 1:
            return None
        case "half_pixel" | "pytorch_half_pixel":
            return Float32Source(scale, 0.5, 0.5)
        case _:
            return None


def source(
    mode: str,
    size: Dim,
    new_size: Dim,
    scale: float | None,
    region: tuple[float, float] = (0.0, 1.0),
) -> Source:
    """Return the source positions for an axis of `size` that is resized to `new_size`.

    `mode` is the coordinate transformation. `scale` replaces the ratio of the sizes, as in ONNX;
    `region` is for `tf_crop_and_resize`.
    """
    if not (isinstance(size, int) and isinstance(new_size, int)):
        ratio = (size, new_size) if scale is None else _parts(1 / _rational(scale))
        found = _symbolic(mode, size, new_size, ratio, region)
        return _as_in_float32(found, float32_source(mode, new_size, scale), new_size)
    ratio = Fraction(size, max(1, new_size)) if scale is None else 1 / _rational(scale)
    step, offset = _linear(mode, size, new_size, ratio, region)
    q = lcm(step.denominator, offset.denominator)
    largest = 2 * (abs(step * q) * new_size + abs(offset * q) + q)
    divides = q & (q - 1) != 0 and step * q != 1  # powers of two are shifts, other 1 / q are blocks
    narrow = divides and largest < 2**31
    found = Source(int(step * q), int(offset * q), q, None, narrow)
    return _as_in_float32(found, float32_source(mode, new_size, scale), new_size)


def _as_in_float32(found: Source, other: Float32Source | None, new_size: Dim) -> Source:
    """Return source positions with those computed in float32, if these may be others."""
    same = other is None or other.agrees(found, new_size)
    return found if same else replace(found, in_float32=other)


def _linear(
    mode: str, size: int, new_size: int, ratio: Fraction, region: tuple[float, float]
) -> tuple[Fraction, Fraction]:
    """Return `step` and `offset` of the source position `step · x + offset`, for static sizes."""
    match mode:
        case "align_corners":
            return Fraction(size - 1, max(1, new_size - 1)), Fraction(0)
        case "asymmetric":
            return ratio, Fraction(0)
        case "tf_half_pixel_for_nn":
            return ratio, ratio * _HALF
        case "tf_crop_and_resize":
            begin, end = map(_rational, region)
            if new_size == 1:
                return Fraction(0), (begin + end) * _HALF * (size - 1)
            return (end - begin) * (size - 1) / (new_size - 1), begin * (size - 1)
        case "pytorch_half_pixel" if new_size == 1:
            return Fraction(0), Fraction(0)
        case "half_pixel_symmetric":
            return ratio, (ratio - 1 + size - new_size * ratio) * _HALF
        case _:
            return ratio, ratio * _HALF - _HALF


def _symbolic(
    mode: str, size: Dim, new_size: Dim, ratio: tuple[Dim, Dim], region: tuple[float, float]
) -> Source:
    """Return the source positions for symbolic sizes, with a common denominator."""
    p, q = ratio
    is_one = te.equal(lift(new_size), 1)
    apart = lift(maximum(new_size - 1, 1))
    match mode:
        case "align_corners":
            return Source(lift(size - 1), 0, apart)
        case "asymmetric":
            return Source(lift(p), 0, lift(q))
        case "half_pixel_symmetric":
            return Source(lift(2 * p), lift(p - q + q * size - p * new_size), lift(2 * q))
        case "tf_half_pixel_for_nn":
            return Source(lift(2 * p), lift(p), lift(2 * q))
        case "tf_crop_and_resize":
            (begin, low), (end, high) = (_parts(_rational(edge)) for edge in region)
            middle = (begin * high + end * low) * (size - 1) * apart
            step = te.select(is_one, 0, lift(2 * (end * low - begin * high) * (size - 1)))
            offset = te.select(is_one, middle, 2 * begin * high * (size - 1) * apart)
            return Source(step, offset, 2 * low * high * apart)
        case _:
            step, offset, whole = lift(2 * p), lift(p - q), lift(2 * q)
            if mode != "pytorch_half_pixel":
                return Source(step, offset, whole)
            return Source(te.select(is_one, 0, step), te.select(is_one, 0, offset), whole)


def _parts(fraction: Fraction) -> tuple[int, int]:
    return fraction.numerator, fraction.denominator


def _rational(number: float) -> Fraction:
    return Fraction(number).limit_denominator(_FINEST)
