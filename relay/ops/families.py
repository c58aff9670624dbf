"""Base classes of operator families, which implement the rules that many operators share.

A base class is abstract, and the operators derived from it are final: they define attributes, a
scalar formula, a reference and examples, and override no concrete method.
"""

from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np

from relay.ir.dims import Dim, Shape, Symbolic, is_static, product, static
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.kernels.scalar import Scalar
from relay.opdef import checks
from relay.opdef.batched_call import Batched, aligned_shapes
from relay.opdef.broadcast_axes import BroadcastAxes, aligned_at_right
from relay.opdef.definition import Fusion, OperatorDef
from relay.opdef.layout import Layout
from relay.opdef.layout_rules import ArgLayout, Relayout, follow_broadcast
from relay.support.dtype import DType, Kind, bool_, float32
from relay.support.dtype import dtype as element_type
from relay.support.error_codes import ErrorCode
from relay.support.errors import OpenSizeError
from relay.support.node import replace, set_field, value

FLOATS = (Kind.FLOAT, Kind.BFLOAT)
INTEGERS = (Kind.INT, Kind.UINT)
NUMBERS = (*INTEGERS, *FLOATS)
ANYTHING = (Kind.BOOL, *NUMBERS)

DISCRETE = "it takes integers or truth values, which do not vary continuously"
"""The reason why bitwise operators have no derivative (`OperatorDef.undifferentiable`)."""


class Pointwise(OperatorDef):
    """The base of operators whose result at an index depends only on operands at that index.

    Operands may be broadcast, and may have any layout.
    """

    __slots__ = ()

    def broadcast_axes(self, types: Sequence[TensorType]) -> Sequence[BroadcastAxes]:
        """Return the groups of axes that broadcast: all, aligned at the right."""
        return aligned_at_right([ty.rank for ty in types])

    def relayout(self, types: Sequence[Type], layouts: Sequence[ArgLayout]) -> Relayout | None:
        """Return the operator in the layout of an argument; it works in every layout."""
        return follow_broadcast(self, types, layouts)

    def batched(self, types: Sequence[Type], mapped: Sequence[bool], size: Dim) -> Batched | None:
        """Return this operator for a batch; its operands are aligned after the new first axis."""
        rank = max(ty.rank for ty in types if isinstance(ty, TensorType))
        return Batched(self, aligned_shapes(types, mapped, size, rank))


class Elementwise(Pointwise):
    """The base of operators that compute each element of the result from one element of a tensor.

    The result has the type of the argument. Subclasses define `scalar` and `reference`, and in
    `kinds` the element types that they accept (`T102` for others).
    """

    __slots__ = ()
    keeps_type = True
    is_real: ClassVar[bool] = False
    """Whether the result for complex numbers is real: it has the element type of their parts."""
    kinds: ClassVar[tuple[Kind, ...]] = NUMBERS

    def scalar(self, x: Scalar) -> Scalar:
        """Return one element of the result from the element of the argument."""
        raise AssertionError(f"{self.name} has no scalar formula")

    def infer(self, data: TensorType) -> TensorType:
        """Return the type of the argument, which must have an allowed element type."""
        checks.kind(self.name, "data", data, *self.kinds)
        return TensorType(data.shape, data.dtype.part) if self.is_real else data

    def compute(self, data: te.Tensor) -> te.Tensor:
        """Apply the scalar formula to every element."""
        return te.compute(data.shape, lambda *i: self.scalar(data[i]), name=self.name)


class Predicate(Elementwise):
    """The base of elementwise tests, whose results have bool elements."""

    __slots__ = ()
    keeps_type = False

    def infer(self, data: TensorType) -> TensorType:
        """Return the type with the argument's shape and bool elements."""
        checks.kind(self.name, "data", data, *self.kinds)
        return TensorType(data.shape, bool_)


class Broadcast(Pointwise):
    """The base of elementwise operators on two tensors of one element type, which broadcast.

    The sizes of an axis must be equal, or one of them 1 (`T101`). Subclasses define `scalar` and
    `reference`, and in `kinds` the element types that they accept (`T102` for others).
    """

    __slots__ = ()
    kinds: ClassVar[tuple[Kind, ...]] = NUMBERS

    def scalar(self, x: Scalar, y: Scalar) -> Scalar:
        """Return one element of the result from the elements of both operands."""
        raise AssertionError(f"{self.name} has no scalar formula")

    def infer(self, lhs: TensorType, rhs: TensorType) -> TensorType:
        """Return the type with the common broadcast shape and the operands' element type."""
        checks.same_dtype(self.name, lhs, rhs)
        checks.kind(self.name, "lhs", lhs, *self.kinds)
        return TensorType(checks.broadcast(self.name, lhs.shape, rhs.shape), lhs.dtype)

    def compute(self, lhs: te.Tensor, rhs: te.Tensor) -> te.Tensor:
        """Apply the scalar formula to every element."""
        shape = self.infer(*map(type_of, (lhs, rhs))).shape
        return te.compute(
            shape,
            lambda *i: self.scalar(read_static_broadcast(lhs, i), read_static_broadcast(rhs, i)),
            name=self.name,
        )


class BroadcastComparison(Broadcast):
    """The base of comparisons with broadcasting, whose results have bool elements."""

    __slots__ = ()
    kinds = ANYTHING

    def infer(self, lhs: TensorType, rhs: TensorType) -> TensorType:
        """Return the type with the common broadcast shape and bool elements."""
        checks.same_dtype(self.name, lhs, rhs)
        checks.kind(self.name, "lhs", lhs, *self.kinds)
        return TensorType(checks.broadcast(self.name, lhs.shape, rhs.shape), bool_)


@value
class Reduction(OperatorDef):
    """The base of reductions along `axis`: one axis, several, or all of them if it is None.

    Negative axes count from the end. With `keepdims`, reduced axes are kept with size 1; with
    `exclude`, all axes *except* the given ones are reduced. Subclasses define `combine` and
    `reference`. Raises `T103` for an axis out of range.
    """

    axis: tuple[int, ...] | None = None
    keepdims: bool = False
    exclude: bool = False

    fusion = Fusion.REDUCTION  # although long sums are accumulated in stages
    kinds: ClassVar[tuple[Kind, ...]] = NUMBERS

    def __post_init__(self) -> None:
        set_field(self, "axis", _axes(self.axis))
        set_field(self, "keepdims", bool(self.keepdims))
        set_field(self, "exclude", bool(self.exclude))

    def combine(self, x: Scalar, axes: Sequence[te.Axis]) -> Scalar:
        """Return a result element: the reduction of `x` over the reduction indices `axes`."""
        raise AssertionError(f"{self.name} does not say how it combines")

    def axes(self, rank: int) -> tuple[int, ...]:
        """Return the reduced axes, counted from the front and sorted.

        If `axis` is None, all axes are reduced, even with `exclude`.
        """
        named = checks.axes(self.name, self.axis, rank)
        if self.exclude and self.axis is not None:
            return tuple(axis for axis in range(rank) if axis not in named)
        return named

    def shape(self, shape: Shape) -> Shape:
        """Return the shape of the result, given the shape of the argument."""
        gone = self.axes(len(shape))
        kept: list[Dim] = []
        for axis, dim in enumerate(shape):
            if axis not in gone:
                kept.append(dim)
            elif self.keepdims:
                kept.append(1)
        return tuple(kept)

    def positions(self, rank: int) -> list[int | None]:
        """Return the position in the result of each axis of the argument; None for reduced axes."""
        gone = self.axes(rank)
        kept = [axis for axis in range(rank) if axis not in gone]
        place = {axis: axis if self.keepdims else number for number, axis in enumerate(kept)}
        return [place.get(axis) for axis in range(rank)]

    def infer(self, data: TensorType) -> TensorType:
        """Return the type of the argument without the reduced axes."""
        checks.kind(self.name, "data", data, *self.kinds)
        return TensorType(self.shape(data.shape), data.dtype)

    def relayout(self, types: Sequence[Type], layouts: Sequence[ArgLayout]) -> Relayout | None:
        """Return the reduction in this layout; None if that splits a reduced axis into blocks."""
        layout, *others = layouts
        rank = types[0].rank if isinstance(types[0], TensorType) else -1
        if others or not isinstance(layout, Layout) or len(layout.letters) != rank:
            return None
        gone = [layout.plain[axis] for axis in self.axes(rank)]
        if not gone or any(map(layout.blocks, gone)):
            return None
        places = tuple(map(layout.position, gone))
        kept = layout if self.keepdims else layout.without(gone)
        return Relayout(replace(self, axis=places, exclude=False), (layout,), kept)

    def batched(self, types: Sequence[Type], mapped: Sequence[bool], size: Dim) -> Batched | None:
        """Return the reduction with a batch axis first; None for a reduction over no axes."""
        del mapped, size
        (data, *others) = types
        axes = self.axes(data.rank) if isinstance(data, TensorType) else ()
        if others or not axes:
            return None
        return Batched(replace(self, axis=tuple(axis + 1 for axis in axes), exclude=False))

    def flops(self, *types: TensorType) -> Dim:
        """Return the number of elements of the argument: one operation for each."""
        return product(types[0].shape)

    def compute(self, data: te.Tensor) -> te.Tensor:
        """Return the formula of the reduction along the axes."""
        axes, element = reduction_reader(data, self.positions(len(data.shape)))
        shape = self.shape(extents(data))
        return te.compute(shape, lambda *i: self.combine(element(i), axes), name=self.name)


def _axes(axis: int | Sequence[int] | None) -> tuple[int, ...] | None:
    if axis is None:
        return None
    return tuple(map(int, axis)) or None if isinstance(axis, Sequence) else (int(axis),)


def type_of(tensor: te.Tensor) -> TensorType:
    """Return the tensor type of a tensor expression."""
    return TensorType(extents(tensor), tensor.dtype)


def extents(tensor: te.Tensor) -> Shape:
    """Return the shape of a tensor expression, as integers or symbolic dimensions."""
    sizes = tuple(size for size in tensor.shape if isinstance(size, int | Symbolic))
    assert len(sizes) == len(tensor.shape), f"{tensor.name}: {tensor.shape}"
    return sizes


def known_extents(operator: str, tensor: te.Tensor) -> tuple[int, ...]:
    """Return the shape of a tensor expression, which must be static; else raise `T104`."""
    sizes = extents(tensor)
    if not is_static(sizes):
        found = ", ".join(map(str, sizes))
        message = (
            f"{operator}: the shape of {tensor.name} must be known at compile time, but is "
            f"({found})"
        )
        raise OpenSizeError(ErrorCode.T104, message)
    return static(sizes)


def read_static_broadcast(tensor: te.Tensor, indices: Sequence[Scalar]) -> Scalar:
    """Return the element of `tensor` at `indices` of a shape to which it broadcasts."""
    return tensor[tuple(broadcast_index(extents(tensor), indices))]


def broadcast_index(shape: Sequence[Dim], indices: Sequence[Scalar]) -> list[Scalar]:
    """Convert `indices`, of a shape to which `shape` broadcasts, to indices of `shape`."""
    aligned_shapes = indices[len(indices) - len(shape) :]
    return [te.const(0) if size == 1 else i for size, i in zip(shape, aligned_shapes, strict=True)]


def reduction_reader(
    data: te.Tensor, positions: Sequence[int | None]
) -> tuple[list[te.Axis], Callable[[Sequence[Scalar]], Scalar]]:
    """Return the reduction axes, and a function that reads `data` for an index of the result.

    `positions` has, for each axis of `data`, its position in the result; None means that it is
    reduced, and read at the index of its reduction axis.
    """
    sizes = zip(extents(data), positions, strict=True)
    named = {a: te.reduce_axis(n, f"k{a}") for a, (n, place) in enumerate(sizes) if place is None}

    def element(indices: Sequence[Scalar]) -> Scalar:
        places = enumerate(positions)
        return data[tuple(named[a] if at is None else indices[at] for a, at in places)]

    return list(named.values()), element


def accumulator_dtype(dtype: DType) -> DType:
    """Return the element type in which `dtype` is summed: float32 for half precision."""
    return float32 if dtype.is_float and dtype.bits < 32 else dtype


def wide_type(of: np.dtype[np.generic]) -> type[np.generic]:
    """Return the widest element type of the kind of `of`; that of bools is int64."""
    own = element_type(of)  # NumPy has no kind for integers of 2 and 4 bits
    if own.is_complex:
        return np.complex128
    return np.float64 if own.is_float else np.int64


def total(body: Scalar, axes: Sequence[te.Axis]) -> Scalar:
    """Return the sum of `body` over the axes; half precision is summed in float32."""
    return te.cast(te.sum(te.cast(body, accumulator_dtype(body.dtype)), axes), body.dtype)


def literal(number: float, dtype: DType) -> Scalar:
    """Return a number as a scalar of `dtype`, converted as `cast` does.

    Floats are rounded, integers truncated and saturated.
    """
    if dtype.is_float or dtype.is_minifloat:
        return te.const(float(np.asarray(number).astype(dtype.numpy)), dtype)
    if dtype is bool_ or np.isnan(number):
        return te.const(dtype is bool_ and number != 0, dtype)
    if np.isinf(number):
        number = 2.0**64 if number > 0 else -(2.0**64)
    low, high = dtype.limits
    return te.const(min(max(int(number), low), high), dtype)
