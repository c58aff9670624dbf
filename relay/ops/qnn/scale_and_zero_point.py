"""Scales and zero points of quantised tensors: checks of their types, and broadcasting."""

from collections.abc import Sequence

import numpy as np

from relay.ir.expr import Array, Call, Constant, Expr
from relay.ir.types import TensorType
from relay.opdef import checks
from relay.ops.binary import Maximum, Minimum, subtract
from relay.ops.cast import Cast
from relay.ops.tensor.reshape import Reshape
from relay.support.dtype import DType, float32, int32

SMALL = ("int8", "uint8", "int16", "int32")
"""The element types of quantised numbers."""


def require_quantised(operator: str, name: str, ty: TensorType) -> None:
    """Require an element type of quantised numbers; raises `T104` otherwise."""
    said = f"the element type of {name} must be one of {', '.join(SMALL)}, not {ty.dtype}"
    checks.attribute(operator, str(ty.dtype) in SMALL, said)


def require_parameters(
    operator: str, name: str, scale: TensorType, zero: TensorType, data: TensorType, axis: int
) -> None:
    """Require a float32 scale and an int32 zero point.

    Each is a scalar, or a vector along an axis of the data.
    """
    for what, ty, dtype in (("scale", scale, float32), ("zero point", zero, int32)):
        checks.same_dtype(f"{operator}: {name} {what}", TensorType((), dtype), ty)
        checks.rank(operator, f"{name} {what}", ty, 0, 1)
        if ty.rank and ty.shape[0] != 1:
            at = checks.axis(operator, axis, data.rank)
            checks.size(operator, f"{name} {what}", data.shape[at], ty.shape[0])


def require_scalar_parameters(
    operator: str, name: str, scale: TensorType, zero: TensorType
) -> None:
    """Require a scale and a zero point that are scalars."""
    require_parameters(operator, name, scale, zero, TensorType((1,), int32), 0)


def broadcast_parameter(parameter: Expr, axis: int, rank: int) -> Expr:
    """Return a scale or zero point with axes of size 1, to broadcast along an axis of a tensor."""
    ty = parameter.tensor_type
    if ty.rank == 0:
        return parameter
    behind = rank - 1 - axis % max(rank, 1)
    shape = ty.shape if ty.shape[0] == 1 else (*ty.shape, *(1,) * behind)
    return Call(Reshape(shape, allowzero=True), (parameter,))


def broadcast_parameter_array(parameter: Array, axis: int, rank: int) -> Array:
    """Return an array with axes of size 1, to broadcast along an axis of a tensor."""
    if parameter.size == 1:
        return parameter.reshape(())
    return parameter.reshape((-1, *(1,) * (rank - 1 - axis % rank)))


def subtract_zero_point(data: Expr, zero: Expr) -> Expr:
    """Return `data - zero` as int32, where the zero point broadcasts."""
    wide = cast(data, int32)
    return wide if is_zero(zero) else subtract(wide, zero)


def is_zero(parameter: Expr) -> bool:
    """Return whether a scale or zero point is a constant that is zero."""
    return isinstance(parameter, Constant) and not parameter.array.any()


def are_known_equal(one: Expr, other: Expr) -> bool:
    """Return whether two scales or zero points are known to be equal."""
    if isinstance(one, Constant) and isinstance(other, Constant):
        return one.type is other.type and bool(np.array_equal(one.array, other.array))
    return one is other


def cast(x: Expr, to: DType) -> Expr:
    """Return `x` converted to an element type, or itself if it has that type."""
    return x if x.tensor_type.dtype is to else Call(Cast(to), (x,))


def saturated(x: Expr, to: DType) -> Expr:
    """Return int32 numbers saturated to the range of a smaller integer type."""
    if to is x.tensor_type.dtype:
        return x
    low, high = to.limits
    ends = (Constant(np.asarray(end, x.tensor_type.dtype.numpy)) for end in (low, high))
    below, above = ends
    inside = Call(Maximum(), (Call(Minimum(), (x, above)), below))
    return cast(inside, to)


def saturated_array(x: Array, to: DType) -> Array:
    """Return an array saturated to the range of a smaller integer type."""
    return np.clip(x, *to.limits).astype(to.numpy)


def fixed_point(scale: float) -> tuple[int, int]:
    """Return a 31-bit multiplier and a power, with `scale = multiplier · 2^(power - 31)`.

    >>> fixed_point(0.75)
    (1610612736, 0)
    """
    mantissa, power = np.frexp(scale)
    multiplier = int(np.floor(float(mantissa) * 2.0**31 + 0.5))
    return (multiplier // 2, int(power) + 1) if multiplier == 1 << 31 else (multiplier, int(power))


def constant_elements(parameter: Expr) -> Sequence[float] | None:
    """Return the elements of a scale or zero point if it is constant, else None."""
    return parameter.array.reshape(-1).tolist() if isinstance(parameter, Constant) else None
