"""Operators on indices and shapes: one-hot encoding, shapes of tensors, and `unravel_index`."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dims import Dim, elements, product
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.scalar import lift
from relay.opdef import checks
from relay.opdef.definition import Fusion, OperatorDef, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import multiply
from relay.ops.broadcasting import sum_to_shape_of
from relay.ops.cast import convert
from relay.ops.creation import number, optional_dtype
from relay.ops.families import extents
from relay.ops.tensor.dim_arithmetic import ints, require_integer
from relay.ops.tensor.nondifferentiable import Discrete
from relay.support.dtype import DType, int32, int64
from relay.support.node import set_field


@operator("one_hot")
class OneHot(OperatorDef):
    """Return `on_value` where the index along a new axis is equal to `indices`, else `off_value`.

    `axis` is the position of the new axis, `depth` its length. An index out of range gives
    `off_value` everywhere. `indices` may have any shape, and both values have rank 0; the result
    has `dtype`, or that of the values.
    """

    depth: Dim = 1
    axis: int = -1
    dtype: DType | None = None

    fusion = Fusion.INJECTIVE
    examples = (
        Example("i64[3]", "f32[]", "f32[]", depth=4, dtype="float32", values={0: [0, 3, 5]}),
        Example("i32[2, 2]", "i64[]", "i64[]", depth=3, axis=0, domain=(0, 3)),
        Example("u8[]", "f64[]", "f64[]", depth=2, axis=0, values={0: 1}),
        Example("i64[2]", "bool[]", "bool[]", depth=3, axis=1, values={0: [-1, 2]}),
    )

    def __post_init__(self) -> None:
        set_field(self, "dtype", optional_dtype(self.dtype))
        checks.natural("one_hot", "a depth", self.depth)

    def infer(self, indices: TensorType, on_value: TensorType, off_value: TensorType) -> TensorType:
        require_integer(self.name, "indices", indices)
        checks.same_dtype(self.name, on_value, off_value)
        checks.rank(self.name, "on_value", on_value, 0)
        checks.rank(self.name, "off_value", off_value, 0)
        at = checks.axis(self.name, self.axis, indices.rank + 1)
        shape = (*indices.shape[:at], self.depth, *indices.shape[at:])
        return TensorType(shape, self.dtype or on_value.dtype)

    def compute(self, indices: te.Tensor, on_value: te.Tensor, off_value: te.Tensor) -> te.Tensor:
        at = self.axis % (len(indices.shape) + 1)
        dtype = self.dtype or on_value.dtype

        def pick(*i: te.Scalar) -> te.Scalar:
            index = te.cast(indices[(*i[:at], *i[at + 1 :])], int64)
            return te.cast(te.select(te.equal(index, i[at]), on_value[()], off_value[()]), dtype)

        return te.compute([*indices.shape[:at], self.depth, *indices.shape[at:]], pick)

    def reference(self, indices: Array, on_value: Array, off_value: Array) -> Array:
        result = np.expand_dims(indices.astype(np.int64), self.axis)
        shape = [1] * result.ndim
        shape[self.axis] = -1
        assert isinstance(self.depth, int)
        hot = result == np.arange(self.depth, dtype=np.int64).reshape(shape)
        found = np.where(hot, on_value, off_value)
        return convert(found, self.dtype) if self.dtype else found

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        indices, on_value, off_value = call.args
        one, zero = number(1.0, d_out), number(0.0, d_out)
        hot = Call(OneHot(self.depth, self.axis), (indices, one, zero))
        cold = Call(OneHot(self.depth, self.axis), (indices, zero, one))
        return (
            None,
            sum_to_shape_of(multiply(d_out, hot), on_value),
            sum_to_shape_of(multiply(d_out, cold), off_value),
        )


@operator("shape_of")
class ShapeOf(Discrete):
    """Return the shape of `x` as a vector of type `dtype` (int32 by default); empty for rank 0."""

    dtype: DType = int32

    fusion = Fusion.OPAQUE  # sizes are computed separately from the tensors that have them
    precision = Precision.FOLLOW
    examples = (
        Example("f32[2, 3, 4]"),
        Example("f32[2, 0]", dtype="int64"),
        Example("f64[]"),
    )

    def __post_init__(self) -> None:
        set_field(self, "dtype", optional_dtype(self.dtype) or int32)

    def infer(self, x: TensorType) -> TensorType:
        return TensorType((x.rank,), self.dtype)

    def compute(self, x: te.Tensor) -> te.Tensor:
        def pick(at: te.Scalar) -> te.Scalar:
            size = te.const(0)
            for axis, found in enumerate(extents(x)):
                size = te.select(te.equal(at, axis), found, size)
            return te.cast(size, self.dtype)

        return te.compute([len(x.shape)], pick)

    def reference(self, x: Array) -> Array:
        return np.array(x.shape, self.dtype.numpy)


@operator("ndarray_size")
class NdarraySize(Discrete):
    """Return the number of elements of `x` as a tensor of rank 0 and type `dtype`.

    Without `dtype`, the type is int32.
    """

    dtype: DType = int32

    fusion = Fusion.INJECTIVE
    examples = (Example("f32[2, 3]"), Example("bool[0]", dtype="int64"), Example("f32[]"))

    def __post_init__(self) -> None:
        set_field(self, "dtype", optional_dtype(self.dtype) or int32)

    def infer(self, x: TensorType) -> TensorType:
        return TensorType((), self.dtype)

    def compute(self, x: te.Tensor) -> te.Tensor:
        size = lift(product(extents(x)), self.dtype)
        return te.compute([], lambda: size)

    def reference(self, x: Array) -> Array:
        return np.array(x.size, self.dtype.numpy)


@operator("unravel_index")
class UnravelIndex(Discrete):
    """Convert row-major positions to indices in the shape `shape`, with one row for each axis.

    `indices` has any shape, `shape` is a vector of r sizes; the result has shape `(r, *indices)`.
    Takes integers of one type. A position out of range is clamped.
    """

    fusion = Fusion.OPAQUE  # sizes are computed separately from the tensors that have them
    examples = (
        Example("i64[3]", "i64[2]", values={0: [22, 41, 37], 1: [7, 6]}),
        Example("i32[]", "i32[3]", values={0: 11, 1: [2, 3, 4]}),
        Example("i64[2, 2]", "i64[1]", domain=(0, 5), values={1: [5]}),
    )

    def infer(self, indices: TensorType, shape: TensorType) -> TensorType:
        checks.same_dtype(self.name, indices, shape)
        require_integer(self.name, "indices", indices)
        checks.rank(self.name, "shape", shape, 1)
        return TensorType((shape.shape[0], *indices.shape), indices.dtype)

    def compute(self, indices: te.Tensor, shape: te.Tensor) -> te.Tensor:
        """Return the formula: quotients by products of later sizes, modulo the axis size."""

        def size(at: te.Scalar) -> te.Scalar:
            return te.maximum(te.cast(shape[(at,)], int64), 1)

        def elements_from(first: te.Scalar) -> te.Scalar:
            other = te.reduce_axis(shape.shape[0], "axis")
            return te.prod(te.select(other >= first, size(other), te.const(1)), [other])

        def behind_of(axis: te.Scalar) -> te.Scalar:
            return elements_from(axis + 1)

        behind = te.compute([shape.shape[0]], behind_of)
        total = te.compute([], lambda: elements_from(te.const(0)))

        def pick(axis: te.Scalar, *i: te.Scalar) -> te.Scalar:
            place = te.maximum(te.minimum(te.cast(indices[i], int64), total[()] - 1), 0)
            return te.cast(place // behind[axis] % size(axis), indices.dtype)

        return te.compute([shape.shape[0], *indices.shape], pick)

    def reference(self, indices: Array, shape: Array) -> Array:
        sizes = ints(np.maximum(shape.astype(np.int64), 1).tolist())
        inside = np.clip(indices.astype(np.int64), 0, elements(sizes) - 1)
        found = np.unravel_index(inside, sizes) if sizes else ()
        return np.array(found, indices.dtype).reshape(len(sizes), *indices.shape)
