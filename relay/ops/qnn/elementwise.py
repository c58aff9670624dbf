"""Sums, differences and products of quantised tensors, and the leaky ReLU."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from relay.ir.expr import Array, Call, Constant, Expr
from relay.ir.types import TensorType
from relay.opdef import checks
from relay.opdef.broadcast_axes import BroadcastAxes, aligned_at_right
from relay.opdef.definition import OperatorDef, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import add, multiply, subtract
from relay.ops.comparison import less
from relay.ops.fixed_point import FixedPointMultiply
from relay.ops.qnn.quantize import Requantize
from relay.ops.qnn.scale_and_zero_point import (
    are_known_equal,
    broadcast_parameter,
    broadcast_parameter_array,
    cast,
    fixed_point,
    is_zero,
    require_parameters,
    require_quantised,
    require_scalar_parameters,
    saturated,
    saturated_array,
    subtract_zero_point,
)
from relay.ops.qnn.unary import QuantisedUnary
from relay.ops.selection import where
from relay.support.dtype import dtype, int32
from relay.support.node import set_field, value

_VALUES: dict[int, Any] = {2: 0.05, 3: 2, 4: 0.11, 5: -3, 6: 0.2, 7: 1}
_PARAMETERS = ("f32[]", "i32[]", "f32[]", "i32[]", "f32[]", "i32[]")


@value
class QuantisedBinary(OperatorDef):
    """The base of operators on two quantised tensors of one type, which broadcast.

    Scales are float32 and zero points int32. Those of the operands are scalars, or vectors along
    `lhs_axis` and `rhs_axis`; those of the result are scalars. Results saturate.
    """

    lhs_axis: int = -1
    rhs_axis: int = -1

    quantised = True
    precision = Precision.KEEP
    examples = (
        Example("i8[2, 3]", "i8[2, 3]", *_PARAMETERS, domain=(-90, 90), values=_VALUES),
        Example("u8[4, 1]", "u8[3]", *_PARAMETERS, domain=(0, 200), values={**_VALUES, 7: 100}),
        Example(
            *("i8[5]", "i8[5]", *_PARAMETERS),
            domain=(-90, 90),
            values={2: 0.5, 3: 1, 4: 0.5, 5: 1, 6: 0.5, 7: 1},
        ),
        Example(
            *("i8[2, 3]", "i8[2, 3]", "f32[3]", "i32[3]", *_PARAMETERS[2:]),
            lhs_axis=1,
            domain=(-90, 90),
            values={**_VALUES, 2: [0.05, 0.2, 0.1], 3: [2, -1, 0]},
        ),
    )

    def infer(
        self,
        lhs: TensorType,
        rhs: TensorType,
        lhs_scale: TensorType,
        lhs_zero_point: TensorType,
        rhs_scale: TensorType,
        rhs_zero_point: TensorType,
        output_scale: TensorType,
        output_zero_point: TensorType,
    ) -> TensorType:
        """Return the type with the common broadcast shape and the operands' element type."""
        require_quantised(self.name, "lhs", lhs)
        checks.same_dtype(self.name, lhs, rhs)
        require_parameters(self.name, "lhs", lhs_scale, lhs_zero_point, lhs, self.lhs_axis)
        require_parameters(self.name, "rhs", rhs_scale, rhs_zero_point, rhs, self.rhs_axis)
        require_scalar_parameters(self.name, "output", output_scale, output_zero_point)
        return TensorType(checks.broadcast(self.name, lhs.shape, rhs.shape), lhs.dtype)

    def broadcast_axes(self, types: Sequence[TensorType]) -> Sequence[BroadcastAxes]:
        """Return the groups of axes of the operands that broadcast: all, aligned at the right."""
        return aligned_at_right([ty.rank for ty in types[:2]])


def requantised(
    x: Expr, scale: Expr, zero: Expr, output_parameters: tuple[Expr, Expr], axis: int = -1
) -> Expr:
    """Return `x` requantised to `output_parameters` (scale, zero point), as an int32 expression."""
    if are_known_equal(scale, output_parameters[0]) and are_known_equal(zero, output_parameters[1]):
        return cast(x, int32)
    return Call(Requantize(axis, out_dtype=int32), (x, scale, zero, *output_parameters))


def requantised_array(
    x: Array, scale: Array, zero: Array, output_parameters: tuple[Array, Array], axis: int = -1
) -> Array:
    """Return `x` requantised to `output_parameters` (scale, zero point), as an int64 array."""
    if np.array_equal(scale, output_parameters[0]) and np.array_equal(zero, output_parameters[1]):
        return x.astype(np.int64)
    return (
        Requantize(axis, out_dtype=int32)
        .reference(x, scale, zero, *output_parameters)
        .astype(np.int64)
    )


@value
class Additive(QuantisedBinary):
    """The base of sums and differences, whose operands are first requantised to the result."""

    def decompose(self, *args: Expr) -> Expr:
        """Return an expression that requantises both operands, and combines them in int32."""
        lhs, rhs, ls, lz, rs, rz, scale, zero = args
        left = requantised(lhs, ls, lz, (scale, zero), self.lhs_axis)
        right = requantised(rhs, rs, rz, (scale, zero), self.rhs_axis)
        joined = self.combined(left, right, broadcast_parameter(zero, 0, 1))
        return saturated(joined, lhs.tensor_type.dtype)

    def combined(self, lhs: Expr, rhs: Expr, zero: Expr) -> Expr:
        """Return the sum or difference of operands that have the result's scale and zero point."""
        raise AssertionError(f"{self.name} does not join")

    def reference(self, *arrays: Array) -> Array:
        """Return the result by NumPy: the operands are requantised, then combined."""
        lhs, rhs, ls, lz, rs, rz, scale, zero = arrays
        left = requantised_array(lhs, ls, lz, (scale, zero), self.lhs_axis)
        right = requantised_array(rhs, rs, rz, (scale, zero), self.rhs_axis)
        joined = self.combined_arrays(left, right, zero.reshape(()).astype(np.int64))
        return saturated_array(joined, dtype(lhs.dtype))

    def combined_arrays(self, lhs: Array, rhs: Array, zero: Array) -> Array:
        """Return the sum or difference of arrays that have the result's scale and zero point."""
        raise AssertionError(f"{self.name} does not join")


@operator("qnn.add")
class QuantisedAdd(Additive):
    """The sum of two quantised tensors; see `QuantisedBinary`."""

    def combined(self, lhs: Expr, rhs: Expr, zero: Expr) -> Expr:
        whole = add(lhs, rhs)
        return whole if is_zero(zero) else subtract(whole, zero)

    def combined_arrays(self, lhs: Array, rhs: Array, zero: Array) -> Array:
        return lhs + rhs - zero


@operator("qnn.subtract")
class QuantisedSubtract(Additive):
    """The difference of two quantised tensors; see `QuantisedBinary`."""

    def combined(self, lhs: Expr, rhs: Expr, zero: Expr) -> Expr:
        rest = subtract(lhs, rhs)
        return rest if is_zero(zero) else add(rest, zero)

    def combined_arrays(self, lhs: Array, rhs: Array, zero: Array) -> Array:
        return lhs - rhs + zero


@operator("qnn.mul")
class QuantisedMultiply(QuantisedBinary):
    """The product of two quantised tensors; see `QuantisedBinary`.

    If both scales are vectors, they must be along the same axis of the result.
    """

    def decompose(self, *args: Expr) -> Expr:
        """Return the requantised product of the operands without their zero points."""
        lhs, rhs, ls, lz, rs, rz, scale, zero = args
        rank = max(lhs.tensor_type.rank, rhs.tensor_type.rank)
        left, right = (
            subtract_zero_point(x, broadcast_parameter(z, axis, x.tensor_type.rank))
            for x, z, axis in ((lhs, lz, self.lhs_axis), (rhs, rz, self.rhs_axis))
        )
        step: Expr = multiply(ls, rs)
        if isinstance(ls, Constant) and isinstance(rs, Constant):
            step = Constant(np.asarray(ls.array * rs.array))
        none = Constant(np.asarray(0, np.int32))
        op = Requantize(self._axis(rank), out_dtype=lhs.tensor_type.dtype)
        return Call(op, (multiply(left, right), step, none, scale, zero))

    def _axis(self, rank: int) -> int:
        return self.lhs_axis % max(rank, 1)

    def reference(self, *arrays: Array) -> Array:
        """Return the result by NumPy: the product without zero points, requantised."""
        lhs, rhs, ls, lz, rs, rz, scale, zero = arrays
        left, right = (
            x.astype(np.int32) - broadcast_parameter_array(z, axis, x.ndim)
            for x, z, axis in ((lhs, lz, self.lhs_axis), (rhs, rz, self.rhs_axis))
        )
        step, none = np.asarray(ls * rs), np.asarray(0, np.int32)
        op = Requantize(self._axis(max(lhs.ndim, rhs.ndim)), out_dtype=str(lhs.dtype))
        return op.reference(np.asarray(left * right), step, none, scale, zero)


@operator("qnn.leaky_relu")
class QuantisedLeakyRelu(QuantisedUnary):
    """Multiply negative numbers by `alpha`; the result has its own scale and zero point.

    Scales are float32, zero points int32; all are scalars that are constants (`T104`).
    """

    alpha: float = 0.25

    examples = (
        Example("i8[2, 5]", "f32[]", "i32[]", "f32[]", "i32[]", domain=(-90, 90),
                values={1: 0.05, 2: 2, 3: 0.11, 4: -3}),
        Example("u8[7]", "f32[]", "i32[]", "f32[]", "i32[]", alpha=0.1, domain=(0, 200),
                values={1: 0.05, 2: 100, 3: 0.05, 4: 100}),
    )  # fmt: skip

    def __post_init__(self) -> None:
        set_field(self, "alpha", float(self.alpha))
        limited = 0 <= self.alpha < 2**30
        checks.attribute(self.name, limited, f"alpha must be at least 0, not {self.alpha}")

    def decompose(self, *args: Expr) -> Expr:
        """Return an expression that requantises, and scales negatives by a fixed-point number."""
        x, scale, zero, out_scale, out_zero = args
        wide = requantised(x, scale, zero, (out_scale, out_zero))
        target = broadcast_parameter(out_zero, 0, 1)
        small = Call(FixedPointMultiply(*fixed_point(self.alpha)), (wide,))
        rest = Call(FixedPointMultiply(*fixed_point(1 - self.alpha)), (target,))
        below = less(cast(x, int32), broadcast_parameter(zero, 0, 1))
        return saturated(where(below, add(small, rest), wide), x.tensor_type.dtype)

    def reference(self, *arrays: Array) -> Array:
        """Return the result by NumPy: negative numbers times `alpha`, then requantised."""
        x, scale, zero, out_scale, out_zero = arrays
        wide = requantised_array(x, scale, zero, (out_scale, out_zero))

        def times(values: Array, factor: float) -> Array:
            multiplier, power = fixed_point(factor)
            exact = values.astype(np.float64) * multiplier * 2.0 ** (power - 31)
            return np.floor(exact + 0.5).astype(np.int64)

        small = times(wide, self.alpha) + times(out_zero.reshape(()), 1 - self.alpha)
        chosen = np.where(x.astype(np.int64) < zero.reshape(()), small, wide)
        return saturated_array(chosen, dtype(x.dtype))
