"""Slices with bounds known only at run time: `dyn.strided_slice`, and its ranges."""

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from relay.ir.dims import ANY, DimVar
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.definition import Fusion, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import Minimum, add, multiply
from relay.ops.cast import Cast
from relay.ops.families import known_extents
from relay.ops.tensor.arange import counted
from relay.ops.tensor.dim_arithmetic import require_integer
from relay.ops.tensor.gather import Take
from relay.ops.tensor.index_bounds import signed
from relay.ops.tensor.nondifferentiable import Discrete
from relay.ops.tensor.one_hot_and_shape_of import ShapeOf
from relay.ops.tensor.position_tensors import gradient_of_movement
from relay.ops.tensor.run_time_attributes import NUMBERS, SIZES, Dynamic, dynamic, integers
from relay.ops.tensor.run_time_sizes import WithSizes, vector_of
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.symbolic_slice import Part
from relay.support.dtype import int64, uint64
from relay.support.node import set_field


@dynamic(StridedSlice, begin=SIZES, end=SIZES, strides=NUMBERS)
class DynamicStridedSlice(Dynamic):
    """Read `x[begin:end:strides]`, whose bounds are vectors of integers; see `strided_slice`.

    If a range ends before it begins, it is empty, which is not an error here.
    """

    slice_mode: str
    axes: tuple[int, ...] | None

    precision = Precision.FOLLOW
    examples = (
        Example(
            "f32[6, 5]", "i64[1]", "i64[1]", "i64[1]", values={1: [5], 2: [0], 3: [-2]}
        ),
        Example(
            "i64[6, 5]", "i32[1]", "i32[1]", "i32[1]", axes=(1,), slice_mode="size",
            values={1: [2], 2: [-1], 3: [1]},
        ),
        Example(
            "f32[6, 5]", "i64[2]", "i64[2]", "i64[2]", values={1: [4, 0], 2: [2, 9], 3: [1, 2]}
        ),
        Example("f32[4]", "u64[1]", "u64[1]", "u64[1]", values={1: [1], 2: [2**64 - 1], 3: [2]}),
    )  # fmt: skip

    def typed(self, *types: TensorType) -> TensorType:
        x, *bounds = types
        begin, end, strides = self.seen(bounds)
        count = max(len(begin), len(end), strides)
        checks.attribute(
            self.name,
            count <= x.rank,
            f"slice bounds for {count} axes are passed, but the tensor has {x.rank}",
        )
        sliced = range(count) if self.axes is None else checks.axes(self.name, self.axes, x.rank)
        fits = count <= len(sliced)
        checks.attribute(
            self.name,
            fits,
            f"slice bounds for {count} axes are passed, but `axes` lists {len(sliced)}",
        )
        shape = [ANY if axis in sliced else size for axis, size in enumerate(x.shape)]
        return TensorType(tuple(shape), x.dtype)

    def reference(self, *arrays: Array) -> Array:
        x, begin, end, strides = arrays
        ranges = self._ranges(x.ndim, len(begin))
        found = ranges.reference(begin, end, strides, np.array(x.shape)).reshape(2, -1)
        places: list[Array] = [np.arange(size) for size in x.shape]
        for position, axis in enumerate(ranges.axes):
            first, count = found[:, position]
            places[axis] = first + np.arange(count) * ranges.step(strides, position)
        return x[np.ix_(*places)]

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        x, *bounds = call.args
        d_x = gradient_of_movement(lambda places: Call(self, (places, *bounds)), d_out, x)
        return d_x, None, None, None

    def _ranges(self, rank: int, count: int) -> "Ranges":
        axes = range(count) if self.axes is None else self.axes
        return Ranges(tuple(axis % rank for axis in axes), self.slice_mode)

    def with_sizes(self, args: Sequence[Expr], names: Iterator[DimVar]) -> Expr:
        """Return a slice with bounds from `names`, or a gather at the indices of each range.

        The slice is used if strides are constant and positive.
        """
        x, begin, end, strides = args
        steps = integers(strides.array) if isinstance(strides, Constant) else ()
        if self.slice_mode == "size":
            steps = (1,) * strides.tensor_type.static_shape[0]
        begin, end, strides = map(_signed, (begin, end, strides))
        ranges = self._ranges(x.tensor_type.rank, begin.tensor_type.static_shape[0])
        found = Call(ranges, (begin, end, strides, Call(ShapeOf(int64), (x,))))
        if steps and min(steps) > 0:
            return _cut(x, ranges.axes, found, steps, names)
        return _walked(x, ranges.axes, found, strides, names)


def _cut(
    x: Expr, axes: Sequence[int], ranges: Expr, steps: Sequence[int], names: Iterator[DimVar]
) -> Expr:
    """Return the slice of `x` along `axes` with constant `steps`.

    Its begins and sizes are variables from `names`, bound to the elements of `ranges`.
    """
    first, counts = (tuple(islice(names, len(axes))) for _ in range(2))
    op = Part(tuple(axes), first, counts, tuple(steps))
    return Call(op, (Call(WithSizes((*first, *counts)), (x, ranges)),))


def _walked(
    x: Expr, axes: Sequence[int], ranges: Expr, strides: Expr, names: Iterator[DimVar]
) -> Expr:
    """Return the elements at the indices of each range, gathered along one axis after another.

    Every range of an axis without elements is empty.
    """
    for position, axis in enumerate(axes):
        if x.tensor_type.shape[axis] == 0:
            continue
        first, count, step = (
            Call(StridedSlice((at,), (at + 1,)), (vector,))
            for vector, at in (
                (ranges, position),
                (ranges, len(axes) + position),
                (strides, position),
            )
        )
        places = add(first, multiply(counted(count, next(names)), step))
        x = Call(Take(axis=axis, mode="fast"), (x, places))
    return x


@operator("dyn.ranges")
class Ranges(Discrete):
    """Return the begins and the lengths of the slices along `axes` of a tensor of shape `shape`.

    `begin`, `end` and `strides` are vectors of integers, as in `strided_slice`; with
    `slice_mode="size"`, `end` has lengths, of which a negative one takes the rest of the axis, and
    strides are 1. A range that ends before it begins, or has stride 0, has length 0. An axis for
    which `begin` or `end` has no element begins or ends with the axis, and its stride is 1. The
    result is a vector of int64: all begins, then all lengths.
    """

    axes: tuple[int, ...] = (0,)
    slice_mode: str = "end"

    fusion = Fusion.OPAQUE  # sizes are computed separately from the tensors that have them
    examples = (
        Example(
            "i64[2]", "i64[2]", "i64[2]", "i64[2]", axes=(0, 1),
            values={0: [3, -1], 1: [0, -9], 2: [-2, -1], 3: [4, 5]},
        ),
        Example(
            "i64[2]", "i64[2]", "i64[2]", "i64[2]", axes=(0, 1),
            values={0: [4, 0], 1: [-(2**63), 9], 2: [-(2**63), 2**63 - 1], 3: [5, 5]},
        ),
        Example(
            "i64[1]", "i64[1]", "i64[1]", "i64[1]", slice_mode="size",
            values={0: [2], 1: [2**63 - 1], 2: [1], 3: [4]},
        ),
        Example(
            "i64[2]", "i64[2]", "i64[2]", "i64[2]", axes=(1, 0),
            values={0: [1, 3], 1: [9, 2], 2: [2, 1], 3: [4, 5]},
        ),
        Example(
            "i32[1]", "i32[1]", "i32[1]", "i64[1]", slice_mode="size",
            values={0: [2], 1: [-1], 2: [3], 3: [4]},
        ),
        Example(
            "u64[1]", "u64[1]", "u64[1]", "i64[1]",
            values={0: [1], 1: [2**64 - 1], 2: [2**63], 3: [4]},
        ),
        Example(
            "i2[1]", "i2[1]", "i2[1]", "i64[1]",
            values={0: [-2], 1: [1], 2: [0], 3: [3]},
        ),
    )  # fmt: skip

    def __post_init__(self) -> None:
        set_field(self, "axes", tuple(map(int, self.axes)))
        known = all(axis >= 0 for axis in self.axes)
        checks.attribute(self.name, known, f"axes must be at least 0, not {self.axes}")

    def infer(
        self, begin: TensorType, end: TensorType, strides: TensorType, shape: TensorType
    ) -> TensorType:
        parameters = (("begin", begin), ("end", end), ("strides", strides), ("shape", shape))
        for name, ty in parameters:
            checks.rank(self.name, name, ty, 1)
            require_integer(self.name, name, ty)
        said = "the shape has {size} entries, but at least {index} are needed"
        checks.enough(self.name, shape.shape[0], max(self.axes, default=-1) + 1, said)
        return TensorType((2 * len(self.axes),), int64)

    def step(self, strides: Array, position: int) -> int:
        """Return the stride of the slice at a position in `axes`."""
        return 1 if self.slice_mode == "size" else int(strides[position])

    def compute(
        self, begin: te.Tensor, end: te.Tensor, strides: te.Tensor, shape: te.Tensor
    ) -> te.Tensor:
        first: list[te.Scalar] = []
        counts: list[te.Scalar] = []
        for position, axis in enumerate(self.axes):
            size = te.cast(shape[axis], int64)
            # a longer step also reads one element, and cannot overflow
            step = _between(_entry(strides, position, te.const(1, int64)), -size - 1, size + 1)
            far = te.select(step < 0, -size - 1, size)
            start = _entry(begin, position, te.select(step < 0, size, te.const(0, int64)))
            stop = _entry(end, position, far)
            if self.slice_mode == "size":
                step = te.const(1, int64)
                stop = te.select(
                    stop < 0, size, te.maximum(_wrapped(start, size), 0) + te.minimum(stop, size)
                )
            low = te.select(step < 0, te.const(-1, int64), te.const(0, int64))
            start, stop = (_between(_wrapped(at, size), low, size + low) for at in (start, stop))
            apart = te.select(step < 0, start - stop, stop - start)
            wide = te.maximum(te.maximum(step, -step), 1)
            count = te.select(te.equal(step, 0), te.const(0, int64), (apart + wide - 1) // wide)
            first.append(start)
            counts.append(te.maximum(count, te.const(0, int64)))
        return vector_of([*first, *counts])

    def reference(self, begin: Array, end: Array, strides: Array, shape: Array) -> Array:
        rows = [self._range(i, begin, end, strides, shape) for i in range(len(self.axes))]
        return np.array(rows, np.int64).reshape(-1, 2).T.reshape(-1)

    def _range(
        self, position: int, begin: Array, end: Array, strides: Array, shape: Array
    ) -> tuple[int, int]:
        size = int(shape[self.axes[position]])
        step = self.step(strides, position) if position < len(strides) else 1
        start = int(begin[position]) if position < len(begin) else size if step < 0 else 0
        stop = int(end[position]) if position < len(end) else -size - 1 if step < 0 else size
        if self.slice_mode == "size":
            stop = size if stop < 0 else max(start + size if start < 0 else start, 0) + stop
        low = -1 if step < 0 else 0
        start, stop = (
            min(max(at + size if at < 0 else at, low), size + low) for at in (start, stop)
        )
        return start, len(range(start, stop, step)) if step else 0


def _entry(vector: te.Tensor, position: int, default: te.Scalar) -> te.Scalar:
    """Return an element of a vector, or `default` if the vector is too short."""
    (length,) = known_extents("dyn.ranges", vector)
    return signed(vector[position]) if position < length else default


def _signed(bounds: Expr) -> Expr:
    """Return bounds as int64; its largest number for larger ones, which no axis has."""
    if bounds.tensor_type.dtype is uint64:
        bounds = Call(Minimum(), (bounds, Constant(np.asarray(int64.limits[1], np.uint64))))
    return Call(Cast(int64), (bounds,))


def _wrapped(bound: te.Scalar, size: te.Scalar) -> te.Scalar:
    return te.select(bound < 0, bound + size, bound)


def _between(at: te.Scalar, low: te.Scalar, high: te.Scalar) -> te.Scalar:
    return te.minimum(te.maximum(at, low), high)
