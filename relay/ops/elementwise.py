"""Exact elementwise functions: signs, rounding, limits, tests for NaN and infinities."""

from collections.abc import Sequence
from math import inf, isnan, nan
from typing import ClassVar

import numpy as np

from relay.ir.expr import Array, Call, Expr
from relay.kernels import te
from relay.kernels.scalar import Apply, Fn, Scalar
from relay.opdef import checks
from relay.opdef.definition import Precision
from relay.opdef.example import Example, elementwise_examples
from relay.opdef.table import operator
from relay.ops.binary import less_than, opposite
from relay.ops.comparison import less_equal
from relay.ops.creation import number
from relay.ops.families import ANYTHING, Elementwise, Predicate, literal
from relay.ops.selection import where
from relay.support.dtype import DType, Kind, dtype
from relay.support.node import set_field

_FLOATS = ("f32", "f64", "f16", "bf16", "f32", "f32")
_INTEGERS = ("i32", "u8", "i64", "i8", "u64")
_NUMBERS = elementwise_examples(*_FLOATS) + elementwise_examples(*_INTEGERS, domain=(-100.0, 100.0))


@operator("copy")
class Copy(Elementwise):
    """Return a copy of the tensor. Takes any shape and element type."""

    kinds = ANYTHING
    precision = Precision.FOLLOW
    examples = elementwise_examples("f32", "f64", "i8", "bool", "bf16")

    def scalar(self, x: Scalar) -> Scalar:
        return x

    def reference(self, data: Array) -> Array:
        return data.copy()

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (d_out,)


@operator("negative", "-x")
class Negative(Elementwise):
    """`-data`; the most negative integer is its own negative. Takes numbers of any shape."""

    examples = _NUMBERS

    def scalar(self, x: Scalar) -> Scalar:
        return -x

    def reference(self, data: Array) -> Array:
        return np.negative(data)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (Call(Negative(), (d_out,)),)


@operator("abs", "abs")
class Abs(Elementwise):
    """The absolute value; the most negative integer is unchanged. Takes numbers of any shape.

    The derivative at 0 is 1, as in TVM's Relay; the derivative of `relay.numpy.abs` there is 0. The
    absolute value of complex numbers is their length, whose derivative at 0 is 0.
    """

    is_real = idempotent = True
    examples = _NUMBERS

    def scalar(self, x: Scalar) -> Scalar:
        return x if x.dtype.kind is Kind.UINT else te.abs(x)

    def reference(self, data: Array) -> Array:
        return np.abs(data)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (where(less_than(call.args[0], 0.0), opposite(d_out), d_out),)


@operator("sign")
class Sign(Elementwise):
    """-1, 0 or 1 for negative, zero and positive elements; NaN stays NaN.

    Takes numbers of any shape.
    """

    idempotent = True
    examples = _NUMBERS

    def scalar(self, x: Scalar) -> Scalar:
        zero = te.select(te.isnan(x), x, te.const(0, x.dtype)) if x.dtype.is_float else x
        below = x if x.dtype.kind is Kind.UINT else te.select(x < 0, te.const(-1, x.dtype), zero)
        return te.select(x > 0, te.const(1, x.dtype), below)

    def reference(self, data: Array) -> Array:
        return np.sign(data)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (None,)


class Rounding(Elementwise):
    """The base of roundings to integral values; integers are unchanged.

    `fn` is the machine function, `function` the NumPy function. The derivative is zero.
    """

    __slots__ = ()
    idempotent = True
    fn: ClassVar[Fn]
    function: ClassVar[np.ufunc]
    examples = (
        *_NUMBERS,
        Example("f32[6]", values={0: [-2.5, -0.5, -0.0, 0.5, 1.5, 2.5]}, differentiable=False),
    )

    def scalar(self, x: Scalar) -> Scalar:
        """Return one element, rounded."""
        return Apply(self.fn, (x,), x.dtype) if x.dtype.is_float else x

    def reference(self, data: Array) -> Array:
        """Return the result of the NumPy function; integers are returned unchanged."""
        return data if data.dtype.kind in "iu" else self.function(data).astype(data.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return no derivative, because it is zero almost everywhere."""
        return (None,)


@operator("floor")
class Floor(Rounding):
    """The element rounded down. Takes numbers of any shape."""

    fn = Fn.FLOOR
    function = np.floor


@operator("ceil")
class Ceil(Rounding):
    """The element rounded up. Takes numbers of any shape."""

    fn = Fn.CEIL
    function = np.ceil


@operator("trunc")
class Trunc(Rounding):
    """The element rounded toward zero. Takes numbers of any shape."""

    fn = Fn.TRUNC
    function = np.trunc


@operator("round")
class Round(Rounding):
    """The element rounded to nearest; halves round away from zero. Takes numbers of any shape."""

    fn = Fn.ROUND
    function = np.trunc

    def reference(self, data: Array) -> Array:
        whole = np.trunc(data)
        away = np.abs(data - whole) >= 0.5
        result = np.where(away, whole + np.sign(data), whole)
        return np.copysign(result, data).astype(data.dtype) if data.dtype.kind not in "iu" else data


@operator("rint")
class Rint(Rounding):
    """The element rounded to nearest; halves round to even, as in IEEE 754.

    Takes numbers of any shape.
    """

    fn = Fn.ROUND_EVEN
    function = np.rint


@operator("clip")
class Clip(Elementwise):
    """Limit every element to the closed interval [`a_min`, `a_max`]; NaN stays NaN. Takes numbers.

    Limits are truncated for integer data. If `a_min` exceeds `a_max`, the result is `a_max`. The
    derivative at the limits is 1; with `strict` it is 0. Raises `T104` for a NaN limit.
    """

    a_min: float
    a_max: float
    strict: bool = False

    idempotent = True
    derivative_attributes = ("strict",)
    precision = Precision.FOLLOW
    examples = (
        Example("f32[3, 4]", a_min=-0.5, a_max=0.5),
        Example("f64[7]", a_min=-1.0, a_max=1e300),
        Example("i32[9]", a_min=0, a_max=6, domain=(-20.0, 20.0)),
        Example("u8[9]", a_min=-3.5, a_max=99.9, domain=(0.0, 255.0)),
        Example("i8[9]", a_min=-inf, a_max=inf, domain=(-128.0, 127.0)),
        Example("bf16[5]", a_min=0.1, a_max=1.0),
        Example("f16[]", a_min=1.0, a_max=-1.0),
        Example("f32[0]", a_min=0.0, a_max=1.0),
        Example("f32[3, 4]", a_min=-0.5, a_max=0.5, strict=True),
    )

    def __post_init__(self) -> None:
        set_field(self, "a_min", float(self.a_min))
        set_field(self, "a_max", float(self.a_max))
        set_field(self, "strict", bool(self.strict))
        has_nan = isnan(self.a_min) or isnan(self.a_max)
        checks.attribute(
            self.name, not has_nan, "the limits a_min and a_max must be numbers, but one is NaN"
        )

    def precision_in(self, narrow: DType) -> Precision:
        """Return that the operator is wide if a limit exceeds the range of `narrow`."""
        exceeds = max(abs(self.a_min), abs(self.a_max)) > narrow.largest
        return Precision.NEVER if exceeds else self.precision

    def scalar(self, x: Scalar) -> Scalar:
        if self.a_min > -inf:
            x = te.maximum(x, literal(self.a_min, x.dtype))
        return te.minimum(x, literal(self.a_max, x.dtype)) if self.a_max < inf else x

    def reference(self, data: Array) -> Array:
        of = dtype(data.dtype)
        if of.is_float:
            least, most = (data.dtype.type(limit) for limit in (self.a_min, self.a_max))
            return np.minimum(np.maximum(data, least), most)
        limits = np.iinfo(data.dtype)
        least, most = (
            np.clip(np.trunc(x), limits.min, limits.max) for x in (self.a_min, self.a_max)
        )
        return np.asarray(np.clip(data.astype(object), int(least), int(most)), data.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative where the element is within the limits; else zero.

        The limits are included unless `strict`.
        """
        (x,) = call.args
        zero = number(0, d_out)
        if self.strict:
            below_top = where(less_equal(number(self.a_max, x), x), zero, d_out)
            return (where(less_equal(x, number(self.a_min, x)), zero, below_top),)
        below_top = where(less_equal(x, number(self.a_max, x)), d_out, zero)
        return (where(less_equal(number(self.a_min, x), x), below_top, zero),)


class FloatTest(Predicate):
    """The base of tests for special values of floats."""

    __slots__ = ()
    function: ClassVar[np.ufunc]
    examples = (
        *elementwise_examples(*_FLOATS, "i32", "u8"),
        Example("f32[4]", values={0: [nan, inf, -inf, 0.0]}),
    )

    def reference(self, data: Array) -> Array:
        """Return the result of the NumPy function."""
        return self.function(data)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return no derivative, because a test is piecewise constant."""
        return (None,)


@operator("isnan")
class IsNan(FloatTest):
    """Whether an element is NaN; integers never are. Takes numbers of any shape."""

    function = np.isnan

    def scalar(self, x: Scalar) -> Scalar:
        return te.isnan(x) if x.dtype.is_float else te.const(0, "bool")


@operator("isinf")
class IsInf(FloatTest):
    """Whether an element is infinite; integers never are. Takes numbers of any shape."""

    function = np.isinf

    def scalar(self, x: Scalar) -> Scalar:
        if not x.dtype.is_float:
            return te.const(0, "bool")
        return te.equal(te.abs(x), inf)


@operator("isfinite")
class IsFinite(FloatTest):
    """Whether an element is neither NaN nor infinite; integers always are. Takes any shape."""

    function = np.isfinite

    def scalar(self, x: Scalar) -> Scalar:
        if not x.dtype.is_float:
            return te.const(1, "bool")
        return te.abs(x) < inf
