"""Operators on sparse matrices: conversion to dense tensors, products, sums, transposition.

A matrix in compressed rows (CSR) consists of `data`, the column of each element in `indices`, and
the start of each row in `indptr`, which ends with the number of elements. With blocks (BSR), an
element of `data` is a small matrix, and indices count blocks. These operators convert the matrix to
a dense one first, except for products, whose derivatives do so.
"""

from collections.abc import Sequence

import numpy as np

from relay.ir.dims import Dim, Shape, is_static, static
from relay.ir.expr import Array, Call, Constant, Expr, Tuple
from relay.ir.types import TensorType, TupleType
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import add, subtract
from relay.ops.broadcasting import BroadcastTo, sum_to_shape_of
from relay.ops.cast import Cast
from relay.ops.creation import Full, Zeros
from relay.ops.families import NUMBERS
from relay.ops.nn.conv_operators import Conv2D
from relay.ops.nn.matmul import BatchMatmul
from relay.ops.nn.sparse_product_kernel import sparse_product
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.concat_and_split import Stack
from relay.ops.tensor.dim_arithmetic import dims, ints, require_integer
from relay.ops.tensor.gather import Take
from relay.ops.tensor.position_tensors import counting, length, numbered
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.run_time_attributes import SIZES, Dynamic, dynamic
from relay.ops.tensor.scatter import ScatterND
from relay.ops.tensor.search_and_unique import SearchSorted
from relay.ops.tensor.sort import Argsort
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import int64
from relay.support.node import set_field, value

_CSR = {1: [1.0, -2.0, 3.0, 0.5], 2: [0, 2, 1, 3], 3: [0, 2, 2, 4]}
_BSR = {1: np.arange(8.0).reshape(2, 2, 2), 2: [1, 0], 3: [0, 1, 2]}


@operator("sparse_to_dense")
class SparseToDense(OperatorDef):
    """Write values at indices into a tensor of shape `output_shape` that is filled with a default.

    `sparse_indices` is an integer, a vector of indices for a result of rank 1, or a matrix with a
    row for each value; `sparse_values` may be a scalar. Takes any element type.
    """

    output_shape: Shape

    examples = (
        Example("i64[3]", "f32[3]", "f32[]", output_shape=(5,), values={0: [1, 0, 4]}),
        Example("i32[2, 2]", "f32[]", "f32[]", output_shape=(4, 4), values={0: [[0, 1], [2, 3]]}),
        Example("i64[]", "i32[]", "i32[]", output_shape=(4,), values={0: 2}),
    )

    def __post_init__(self) -> None:
        set_field(self, "output_shape", dims(self.output_shape))
        checks.natural(self.name, "a size in output_shape", *self.output_shape)

    def infer(
        self, sparse_indices: TensorType, sparse_values: TensorType, default_value: TensorType
    ) -> TensorType:
        require_integer(self.name, "sparse_indices", sparse_indices)
        checks.rank(self.name, "sparse_indices", sparse_indices, 0, 1, 2)
        checks.rank(self.name, "sparse_values", sparse_values, 0, 1)
        checks.rank(self.name, "default_value", default_value, 0)
        checks.same_dtype(self.name, sparse_values, default_value)
        shape = sparse_indices.shape
        depth = shape[1] if len(shape) == 2 else 1
        checks.size(
            self.name,
            "size of the last axis of sparse_indices, for this output_shape",
            len(self.output_shape),
            depth,
        )
        if sparse_values.rank:
            count = shape[0] if shape else 1
            checks.size(self.name, "sparse_values", count, sparse_values.shape[0])
        return TensorType(self.output_shape, sparse_values.dtype)

    def decompose(self, sparse_indices: Expr, sparse_values: Expr, default_value: Expr) -> Expr:
        """Return an expression that scatters the values into the default."""
        whole = Call(Full(self.output_shape), (default_value,))
        return _scattered(whole, sparse_indices, sparse_values)

    def reference(self, sparse_indices: Array, sparse_values: Array, default_value: Array) -> Array:
        shape = static(self.output_shape)
        result = np.full(shape, default_value, sparse_values.dtype)
        count = sparse_indices.shape[0] if sparse_indices.ndim else 1
        rows = sparse_indices.reshape(count, len(shape))
        values = np.broadcast_to(sparse_values, (len(rows),))
        for row, each in zip(rows, values, strict=True):
            result[tuple(row)] = each
        return result


@dynamic(SparseToDense, output_shape=SIZES)
class DynamicSparseToDense(Dynamic):
    """Write values at indices into a tensor of a run-time `output_shape`; see `sparse_to_dense`."""

    carrier = 2
    examples = (
        Example("i64[3]", "f32[3]", "f32[]", "i64[1]", values={0: [1, 0, 4], 3: [5]}),
        Example("i32[2, 2]", "f32[]", "f32[]", "i32[2]", values={0: [[0, 1], [2, 3]], 3: [4, 4]}),
    )

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivatives of a scatter into a tensor of the result's shape."""
        indices, values, _, _ = call.args
        written = _scattered(d_out, indices, values)  # its rule does not read overwritten values
        kept, _, d_values = ScatterND().gradient(written, d_out)
        assert kept is not None, "what is not overwritten is kept"
        assert d_values is not None, "values are floats"
        return None, sum_to_shape_of(d_values, values), Call(Sum(), (kept,)), None


def _scattered(whole: Expr, indices: Expr, values: Expr) -> Call:
    """Return `whole` with values, or one value, written at indices (see `sparse_to_dense`)."""
    shape, rank = indices.tensor_type.shape, whole.tensor_type.rank
    count: Dim = shape[0] if shape else 1
    listed = Call(Reshape((count, rank), allowzero=True), (indices,))
    places = Call(Transpose((1, 0)), (listed,))
    return Call(ScatterND(), (whole, places, Call(BroadcastTo((count,)), (values,))))


def _matrix(
    operator_: str, data: TensorType, indices: TensorType, indptr: TensorType
) -> tuple[Dim, Dim]:
    """Check the parts of a matrix in compressed rows.

    Return the number of its rows, and the width of its blocks.
    """
    checks.rank(operator_, "sparse_data", data, 1, 3)
    checks.kind(operator_, "sparse_data", data, *NUMBERS)
    for name, ty in (("sparse_indices", indices), ("sparse_indptr", indptr)):
        checks.rank(operator_, name, ty, 1)
        require_integer(operator_, name, ty)
    checks.size(operator_, "sparse_indices", data.shape[0], indices.shape[0])
    checks.enough(operator_, indptr.shape[0], 1, "sparse_indptr must have at least one element")
    known = data.rank == 1 or is_static(data.shape[1:])
    checks.attribute(operator_, known, "the sizes of the blocks must be known at compile time")
    tall, wide = data.shape[1:] or (1, 1)
    return (indptr.shape[0] - 1) * tall, wide


def to_dense(data: Expr, indices: Expr, indptr: Expr, columns: Dim) -> Expr:
    """Return the dense form of a matrix in compressed rows, as an expression."""
    rows = indptr.tensor_type.shape[0] - 1
    tall, wide = data.tensor_type.shape[1:] or (1, 1)
    across = columns // wide
    places = Call(
        Stack(0), (Tuple((row_of_each_element(indices, indptr), Call(Cast(int64), (indices,)))),)
    )
    shape = (rows, across, *data.tensor_type.shape[1:])
    zeros = Call(Zeros(shape, data.tensor_type.dtype), ())
    whole = Call(ScatterND("add"), (zeros, places, data))
    if data.tensor_type.rank == 1:
        return whole
    turned = Call(Transpose((0, 2, 1, 3)), (whole,))
    return Call(Reshape((rows * tall, across * wide), allowzero=True), (turned,))


def row_of_each_element(indices: Expr, indptr: Expr) -> Expr:
    """Return the row of each stored element, from the starts of the rows in `indptr`."""
    ends = Call(Cast(int64), (indptr,))
    before = Call(SearchSorted(right=True, dtype=int64), (ends, numbered(indices, 0)))
    return subtract(before, Constant(np.asarray(1)))


def to_dense_array(data: Array, indices: Array, indptr: Array, columns: int) -> Array:
    """Return the dense form of a matrix in compressed rows, as an array."""
    tall, wide = data.shape[1:] or (1, 1)
    result = np.zeros(((len(indptr) - 1) * tall, columns), data.dtype)
    for row in range(len(indptr) - 1):
        for at in range(int(indptr[row]), int(indptr[row + 1])):
            part = result[row * tall : (row + 1) * tall]
            part[:, int(indices[at]) * wide : (int(indices[at]) + 1) * wide] += data[at]
    return result


@value
class SparseProduct(OperatorDef):
    """The base of products of a dense matrix with a sparse one in compressed rows."""

    sparse_lhs: bool = False

    def __post_init__(self) -> None:
        set_field(self, "sparse_lhs", bool(self.sparse_lhs))

    def infer(
        self,
        dense_mat: TensorType,
        sparse_data: TensorType,
        sparse_indices: TensorType,
        sparse_indptr: TensorType,
    ) -> TensorType:
        """Return the type of the result, after checking the matrices."""
        checks.rank(self.name, "dense_mat", dense_mat, 2)
        checks.same_dtype(self.name, dense_mat, sparse_data)
        rows, wide = _matrix(self.name, sparse_data, sparse_indices, sparse_indptr)
        other, inner = dense_mat.shape
        checks.divides(
            self.name,
            inner,
            wide,
            f"the size of axis 1 of dense_mat, {inner}, must be a multiple of the width of the "
            f"sparse blocks, {wide}",
        )
        shape = (rows, other) if self.sparse_lhs else (other, rows)
        return TensorType(shape, dense_mat.dtype)

    def compute(
        self,
        dense_mat: te.Tensor,
        sparse_data: te.Tensor,
        sparse_indices: te.Tensor,
        sparse_indptr: te.Tensor,
    ) -> te.Tensor:
        """Return the formula: sums of the products of stored elements."""
        found = sparse_product(dense_mat, sparse_data, sparse_indices, sparse_indptr)
        if self.sparse_lhs:
            return found
        return te.compute(found.shape[::-1], lambda *i: found[i[::-1]], name="product")

    def decompose(
        self, dense_mat: Expr, sparse_data: Expr, sparse_indices: Expr, sparse_indptr: Expr
    ) -> Expr:
        """Return the product with the dense form of the sparse matrix."""
        columns = dense_mat.tensor_type.shape[1]
        sparse = to_dense(sparse_data, sparse_indices, sparse_indptr, columns)
        sides = (sparse, dense_mat) if self.sparse_lhs else (dense_mat, sparse)
        return Call(BatchMatmul(transpose_b=True), sides)

    def reference(
        self, dense_mat: Array, sparse_data: Array, sparse_indices: Array, sparse_indptr: Array
    ) -> Array:
        """Return the product with the dense form of the sparse matrix, by NumPy.

        Column indices beyond the matrix are moved to its last column.
        """
        columns, wide = dense_mat.shape[1], (sparse_data.shape[2:] or (1,))[0]
        inside = np.clip(sparse_indices, 0, max(columns // wide - 1, 0))
        sparse = to_dense_array(sparse_data, inside, sparse_indptr, columns)
        return sparse @ dense_mat.T if self.sparse_lhs else dense_mat @ sparse.T


@operator("nn.sparse_dense")
class SparseDense(SparseProduct):
    """Multiply `dense_mat` `(M, K)` by the transpose of a sparse matrix `(N, K)`: `(M, N)`.

    With `sparse_lhs`, the sparse matrix `(M, K)` is the left operand, and `(N, K)` is dense. The
    matrix is in compressed rows, with or without blocks. Takes numbers of one type, and integer
    indices.
    """

    examples = (
        Example("f32[2, 4]", "f32[4]", "i32[4]", "i32[4]", values=_CSR, rolls=False),
        Example("f32[3, 4]", "f32[2, 2, 2]", "i32[2]", "i32[3]", values=_BSR, rolls=False),
        Example(
            "f64[2, 4]", "f64[4]", "i64[4]", "i64[4]", sparse_lhs=True, values=_CSR, rolls=False
        ),
    )


@operator("nn.internal.sparse_dense_padded")
class SparseDensePadded(SparseProduct):
    """Multiply as `nn.sparse_dense` does; rows of the sparse matrix may contain zeros.

    TVM pads the rows with zeros for GPUs, each to a multiple of the number of threads in a warp.
    """

    examples = (
        Example("f32[2, 4]", "f32[4]", "i32[4]", "i32[3]", rolls=False,
                values={1: [1.0, 0.0, 3.0, 0.0], 2: [2, 0, 1, 0], 3: [0, 2, 4]}),
    )  # fmt: skip


@operator("nn.sparse_add")
class SparseAdd(OperatorDef):
    """Add a sparse matrix in compressed rows to a dense one. Takes numbers of one type."""

    examples = (Example("f32[3, 4]", "f32[4]", "i32[4]", "i32[4]", values=_CSR, rolls=False),)

    def infer(
        self,
        dense_mat: TensorType,
        sparse_data: TensorType,
        sparse_indices: TensorType,
        sparse_indptr: TensorType,
    ) -> TensorType:
        checks.rank(self.name, "dense_mat", dense_mat, 2)
        checks.same_dtype(self.name, dense_mat, sparse_data)
        checks.rank(self.name, "sparse_data", sparse_data, 1)
        rows, _ = _matrix(self.name, sparse_data, sparse_indices, sparse_indptr)
        checks.size(self.name, "rows", dense_mat.shape[0], rows)
        return dense_mat

    def decompose(
        self, dense_mat: Expr, sparse_data: Expr, sparse_indices: Expr, sparse_indptr: Expr
    ) -> Expr:
        """Return the sum with the dense form of the sparse matrix."""
        columns = dense_mat.tensor_type.shape[1]
        return add(dense_mat, to_dense(sparse_data, sparse_indices, sparse_indptr, columns))

    def reference(
        self, dense_mat: Array, sparse_data: Array, sparse_indices: Array, sparse_indptr: Array
    ) -> Array:
        columns = dense_mat.shape[1]
        return dense_mat + to_dense_array(sparse_data, sparse_indices, sparse_indptr, columns)


@operator("nn.sparse_transpose")
class SparseTranspose(OperatorDef):
    """Transpose a square sparse matrix in compressed rows; the result has its three parts."""

    examples = (
        Example("f32[4]", "i32[4]", "i32[4]",
                values={0: [1.0, -2.0, 3.0, 0.5], 1: [0, 2, 1, 2], 2: [0, 2, 2, 4]}, rolls=False),
    )  # fmt: skip

    def infer(
        self, sparse_data: TensorType, sparse_indices: TensorType, sparse_indptr: TensorType
    ) -> TupleType:
        checks.rank(self.name, "sparse_data", sparse_data, 1)
        _matrix(self.name, sparse_data, sparse_indices, sparse_indptr)
        return TupleType((sparse_data, sparse_indices, sparse_indptr))

    def decompose(self, sparse_data: Expr, sparse_indices: Expr, sparse_indptr: Expr) -> Expr:
        """Return an expression that sorts the elements by columns, which become the rows."""
        order = Call(Argsort(axis=0, dtype=int64), (sparse_indices,))
        pick = Take(axis=0, mode="fast")
        columns = Call(Cast(int64), (Call(pick, (sparse_indices, order)),))
        count = sparse_indptr.tensor_type.shape[0]
        lines = counting(count, length(sparse_indptr, 0))
        begins = Call(SearchSorted(dtype=sparse_indptr.tensor_type.dtype), (columns, lines))
        rows = Call(pick, (row_of_each_element(sparse_indices, sparse_indptr), order))
        named = Call(Cast(sparse_indices.tensor_type.dtype), (rows,))
        return Tuple((Call(pick, (sparse_data, order)), named, begins))

    def reference(
        self, sparse_data: Array, sparse_indices: Array, sparse_indptr: Array
    ) -> tuple[Array, ...]:
        counts = np.diff(sparse_indptr)
        rows = np.repeat(np.arange(len(counts)), counts)
        order = np.argsort(sparse_indices, kind="stable")
        begins = np.searchsorted(sparse_indices[order], np.arange(len(sparse_indptr)))
        parts: Sequence[Array] = (sparse_data[order], rows[order], begins)
        types = (sparse_data.dtype, sparse_indices.dtype, sparse_indptr.dtype)
        return tuple(part.astype(of) for part, of in zip(parts, types, strict=True))


@operator("nn.sparse_conv2d")
class SparseConv2D(OperatorDef):
    """Convolve images with a kernel `(O, h · w · C)` in compressed rows of blocks.

    `kernel_size` is 1 or 3 in both directions; the image keeps its size. A row of the kernel
    iterates over taps and then channels. Images are `(N, H, W, C)`, or in the layout NCHW.
    """

    layout: str = "NHWC"
    kernel_size: tuple[int, ...] = (1, 1)

    examples = (
        Example("f32[1, 3, 4, 4]", "f32[2, 2, 2]", "i32[2]", "i32[3]", values=_BSR, rolls=False),
        Example("f32[1, 2, 4, 3]", "f32[2, 2, 2]", "i32[2]", "i32[3]",
                values={**_BSR, 2: [8, 1]}, layout="NCHW", kernel_size=(3, 3), rolls=False),
    )  # fmt: skip

    def __post_init__(self) -> None:
        set_field(self, "kernel_size", ints(self.kernel_size))
        square = self.kernel_size in ((1, 1), (3, 3))
        checks.attribute(self.name, square, f"kernel_size must be 1 or 3, not {self.kernel_size}")
        said = f"layout must be NHWC or NCHW, not '{self.layout}'"
        checks.attribute(self.name, self.layout in ("NHWC", "NCHW"), said)

    def infer(
        self,
        data: TensorType,
        weight_data: TensorType,
        weight_indices: TensorType,
        weight_indptr: TensorType,
    ) -> TensorType:
        checks.rank(self.name, "data", data, 4)
        checks.same_dtype(self.name, data, weight_data)
        rows, wide = _matrix(self.name, weight_data, weight_indices, weight_indptr)
        shape = list(data.shape)
        height, width = self.kernel_size
        columns = shape[self.layout.index("C")] * (height * width)
        checks.divides(
            self.name,
            columns,
            wide,
            f"channels times the area of the kernel, {columns}, must be a multiple of the width of "
            f"the sparse blocks, {wide}",
        )
        shape[self.layout.index("C")] = rows
        return TensorType(tuple(shape), data.dtype)

    def decompose(
        self, data: Expr, weight_data: Expr, weight_indices: Expr, weight_indptr: Expr
    ) -> Expr:
        """Return the convolution with the dense form of the kernel."""
        channels = data.tensor_type.shape[self.layout.index("C")]
        height, width = self.kernel_size
        columns = channels * (height * width)
        matrix = to_dense(weight_data, weight_indices, weight_indptr, columns)
        shape = (matrix.tensor_type.shape[0], height, width, channels)
        kernel = Call(Reshape(shape, allowzero=True), (matrix,))
        op = Conv2D(padding=(height // 2, width // 2), data_layout=self.layout)
        return Call(op, (data, Call(Transpose((0, 3, 1, 2)), (kernel,))))

    def reference(
        self, data: Array, weight_data: Array, weight_indices: Array, weight_indptr: Array
    ) -> Array:
        channels = data.shape[self.layout.index("C")]
        height, width = self.kernel_size
        columns = channels * height * width
        matrix = to_dense_array(weight_data, weight_indices, weight_indptr, columns)
        kernel = matrix.reshape(-1, height, width, channels).transpose(0, 3, 1, 2)
        op = Conv2D(padding=(height // 2, width // 2), data_layout=self.layout)
        return np.asarray(op.reference(data, np.ascontiguousarray(kernel)))
