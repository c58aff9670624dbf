"""Functions of quantised numbers, such as `qnn.tanh`, and the softmax.

For 8-bit numbers with constant scales and zero points, a function is a lookup table.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from relay.ir.expr import Array, Call, Constant, Expr
from relay.ir.types import TensorType
from relay.opdef.definition import OperatorDef, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.elementwise import Abs
from relay.ops.nn.more_activations import HardSwish
from relay.ops.nn.softmax import Softmax
from relay.ops.qnn.quantize import Dequantize, Quantize
from relay.ops.qnn.scale_and_zero_point import cast, require_quantised, require_scalar_parameters
from relay.ops.tensor.gather import Take
from relay.ops.transcendental import Erf, Exp, Log, Rsqrt, Sigmoid, Sqrt, Tanh
from relay.support.dtype import dtype, int32
from relay.support.node import value

_ARGUMENTS = ("f32[]", "i32[]", "f32[]", "i32[]")


@value
class QuantisedUnary(OperatorDef):
    """The base of operators on one quantised tensor; the result has its own scale and zero point.

    The result has the type of `x`. Scales are float32 scalars, zero points int32 scalars.
    """

    quantised = True
    precision = Precision.KEEP

    def infer(
        self,
        x: TensorType,
        scale: TensorType,
        zero_point: TensorType,
        output_scale: TensorType,
        output_zero_point: TensorType,
    ) -> TensorType:
        """Return the type of the argument, after checking scales and zero points."""
        require_quantised(self.name, "data", x)
        require_scalar_parameters(self.name, "input", scale, zero_point)
        require_scalar_parameters(self.name, "output", output_scale, output_zero_point)
        return x


@value
class QuantisedFunction(QuantisedUnary):
    """The base of functions of quantised numbers; the result has its own scale and zero point."""

    function: ClassVar[Callable[[], OperatorDef]]
    examples = (
        Example("i8[2, 5]", *_ARGUMENTS, domain=(-128, 128), values={1: 0.03, 2: 2, 3: 0.01, 4: 0}),
        Example("u8[7]", *_ARGUMENTS, domain=(0, 256), values={1: 0.02, 2: 0, 3: 0.05, 4: 128}),
    )

    def decompose(
        self,
        x: Expr,
        scale: Expr,
        zero_point: Expr,
        output_scale: Expr,
        output_zero_point: Expr,
    ) -> Expr:
        """Return a computation from the real numbers, or a table look-up for 8-bit numbers.

        A table requires constant scales and zero points.
        """
        given = (scale, zero_point, output_scale, output_zero_point)
        known = [each.array for each in given if isinstance(each, Constant)]
        of = x.tensor_type.dtype
        if of.bits == 8 and len(known) == len(given):
            low, high = of.limits
            codes = np.arange(low, high + 1).astype(of.numpy)
            order = np.roll(codes, low)  # the table begins with the result of 0
            table = Constant(self.reference(order, *known))
            places = cast(cast(x, dtype("uint8")), int32)
            return Call(Take(axis=0, mode="fast"), (table, places))
        real = Call(Dequantize(), (x, scale, zero_point))
        found = Call(self.function(), (real,))
        return Call(Quantize(of), (found, output_scale, output_zero_point))

    def reference(
        self,
        x: Array,
        scale: Array,
        zero_point: Array,
        output_scale: Array,
        output_zero_point: Array,
    ) -> Array:
        """Return the result by NumPy, computed from the real numbers."""
        with np.errstate(all="ignore"):
            real = Dequantize().reference(x, scale, zero_point)
            found: Any = self.function().reference(real)
            return Quantize(str(x.dtype)).reference(found, output_scale, output_zero_point)


@operator("qnn.abs")
class QuantisedAbs(QuantisedFunction):
    """The absolute value of quantised numbers; see `QuantisedFunction`."""

    function = Abs


@operator("qnn.erf")
class QuantisedErf(QuantisedFunction):
    """The error function of quantised numbers; see `QuantisedFunction`."""

    function = Erf


@operator("qnn.exp")
class QuantisedExp(QuantisedFunction):
    """The exponential of quantised numbers; see `QuantisedFunction`."""

    function = Exp


@operator("qnn.hardswish")
class QuantisedHardSwish(QuantisedFunction):
    """`x · min(max(x + 3, 0), 6) / 6` of quantised numbers; see `QuantisedFunction`."""

    function = HardSwish


@operator("qnn.log")
class QuantisedLog(QuantisedFunction):
    """The natural logarithm of quantised numbers; see `QuantisedFunction`."""

    function = Log


@operator("qnn.rsqrt")
class QuantisedRsqrt(QuantisedFunction):
    """One over the square root of quantised numbers; see `QuantisedFunction`."""

    function = Rsqrt


@operator("qnn.sigmoid")
class QuantisedSigmoid(QuantisedFunction):
    """The logistic function of quantised numbers; see `QuantisedFunction`."""

    function = Sigmoid


@operator("qnn.sqrt")
class QuantisedSqrt(QuantisedFunction):
    """The square root of quantised numbers; see `QuantisedFunction`."""

    function = Sqrt


@operator("qnn.tanh")
class QuantisedTanh(QuantisedFunction):
    """The hyperbolic tangent of quantised numbers; see `QuantisedFunction`."""

    function = Tanh


@operator("qnn.softmax")
class QuantisedSoftmax(QuantisedUnary):
    """The softmax along `axis` of quantised numbers, computed from the real numbers.

    The result has the type of `x`, and its own scale and zero point. Scales are float32 scalars,
    zero points int32 scalars.
    """

    axis: int = -1

    examples = (
        Example("i8[2, 5]", *_ARGUMENTS, domain=(-128, 128), values={1: 0.1, 2: 2, 3: 1 / 256,
                4: -128}),
    )  # fmt: skip

    def infer(
        self,
        x: TensorType,
        scale: TensorType,
        zero_point: TensorType,
        output_scale: TensorType,
        output_zero_point: TensorType,
    ) -> TensorType:
        super(QuantisedSoftmax, self).infer(x, scale, zero_point, output_scale, output_zero_point)
        Softmax(self.axis).infer(TensorType(x.shape))
        return x

    def decompose(
        self, x: Expr, scale: Expr, zero_point: Expr, output_scale: Expr, output_zero_point: Expr
    ) -> Expr:
        real = Call(Dequantize(), (x, scale, zero_point))
        found = Call(Softmax(self.axis), (real,))
        op = Quantize(x.tensor_type.dtype)
        return Call(op, (found, output_scale, output_zero_point))

    def reference(
        self,
        x: Array,
        scale: Array,
        zero_point: Array,
        output_scale: Array,
        output_zero_point: Array,
    ) -> Array:
        real = Dequantize().reference(x, scale, zero_point)
        found = Softmax(self.axis).reference(real)
        return Quantize(str(x.dtype)).reference(found, output_scale, output_zero_point)
