"""Operators whose shape is a run-time tensor: `dyn.reshape(x, newshape)` and its like.

The rank of the result is known, its sizes are not. `static` gives the ordinary operator once the
run-time parameters are constants, and `reference` is defined through it; `with_sizes` gives it
names for sizes that the compiled program reads from the parameters.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import ClassVar

import numpy as np

from relay.ir.dims import ANY, DimVar, Shape, static
from relay.ir.expr import Array, Call, Constant, Expr, Operator, Tuple, TupleGetItem
from relay.ir.types import TensorType, Type
from relay.opdef import checks
from relay.opdef.definition import Arrays, OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import add, multiply, subtract
from relay.ops.broadcasting import BroadcastTo, sum_back
from relay.ops.cast import Cast
from relay.ops.comparison import equal, less
from relay.ops.creation import Full, Ones, Zeros, number, optional_dtype, summed_fill
from relay.ops.selection import where
from relay.ops.tensor.encode import OneHot, ShapeOf
from relay.ops.tensor.gather import GatherGrad, Take
from relay.ops.tensor.join import Concatenate, Stack
from relay.ops.tensor.repeat import Tile
from relay.ops.tensor.reshape import ExpandDims, Reshape, Squeeze, reshape_to
from relay.ops.tensor.run_time_sizes import ResolvedShape, SizedAtRunTime, WithSizes
from relay.ops.tensor.scan import Cumsum
from relay.ops.tensor.sizes import integer, ints
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.sort import Sort, TopK
from relay.support.dtype import DType, dtype, float32, int32, int64
from relay.support.node import replace, set_field


class Dynamic(SizedAtRunTime):
    """The base of these operators: their last arguments are a static one's attributes."""

    __slots__ = ()
    parameters: ClassVar[int] = 1

    def fixed(self, *parameters: Shape) -> OperatorDef:
        """Return the static operator for these parameters; it takes the other arguments."""
        raise AssertionError(f"{self.name} has no static form")

    def static(self, constants: Sequence[Array | None]) -> Operator | None:
        """Return the static operator if every parameter among the arguments is constant.

        >>> import numpy as np
        >>> DynamicReshape().static((None, np.array([2, 3])))
        Reshape(newshape=(2, 3), allowzero=False)
        """
        known = [integers(each) for each in constants[-self.parameters :] if each is not None]
        return self.fixed(*known) if len(known) == self.parameters else None

    def reference(self, *arrays: Array) -> Arrays:
        """Return the value of the static operator, to whose type rule the arguments must keep."""
        count = len(arrays) - self.parameters
        fixed = self.fixed(*map(integers, arrays[count:]))
        fixed.result_type([TensorType(each.shape, dtype(each.dtype)) for each in arrays[:count]])
        return fixed.reference(*arrays[:count])

    def with_sizes(self, args: Sequence[Expr], names: Iterator[DimVar]) -> Expr | None:
        """Return the static operator, whose attributes are read from the parameter."""
        *given, parameter = args
        if self.parameters != 1 or not given:
            return None
        return self.at(given, parameter, names)

    def at(self, given: Sequence[Expr], sizes: Expr, names: Iterator[DimVar]) -> Expr:
        """Return the static operator for the elements of `sizes`, none of which is negative."""
        shape = sizes.tensor_type.static_shape
        read = tuple(islice(names, shape[0] if shape else 1))
        first = Call(WithSizes(read), (given[0], sizes))
        return Call(self.fixed(read), (first, *given[1:]))


def length_of(name: str, parameter: str, ty: TensorType) -> int:
    """Return the static length of a vector of integers (`T100`, `T102`, `T104`)."""
    checks.rank(name, parameter, ty, 1)
    integer(name, parameter, ty)
    length = ty.shape[0]
    checks.attribute(name, isinstance(length, int), f"the length of {parameter} must be known")
    return length if isinstance(length, int) else 0


def _scalar(name: str, parameter: str, ty: TensorType) -> None:
    """Require one integer: rank 0, or a vector of length 1."""
    checks.rank(name, parameter, ty, 0, 1)
    integer(name, parameter, ty)
    for size in ty.shape:
        checks.size(name, parameter, 1, size)


def integers(array: Array) -> tuple[int, ...]:
    """Return the elements of an array of integers, in order."""
    return ints(array.reshape(-1).tolist())


def known_numbers(shape: Shape) -> tuple[int, ...]:
    """Return attributes that decide about ranks, or directions: no names can stand for them."""
    return static(shape)


@operator("dyn.reshape")
class DynamicReshape(Dynamic):
    """Give `x` the shape `newshape`, a vector of integers; the codes 0 and -1 as in `reshape`."""

    allowzero: bool = False

    examples = (
        Example("f32[2, 6]", "i64[2]", values={1: [3, -1]}),
        Example("i64[2, 3]", "i32[3]", values={1: [0, 3, 1]}),
    )

    def infer(self, x: TensorType, newshape: TensorType) -> TensorType:
        return TensorType((ANY,) * length_of(self.name, "newshape", newshape), x.dtype)

    def fixed(self, *parameters: Shape) -> Reshape:
        (codes,) = parameters
        given = (code for code in codes if code != -1)
        checks.natural(self.name, "a size, other than the code -1,", *given)
        return Reshape(codes, self.allowzero)

    def with_sizes(self, args: Sequence[Expr], names: Iterator[DimVar]) -> Expr:
        x, newshape = args
        old = Call(ShapeOf(int64), (x,))
        resolved = Call(ResolvedShape(self.allowzero), (newshape, old))
        return replace(self, allowzero=True).at((x,), resolved, names)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return reshape_to(d_out, call.args[0]), None


@operator("dyn.squeeze")
class DynamicSqueeze(Dynamic):
    """Drop the axes of length 1 that the vector `axis` names."""

    examples = (Example("f32[1, 3, 1]", "i64[2]", values={1: [0, -1]}),)

    def infer(self, x: TensorType, axis: TensorType) -> TensorType:
        left = x.rank - length_of(self.name, "axis", axis)
        checks.attribute(self.name, left >= 0, f"more axes than {x!r} has")
        return TensorType((ANY,) * left, x.dtype)

    def fixed(self, *parameters: Shape) -> Squeeze:
        return Squeeze(known_numbers(parameters[0]))

    def with_sizes(self, args: Sequence[Expr], names: Iterator[DimVar]) -> Expr:
        """Return a reshape to the sizes that are left."""
        x, axes = args
        return DynamicReshape(allowzero=True).at((x,), shape_without(x, axes), names)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return reshape_to(d_out, call.args[0]), None


@operator("dyn.expand_dims")
class DynamicExpandDims(Dynamic):
    """Insert `num_newaxis` axes of length 1 before `axis`, one integer."""

    num_newaxis: int = 1

    examples = (
        Example("f32[2, 3]", "i64[]", values={1: 1}),
        Example("f32[2]", "i32[1]", num_newaxis=2, values={1: [-1]}),
    )

    def infer(self, x: TensorType, axis: TensorType) -> TensorType:
        _scalar(self.name, "axis", axis)
        return TensorType((ANY,) * (x.rank + self.num_newaxis), x.dtype)

    def fixed(self, *parameters: Shape) -> ExpandDims:
        return ExpandDims(known_numbers(parameters[0])[0], self.num_newaxis)

    def with_sizes(self, args: Sequence[Expr], names: Iterator[DimVar]) -> Expr:
        """Return a reshape to the sizes with ones between them."""
        x, axis = args
        places = Constant(np.arange(x.tensor_type.rank + 1))
        first = Call(Take(axis=0, mode="raise"), (places, Call(Reshape((1,)), (axis,))))
        axes = add(first, Constant(np.arange(self.num_newaxis)))
        return DynamicReshape(allowzero=True).at((x,), shape_with_ones(x, axes), names)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return reshape_to(d_out, call.args[0]), None


@operator("dyn.tile")
class DynamicTile(Dynamic):
    """Lay copies of `x` side by side, `reps` times along each axis; see `tile`."""

    examples = (
        Example("f32[2, 3]", "i64[2]", values={1: [2, 1]}),
        Example("i64[2]", "i32[3]", values={1: [2, 1, 3]}),
    )

    def infer(self, x: TensorType, reps: TensorType) -> TensorType:
        rank = max(x.rank, length_of(self.name, "reps", reps))
        return TensorType((ANY,) * rank, x.dtype)

    def fixed(self, *parameters: Shape) -> Tile:
        return Tile(parameters[0])

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Sum the copies, which lie along an axis of their own before each axis."""
        x, reps = call.args
        rank = d_out.tensor_type.rank
        copies = _filled_up(Call(Cast(int64), (reps,)), rank)
        sizes = _filled_up(Call(ShapeOf(int64), (x,)), rank)
        apart, once = (
            Call(DynamicReshape(allowzero=True), (each, _alternating(first, sizes)))
            for each, first in ((d_out, copies), (x, Constant(np.ones(rank, np.int64))))
        )
        return reshape_to(sum_back(apart, once), x), None


@operator("dyn.broadcast_to")
class DynamicBroadcastTo(Dynamic):
    """Broadcast `x` to the vector `shape`."""

    dtype: DType | None = None

    examples = (Example("f32[3, 1]", "i64[3]", values={1: [2, 3, 4]}),)

    def __post_init__(self) -> None:
        set_field(self, "dtype", optional_dtype(self.dtype))

    def infer(self, x: TensorType, shape: TensorType) -> TensorType:
        rank = length_of(self.name, "shape", shape)
        checks.attribute(self.name, rank >= x.rank, f"{x!r} does not broadcast to rank {rank}")
        return TensorType((ANY,) * rank, x.dtype)

    def fixed(self, *parameters: Shape) -> BroadcastTo:
        return BroadcastTo(parameters[0])

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return sum_back(d_out, call.args[0]), None


@operator("dyn.full")
class DynamicFull(Dynamic):
    """Fill a tensor of the vector `shape` with one number, as `dtype` or its own."""

    dtype: DType | None = None

    examples = (
        Example("f32[]", "i64[2]", values={1: [2, 3]}),
        Example("f32[]", "i32[0]", dtype="int64"),
    )

    def __post_init__(self) -> None:
        set_field(self, "dtype", optional_dtype(self.dtype))

    def infer(self, fill_value: TensorType, shape: TensorType) -> TensorType:
        checks.rank(self.name, "fill_value", fill_value, 0)
        rank = length_of(self.name, "shape", shape)
        return TensorType((ANY,) * rank, self.dtype or fill_value.dtype)

    def fixed(self, *parameters: Shape) -> Full:
        return Full(parameters[0], self.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return summed_fill(call.args[0], d_out), None


@operator("dyn.zeros")
class DynamicZeros(Dynamic):
    """A tensor of zeros of the vector `shape` and `dtype` (float32)."""

    dtype: DType | None = None

    examples = (Example("i64[2]", dtype="float64", values={0: [2, 3]}),)

    def __post_init__(self) -> None:
        set_field(self, "dtype", optional_dtype(self.dtype))

    def infer(self, shape: TensorType) -> TensorType:
        return TensorType((ANY,) * length_of(self.name, "shape", shape), self.dtype or float32)

    def fixed(self, *parameters: Shape) -> Zeros:
        return Zeros(parameters[0], self.dtype)

    def with_sizes(self, args: Sequence[Expr], names: Iterator[DimVar]) -> Expr:
        element = Constant(np.asarray(0, (self.dtype or float32).numpy))
        return DynamicFull(self.dtype).at((element,), args[0], names)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (None,)


@operator("dyn.ones")
class DynamicOnes(Dynamic):
    """A tensor of ones of the vector `shape` and `dtype` (float32)."""

    dtype: DType | None = None

    examples = (Example("i32[1]", values={0: [0]}),)

    def __post_init__(self) -> None:
        set_field(self, "dtype", optional_dtype(self.dtype))

    def infer(self, shape: TensorType) -> TensorType:
        return TensorType((ANY,) * length_of(self.name, "shape", shape), self.dtype or float32)

    def fixed(self, *parameters: Shape) -> Ones:
        return Ones(parameters[0], self.dtype)

    def with_sizes(self, args: Sequence[Expr], names: Iterator[DimVar]) -> Expr:
        element = Constant(np.asarray(1, (self.dtype or float32).numpy))
        return DynamicFull(self.dtype).at((element,), args[0], names)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (None,)


@operator("dyn.one_hot")
class DynamicOneHot(Dynamic):
    """Encode `indices` along a new axis whose length `depth` is one integer; see `one_hot`."""

    axis: int = -1
    dtype: DType | None = None

    examples = (
        Example("i64[3]", "f32[]", "f32[]", "i64[]", values={0: [0, 3, 5], 3: 4}),
        Example("i32[2]", "i64[]", "i64[]", "i32[1]", axis=0, values={0: [1, 0], 3: [2]}),
    )

    def __post_init__(self) -> None:
        set_field(self, "dtype", optional_dtype(self.dtype))

    def infer(
        self, indices: TensorType, on_value: TensorType, off_value: TensorType, depth: TensorType
    ) -> TensorType:
        _scalar(self.name, "depth", depth)
        return OneHot(ANY, self.axis, self.dtype).infer(indices, on_value, off_value)

    def fixed(self, *parameters: Shape) -> OneHot:
        return OneHot(parameters[0][0], self.axis, self.dtype)

    def with_sizes(self, args: Sequence[Expr], names: Iterator[DimVar]) -> Expr:
        """Return the static operator for the one integer that is read, in a vector or not."""
        *given, depth = args
        return self.at(given, Call(Reshape((1,)), (depth,)), names)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        indices, on_value, off_value, depth = call.args
        one, zero = number(1, d_out), number(0, d_out)
        op = DynamicOneHot(self.axis)
        hot, cold = (Call(op, (indices, *ends, depth)) for ends in ((one, zero), (zero, one)))
        d_on, d_off = (multiply(d_out, each) for each in (hot, cold))
        return None, summed_fill(on_value, d_on), summed_fill(off_value, d_off), None


@operator("dyn.topk")
class DynamicTopK(Dynamic):
    """Return the `k` largest elements along `axis`, `k` being one integer; see `topk`."""

    axis: int = -1
    ret_type: str = "both"
    is_ascend: bool = False
    dtype: DType = int32

    examples = (
        Example("f32[2, 5]", "i64[]", values={1: 3}),
        Example("i64[5]", "i32[1]", ret_type="values", is_ascend=True, values={1: [2]}),
    )

    def __post_init__(self) -> None:
        set_field(self, "is_ascend", bool(self.is_ascend))
        set_field(self, "dtype", optional_dtype(self.dtype) or int32)

    def infer(self, x: TensorType, k: TensorType) -> Type:
        _scalar(self.name, "k", k)
        return TopK(ANY, self.axis, self.ret_type, self.is_ascend, self.dtype).infer(x)

    def fixed(self, *parameters: Shape) -> TopK:
        (k,) = parameters[0]
        return TopK(k, self.axis, self.ret_type, self.is_ascend, self.dtype)

    def with_sizes(self, args: Sequence[Expr], names: Iterator[DimVar]) -> Expr:
        """Return the static operator for the number that is read; below 1 it means all."""
        x, k = args
        axis = self.axis % x.tensor_type.rank
        size = Call(StridedSlice((axis,), (axis + 1,)), (Call(ShapeOf(int64), (x,)),))
        wanted = Call(Reshape((1,)), (Call(Cast(int64), (k,)),))
        count = where(less(wanted, number(1, size)), size, wanted)
        return self.at((x,), count, names)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        if self.ret_type == "indices":
            return None, None
        both = self.ret_type == "both"
        search = replace(self, ret_type="indices")
        d_values = TupleGetItem(d_out, 0) if both else d_out
        places = TupleGetItem(call, 1) if both else Call(search, call.args)
        return Call(GatherGrad(self.axis), (d_values, places, call.args[0])), None


def _filled_up(vector: Expr, length: int) -> Expr:
    """Return a vector of int64 with ones in front, so many that it has that length."""
    new = length - vector.tensor_type.static_shape[0]
    return Call(Concatenate(0), (Tuple((Constant(np.ones(new, np.int64)), vector)),))


def _alternating(first: Expr, second: Expr) -> Expr:
    """Return a vector with the elements of two vectors in turns."""
    pairs = Call(Stack(1), (Tuple((first, second)),))
    return Call(Reshape((2 * first.tensor_type.static_shape[0],)), (pairs,))


def shape_without(x: Expr, axes: Expr) -> Expr:
    """Return the sizes of a tensor but for those along some axes, a vector of integers."""
    rank = x.tensor_type.rank
    left = rank - axes.tensor_type.static_shape[0]
    last = multiply(_marked(axes, rank), Constant(np.asarray(rank)))
    order = Call(Sort(axis=0), (add(last, Constant(np.arange(rank))),))
    kept = Call(StridedSlice((0,), (left,)), (order,))
    return Call(Take(axis=0, mode="clip"), (Call(ShapeOf(int64), (x,)), kept))


def shape_with_ones(x: Expr, axes: Expr) -> Expr:
    """Return the sizes of a tensor with 1 at some axes of the result, a vector of integers."""
    old = x.tensor_type.rank
    rank = old + axes.tensor_type.static_shape[0]
    one = Constant(np.asarray(1))
    if not old:
        return Constant(np.ones(rank, np.int64))
    marks = _marked(axes, rank)
    places = subtract(Call(Cumsum(axis=0), (subtract(one, marks),)), one)
    sizes = Call(Take(axis=0, mode="clip"), (Call(ShapeOf(int64), (x,)), places))
    return where(equal(marks, one), one, sizes)


def _marked(axes: Expr, rank: int) -> Expr:
    """Return a vector with 1 at some axes, which may count from the end, and 0 elsewhere."""
    (count,) = axes.tensor_type.static_shape
    if not count:
        return Constant(np.zeros(rank, np.int64))
    column = Call(Reshape((count, 1)), (axes,))
    wrapped = Call(Take(axis=0, mode="raise"), (Constant(np.arange(rank)), column))
    hits = equal(wrapped, Constant(np.arange(rank)))
    totals = Call(Cumsum(axis=0, dtype=int64), (hits,))
    return Call(Reshape((rank,)), (Call(StridedSlice((count - 1,), (count,)), (totals,)),))
