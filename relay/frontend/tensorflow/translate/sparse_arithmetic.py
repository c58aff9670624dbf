"""Translate TensorFlow operators that reduce, join, cut, or compute with sparse tensors.

A sparse tensor is a matrix of index tuples, the elements at these places, and a shape.
"""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.node_errors import static_sizes
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.expr import Call, Constant, Expr, TupleGetItem
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.comparison import less
from relay.ops.functions import core
from relay.ops.nn.pool_base import lowest
from relay.ops.nn.sparse_indices import SparseReshape
from relay.ops.selection import where
from relay.ops.tensor.dynamic_shapes import DynamicFull
from relay.ops.tensor.scatter import ScatterND
from relay.support.dtype import int64

_CELLWISE = {
    "SparseDenseCwiseAdd": add,
    "SparseDenseCwiseDiv": divide,
    "SparseDenseCwiseMul": multiply,
}


def in_row_major_order(indices: Expr, values: Expr, shape: Expr) -> list[Expr]:
    """Return the indices and the elements of a sparse tensor, sorted by their places."""
    flat = Call(SparseReshape(), (indices, shape, Constant(np.array([-1]))))
    order = core.argsort(reshape(TupleGetItem(flat, 0), (-1,)), axis=0, dtype="int64")
    return [core.take(each, order, axis=0, mode="fast") for each in (indices, values)]


@tf_operator("SparseReduceSum", "SparseReduceMax")
def reduce_sparse(node: TfNode) -> Expr:
    """Translate `SparseReduceSum` and `SparseReduceMax`; places without elements are 0."""
    indices, values, shape, _ = node.exprs()
    rank = _rank(node)
    axes = {axis % rank for axis in node.ints(3, "the axes")} or {*range(rank)}
    kept = [axis for axis in range(rank) if axis not in axes]
    places, sizes = (
        core.take(each, Constant(np.array(kept, np.int64)), axis=axis)
        for each, axis in ((indices, 1), (converted(shape, int64), 0))
    )
    sums = node.op == "SparseReduceSum"
    found = _scattered(values, places, sizes, "add" if sums else "max")
    if node.flag("keep_dims"):
        for axis in sorted(axes):
            found = core.expand_dims(found, axis)
    return found


def _rank(node: TfNode) -> int:
    (rank,) = static_sizes(node.type(0).shape[1:])
    return rank


def _scattered(values: Expr, places: Expr, sizes: Expr, mode: str) -> Expr:
    """Return a tensor with the sums or maxima of the values of each place."""
    of = values.tensor_type.dtype
    if not places.tensor_type.shape[1]:
        return core.sum(values) if mode == "add" else core.max(values)
    index = core.transpose(places, (1, 0))
    zeros = Call(DynamicFull(), (constant(0, of), sizes))
    if mode == "add":
        return Call(ScatterND("add"), (zeros, index, values))
    least = Call(DynamicFull(), (constant(lowest(of.numpy), of), sizes))
    largest = Call(ScatterND("max"), (least, index, values))
    used = Call(ScatterND(), (zeros, index, core.ones_like(values)))
    return where(less(zeros, used), largest, zeros)


@tf_operator("SparseTensorDenseAdd")
def add_to_dense(node: TfNode) -> Expr:
    """Translate `SparseTensorDenseAdd`: the sum of a sparse and a dense tensor."""
    indices, values, _, dense = node.exprs()
    index = core.transpose(indices, (1, 0))
    return Call(ScatterND("add"), (dense, index, values), span=node.span)


@tf_operator(*_CELLWISE)
def with_dense(node: TfNode) -> Expr:
    """Translate `SparseDenseCwiseMul` and others: the elements with those of a dense tensor."""
    indices, values, _, dense = node.exprs()
    first = _rank(node) - dense.tensor_type.rank
    sizes = dense.tensor_type.shape
    columns = [
        multiply(_column(indices, first + axis), constant(size != 1, int64))
        for axis, size in enumerate(sizes)
    ]
    other = core.gather_nd(dense, core.stack(columns, 0)) if columns else dense
    return _CELLWISE[node.op](values, other)


def _column(indices: Expr, axis: int) -> Expr:
    return core.take(indices, constant(axis, int64), axis=1)


@tf_operator("SparseSoftmax")
def softmax(node: TfNode) -> Expr:
    """Translate `SparseSoftmax` of the elements with equal indices but the last."""
    indices, values, shape = node.exprs()
    last = core.strided_slice(shape, (_rank(node) - 1,), (_rank(node),), axes=(0,))
    wanted = core.concatenate([Constant(np.array([-1])), last], 0)
    flat = Call(SparseReshape(), (indices, shape, wanted), span=node.span)
    rows = _column(TupleGetItem(flat, 0), 0)
    count = core.strided_slice(TupleGetItem(flat, 1), (0,), (1,), axes=(0,))
    places = core.expand_dims(rows, 1)
    greatest = core.take(_scattered(values, places, count, "max"), rows, axis=0, mode="raise")
    powers = core.exp(subtract(values, greatest))
    total = core.take(_scattered(powers, places, count, "add"), rows, axis=0, mode="raise")
    return divide(powers, total)


@tf_operator("SparseConcat")
def concatenate(node: TfNode) -> Sequence[Expr]:
    """Translate `SparseConcat`: sparse tensors one after the other along an axis."""
    exprs = node.exprs()
    count = len(exprs) // 3
    indices, values, shapes = (exprs[i * count : (i + 1) * count] for i in range(3))
    node.ignore("N")
    rank = _rank(node)
    unit = Constant(np.eye(rank, dtype=np.int64)[node.integer_of("concat_dim") % rank])
    shape, moved = shapes[0], [indices[0]]
    for index, size in zip(indices[1:], shapes[1:], strict=True):
        moved.append(add(index, core.expand_dims(multiply(shape, unit), 0)))
        shape = add(shape, multiply(size, unit))
    whole = core.concatenate(moved, 0), core.concatenate(values, 0)
    return [*in_row_major_order(*whole, shape), shape]


@tf_operator("SparseSlice")
def sparse_slice(node: TfNode) -> Sequence[Expr]:
    """Translate `SparseSlice`: the elements in a box, whose corner becomes the origin."""
    indices, values, shape, start, size = node.exprs()
    sizes = core.minimum(size, subtract(shape, start))
    sizes = core.maximum(sizes, core.zeros_like(sizes))
    moved = subtract(indices, core.expand_dims(start, 0))
    not_before = less(constant(-1, int64), moved)
    inside = core.logical_and(not_before, less(moved, core.expand_dims(sizes, 0)))
    kept = core.squeeze(core.argwhere(core.all(inside, 1)), (1,))
    return [*(core.take(each, kept, axis=0, mode="fast") for each in (moved, values)), sizes]
