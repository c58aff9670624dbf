"""Softmax operators; one kernel computes the maximum, exponentials, sum and quotients of a row."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dims import Dim
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.batched_call import Batched, shifted_axis
from relay.opdef.definition import Fusion, OperatorDef, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import multiply, subtract
from relay.ops.families import FLOATS
from relay.ops.nn.accumulation_dtype import narrow, widen
from relay.ops.nn.row_reductions import Rows
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.transcendental import Exp
from relay.support.node import replace, value


@value
class AlongAxis(OperatorDef):
    """The base of operators that normalise each row along `axis` and keep its type."""

    axis: int = -1

    fusion = Fusion.ANCHOR  # also without sums, because whole rows are scheduled
    keeps_type = True

    def infer(self, data: TensorType) -> TensorType:
        """Return the type of the data (`T102` for non-floats, `T103` for an axis out of range)."""
        checks.kind(self.name, "data", data, *FLOATS)
        checks.axis(self.name, self.axis, data.rank)
        return data

    def batched(self, types: Sequence[Type], mapped: Sequence[bool], size: Dim) -> Batched | None:
        """Return the operator on a batch: its axis is counted after the new first axis."""
        del types, mapped, size
        return Batched(replace(self, axis=shifted_axis(self.axis)))


@operator("nn.softmax")
class Softmax(AlongAxis):
    """`exp(x) / Σ exp(x)` along one axis. Takes floats of rank 1 or more.

    The largest element of the row is subtracted from `x` first, so that no exponential overflows.
    The sum of n exponentials has a relative error of at most (8192 + n / 8192) · u, where u is the
    rounding error of one operation.
    """

    precision = Precision.NEVER
    examples = (
        Example("f32[4, 10]"),
        Example("f32[2, 3, 5]", axis=1, domain=(-80.0, 80.0)),
        Example("f32[7]", axis=0),
        Example("f64[2, 1]"),
        Example("f16[3, 9]", tolerance=1e-2),
        Example("f32[0, 4]"),
    )

    def compute(self, data: te.Tensor) -> te.Tensor:
        """Return the formula: maximum, exponentials, their sum; a row needs one division."""
        rows = Rows(data, (self.axis,))
        peak = rows.reduce(te.max, data, "max")
        powers = te.compute(
            data.shape, lambda *i: te.exp(rows.widen(data[i]) - rows.value_of_row(peak, i)), "exp"
        )
        total = rows.reduce(te.sum, powers, "sum")
        share = te.compute(total.shape, lambda *i: 1.0 / total[i], "share")
        return te.compute(
            data.shape,
            lambda *i: te.cast(powers[i] * rows.value_of_row(share, i), data.dtype),
            name=self.name,
        )

    def reference(self, data: Array) -> Array:
        """Return the result by NumPy, computed in a wider type."""
        return narrow(np.exp(_log_softmax(widen(data), self.axis)), data.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return `(d - Σ d · y) · y`, where `y` is the result and `d` its derivative."""
        mean = Call(Sum((self.axis,), keepdims=True), (multiply(d_out, call),))
        return (multiply(subtract(d_out, mean), call),)


@operator("nn.fast_softmax")
class FastSoftmax(AlongAxis):
    """The softmax: in TVM's Relay `exp` is approximated here, but this is equal to `nn.softmax`."""

    examples = (Example("f32[4, 10]"), Example("f32[2, 3, 5]", axis=1))

    def decompose(self, data: Expr) -> Expr:
        """Return the equivalent call of `nn.softmax`."""
        return Call(Softmax(self.axis), (data,))

    def reference(self, data: Array) -> Array:
        """Return the result by NumPy, computed in a wider type."""
        return narrow(np.exp(_log_softmax(widen(data), self.axis)), data.dtype)


@operator("nn.log_softmax")
class LogSoftmax(AlongAxis):
    """`x - log Σ exp(x)` along one axis, without overflow. Takes floats of rank 1 or more."""

    examples = (
        Example("f32[4, 10]"),
        Example("f32[2, 3, 5]", axis=1, domain=(-80.0, 80.0)),
        Example("f64[6]"),
    )

    def compute(self, data: te.Tensor) -> te.Tensor:
        """Return the formula: the maximum, the logarithm of the sum, and the differences."""
        rows = Rows(data, (self.axis,))
        peak = rows.reduce(te.max, data, "max")
        powers = te.compute(
            data.shape, lambda *i: te.exp(rows.widen(data[i]) - rows.value_of_row(peak, i)), "exp"
        )
        total = rows.reduce(te.sum, powers, "sum")

        def element(*i: te.Scalar) -> te.Scalar:
            shifted = rows.widen(data[i]) - rows.value_of_row(peak, i)
            return te.cast(shifted - te.log(rows.value_of_row(total, i)), data.dtype)

        return te.compute(data.shape, element, name=self.name)

    def reference(self, data: Array) -> Array:
        """Return the result by NumPy, computed in a wider type."""
        return narrow(_log_softmax(widen(data), self.axis), data.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return `d - exp(y) · Σ d`, where `y` is the result and `d` its derivative."""
        total = Call(Sum((self.axis,), keepdims=True), (d_out,))
        return (subtract(d_out, multiply(Call(Exp(), (call,)), total)),)


def _log_softmax(x: Array, axis: int) -> Array:
    shifted = x - x.max(axis=axis, keepdims=True, initial=-np.inf)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))
