"""Operators whose result shape depends on an argument, such as `dyn.reshape(x, newshape)`.

`relay.ops.tensor.run_time_attributes` derives their rules from those of the operators with static
shapes.
"""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from relay.ir.dims import ANY, DimVar
from relay.ir.expr import Call, Constant, Expr, Tuple, TupleGetItem
from relay.ir.types import TensorType
from relay.opdef import checks
from relay.opdef.definition import Precision
from relay.opdef.example import Example
from relay.ops.binary import add, multiply, subtract
from relay.ops.broadcasting import BroadcastTo, sum_to_shape_of
from relay.ops.cast import Cast
from relay.ops.comparison import equal, less
from relay.ops.creation import Full, Ones, Zeros, gradient_of_fill_value, number
from relay.ops.selection import where
from relay.ops.tensor.concat_and_split import Concatenate, Stack
from relay.ops.tensor.gather import GatherGrad, Take
from relay.ops.tensor.one_hot_and_shape_of import OneHot, ShapeOf
from relay.ops.tensor.reshape import ExpandDims, Reshape, Squeeze, reshape_to
from relay.ops.tensor.run_time_attributes import NUMBER, NUMBERS, SIZE, SIZES, Dynamic, dynamic
from relay.ops.tensor.run_time_sizes import ResolvedShape
from relay.ops.tensor.scan import Cumsum
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.sort import Sort, TopK
from relay.ops.tensor.tile_and_repeat import Tile
from relay.support.dtype import DType, float32, int64
from relay.support.node import replace


@dynamic(Reshape, newshape=SIZES)
class DynamicReshape(Dynamic):
    """Reshape `x` to `newshape`, a vector of integers.

    Codes 0 and -1 have the same meaning as in `reshape`.
    """

    allowzero: bool

    precision = Precision.FOLLOW
    examples = (
        Example("f32[2, 6]", "i64[2]", values={1: [3, -1]}),
        Example("i64[2, 3]", "i32[3]", values={1: [0, 3, 1]}),
    )

    def static_operator(self, *values: Any) -> Reshape:
        (codes,) = values
        given = (code for code in codes if code != -1)
        checks.natural(self.name, "a size (except the code -1)", *given)
        return Reshape(codes, self.allowzero)

    def with_sizes(self, args: Sequence[Expr], names: Iterator[DimVar]) -> Expr:
        x, newshape = args
        old = Call(ShapeOf(int64), (x,))
        resolved = Call(ResolvedShape(self.allowzero), (newshape, old))
        return reshaped(x, resolved, names)


def reshaped(x: Expr, sizes: Expr, names: Iterator[DimVar]) -> Expr:
    """Return `x` reshaped to `sizes`, a vector known at run time."""
    return DynamicReshape(allowzero=True).with_symbolic_sizes((x,), sizes, names)


@dynamic(Squeeze, axis=NUMBERS)
class DynamicSqueeze(Dynamic):
    """Remove the axes of length 1 that the vector `axis` lists."""

    examples = (Example("f32[1, 3, 1]", "i64[2]", values={1: [0, -1]}),)

    def typed(self, *types: TensorType) -> TensorType:
        x, axis = types
        left = x.rank - self.seen((axis,))[0]
        checks.attribute(self.name, left >= 0, f"axis lists more axes than the tensor has: {x!r}")
        return TensorType((ANY,) * left, x.dtype)

    def with_sizes(self, args: Sequence[Expr], names: Iterator[DimVar]) -> Expr:
        """Return a reshape to the sizes of the other axes, which are bound to `names`."""
        x, axes = args
        return reshaped(x, shape_without(x, axes), names)


@dynamic(ExpandDims, axis=NUMBER)
class DynamicExpandDims(Dynamic):
    """Insert `num_newaxis` axes of length 1 before the axis `axis`, a tensor of one integer."""

    num_newaxis: int

    examples = (
        Example("f32[2, 3]", "i64[]", values={1: 1}),
        Example("f32[2]", "i32[1]", num_newaxis=2, values={1: [-1]}),
    )

    def typed(self, *types: TensorType) -> TensorType:
        x, axis = types
        self.seen((axis,))
        return TensorType((ANY,) * (x.rank + self.num_newaxis), x.dtype)

    def with_sizes(self, args: Sequence[Expr], names: Iterator[DimVar]) -> Expr:
        """Return a reshape to the sizes, bound to `names`, with ones between them."""
        x, axis = args
        places = Constant(np.arange(x.tensor_type.rank + 1))
        first = Call(Take(axis=0, mode="raise"), (places, Call(Reshape((1,)), (axis,))))
        axes = add(first, Constant(np.arange(self.num_newaxis)))
        return reshaped(x, shape_with_ones(x, axes), names)


@dynamic(Tile, reps=SIZES)
class DynamicTile(Dynamic):
    """Repeat `x` along each axis `reps` times, where `reps` is a vector; see `tile`."""

    precision = Precision.FOLLOW
    examples = (
        Example("f32[2, 3]", "i64[2]", values={1: [2, 1]}),
        Example("i64[2]", "i32[3]", values={1: [2, 1, 3]}),
    )

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative, summed over the copies.

        A reshape moves these to separate axes.
        """
        x, reps = call.args
        rank = d_out.tensor_type.rank
        copies = _filled_up(Call(Cast(int64), (reps,)), rank)
        sizes = _filled_up(Call(ShapeOf(int64), (x,)), rank)
        apart, once = (
            Call(DynamicReshape(allowzero=True), (each, _alternating(first, sizes)))
            for each, first in ((d_out, copies), (x, Constant(np.ones(rank, np.int64))))
        )
        return reshape_to(sum_to_shape_of(apart, once), x), None


@dynamic(BroadcastTo, shape=SIZES)
class DynamicBroadcastTo(Dynamic):
    """Broadcast `data` to the shape in the vector `shape`."""

    precision = Precision.FOLLOW
    examples = (Example("f32[3, 1]", "i64[3]", values={1: [2, 3, 4]}),)


@dynamic(Full, shape=SIZES)
class DynamicFull(Dynamic):
    """Fill a tensor of the shape in the vector `shape` with one number, converted to `dtype`."""

    result_dtype = "dtype"
    precision = Precision.FOLLOW
    examples = (
        Example("f32[]", "i64[2]", values={1: [2, 3]}),
        Example("f32[]", "i32[0]", dtype="int64"),
    )


class DynamicFilled(Dynamic):
    """The base of operators that fill a tensor with one number; `dtype` is float32 by default."""

    __slots__ = ()
    number: ClassVar[int]
    result_dtype: ClassVar[str] = "dtype"
    dtype: DType | None

    def with_sizes(self, args: Sequence[Expr], names: Iterator[DimVar]) -> Expr:
        """Return a call of `dyn.full` with the number."""
        element = Constant(np.asarray(self.number, (self.dtype or float32).numpy))
        return DynamicFull(self.dtype).with_symbolic_sizes((element,), args[0], names)


@dynamic(Zeros, shape=SIZES)
class DynamicZeros(DynamicFilled):
    """A tensor of zeros, of the shape in the vector `shape`; `dtype` is float32 by default."""

    number = 0
    examples = (Example("i64[2]", dtype="float64", values={0: [2, 3]}),)


@dynamic(Ones, shape=SIZES)
class DynamicOnes(DynamicFilled):
    """A tensor of ones, of the shape in the vector `shape`; `dtype` is float32 by default."""

    number = 1
    examples = (Example("i32[1]", values={0: [0]}),)


@dynamic(OneHot, depth=SIZE)
class DynamicOneHot(Dynamic):
    """Encode `indices` along a new axis of the length `depth`, a tensor of one integer.

    See `one_hot`.
    """

    axis: int

    examples = (
        Example("i64[3]", "f32[]", "f32[]", "i64[]", values={0: [0, 3, 5], 3: 4}),
        Example("i32[2]", "i64[]", "i64[]", "i32[1]", axis=0, values={0: [1, 0], 3: [2]}),
    )

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        indices, on_value, off_value, depth = call.args
        one, zero = number(1, d_out), number(0, d_out)
        op = DynamicOneHot(self.axis)
        hot, cold = (Call(op, (indices, *ends, depth)) for ends in ((one, zero), (zero, one)))
        d_on, d_off = (multiply(d_out, each) for each in (hot, cold))
        return (
            None,
            gradient_of_fill_value(on_value, d_on),
            gradient_of_fill_value(off_value, d_off),
            None,
        )


@dynamic(TopK, k=SIZE)
class DynamicTopK(Dynamic):
    """Return the `k` largest elements along `axis`, where `k` is a tensor of one integer.

    See `topk`.
    """

    axis: int
    ret_type: str

    examples = (
        Example("f32[2, 5]", "i64[]", values={1: 3}),
        Example("i64[5]", "i32[1]", ret_type="values", is_ascend=True, values={1: [2]}),
    )

    def with_sizes(self, args: Sequence[Expr], names: Iterator[DimVar]) -> Expr:
        """Return the static operator, whose `k` is a variable from `names`; below 1 means all."""
        x, k = args
        axis = self.axis % x.tensor_type.rank
        size = Call(StridedSlice((axis,), (axis + 1,)), (Call(ShapeOf(int64), (x,)),))
        wanted = Call(Reshape((1,)), (Call(Cast(int64), (k,)),))
        count = where(less(wanted, number(1, size)), size, wanted)
        return self.with_symbolic_sizes((x,), count, names)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        if self.ret_type == "indices":
            return None, None
        both = self.ret_type == "both"
        search = replace(self, ret_type="indices")
        d_values = TupleGetItem(d_out, 0) if both else d_out
        places = TupleGetItem(call, 1) if both else Call(search, call.args)
        return Call(GatherGrad(self.axis), (d_values, places, call.args[0])), None


def _filled_up(vector: Expr, length: int) -> Expr:
    """Return a vector of int64, extended to a length by ones at the front."""
    new = length - vector.tensor_type.static_shape[0]
    return Call(Concatenate(0), (Tuple((Constant(np.ones(new, np.int64)), vector)),))


def _alternating(first: Expr, second: Expr) -> Expr:
    """Return a vector with the elements of two vectors in alternation."""
    pairs = Call(Stack(1), (Tuple((first, second)),))
    return Call(Reshape((2 * first.tensor_type.static_shape[0],)), (pairs,))


def shape_without(x: Expr, axes: Expr) -> Expr:
    """Return the sizes of a tensor's axes other than `axes`, as a vector."""
    rank = x.tensor_type.rank
    left = rank - axes.tensor_type.static_shape[0]
    last = multiply(_marked(axes, rank), Constant(np.asarray(rank)))
    order = Call(Sort(axis=0), (add(last, Constant(np.arange(rank))),))
    kept = Call(StridedSlice((0,), (left,)), (order,))
    return Call(Take(axis=0, mode="clip"), (Call(ShapeOf(int64), (x,)), kept))


def shape_with_ones(x: Expr, axes: Expr) -> Expr:
    """Return the sizes of a tensor's axes, with 1 inserted at the positions `axes`."""
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
    """Return a vector with 1 at the positions `axes`, which may be negative, and 0 elsewhere."""
    (count,) = axes.tensor_type.static_shape
    if not count:
        return Constant(np.zeros(rank, np.int64))
    column = Call(Reshape((count, 1)), (axes,))
    wrapped = Call(Take(axis=0, mode="raise"), (Constant(np.arange(rank)), column))
    hits = equal(wrapped, Constant(np.arange(rank)))
    totals = Call(Cumsum(axis=0, dtype=int64), (hits,))
    return Call(Reshape((rank,)), (Call(StridedSlice((count - 1,), (count,)), (totals,)),))
