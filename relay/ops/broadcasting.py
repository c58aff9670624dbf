"""Operators that broadcast a tensor to a shape, and their adjoints, which sum to the old shape.

Each is the derivative of the other.
"""

from collections.abc import Sequence

import numpy as np

from relay.ir.dims import ANY, Dim, Shape, broadcast
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.kernels.scalar import lift
from relay.opdef import checks
from relay.opdef.batched_call import Batched, aligned_shapes
from relay.opdef.broadcast_axes import BroadcastAxes, aligned_at_right
from relay.opdef.definition import Fusion, OperatorDef, Precision
from relay.opdef.dim_constraints import Relation, constrain
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.families import (
    NUMBERS,
    accumulator_dtype,
    broadcast_index,
    extents,
    reduction_reader,
    total,
    type_of,
)
from relay.support.dtype import DType, dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError
from relay.support.node import replace, set_field


class Broadcasting(OperatorDef):
    """The base of operators that repeat the elements of the first argument along new axes."""

    __slots__ = ()

    def compute(self, *inputs: te.Tensor) -> te.Tensor:
        """Return the formula, which reads each element at its index in the original tensor."""
        result = self.infer(*map(type_of, inputs))
        assert isinstance(result, TensorType)
        shape = result.shape
        return te.compute(shape, lambda *i: read_broadcast(inputs[0], i, shape), name=self.name)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative, summed over broadcast axes; a shape argument has none."""
        return (sum_to_shape_of(d_out, call.args[0]), *[None] * (len(call.args) - 1))


def read_broadcast(tensor: te.Tensor, indices: Sequence[te.Scalar], shape: Shape) -> te.Scalar:
    """Return the element of `tensor` at `indices` of a shape to which it broadcasts.

    A dynamic size that may be 1 is compared with 1 when the kernel runs.
    """
    own = extents(tensor)
    places = broadcast_index(own, indices)
    for axis, (size, whole) in enumerate(zip(own, shape[len(shape) - len(own) :], strict=True)):
        if not isinstance(size, int) and size is not whole:
            places[axis] = te.select(te.equal(lift(size), 1), te.const(0), places[axis])
    return tensor[tuple(places)]


@operator("broadcast_to")
class BroadcastTo(Broadcasting):
    """Repeat `data` along axes of size 1, and along new axes at the left, up to `shape`.

    Takes any element type. `dtype` must be that of `data`, if it is given (`T102`). Raises `T101`
    for a shape to which `data` does not broadcast.
    """

    shape: Shape
    dtype: DType | None = None

    result_dtype = "dtype"
    examples = (
        Example("f32[3, 1]", shape=(2, 3, 4)),
        Example("i64[]", shape=(3,)),
        Example("bool[1, 1]", shape=(2, 2)),
        Example("f64[2]", shape=(2,)),
        Example("f32[1, 3]", shape=(0, 3)),
        Example("bf16[2, 1]", shape=(2, 5), dtype="bfloat16", differentiable=False),
    )

    def __post_init__(self) -> None:
        set_field(self, "shape", shape_attribute(self.shape))
        set_field(self, "dtype", dtype(self.dtype) if self.dtype else None)

    def infer(self, data: TensorType) -> TensorType:
        result = TensorType(self.shape, self.dtype or data.dtype)
        checks.same_dtype(self.name, data, result)
        return _broadcast_type(self.name, data, result.shape)

    def keeps_order(self, *types: TensorType) -> bool:
        """Whether only new axes of size 1 are added, so that no element moves."""
        (data,) = types
        new = len(self.shape) - data.rank
        return self.shape == (*[1] * new, *data.shape)

    def batched(self, types: Sequence[Type], mapped: Sequence[bool], size: Dim) -> Batched | None:
        """Return the broadcast of a batch, to the same shape after the new first axis."""
        rank = len(self.shape)
        return Batched(
            replace(self, shape=(size, *self.shape)), aligned_shapes(types, mapped, size, rank)
        )

    def reference(self, data: Array) -> Array:
        return np.broadcast_to(data, self.infer(_type(data)).static_shape).copy()


@operator("broadcast_to_like")
class BroadcastToLike(Broadcasting):
    """Repeat `data` up to the shape of `broadcast_type`, whose elements are not read.

    Takes any element types.
    """

    precision = Precision.FOLLOW
    examples = (
        Example("f32[3, 1]", "f32[2, 3, 4]"),
        Example("f64[]", "i32[2]"),
        Example("i8[4]", "i8[4]"),
        Example("f32[1]", "f32[0]"),
    )

    def infer(self, data: TensorType, broadcast_type: TensorType) -> TensorType:
        return _broadcast_type(self.name, data, broadcast_type.shape)

    def reference(self, data: Array, broadcast_type: Array) -> Array:
        return np.broadcast_to(data, broadcast_type.shape).copy()


class BroadcastAdjoint(OperatorDef):
    """The base of adjoints of a broadcast, which sum over its axes to the shape before it."""

    __slots__ = ()
    fusion = Fusion.REDUCTION  # although sums over several axes are accumulated in stages

    def compute(self, *inputs: te.Tensor) -> te.Tensor:
        """Return the formula of the sum; half precision is summed in float32."""
        data, result = inputs[0], self.infer(*map(type_of, inputs))
        assert isinstance(result, TensorType)
        shape = result.shape
        new = len(data.shape) - len(shape)
        kept = [size != 1 or data.shape[new + axis] == 1 for axis, size in enumerate(shape)]
        places = [axis if keep else None for axis, keep in enumerate(kept)]
        axes, element = reduction_reader(data, [*[None] * new, *places])
        return te.compute(shape, lambda *i: total(element(i), axes), name=self.name)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative of each sum for all its summands; a shape argument has none."""
        data, *rest = call.args
        return (Call(BroadcastToLike(), (d_out, data)), *[None] * len(rest))


@operator("collapse_sum_to")
class CollapseSumTo(BroadcastAdjoint):
    """Sum `data` over the axes along which `shape` broadcasts to the shape of `data`.

    The result has `shape`. Takes numbers of any kind. Raises `T101` if `shape` does not broadcast
    to that of `data`.
    """

    shape: Shape

    examples = (
        Example("f32[2, 3, 4]", shape=(3, 1)),
        Example("f64[2, 3]", shape=()),
        Example("i32[2, 3]", shape=(2, 3)),
        Example("f16[5, 4]", shape=(1, 4)),
        Example("f32[0, 3]", shape=(3,)),
    )

    def __post_init__(self) -> None:
        set_field(self, "shape", shape_attribute(self.shape))

    def infer(self, data: TensorType) -> TensorType:
        return _collapsed_type(self.name, data, self.shape)

    def reference(self, data: Array) -> Array:
        return _collapse(data, self.infer(_type(data)).static_shape)


@operator("collapse_sum_like")
class CollapseSumLike(BroadcastAdjoint):
    """Sum `data` over the axes along which the shape of `collapse_type` broadcasts to its shape.

    Takes numbers of any kind; the elements of `collapse_type` are not read.
    """

    examples = (
        Example("f32[2, 3, 4]", "f32[1, 3, 1]"),
        Example("f64[2, 3]", "f64[3]"),
        Example("i32[4]", "f32[]"),
    )

    def infer(self, data: TensorType, collapse_type: TensorType) -> TensorType:
        return _collapsed_type(self.name, data, collapse_type.shape)

    def broadcast_axes(self, types: Sequence[TensorType]) -> Sequence[BroadcastAxes]:
        """Return the pairs of axes that broadcast: those of both shapes, aligned at the right."""
        found = aligned_at_right([ty.rank for ty in types])
        return [meeting for meeting in found if len(meeting) == len(types)]

    def reference(self, data: Array, collapse_type: Array) -> Array:
        return _collapse(data, collapse_type.shape)


def sum_to_shape_of(d_out: Expr, argument: Expr) -> Expr:
    """Return the derivative `d_out`, summed over broadcast axes to the shape of `argument`."""
    shape = d_out.tensor_type.shape
    if shape == argument.tensor_type.shape and ANY not in shape:  # each `Any` is a different size
        return d_out
    return Call(CollapseSumLike(), (d_out, argument))


def shape_attribute(shape: "Dim | Sequence[Dim]") -> Shape:
    """Return a shape attribute in normal form; a single size means a shape of rank 1."""
    return TensorType(tuple(shape) if isinstance(shape, Sequence) else (shape,)).shape


def _type(array: Array) -> TensorType:
    return TensorType(array.shape, dtype(array.dtype))


def _broadcast_type(name: str, data: TensorType, shape: Shape) -> TensorType:
    require_broadcastable(name, data.shape, shape)
    return TensorType(shape, data.dtype)


def require_broadcastable(name: str, small: Shape, large: Shape) -> None:
    """Require that the shape `small` broadcasts to the shape `large`; raises `T101` otherwise."""
    if not _is_broadcast(large, checks.broadcast_shape(name, small, large)):
        raise RelayTypeError(
            ErrorCode.T101,
            f"{name}: the shape {_draw(small)} cannot be broadcast to the shape {_draw(large)}",
            help=(
                "choose a target shape that ends in these sizes: aligned from the right, each size "
                "of the data must be 1 or equal to that of the target"
            ),
        )
    for position, (size, whole) in enumerate(zip(small[::-1], large[::-1], strict=False)):
        if size != 1 and ANY not in (size, whole):
            what = f"axis {-1 - position}"
            constrain(name, broadcast(size, whole), whole, what, Relation.BROADCAST)


def _collapsed_type(name: str, data: TensorType, shape: Shape) -> TensorType:
    checks.kind(name, "data", data, *NUMBERS)
    if not _is_broadcast(data.shape, checks.broadcast(name, shape, data.shape)):
        raise RelayTypeError(
            ErrorCode.T101,
            f"{name}: data of shape {_draw(data.shape)} cannot be summed to the shape "
            f"{_draw(shape)}",
            help=(
                "choose a shape with at most the axes of the data: aligned from the right, each "
                "of its sizes must be 1 or equal to that of the data"
            ),
        )
    for position, (size, whole) in enumerate(zip(shape[::-1], data.shape[::-1], strict=False)):
        if whole == 1:
            constrain(name, 1, size, f"axis {-1 - position}", Relation.BROADCAST)
    return TensorType(shape, data.dtype)


def _is_broadcast(large: Shape, joined: Shape) -> bool:
    """Whether another shape broadcasts to `large`, as far as sizes are known.

    `joined` is the shape to which both broadcast.
    """
    known = [(a, b) for a, b in zip(joined[::-1], large[::-1], strict=False) if a is not b]
    grown = any(isinstance(a, int) and isinstance(b, int) and a != b for a, b in known)
    return len(joined) == len(large) and not grown


def _draw(shape: Shape) -> str:
    return f"({', '.join(map(str, shape))})"


def _collapse(data: Array, shape: tuple[int, ...]) -> Array:
    new = data.ndim - len(shape)
    gone = [axis for axis in range(new, data.ndim) if shape[axis - new] == 1]
    wide = data.astype(accumulator_dtype(dtype(data.dtype)).numpy)
    total = np.sum(wide, axis=(*range(new), *gone), keepdims=True)
    return total.astype(data.dtype).reshape(shape)
