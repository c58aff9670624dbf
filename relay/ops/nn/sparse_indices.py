"""Operators on lists of sparse indices: `sparse_reshape`, `sparse_fill_empty_rows`."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dims import ANY, static
from relay.ir.expr import Array, Call, Constant, Expr, Tuple, TupleGetItem
from relay.ir.types import TensorType, TupleType
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import FloorDivide, FloorMod, multiply, subtract
from relay.ops.cast import cast_like
from relay.ops.comparison import equal
from relay.ops.creation import number
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Prod, Sum
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.dim_arithmetic import require_integer
from relay.ops.tensor.dynamic_shapes import DynamicBroadcastTo
from relay.ops.tensor.gather import Take
from relay.ops.tensor.one_hot_and_shape_of import ShapeOf
from relay.ops.tensor.position_tensors import numbered
from relay.ops.tensor.reshape import ExpandDims, Reshape
from relay.ops.tensor.scan import Cumprod
from relay.ops.tensor.scatter import ScatterND
from relay.ops.tensor.search_and_unique import ArgWhere
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.sort import Argsort
from relay.ops.tensor.transpose import Reverse
from relay.support.dtype import Kind, bool_, int64


def _check_indices(name: str, indices: TensorType, *shapes: TensorType) -> None:
    checks.rank(name, "sparse_indices", indices, 2)
    require_integer(name, "sparse_indices", indices)
    checks.same_dtype(name, indices, *shapes)
    for each in shapes:
        checks.rank(name, "a shape", each, 1)
    checks.size(name, "size of the last axis of the indices", shapes[0].shape[0], indices.shape[1])


@operator("sparse_reshape")
class SparseReshape(OperatorDef):
    """Return the indices of a sparse tensor after a reshape, and its new shape.

    `sparse_indices` has a row for each element, and the same integer type as both shapes. One size
    of `new_shape` may be -1; it is then inferred.
    """

    examples = (
        Example("i64[3, 2]", "i64[2]", "i64[3]",
                values={0: [[0, 1], [1, 0], [3, 5]], 1: [4, 6], 2: [2, -1, 3]}, rolls=False),
        Example("i32[2, 2]", "i32[2]", "i32[1]", values={0: [[0, 1], [1, 1]], 1: [2, 2], 2: [4]},
                rolls=False),
    )  # fmt: skip

    def infer(
        self, sparse_indices: TensorType, prev_shape: TensorType, new_shape: TensorType
    ) -> TupleType:
        _check_indices(self.name, sparse_indices, prev_shape, new_shape)
        checks.kind(self.name, "new_shape", new_shape, Kind.INT)  # it may contain -1
        shape = (sparse_indices.shape[0], new_shape.shape[0])
        return TupleType((TensorType(shape, sparse_indices.dtype), new_shape))

    def decompose(self, sparse_indices: Expr, prev_shape: Expr, new_shape: Expr) -> Expr:
        """Return an expression that converts indices to row-major positions and to new indices."""
        whole = Call(Prod(), (prev_shape,))
        open_ = equal(new_shape, number(-1, new_shape))
        known = Call(Prod(), (where(open_, number(1, new_shape), new_shape),))
        sizes = where(open_, Call(FloorDivide(), (whole, known)), new_shape)
        flat = Call(Sum(axis=(1,)), (multiply(sparse_indices, _strides(prev_shape)),))
        apart = Call(FloorDivide(), (Call(ExpandDims(1), (flat,)), _strides(sizes)))
        return Tuple((Call(FloorMod(), (apart, sizes)), sizes))

    def reference(
        self, sparse_indices: Array, prev_shape: Array, new_shape: Array
    ) -> tuple[Array, ...]:
        whole = int(np.prod(prev_shape))
        known = int(np.prod(new_shape[new_shape != -1]))
        sizes = np.where(new_shape == -1, whole // max(known, 1), new_shape)
        flat = np.ravel_multi_index(tuple(sparse_indices.T), tuple(prev_shape))
        rows = np.stack(np.unravel_index(flat, tuple(sizes)), -1)
        return rows.astype(sparse_indices.dtype), sizes.astype(new_shape.dtype)


def _strides(shape: Expr) -> Expr:
    """Return the strides of the axes of a shape, in row-major order."""
    turned = Call(Cumprod(0, exclusive=True), (Call(Reverse(0), (shape,)),))
    return Call(Reverse(0), (turned,))


@operator("sparse_fill_empty_rows")
class SparseFillEmptyRows(OperatorDef):
    """Add a default element in the first column of each empty row of a sparse tensor.

    Returns the indices sorted by rows, the values, and which rows of `dense_shape` were empty. The
    number of elements depends on data.
    """

    examples = (
        Example("i64[3, 2]", "f32[3]", "i64[2]", "f32[]",
                values={0: [[3, 1], [0, 1], [0, 2]], 2: [5, 4]}, rolls=False),
        Example("i64[2, 1]", "i32[2]", "i64[1]", "i32[]", values={0: [[1], [0]], 2: [2]},
                rolls=False),
    )  # fmt: skip

    def infer(
        self,
        sparse_indices: TensorType,
        sparse_values: TensorType,
        dense_shape: TensorType,
        default_value: TensorType,
    ) -> TupleType:
        _check_indices(self.name, sparse_indices, dense_shape)
        checks.rank(self.name, "sparse_values", sparse_values, 1)
        checks.rank(self.name, "default_value", default_value, 0)
        checks.same_dtype(self.name, sparse_values, default_value)
        known = isinstance(sparse_indices.shape[1], int)
        checks.attribute(
            self.name, known, "the last axis of the indices must have a size known at compile time"
        )
        checks.size(self.name, "values", sparse_indices.shape[0], sparse_values.shape[0])
        indices = TensorType((ANY, sparse_indices.shape[1]), sparse_indices.dtype)
        values = TensorType((ANY,), sparse_values.dtype)
        return TupleType((indices, values, TensorType((ANY,), bool_)))

    def decompose(
        self, sparse_indices: Expr, sparse_values: Expr, dense_shape: Expr, default_value: Expr
    ) -> Expr:
        """Return an expression that appends the missing elements, and sorts all by rows."""
        indices, missing, empty = self._completed(sparse_indices, dense_shape)
        filled = Call(DynamicBroadcastTo(), (default_value, _length(missing)))
        values = Call(Concatenate(0), (Tuple((sparse_values, filled)),))
        order, pick = _by_rows(indices), Take(axis=0, mode="fast")
        return Tuple((Call(pick, (indices, order)), Call(pick, (values, order)), empty))

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivatives: by the values, at their new positions, and by the default."""
        indices, values, shape, _ = call.args
        order = _by_rows(self._completed(indices, shape)[0])
        places = Call(Argsort(axis=0, dtype=int64), (order,))
        own = Call(Take(axis=0), (places, numbered(values, 0)))
        given = TupleGetItem(d_out, 1)
        d_values = Call(Take(axis=0), (given, own))
        d_default = subtract(Call(Sum(), (given,)), Call(Sum(), (d_values,)))
        return None, d_values, None, d_default

    def _completed(self, sparse_indices: Expr, dense_shape: Expr) -> tuple[Expr, Expr, Expr]:
        """Return all indices, the indices that were added, and which rows were empty."""
        first = Call(StridedSlice((0,), (1,)), (dense_shape,))
        zero, one = (number(each, dense_shape) for each in (0, 1))
        rows = Call(StridedSlice((0,), (1,), axes=(1,)), (sparse_indices,))
        row = Call(Reshape((-1,)), (rows,))
        counts = Call(DynamicBroadcastTo(), (zero, first))
        ones = Call(DynamicBroadcastTo(), (one, _length(row)))
        counts = Call(ScatterND("add"), (counts, Call(ExpandDims(0), (row,)), ones))
        empty = equal(counts, zero)
        missing = cast_like(Call(ArgWhere(), (empty,)), sparse_indices)
        (depth,) = static(sparse_indices.tensor_type.shape[1:])
        if depth > 1:
            shape = Call(Concatenate(0), (Tuple((_length(missing), _vector(depth - 1))),))
            none = Call(DynamicBroadcastTo(), (zero, shape))
            missing = Call(Concatenate(1), (Tuple((missing, none)),))
        return Call(Concatenate(0), (Tuple((sparse_indices, missing)),)), missing, empty

    def reference(
        self, sparse_indices: Array, sparse_values: Array, dense_shape: Array, default_value: Array
    ) -> tuple[Array, ...]:
        empty = ~np.isin(np.arange(int(dense_shape[0])), sparse_indices[:, 0])
        missing = np.zeros((int(empty.sum()), sparse_indices.shape[1]), sparse_indices.dtype)
        missing[:, 0] = np.flatnonzero(empty)
        indices = np.concatenate([sparse_indices, missing])
        filled = np.full(len(missing), default_value, sparse_values.dtype)
        order = np.argsort(indices[:, 0], kind="stable")
        return indices[order], np.concatenate([sparse_values, filled])[order], empty


def _by_rows(indices: Expr) -> Expr:
    """Return the permutation that sorts indices by rows."""
    rows = Call(StridedSlice((0,), (1,), axes=(1,)), (indices,))
    return Call(Argsort(axis=0, dtype=int64), (Call(Reshape((-1,)), (rows,)),))


def _length(x: Expr) -> Expr:
    """Return the size of the first axis, as a vector with one element."""
    return Call(StridedSlice((0,), (1,)), (Call(ShapeOf(int64), (x,)),))


def _vector(size: int) -> Expr:
    return Constant(np.array([size]))
