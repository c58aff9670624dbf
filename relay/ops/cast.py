"""Conversions between element types."""

from collections.abc import Sequence

import numpy as np

from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.definition import OperatorDef, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.families import NUMBERS, Pointwise
from relay.support.dtype import MINIFLOATS, DType, Kind, bool_, dtype
from relay.support.node import set_field


class Conversion(OperatorDef):
    """The base of operators that convert the element type of the first argument."""

    __slots__ = ()

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative, converted back; conversions from or to integers have none."""
        data, *rest = call.args
        differentiable = data.tensor_type.dtype.is_float and call.tensor_type.dtype.is_float
        d_data = cast_like(d_out, data) if differentiable else None
        return (d_data, *[None] * len(rest))


@operator("cast", "astype")
class Cast(Conversion, Pointwise):
    """Convert every element of `data` to `dtype`. Takes any shapes and element types.

    Floats become integers by truncation, saturating; NaN becomes 0. Integers lose their upper bits.
    Floats are rounded to nearest, ties to even; a value that exceeds the range of an 8-bit or 4-bit
    float becomes its infinity or NaN, or its largest number if it has neither. A bool is 0 or 1; a
    number is True unless it is 0. Complex numbers become real by losing their imaginary part.
    """

    dtype: DType

    precision = Precision.FOLLOW
    examples = (
        Example("f32[3, 4]", dtype="int32", domain=(-1000.0, 1000.0)),
        Example("f32[4]", dtype="int8", domain=(-300.0, 300.0)),
        Example("f64[5]", dtype="uint8", domain=(-300.0, 300.0)),
        Example("i32[3]", dtype="float32", domain=(-(2.0**31), 2.0**31)),
        Example("i64[7]", dtype="int8", domain=(-1000.0, 1000.0)),
        Example("i8[4]", dtype="uint32", domain=(-128.0, 128.0)),
        Example("f32[2, 0]", dtype="float16"),
        Example("f32[9]", dtype="bfloat16"),
        Example("f32[9]", dtype="float16", domain=(-7e4, 7e4)),
        Example("f64[9]", dtype="float32"),
        Example("f32[9]", dtype="float64"),
        Example("f64[9]", dtype="float16"),
        Example("bf16[9]", dtype="float32"),
        Example("f16[9]", dtype="int32", domain=(-100.0, 100.0)),
        Example("bool[4]", dtype="float32"),
        Example("i32[6]", dtype="bool"),
        Example("f32[]", dtype="float32"),
        Example("f32[9]", dtype="float8_e4m3fn", domain=(-500.0, 500.0), differentiable=False),
        Example("f16[3, 3]", dtype="int4", domain=(-10.0, 10.0)),
        Example("i4[7]", dtype="float32", domain=(-8, 8)),
    )

    def __post_init__(self) -> None:
        set_field(self, "dtype", dtype(self.dtype))

    def infer(self, data: TensorType) -> TensorType:
        return TensorType(data.shape, self.dtype)

    def compute(self, data: te.Tensor) -> te.Tensor:
        return te.compute(data.shape, lambda *i: te.cast(data[i], self.dtype), name=self.name)

    def reference(self, data: Array) -> Array:
        return convert(data, self.dtype)


@operator("cast_like")
class CastLike(Conversion):
    """Convert every element of `data` to the element type of `dtype_like`, as `cast` does.

    Takes any shapes; the elements of `dtype_like` are not read.
    """

    precision = Precision.FOLLOW
    examples = (
        Example("f32[3]", "f64[2, 2]"),
        Example("i32[2]", "f32[]"),
        Example("f64[4]", "i8[1]", domain=(-200.0, 200.0)),
    )

    def infer(self, data: TensorType, dtype_like: TensorType) -> TensorType:
        return TensorType(data.shape, dtype_like.dtype)

    def compute(self, data: te.Tensor, dtype_like: te.Tensor) -> te.Tensor:
        to = dtype_like.dtype
        return te.compute(data.shape, lambda *i: te.cast(data[i], to), name=self.name)

    def reference(self, data: Array, dtype_like: Array) -> Array:
        return convert(data, dtype(dtype_like.dtype))


@operator("reinterpret")
class Reinterpret(Pointwise):
    """Read the bits of every element as another `dtype` of the same width.

    Takes numbers of any shape.

    Raises `T104` if the widths differ.
    """

    dtype: DType

    precision = Precision.KEEP
    undifferentiable = (
        "the bits of a number are not a continuous function of it; "
        "from floats to integers, and back, it is zero"
    )
    examples = (
        Example("f32[3, 4]", dtype="uint32"),
        Example("i64[5]", dtype="float64", domain=(0.0, 2.0**40)),
        Example("f16[5]", dtype="int16"),
        Example("i32[]", dtype="uint32"),
        Example("bf16[5]", dtype="uint16"),
        Example("float8_e4m3fn[5]", dtype="uint8"),
        Example("u8[5]", dtype="float8_e5m2", domain=(0, 100)),
    )

    def __post_init__(self) -> None:
        set_field(self, "dtype", dtype(self.dtype))

    def infer(self, data: TensorType) -> TensorType:
        checks.kind(self.name, "data", data, *NUMBERS, *MINIFLOATS)
        same = self.dtype.kind is not Kind.BOOL and self.dtype.bits == data.dtype.bits
        checks.attribute(
            self.name,
            same,
            f"{data.dtype} cannot be read as {self.dtype}, which has another number of bits",
        )
        return TensorType(data.shape, self.dtype)

    def compute(self, data: te.Tensor) -> te.Tensor:
        return te.compute(data.shape, lambda *i: te.bitcast(data[i], self.dtype), name=self.name)

    def reference(self, data: Array) -> Array:
        return data.view(self.dtype.numpy)


def convert(data: Array, to: DType) -> Array:
    """Convert an array by NumPy, except that floats saturate when they become integers."""
    source = dtype(data.dtype)
    if source.is_complex and not to.is_complex:
        return data != 0 if to is bool_ else convert(np.real(data), to)
    if source.is_minifloat:
        return convert(data.astype(np.float32), to)
    if source.is_integer and source.bits < 8:
        data = data.astype(np.int8)  # NumPy does not convert these types to each other
    if not (to.is_integer and source.is_float):
        return data.astype(to.numpy)
    wide = data.astype(np.float64)
    low, high = to.limits
    below, above = wide <= float(low), wide >= float(high)
    inside = np.where(below | above | np.isnan(wide), 0.0, wide).astype(to.numpy)
    result = np.where(below, np.array(low, to.numpy), inside)
    return np.where(above, np.array(high, to.numpy), result)


def cast_like(data: Expr, like: Expr) -> Expr:
    """Return `data` converted to the element type of `like`, or itself if that is equal."""
    to = like.tensor_type.dtype
    return data if data.tensor_type.dtype is to else Call(Cast(to), (data,))
