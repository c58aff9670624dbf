"""The elementwise activation functions of TVM's Relay; others are in `more_activations`."""

from collections.abc import Sequence

import numpy as np

from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.definition import OperatorDef, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import multiply, scaled
from relay.ops.comparison import less, less_equal
from relay.ops.creation import number
from relay.ops.families import FLOATS, Elementwise
from relay.ops.nn.accumulation_dtype import narrow, widen
from relay.ops.nn.bias_add import broadcast_along, require_vector_along_axis, vectors_from_data
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.reshape import ExpandDims
from relay.support.node import set_field


@operator("nn.relu")
class Relu(Elementwise):
    """`max(x, 0)`; NaN stays NaN. Takes numbers.

    The derivative at 0 is 1, as in TVM's Relay; with `strict` it is 0, as in PyTorch.
    """

    strict: bool = False

    idempotent = True
    derivative_attributes = ("strict",)
    precision = Precision.FOLLOW
    examples = (
        Example("f32[3, 4]"),
        Example("i32[5]", domain=(-9, 9)),
        Example("f64[]"),
        Example("f32[3, 4]", strict=True),
    )

    def __post_init__(self) -> None:
        set_field(self, "strict", bool(self.strict))

    def scalar(self, x: te.Scalar) -> te.Scalar:
        """Return the larger of the element and 0."""
        return te.maximum(x, 0)

    def reference(self, data: Array) -> Array:
        """Return NumPy's maximum of the data and 0."""
        return np.maximum(data, np.zeros((), data.dtype))

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative where `x ≥ 0`, or `x > 0` if strict; else 0."""
        zero = number(0, d_out)
        below = (less_equal if self.strict else less)(call.args[0], zero)
        return (where(below, zero, d_out),)


@operator("nn.leaky_relu")
class LeakyRelu(Elementwise):
    """`x` where it is positive, else `alpha · x`. Takes floats.

    The default of the attribute `alpha` is 0.25, but that of the function `leaky_relu` is 0.01, as
    in TVM's Relay.
    """

    alpha: float = 0.25

    kinds = FLOATS
    precision = Precision.FOLLOW
    examples = (Example("f32[3, 4]"), Example("f32[2, 5]", alpha=0.01))

    def __post_init__(self) -> None:
        set_field(self, "alpha", float(self.alpha))

    def scalar(self, x: te.Scalar) -> te.Scalar:
        """Return the element if it is positive, else its multiple."""
        return te.select(x > 0.0, x, x * self.alpha)

    def reference(self, data: Array) -> Array:
        """Return the result by NumPy, computed in a wider type."""
        x = widen(data)
        return narrow(np.where(x > 0, x, self.alpha * x), data.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative, multiplied by `alpha` where the element is not positive."""
        positive = less(number(0, d_out), call.args[0])
        return (where(positive, d_out, scaled(d_out, self.alpha)),)


@operator("nn.prelu")
class PRelu(OperatorDef):
    """`x` where it is positive, else `alpha · x`, with an `alpha` for each channel along `axis`."""

    axis: int = 1

    precision = Precision.FOLLOW
    examples = (Example("f32[2, 3, 4, 5]", "f32[3]"), Example("f32[2, 4, 3]", "f32[3]", axis=2))

    def infer(self, data: TensorType, alpha: TensorType) -> TensorType:
        """Return the type of the data, after checking that of alpha."""
        checks.kind(self.name, "data", data, *FLOATS)
        checks.same_dtype(self.name, data, alpha)
        require_vector_along_axis(self.name, "alpha", data, alpha, self.axis)
        return data

    def relate(self, types: Sequence[Type | None]) -> Sequence[Type | None]:
        """Return the type of alpha, inferred from the type of the data."""
        return vectors_from_data(self.name, types, self.axis)

    def compute(self, data: te.Tensor, alpha: te.Tensor) -> te.Tensor:
        """Return the formula: the element if it is positive, else its multiple."""
        axis = self.axis % len(data.shape)
        return te.compute(
            data.shape,
            lambda *i: te.select(data[i] > 0.0, data[i], data[i] * alpha[i[axis]]),
            name=self.name,
        )

    def reference(self, data: Array, alpha: Array) -> Array:
        """Return the result by NumPy."""
        return np.where(data > 0, data, data * broadcast_along(alpha, self.axis, data.ndim))

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivatives: alpha's is summed over the elements of its channel."""
        data, alpha = call.args
        axis = self.axis % data.tensor_type.rank
        zero = number(0, d_out)
        positive = less(zero, data)
        d_alpha = where(positive, zero, multiply(d_out, data))
        expand = ExpandDims(1, data.tensor_type.rank - axis - 1)
        d_data = where(positive, d_out, multiply(d_out, Call(expand, (alpha,))))
        return d_data, Call(Sum((axis,), exclude=True), (d_alpha,))
