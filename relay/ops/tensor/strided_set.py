"""The operator `strided_set`, which replaces a strided slice with bounds known at run time."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from relay.ir.dims import DimVar, Shape, is_static
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import add, multiply
from relay.ops.cast import Cast
from relay.ops.creation import ZerosLike
from relay.ops.families import extents, known_extents
from relay.ops.tensor.dim_arithmetic import dims
from relay.ops.tensor.gather import Take
from relay.ops.tensor.index_bounds import checked_index, signed
from relay.ops.tensor.loop_nests import copy
from relay.ops.tensor.one_hot_and_shape_of import ShapeOf
from relay.ops.tensor.position_tensors import numbered
from relay.ops.tensor.reshape import reshape_to
from relay.ops.tensor.run_time_attributes import length_of
from relay.ops.tensor.run_time_sizes import SizedAtRunTime, WithSizes
from relay.ops.tensor.run_time_slice import DynamicStridedSlice, Ranges
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError
from relay.support.node import set_field


@operator("strided_set")
class StridedSet(SizedAtRunTime):
    """Return `data`, with the slice `data[begin:end:strides]` replaced by `v`.

    The bounds are vectors of integers with at most one entry for each axis, known only at run time.
    As in `strided_slice`, negative ones count from the end, and all are clamped. `v` must have the
    shape of the slice (`R054`), which is empty if a range ends before it begins. Takes any element
    type.
    """

    always_read: ClassVar[bool] = True
    examples = (
        Example(
            "f32[4, 5]", "f32[2, 5]", "i64[2]", "i64[2]", "i64[2]",
            values={2: [1, 0], 3: [3, 9], 4: [1, 1]},
        ),
        Example(
            "i64[6]", "i64[3]", "i32[1]", "i32[1]", "i32[1]",
            values={2: [-1], 3: [-7], 4: [-2]},
        ),
        Example(
            "bool[3, 2]", "bool[0, 2]", "i32[1]", "i32[1]", "i32[1]",
            values={2: [1], 3: [1], 4: [1]},
        ),
    )  # fmt: skip

    def infer(
        self,
        data: TensorType,
        v: TensorType,
        begin: TensorType,
        end: TensorType,
        strides: TensorType,
    ) -> TensorType:
        checks.same_dtype(self.name, data, v)
        checks.rank(self.name, "v", v, data.rank)
        for name, bound in (("begin", begin), ("end", end), ("strides", strides)):
            checks.attribute(
                self.name,
                length_of(self.name, name, bound) <= data.rank,
                f"{name} has more entries than data has axes, {data.rank}",
            )
        return data

    def reference(self, data: Array, v: Array, begin: Array, end: Array, strides: Array) -> Array:
        ranges = _ranges(begin, end, strides)
        found = ranges.reference(begin, end, strides, np.array(data.shape))
        _, counts = found.reshape(2, -1)
        shape = (*counts.tolist(), *data.shape[len(counts) :])
        for axis, (size, wanted) in enumerate(zip(v.shape, shape, strict=True)):
            if size != wanted:
                said = f"{self.name}: {_part(axis)}: expected {wanted}, found {size}"
                raise RunError(ErrorCode.R054, said)
        return SetPart(shape).reference(data, v, found, strides)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative of the slice for `v`, and the rest for the data."""
        _, v, *bounds = call.args
        d_data = Call(self, (d_out, Call(ZerosLike(), (v,)), *bounds))
        d_v = Call(DynamicStridedSlice(), (d_out, *bounds))
        return d_data, reshape_to(d_v, v), None, None, None

    def with_sizes(self, args: Sequence[Expr], names: Iterator[DimVar]) -> Expr:
        """Return `SetPart` with ranges that are computed at run time."""
        data, v, *bounds = args
        ranges = _ranges(*(np.empty(each.tensor_type.static_shape) for each in bounds))
        known = [each.array for each in bounds if isinstance(each, Constant)]
        count, shape = len(ranges.axes), data.tensor_type.shape
        if len(known) == len(bounds) and is_static(shape):
            values = ranges.reference(known[0], known[1], known[2], np.array(shape))
            read, found = tuple(values[count:].tolist()), Constant(values)
        else:
            found = Call(ranges, (*bounds, Call(ShapeOf(int64), (data,))))
            counts = Call(StridedSlice((count,), (2 * count,)), (found,))
            read = tuple(islice(names, count))
            v = Call(WithSizes(read), (v, counts))
        return Call(SetPart((*read, *shape[count:])), (data, v, found, bounds[2]))


def _ranges(*bounds: Array) -> Ranges:
    """Return the operator that computes ranges, for as many axes as the longest bound has."""
    return Ranges(tuple(range(max(map(len, bounds)))))


def _part(axis: int) -> str:
    return f"length of v along axis {axis}"


@operator("dyn.set_part")
class SetPart(OperatorDef):
    """Return `data` with `v` at given ranges; `v` must have the shape `shape` (`R054`).

    `ranges` is the result of `dyn.ranges` for the first axes: all begins, then all lengths.
    `strides` may have fewer entries; the other axes have stride 1.
    """

    shape: Shape

    examples = (
        Example(
            "f32[4, 5]", "f32[2, 5]", "i64[2]", "i64[1]", shape=(2, 5), values={2: [2, 2], 3: [-1]}
        ),
        Example("i64[6]", "i64[2]", "i64[2]", "i64[0]", shape=(2,), values={2: [1, 2]}),
    )

    def __post_init__(self) -> None:
        set_field(self, "shape", dims(self.shape))

    @property
    def may_trap(self) -> bool:
        """Whether the operator may trap: always, because `v` may have another shape."""
        return True

    def infer(
        self, data: TensorType, v: TensorType, ranges: TensorType, strides: TensorType
    ) -> TensorType:
        checks.same_dtype(self.name, data, v)
        checks.rank(self.name, "v", v, data.rank)
        checks.attribute(
            self.name,
            len(self.shape) == v.rank,
            f"v must have as many axes as the slice, whose shape is {self.shape}",
        )
        length_of(self.name, "ranges", ranges)
        length_of(self.name, "strides", strides)
        for axis, (wanted, size) in enumerate(zip(self.shape, v.shape, strict=True)):
            checks.size("strided_set", _part(axis), wanted, size)
        return data

    def compute(self, *inputs: te.Tensor) -> te.Tensor:
        return self._written(*inputs)

    def compute_changes(self, *inputs: te.Tensor) -> te.Tensor:
        return self._written(*inputs, in_place=True)

    def _written(
        self,
        data: te.Tensor,
        v: te.Tensor,
        ranges: te.Tensor,
        strides: te.Tensor,
        *,
        in_place: bool = False,
    ) -> te.Tensor:
        (words,), (steps,) = (known_extents(self.name, each) for each in (ranges, strides))
        sizes = extents(data)

        def place(inputs: Sequence[Buffer], axis: int, index: te.Scalar) -> te.Scalar:
            *_, first, by = inputs
            if axis >= words // 2 or (axis >= steps and v.shape[axis] == data.shape[axis]):
                return index  # the whole axis
            step = signed(by[axis]) if axis < steps else te.const(1)
            at = te.cast(first[axis], int64) + index * step
            return checked_index(at, sizes[axis], axis, "clip")  # never outside of the memory

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b = te.LoopBuilder()
            *old, new, _, _ = inputs
            for each in old:
                copy(b, each, outputs[0])
            with ExitStack() as stack:
                at, where = list[te.Scalar](), list[te.Scalar]()
                for axis, size in enumerate(new.shape):
                    at.append(stack.enter_context(b.for_(size, f"i{axis}")))
                    where.append(b.let(place(inputs, axis, at[-1]), "place"))
                b.store(outputs[0], tuple(where), new[tuple(at)])
            return b.finish()

        read = [v, ranges, strides] if in_place else [data, v, ranges, strides]
        return te.loops([(data.shape, data.dtype)], read, build, "set_part")[0]

    def reference(self, data: Array, v: Array, ranges: Array, strides: Array) -> Array:
        places: list[npt.NDArray[np.int64]] = [np.arange(size) for size in v.shape]
        for axis, first in enumerate(ranges[: len(ranges) // 2]):
            step = int(strides[axis]) if axis < len(strides) else 1
            places[axis] = int(first) + places[axis] * step
        result = data.copy()
        result[np.ix_(*places)] = v
        return result

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative of the slice for `v`, and the rest for the data."""
        _, v, ranges, strides = call.args
        d_data = Call(self, (d_out, Call(ZerosLike(), (v,)), ranges, strides))
        steps, d_v = strides.tensor_type.static_shape[0], d_out
        for axis in range(ranges.tensor_type.static_shape[0] // 2):
            places = numbered(v, axis)
            if axis < steps:
                places = multiply(places, _item(strides, axis))
            places = add(_item(ranges, axis), places)
            d_v = Call(Take(axis=axis, mode="fast"), (d_v, places))
        return d_data, d_v, None, None


def _item(vector: Expr, index: int) -> Expr:
    """Return one element of a vector, as a vector of int64."""
    part = Call(StridedSlice((index,), (index + 1,)), (vector,))
    return Call(Cast(int64), (part,))
