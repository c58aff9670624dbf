"""Operators between complex and real tensors: the parts, the conjugate, the angle.

The first four also take real numbers, whose imaginary part is 0. The derivative of a real result by
a complex number is `d/d(real) + i d/d(imaginary)`, as in PyTorch.
"""

from collections.abc import Sequence

import numpy as np

from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.scalar import Scalar
from relay.opdef import checks
from relay.opdef.definition import Precision
from relay.opdef.example import broadcast_examples, elementwise_examples
from relay.opdef.table import operator
from relay.ops.broadcasting import sum_to_shape_of
from relay.ops.complex_numbers.real_functions import arctan2
from relay.ops.creation import ZerosLike
from relay.ops.families import FLOATS, Elementwise, Pointwise
from relay.support.dtype import DType, float32, float64
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError

_EXAMPLES = elementwise_examples("f32", "f64", "f32", "i32")


class ComplexPart(Elementwise):
    """The base of operators whose result is a real tensor of the shape of their argument."""

    __slots__ = ()
    keeps_type = False
    is_real = True
    precision = Precision.NEVER
    examples = _EXAMPLES


@operator("real")
class Real(ComplexPart):
    """The real part of complex numbers; real numbers are unchanged. Takes numbers of any shape."""

    def scalar(self, x: Scalar) -> Scalar:
        return x

    def reference(self, data: Array) -> Array:
        return np.real(data).copy()

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        if not call.args[0].tensor_type.dtype.is_complex:
            return (d_out,)
        return (Call(Complex(), (d_out, Call(ZerosLike(), (d_out,)))),)


@operator("imag")
class Imag(ComplexPart):
    """The imaginary part of complex numbers; that of real numbers is 0. Takes any shape."""

    def scalar(self, x: Scalar) -> Scalar:
        return te.const(0, x.dtype)

    def reference(self, data: Array) -> Array:
        return np.imag(data).copy()

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        if not call.args[0].tensor_type.dtype.is_complex:
            return (None,)
        return (Call(Complex(), (Call(ZerosLike(), (d_out,)), d_out)),)


@operator("conj")
class Conj(Elementwise):
    """The complex conjugate; real numbers are unchanged. Takes numbers of any shape."""

    precision = Precision.NEVER
    examples = _EXAMPLES

    def scalar(self, x: Scalar) -> Scalar:
        return x

    def reference(self, data: Array) -> Array:
        return np.conj(data)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (Call(Conj(), (d_out,)),)


@operator("angle")
class Angle(Pointwise):
    """The angle of complex numbers from -pi to pi, in radians. Takes floats and complex numbers."""

    precision = Precision.NEVER
    examples = elementwise_examples("f32", "f64", "f32", domain=(0.25, 3.0))

    def infer(self, data: TensorType) -> TensorType:
        checks.kind(self.name, "data", data, *FLOATS)
        return TensorType(data.shape, data.dtype.part)

    def decompose(self, *args: Expr) -> Expr:
        (data,) = args
        return arctan2(Call(Imag(), (data,)), Call(Real(), (data,)))

    def reference(self, data: Array) -> Array:
        return np.angle(data)


@operator("complex")
class Complex(Pointwise):
    """The complex numbers with these real and imaginary parts: `real + i imag`.

    The parts, both float32 or both float64, broadcast.
    """

    precision = Precision.NEVER
    examples = broadcast_examples("f32", "f64", "f32", "f32", differentiable=False)

    def infer(self, real: TensorType, imag: TensorType) -> TensorType:
        checks.same_dtype(self.name, real, imag)
        shape = checks.broadcast(self.name, real.shape, imag.shape)
        return TensorType(shape, _whole(real.dtype))

    def reference(self, real: Array, imag: Array) -> Array:
        shape = np.broadcast_shapes(real.shape, imag.shape)
        found = np.empty(shape, _whole(real.dtype).numpy)
        found.real, found.imag = real, imag
        return found

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        parts = (Call(Real(), (d_out,)), Call(Imag(), (d_out,)))
        pairs = zip(parts, call.args, strict=True)
        return tuple(sum_to_shape_of(part, argument) for part, argument in pairs)


def _whole(part: "DType | np.dtype[np.generic]") -> DType:
    """Return the complex type with parts of a type; raises `T102` if there is none."""
    if part not in (float32, float64):
        raise RelayTypeError(
            ErrorCode.T102,
            f"complex: the element type of the parts is {part}, but must be float32 or float64",
            help="convert them with cast(x, dtype=…)",
        )
    return float32.as_complex if part == float32 else float64.as_complex
