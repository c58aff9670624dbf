"""Multiplication by fixed-point numbers, each an integer multiplier times a power of two.

`multiplier * 2^(shift - 31)` with a 32-bit multiplier represents the ratio of two quantisation
scales. With UPWARD rounding, the exact product is rounded once, halves up, and wraps to 32 bits.
DOUBLE rounding is the arithmetic of gemmlowp and TensorFlow Lite, for nonnegative multipliers: a
left shift is applied before the product, and wraps; the product is rounded to 32 bits, halves up; a
right shift rounds again, halves away from zero.
"""

from collections.abc import Callable, Sequence

import numpy as np

from relay.ir.expr import Array, Call, Constant, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.scalar import Scalar
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.families import DISCRETE, Elementwise
from relay.support.dtype import Kind, int32, int64
from relay.support.node import set_field

_WIDE = (-(2.0**31), 2.0**31)
ROUNDINGS = ("UPWARD", "DOUBLE")


@operator("fixed_point_multiply")
class FixedPointMultiply(Elementwise):
    """`data * multiplier * 2^(shift - 31)`, rounded to nearest. Takes int32 of any shape.

    `shift` is between -31 and 31 (`T104`). `rounding` is UPWARD (once, halves up) or DOUBLE (in two
    steps, as in TensorFlow Lite).
    """

    multiplier: int
    shift: int
    rounding: str = "UPWARD"

    undifferentiable = DISCRETE
    kinds = (Kind.INT,)
    examples = (
        Example("i32[3, 5]", multiplier=1 << 30, shift=1, domain=(-1000.0, 1000.0)),
        Example("i32[9]", multiplier=1395864371, shift=-3, domain=_WIDE),
        Example("i32[9]", multiplier=-7, shift=0, domain=_WIDE),
        Example("i32[]", multiplier=3 << 29, shift=4, domain=(-1000.0, 1000.0)),
        Example("i32[5]", multiplier=1 << 30, shift=-31, domain=_WIDE),
        Example("i32[3]", multiplier=3, shift=31, domain=(-9.0, 9.0)),
        Example("i32[9]", multiplier=1395864371, shift=-3, rounding="DOUBLE", domain=_WIDE),
        Example("i32[9]", multiplier=1395864371, shift=4, rounding="DOUBLE", domain=(-99.0, 99.0)),
    )

    def __post_init__(self) -> None:
        set_field(self, "multiplier", int(self.multiplier))
        set_field(self, "shift", int(self.shift))
        fits = -(1 << 31) <= self.multiplier < 1 << 31 and -31 <= self.shift <= 31
        checks.attribute(
            self.name, fits, ("multiplier must fit into 32 bits, and shift must be from -31 to 31")
        )
        _check_rounding(self.name, self.rounding)
        fits = self.rounding == "UPWARD" or self.multiplier >= 0
        checks.attribute(self.name, fits, "rounding DOUBLE needs a multiplier of at least 0")

    def infer(self, data: TensorType) -> TensorType:
        checks.same_dtype(self.name, data, TensorType((), int32))
        return data

    def scalar(self, x: Scalar) -> Scalar:
        if self.rounding == "DOUBLE":
            left, right = (te.const(max(by, 0), int32) for by in (self.shift, -self.shift))
            return _rounded_twice(x, te.const(self.multiplier, int32), left, right)
        if self.shift <= 0 and self.multiplier > int32.limits[0]:
            return te.rounded_product(x, self.multiplier, 31 - self.shift)
        product = te.cast(x, int64) * self.multiplier
        right = 31 - self.shift
        half = 1 << (right - 1) if right else 0
        return te.cast((product + half) >> right, int32)

    def reference(self, data: Array) -> Array:
        return _rounded(data, np.asarray(self.multiplier), np.asarray(self.shift), self.rounding)


def _check_rounding(operator_: str, rounding: str) -> None:
    said = f"rounding must be {' or '.join(ROUNDINGS)}, not {rounding}"
    checks.attribute(operator_, rounding in ROUNDINGS, said)


def _rounded_twice(x: Scalar, multiplier: Scalar, left: Scalar, right: Scalar) -> Scalar:
    """Return the formula of the product with DOUBLE rounding; all operands are int32."""
    high = te.rounded_product(x << left, multiplier, 31)
    rest = (te.const(1, int32) << right) - 1
    below = (rest >> 1) - (high >> 31)  # half of the divisor, plus 1 for negative numbers
    return (high >> right) + te.select((high & rest) > below, te.const(1, int32), 0)


def _rounded(x: Array, multiplier: Array, shift: Array, rounding: str) -> Array:
    """Return the product as `rounding` requires, computed with Python's unbounded integers."""

    def once(*numbers: int) -> int:
        a, b, power = map(int, numbers)
        doubled = a * b * 2 ** (power + 32)  # scaled by 2^63 in total: shift is at least -31
        return _wrapped((doubled + 2**62) >> 63)

    def twice(*numbers: int) -> int:
        a, b, power = map(int, numbers)
        high = (_wrapped(a << max(power, 0)) * b + 2**30) >> 31
        half = (1 << max(-power, 0)) >> 1
        return (abs(high) + half >> max(-power, 0)) * (-1 if high < 0 else 1)

    rule = twice if rounding == "DOUBLE" else once
    table: Callable[..., Array] = np.vectorize(rule, otypes=[np.int32])
    return np.asarray(table(x, multiplier, shift)) if x.size else x


def _wrapped(x: int) -> int:
    """Return an integer wrapped to 32 bits."""
    return (x + 2**31) % 2**32 - 2**31


@operator("fixed_point_multiply_per_axis")
class FixedPointMultiplyPerAxis(OperatorDef):
    """`data * multiplier * 2^(left_shift - right_shift - 31)` with parameters along some axes.

    All arguments are int32; the last three have the axes `axes` of `data`. The shifts are from 0 to
    31, and are used only if `is_lshift_required` or `is_rshift_required` is set. `rounding` is
    that of `fixed_point_multiply`; for DOUBLE, one shift of each pair is 0.
    """

    is_lshift_required: bool = False
    is_rshift_required: bool = False
    axes: tuple[int, ...] = ()
    rounding: str = "UPWARD"

    undifferentiable = DISCRETE
    examples = (
        Example(
            *("i32[2, 3, 4]", "i32[3]", "i32[3]", "i32[3]"),
            is_lshift_required=True,
            is_rshift_required=True,
            axes=(1,),
            domain=(0.0, 9.0),
            values={1: [1 << 30, 1395864371, 5 << 28]},
        ),
        Example(
            *("i32[2, 3]", "i32[3]", "i32[3]", "i32[3]"),
            is_lshift_required=True,
            is_rshift_required=True,
            axes=(1,),
            domain=_WIDE,
            values={1: [1 << 30, -1395864371, 5], 2: [31, 29, 31], 3: [0, 30, 3]},
        ),
        Example(
            *("i32[4]", "i32[4]", "i32[4]", "i32[4]"),
            axes=(0,),
            domain=(-9.0, 9.0),
            values={1: [1 << 30, 3 << 29, 1 << 29, 5]},
        ),
        Example(
            *("i32[2, 4]", "i32[4]", "i32[4]", "i32[4]"),
            is_lshift_required=True,
            is_rshift_required=True,
            axes=(1,),
            rounding="DOUBLE",
            domain=(-999.0, 999.0),
            values={1: [1 << 30, 3 << 29, 1395864371, 5], 2: [0, 0, 0, 2], 3: [0, 3, 7, 0]},
        ),
    )

    def __post_init__(self) -> None:
        set_field(self, "is_lshift_required", bool(self.is_lshift_required))
        set_field(self, "is_rshift_required", bool(self.is_rshift_required))
        set_field(self, "axes", tuple(map(int, self.axes)))
        _check_rounding(self.name, self.rounding)

    def infer(
        self, data: TensorType, multiplier: TensorType, lshift: TensorType, rshift: TensorType
    ) -> TensorType:
        checks.same_dtype(self.name, TensorType((), int32), data, multiplier, lshift, rshift)
        named = checks.axes(self.name, self.axes, data.rank)
        for name, ty in (("multiplier", multiplier), ("lshift", lshift), ("rshift", rshift)):
            checks.rank(self.name, name, ty, len(named))
            for axis, dim in zip(named, ty.shape, strict=True):
                checks.size(self.name, f"{name}, axis {axis} of data", data.shape[axis], dim)
        return data

    def compute(
        self, data: te.Tensor, multiplier: te.Tensor, lshift: te.Tensor, rshift: te.Tensor
    ) -> te.Tensor:
        named = checks.axes(self.name, self.axes, len(data.shape))

        def element(*i: Scalar) -> Scalar:
            by, left, right = (
                each[tuple(i[axis] for axis in named)] for each in (multiplier, lshift, rshift)
            )
            if self.rounding == "DOUBLE":
                none = te.const(0, int32)
                left = left if self.is_lshift_required else none
                right = right if self.is_rshift_required else none
                return _rounded_twice(data[i], by, left, right)
            if self.is_rshift_required and not self.is_lshift_required:
                return te.rounded_product(data[i], by, right + 31)
            product = te.cast(data[i], int64) * te.cast(by, int64)
            down = te.const(31, int32)
            down = down + right if self.is_rshift_required else down
            down = te.cast(down - left if self.is_lshift_required else down, int64)
            half = (te.const(1) << down) >> 1
            return te.cast((product + half) >> down, int32)

        return te.compute(data.shape, element, name=self.name)

    def reference(self, data: Array, multiplier: Array, lshift: Array, rshift: Array) -> Array:
        named = checks.axes(self.name, self.axes, data.ndim)
        left = lshift * self.is_lshift_required
        right = rshift * self.is_rshift_required
        shape = [data.shape[axis] if axis in named else 1 for axis in range(data.ndim)]
        shift = (left - right).reshape(shape)
        return _rounded(data, multiplier.reshape(shape), shift, self.rounding)


def multiply_by_fixed_point(
    x: Expr, factors: Sequence[tuple[int, int]], axis: int, rounding: str = "UPWARD"
) -> Expr:
    """Return the int32 expression `x` times a fixed-point factor, or one for each index of an axis.

    Each of `factors` is a multiplier and a power, for the factor `multiplier * 2^(power - 31)`.
    """
    if len(set(factors)) == 1:
        return Call(FixedPointMultiply(*factors[0], rounding), (x,))
    columns = list(zip(*((m, max(e, 0), max(-e, 0)) for m, e in factors), strict=True))
    vectors = [Constant(np.array(column, np.int32)) for column in columns]
    axes = (axis % x.tensor_type.rank,)
    op = FixedPointMultiplyPerAxis(*map(any, columns[1:]), axes, rounding)
    return Call(op, (x, *vectors))
