"""Operators that create tensors: filled with a number, or a range of numbers."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from relay.ir.dims import Shape
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.scalar import Scalar
from relay.opdef import checks
from relay.opdef.definition import OperatorDef, Precision
from relay.opdef.example import Example, elementwise_examples
from relay.opdef.table import operator
from relay.ops.broadcasting import shape_attribute, sum_to_shape_of
from relay.ops.cast import cast_like, convert
from relay.ops.families import Elementwise, literal, type_of
from relay.support.dtype import DType, Kind, dtype, float32
from relay.support.node import set_field, value


def optional_dtype(of: "DType | str | None") -> DType | None:
    """Return an optional dtype attribute in normal form; None and "" mean unspecified."""
    return dtype(of) if of else None


@value
class Filled(OperatorDef):
    """The base of operators without arguments that fill a shape with one `number`.

    The element type is float32 by default.
    """

    shape: Shape
    dtype: DType | None = None

    number: ClassVar[int]
    result_dtype: ClassVar[str] = "dtype"
    examples = (
        Example(shape=(2, 3)),
        Example(shape=(), dtype="int64"),
        Example(shape=(4, 0), dtype="float64"),
        Example(shape=(5,), dtype="bool"),
        Example(shape=3, dtype="bfloat16"),
        Example(shape=(2,), dtype="uint8"),
    )

    def __post_init__(self) -> None:
        set_field(self, "shape", shape_attribute(self.shape))
        set_field(self, "dtype", optional_dtype(self.dtype))

    def infer(self) -> TensorType:
        """Return the type that the attributes specify."""
        return TensorType(self.shape, self.dtype or float32)

    def compute(self) -> te.Tensor:
        """Return the formula, in which each element is the number."""
        ty = self.infer()
        number = literal(self.number, ty.dtype)
        return te.compute(ty.shape, lambda *_: number, name=self.name)

    def reference(self) -> Array:
        """Return an array filled with the number."""
        ty = self.infer()
        return np.full(ty.static_shape, self.number, ty.dtype.numpy)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return no derivatives, because there are no arguments."""
        return ()


@operator("zeros")
class Zeros(Filled):
    """A tensor of zeros of a `shape` and a `dtype` (float32 by default)."""

    precision = Precision.FOLLOW
    number = 0


@operator("ones")
class Ones(Filled):
    """A tensor of ones of a `shape` and a `dtype` (float32 by default)."""

    number = 1


class FilledLike(Elementwise):
    """The base of operators that fill the shape of another tensor with one `number`."""

    __slots__ = ()
    number: ClassVar[int]
    kinds = tuple(Kind)
    examples = (
        *elementwise_examples("f32", "f64", "i32", "bool", "bf16", "u8"),
        Example("float8_e5m2[3]", differentiable=False),
    )

    def scalar(self, x: Scalar) -> Scalar:
        """Return the number; the element of the argument is not read."""
        return literal(self.number, x.dtype)

    def reference(self, data: Array) -> Array:
        """Return an array filled with the number, of the shape and dtype of `data`."""
        return np.full(data.shape, self.number, data.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return no derivative, because the argument's elements are not read."""
        return (None,)


@operator("zeros_like")
class ZerosLike(FilledLike):
    """A tensor of zeros, of the shape and dtype of `data`."""

    number = 0


@operator("ones_like")
class OnesLike(FilledLike):
    """A tensor of ones, of the shape and dtype of `data`."""

    number = 1


@operator("full")
class Full(OperatorDef):
    """The number `fill_value`, a tensor of rank 0, in every element of a tensor of `shape`.

    It is converted to `dtype` as `cast` does; without a dtype it keeps its own.
    """

    shape: Shape
    dtype: DType | None = None

    result_dtype = "dtype"
    precision = Precision.FOLLOW
    examples = (
        Example("f32[]", shape=(2, 3)),
        Example("f32[]", shape=(4,), dtype="int32", domain=(-9.0, 9.0)),
        Example("i64[]", shape=(), dtype="float64"),
        Example("bool[]", shape=(0, 2)),
    )

    def __post_init__(self) -> None:
        set_field(self, "shape", shape_attribute(self.shape))
        set_field(self, "dtype", optional_dtype(self.dtype))

    def infer(self, fill_value: TensorType) -> TensorType:
        checks.rank(self.name, "fill_value", fill_value, 0)
        return TensorType(self.shape, self.dtype or fill_value.dtype)

    def compute(self, fill_value: te.Tensor) -> te.Tensor:
        ty = self.infer(type_of(fill_value))
        number = te.cast(fill_value[()], ty.dtype)
        return te.compute(ty.shape, lambda *_: number, name=self.name)

    def reference(self, fill_value: Array) -> Array:
        ty = self.infer(TensorType((), dtype(fill_value.dtype)))
        return np.broadcast_to(convert(fill_value, ty.dtype), ty.static_shape).copy()

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the sum of the derivative over all elements."""
        return (gradient_of_fill_value(call.args[0], d_out),)


@operator("full_like")
class FullLike(OperatorDef):
    """The number `fill_value`, a tensor of rank 0, in the shape and dtype of `data`."""

    examples = (
        Example("f32[2, 3]", "f32[]"),
        Example("i32[4]", "f32[]", domain=(-9.0, 9.0)),
        Example("f64[]", "i64[]"),
    )

    def infer(self, data: TensorType, fill_value: TensorType) -> TensorType:
        checks.rank(self.name, "fill_value", fill_value, 0)
        return data

    def compute(self, data: te.Tensor, fill_value: te.Tensor) -> te.Tensor:
        number = te.cast(fill_value[()], data.dtype)
        return te.compute(data.shape, lambda *_: number, name=self.name)

    def reference(self, data: Array, fill_value: Array) -> Array:
        return np.broadcast_to(convert(fill_value, dtype(data.dtype)), data.shape).copy()

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the sum of the derivative over all elements, for `fill_value` only."""
        return (None, gradient_of_fill_value(call.args[1], d_out))


def gradient_of_fill_value(fill_value: Expr, d_out: Expr) -> Expr | None:
    """Return the derivative by `fill_value`, which fills a tensor; None for an integer."""
    if not fill_value.tensor_type.dtype.is_float:
        return None
    return cast_like(sum_to_shape_of(d_out, fill_value), fill_value)


def number(of: float, like: Expr) -> Constant:
    """Return the number `of` as a rank-0 constant with the element type of `like`."""
    return Constant(np.asarray(of, like.tensor_type.dtype.numpy))
