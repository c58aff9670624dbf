"""Strided slices with constant bounds: reading them, their derivative, and `slice_like`."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dims import ANY, Dim, Shape, maximum
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.batched_call import Batched
from relay.opdef.definition import Fusion, OperatorDef, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.families import extents
from relay.ops.tensor.dim_arithmetic import (
    END,
    ceiling_divide,
    dims,
    ints,
    minimum,
    require_same_shape,
    without_maxima,
)
from relay.ops.tensor.element_movement import Indices, move
from relay.support.dtype import bool_
from relay.support.node import Value, replace, set_field, value


@value
class Range(Value):
    """The part of an axis that a slice reads: `size` elements from `begin` on, by `stride`."""

    begin: Dim
    size: Dim
    stride: int

    @property
    def first(self) -> int:
        """Return the begin as an integer; it must be static."""
        assert isinstance(self.begin, int)
        return self.begin

    @property
    def count(self) -> int:
        """Return the size as an integer; it must be static."""
        assert isinstance(self.size, int)
        return self.size


@value
class Slicing(OperatorDef):
    """The base of `strided_slice` and its derivative: it computes the range of each axis."""

    begin: Shape
    end: Shape
    strides: tuple[int, ...] = ()
    slice_mode: str = "end"
    axes: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        for name in ("begin", "end"):
            set_field(self, name, dims(getattr(self, name)))
        set_field(self, "strides", ints(self.strides or ()))
        set_field(self, "axes", None if self.axes is None else ints(self.axes))
        known = self.slice_mode in ("end", "size")
        checks.attribute(
            self.name, known, f"slice_mode must be 'end' or 'size', not {self.slice_mode!r}"
        )
        checks.attribute(self.name, 0 not in self.strides, "a stride cannot be 0")

    def ranges(self, shape: Shape) -> tuple[Range, ...]:
        """Return the range of each axis, for a tensor of shape `shape`."""
        result = [Range(0, ANY if self.axes is None and dim is ANY else dim, 1) for dim in shape]
        for position, axis in enumerate(self.sliced(len(shape))):
            result[axis] = self._range(position, shape[axis])
        return tuple(result)

    def sliced(self, rank: int) -> Sequence[int]:
        """Return the numbers of the axes that have bounds, for a tensor of rank `rank`."""
        count = max(len(self.begin), len(self.end))
        if self.axes is None:
            checks.attribute(
                self.name,
                count <= rank,
                f"slice bounds for {count} axes are passed, but the tensor has {rank}",
            )
            return range(count)
        checks.attribute(
            self.name,
            count <= len(self.axes),
            f"slice bounds for {count} axes are passed, but `axes` lists {len(self.axes)}",
        )
        checks.axes(self.name, self.axes, rank)
        return [axis % rank for axis in self.axes]

    def _range(self, position: int, size: Dim) -> Range:
        listed = self.strides[position : position + 1] if self.slice_mode == "end" else ()
        stride = listed[0] if listed else 1
        begin = _item(self.begin, position, 0 if stride > 0 else END)
        end = _item(self.end, position, END if stride > 0 else -END)
        if size is ANY:
            return Range(ANY, ANY, stride)
        if self.slice_mode == "size":
            begin = wrapped(begin, size)
            end = END if isinstance(end, int) and end < 0 else begin + end
        return self._clamped(wrapped(begin, size), wrapped(end, size), stride, size)

    def _clamped(self, begin: Dim, end: Dim, stride: int, size: Dim) -> Range:
        low, high = (0, size) if stride > 0 else (-1, size - 1)
        first, last = clamp(begin, low, high), clamp(end, low, high)
        whole, wanted = (last, first) if stride > 0 else (first, last)
        way = "from {index} to {size}" if stride > 0 else "from {size} to {index}"
        said = f"the slice {begin}:{end}:{stride} has its bounds in the wrong order: {way}"
        help_ = "exchange begin and end, or negate the stride"
        checks.enough(self.name, whole, wanted, said, help=help_)
        distance = without_maxima(self.name, whole - wanted)
        return Range(first, ceiling_divide(distance, abs(stride)), stride)


@operator("strided_slice")
class StridedSlice(Slicing):
    """Read `x[begin:end:strides]` along the axes `axes`, or along the first axes if that is None.

    Bounds below 0 count from the end, then all are clamped to the axis; with a negative stride,
    indices decrease from `begin` to `end`, exclusive. Missing trailing bounds mean the whole axis.
    With `slice_mode="size"`, `end` has lengths (-1: to the end), and strides are 1. A `begin` after
    `end` is an error (`T105`), not an empty result. Takes any element type.
    """

    picks = True
    precision = Precision.FOLLOW
    examples = (
        Example("f32[6, 5]", begin=(1, 0), end=(5, 3)),
        Example("f32[6, 5]", begin=(5,), end=(0,), strides=(-2,)),
        Example("f32[6, 5]", begin=(-1,), end=(-(2**31),), strides=(-1,), axes=(-1,)),
        Example("f64[6, 5, 4]", begin=(1, 2), end=(2**31 - 1, -1), axes=(0, 2)),
        Example("i64[6, 5]", begin=(1, 2), end=(3, -1), slice_mode="size"),
        Example("bool[4]", begin=(2,), end=(2,)),
        Example("f32[0, 3]", begin=(0, 1), end=(4, 9), strides=(1, 2)),
    )

    def infer(self, x: TensorType) -> TensorType:
        return TensorType(tuple(each.size for each in self.ranges(x.shape)), x.dtype)

    def batched(self, types: Sequence[Type], mapped: Sequence[bool], size: Dim) -> Batched | None:
        """Return the slice of a batch: of the same axes, after the new first axis."""
        del mapped, size
        rank = types[0].rank if isinstance(types[0], TensorType) else 0
        axes = tuple(axis + 1 for axis in self.sliced(rank))
        return Batched(replace(self, axes=axes))

    def compute(self, x: te.Tensor) -> te.Tensor:
        parts = self.ranges(extents(x))
        return move(x, [part.size for part in parts], lambda i: _positions(parts, i))

    def reference(self, x: Array) -> Array:
        return x[selection(self.ranges(x.shape))]

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        back = StridedSliceGrad(self.begin, self.end, self.strides, self.slice_mode, self.axes)
        return (Call(back, (d_out, call.args[0])),)


def _item(values: Sequence[Dim], position: int, default: Dim) -> Dim:
    return values[position] if position < len(values) else default


def wrapped(bound: Dim, size: Dim) -> Dim:
    """Return a bound, to which the size is added if it is negative.

    The result may still be negative.
    """
    return bound + size if isinstance(bound, int) and -END < bound < 0 else bound


def clamp(bound: Dim, low: Dim, high: Dim) -> Dim:
    """Return a bound, limited to the range from `low` to `high`."""
    if isinstance(bound, int) and bound >= END:
        return high
    if isinstance(bound, int) and bound <= -END:
        return low
    return minimum(maximum(bound, low), high)


def _positions(parts: Sequence[Range], indices: Indices) -> Indices:
    return [index * part.stride + part.begin for index, part in zip(indices, parts, strict=True)]


def selection(parts: Sequence[Range]) -> tuple[Array, ...]:
    """Return the open mesh of indices by which NumPy reads or writes a strided slice."""
    return np.ix_(*(part.first + part.stride * np.arange(part.count) for part in parts))


@operator("strided_slice_grad")
class StridedSliceGrad(Slicing):
    """Return `d` where `strided_slice` reads a tensor shaped as `like`, and zeros elsewhere."""

    examples = (
        Example("f32[2, 3]", "f32[6, 5]", begin=(1, 0), end=(5, 3), strides=(2,)),
        Example("f64[3]", "f64[6]", begin=(5,), end=(0,), strides=(-2,)),
        Example("f32[0]", "f32[4]", begin=(2,), end=(2,)),
    )

    def infer(self, d: TensorType, like: TensorType) -> TensorType:
        sizes = [each.size for each in self.ranges(like.shape)]
        checks.same_dtype(self.name, d, like)
        require_same_shape(self.name, "d", sizes, d.shape)
        return like

    def compute(self, d: te.Tensor, like: te.Tensor) -> te.Tensor:
        parts = self.ranges(extents(like))

        def pick(*i: te.Scalar) -> te.Scalar:
            inside, source = _inverse(parts, i)
            return te.select(inside, d[tuple(source)], te.const(0, d.dtype))

        return te.compute(like.shape, pick)

    def reference(self, d: Array, like: Array) -> Array:
        result = np.zeros_like(like)
        result[selection(self.ranges(like.shape))] = d
        return result

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        forward = StridedSlice(self.begin, self.end, self.strides, self.slice_mode, self.axes)
        return Call(forward, (d_out,)), None


def _inverse(parts: Sequence[Range], indices: Indices) -> tuple[te.Scalar, Indices]:
    """Return whether an index is in the slice, and its position in the slice."""
    inside: te.Scalar = te.const(True, bool_)
    source: list[te.Scalar] = []
    for index, part in zip(indices, parts, strict=True):
        offset = (index - part.begin) * (1 if part.stride > 0 else -1)
        step = abs(part.stride)
        place = offset // step
        inside &= (offset >= 0) & (place < part.size) & te.equal(offset % step, 0)
        source.append(place)
    return inside, source


@operator("slice_like")
class SliceLike(OperatorDef):
    """Keep the first elements of `x` along `axes`, as many as `like` has.

    Without `axes`, these are all axes that both have; further axes of `x` are kept whole. `like`
    may not be longer than `x` there (`T105`), and its elements are not read. Takes any element
    types.
    """

    axes: tuple[int, ...] | None = None

    fusion = Fusion.INJECTIVE
    examples = (
        Example("f32[4, 5]", "f32[2, 3]"),
        Example("f32[4, 5]", "f64[9, 3]", axes=(-1,)),
        Example("i64[3]", "bool[0]"),
        Example("f32[4, 5, 2]", "f32[2, 3]"),
        Example("f32[4, 5]", "f32[2, 3, 7]"),
    )

    def __post_init__(self) -> None:
        set_field(self, "axes", ints(self.axes) if self.axes else None)

    def _slice(self, x: Shape, like: Shape) -> StridedSlice:
        common = range(min(len(x), len(like)))
        axes = common if self.axes is None else checks.axes(self.name, self.axes, len(x))
        checks.axes(self.name, axes, len(like))
        end = tuple(like[axis] for axis in axes)
        return StridedSlice((0,) * len(end), end, axes=tuple(axes))

    def infer(self, x: TensorType, like: TensorType) -> TensorType:
        sliced = self._slice(x.shape, like.shape)
        shape = list(x.shape)
        for axis, size in zip(sliced.axes or (), sliced.end, strict=True):
            said = f"axis {axis} has {{size}} elements, but must have {{index}}"
            checks.enough(self.name, shape[axis], size, said)
            shape[axis] = size
        return TensorType(tuple(shape), x.dtype)

    def compute(self, x: te.Tensor, like: te.Tensor) -> te.Tensor:
        parts = self._slice(extents(x), extents(like)).ranges(extents(x))
        return move(x, [part.size for part in parts], lambda i: i)

    def reference(self, x: Array, like: Array) -> Array:
        return self._slice(x.shape, like.shape).reference(x)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        x, like = (arg.tensor_type.shape for arg in call.args)
        part = self._slice(x, like)
        back = StridedSliceGrad(part.begin, part.end, axes=part.axes)
        return Call(back, (d_out, call.args[0])), None
