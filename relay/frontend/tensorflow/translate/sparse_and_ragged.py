"""Translate TensorFlow operators on the parts of sparse and of ragged tensors."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.frontend.tensorflow.translate.sparse_arithmetic import in_row_major_order
from relay.ir.expr import Call, Constant, Expr, TupleGetItem
from relay.ops.binary import add, multiply, subtract
from relay.ops.comparison import less
from relay.ops.functions import core
from relay.ops.nn.sparse_indices import SparseFillEmptyRows, SparseReshape
from relay.ops.selection import where
from relay.ops.tensor.dynamic_shapes import DynamicFull
from relay.ops.tensor.scatter import ScatterND
from relay.support.dtype import int64


def _wide(x: Expr) -> Expr:
    return x if x.tensor_type.dtype is int64 else core.cast(x, "int64")


def _part(x: Expr, index: int, axis: int = 0) -> Expr:
    """Return the slice of a tensor at an index of an axis, which is removed."""
    return core.take(x, constant(index, int64), axis=axis, mode="fast")


@tf_operator("SparseToDense")
def sparse_to_dense(node: TfNode) -> Expr:
    """Translate `SparseToDense`: a default value, with other values at index tuples."""
    node.ignore("validate_indices")
    indices, shape, values, default = node.exprs()
    if indices.tensor_type.rank < 2:
        indices = reshape(indices, (-1, 1) if indices.tensor_type.rank else (1, 1))
    whole = Call(DynamicFull(), (reshape(default, ()), _wide(shape)), span=node.span)
    count = indices.tensor_type.shape[0]
    if not values.tensor_type.rank:
        values = core.broadcast_to(values, (count,))
    return Call(ScatterND(), (whole, core.transpose(indices, (1, 0)), values), span=node.span)


@tf_operator("SparseTensorDenseMatMul")
def sparse_dense_product(node: TfNode) -> Expr:
    """Translate `SparseTensorDenseMatMul`: multiply a sparse matrix by a dense one."""
    indices, values, shape, dense = node.exprs()
    row, column = (1, 0) if node.flag("adjoint_a") else (0, 1)
    dense = core.transpose(dense, (1, 0)) if node.flag("adjoint_b") else dense
    read = core.take(dense, _part(indices, column, 1), axis=0, mode="raise")
    terms = multiply(read, core.expand_dims(values, 1))
    columns = core.take(core.shape_of(dense, "int64"), Constant(np.array([1])), axis=0)
    sizes = core.concatenate([reshape(_part(_wide(shape), row), (1,)), columns], 0)
    whole = Call(DynamicFull(), (constant(0, values.tensor_type.dtype), sizes))
    places = core.expand_dims(_part(indices, row, 1), 0)
    return Call(ScatterND("add"), (whole, places, terms), span=node.span)


@tf_operator("SparseReshape")
def sparse_reshape(node: TfNode) -> Sequence[Expr]:
    """Translate `SparseReshape`: the index tuples after a reshape, and the new shape."""
    both = Call(SparseReshape(), tuple(node.exprs()), span=node.span)
    return [TupleGetItem(both, 0), TupleGetItem(both, 1)]


@tf_operator("SparseReorder")
def sparse_reorder(node: TfNode) -> Sequence[Expr]:
    """Translate `SparseReorder`: sort the elements of a sparse tensor in row-major order."""
    return in_row_major_order(*node.exprs())


@tf_operator("SparseFillEmptyRows")
def sparse_fill_empty_rows(node: TfNode) -> Sequence[Expr]:
    """Translate `SparseFillEmptyRows`: rows without an element get a default one.

    The last result is the new place of each old element.
    """
    indices, values, shape, default = node.exprs()
    args = (indices, values, shape, reshape(default, ()))
    found = SparseFillEmptyRows().decompose(*args)  # its parts get names for their unknown sizes
    is_empty = TupleGetItem(found, 2)
    added = core.cumsum(core.cast(is_empty, "int64"), axis=0)
    rows = _part(indices, 0, 1)
    ones = core.full_like(rows, constant(1, int64))
    places = subtract(core.cumsum(ones, axis=0), constant(1, int64))
    moved = add(places, core.take(added, rows, axis=0, mode="raise"))
    return [TupleGetItem(found, 0), TupleGetItem(found, 1), is_empty, moved]


# Ragged tensors: values, and where each row begins and ends


@tf_operator("RaggedRange")
def ragged_range(node: TfNode) -> Sequence[Expr]:
    """Translate `RaggedRange`: where the rows of numbers begin, and the numbers of all rows."""
    starts, limits, steps = _broadcast_vectors(node)
    of = starts.tensor_type.dtype
    reach = core.divide(*(core.cast(each, "float64") for each in (subtract(limits, starts), steps)))
    counts = core.cast(core.maximum(core.ceil(reach), core.zeros_like(reach)), "int64")
    splits = core.concatenate([Constant(np.zeros(1, np.int64)), core.cumsum(counts, axis=0)], 0)
    rows, places = _rows_and_places(splits, core.sum(counts))
    first, step = (core.take(each, rows, axis=0, mode="fast") for each in (starts, steps))
    splits_type = str(node.dtype("Tsplits"))
    return [core.cast(splits, splits_type), add(first, multiply(core.cast(places, str(of)), step))]


def _broadcast_vectors(node: TfNode) -> list[Expr]:
    """Return the inputs as vectors of one length; scalars are repeated."""
    exprs = node.exprs()
    longest = max(exprs, key=lambda each: (each.tensor_type.rank, each.tensor_type.shape != (1,)))
    return [core.broadcast_to_like(each, longest) for each in exprs]


def _rows_and_places(splits: Expr, total: Expr) -> tuple[Expr, Expr]:
    """Return the row of each of `total` elements, and its place in the row."""
    zero, one = constant(0, int64), constant(1, int64)
    numbers = core.arange(zero, total, one, dtype="int64")
    wide = _wide(splits)
    rows = core.searchsorted(wide, numbers, right=True, dtype="int64")
    rows = subtract(rows, one)
    return rows, subtract(numbers, core.take(wide, rows, axis=0, mode="fast"))


@tf_operator("RaggedTensorToTensor")
def ragged_to_dense(node: TfNode) -> Expr:
    """Translate `RaggedTensorToTensor`: rows of each ragged axis are cut off or filled up."""
    node.ignore("num_row_partition_tensors")
    kinds = [each.decode() for each in node.attribute("row_partition_types")]
    shape, values, default, *partitions = node.exprs()
    if set(kinds) == {"ROW_SPLITS"}:
        count, levels = _levels(partitions, values)
    elif kinds[:1] == ["FIRST_DIM_SIZE"] and set(kinds[1:]) == {"VALUE_ROWIDS"}:
        count = reshape(_wide(partitions[0]), ())
        levels = [_level_of_rows(_wide(each)) for each in partitions[1:]]
    else:
        raise node.wrong("row_partition_types")
    places = [place for _, place in levels]
    return _filled(node, _coordinates(levels), values, default, _dense_sizes(shape, count, places))


Level = tuple[Expr, Expr]
"""The row of each element of a ragged axis, and its place in the row."""


def _levels(splits: Sequence[Expr], values: Expr) -> tuple[Expr, list[Level]]:
    """Return the number of rows, and the levels of nested row splits, from the outermost."""
    wide = [_wide(each) for each in splits]
    one = constant(1, int64)
    counts = [subtract(_length(each), one) for each in wide]
    totals = [*counts[1:], _length(values)]
    levels = [_rows_and_places(*pair) for pair in zip(wide, totals, strict=True)]
    return counts[0], levels


def _level_of_rows(rows: Expr) -> Level:
    """Return the level of the sorted row numbers of its elements."""
    numbers = core.arange(constant(0, int64), _length(rows), constant(1, int64), "int64")
    return rows, subtract(numbers, core.searchsorted(rows, rows, dtype="int64"))


def _coordinates(levels: Sequence[Level]) -> list[Expr]:
    """Return the coordinates of values along the first axis and each ragged axis."""
    rows, places = levels[-1]
    found = [places]
    for outer_rows, outer_places in reversed(levels[:-1]):
        found.insert(0, core.take(outer_places, rows, axis=0, mode="fast"))
        rows = core.take(outer_rows, rows, axis=0, mode="fast")
    return [rows, *found]


def _length(x: Expr) -> Expr:
    """Return the size of the first axis, as an int64 scalar."""
    return _part(core.shape_of(x, "int64"), 0)


def _dense_sizes(shape: Expr, rows: Expr, places: Sequence[Expr]) -> list[Expr]:
    """Return the number of rows, and the sizes of the ragged axes, from the places in their rows.

    Sizes in `shape` count instead, unless they are negative.
    """
    sizes = [rows, *map(_longest, places)]
    wide = _wide(shape)
    if not wide.tensor_type.rank:
        return sizes
    zero = constant(0, int64)
    wanted = [_part(wide, index) for index in range(len(sizes))]
    return [where(less(a, zero), b, a) for a, b in zip(wanted, sizes, strict=True)]


def _longest(places: Expr) -> Expr:
    """Return the length of the longest row of a ragged axis."""
    before = Constant(np.full(1, -1, np.int64))
    return add(core.max(core.concatenate([before, places], 0)), constant(1, int64))


def _filled(
    node: TfNode, at: Sequence[Expr], values: Expr, default: Expr, sizes: Sequence[Expr]
) -> Expr:
    """Return a tensor of a default with values written at coordinates along the first axes.

    Elements beyond the end of an axis are written to an additional position, which is then removed.
    """
    one = constant(1, int64)
    ends = [core.minimum(each, size) for each, size in zip(at, sizes, strict=True)]
    inner = core.strided_slice(core.shape_of(values, "int64"), (1,), (values.tensor_type.rank,))
    parts = core.concatenate([core.stack([add(each, one) for each in sizes], 0), inner], 0)
    is_scalar = not default.tensor_type.rank or default.tensor_type.shape == (1,)
    scalar = reshape(default, ()) if is_scalar else constant(0, default.tensor_type.dtype)
    whole: Expr = Call(DynamicFull(), (scalar, parts), span=node.span)
    whole = whole if is_scalar else core.broadcast_to_like(default, whole)
    found: Expr = Call(ScatterND(), (whole, core.stack(ends, 0), values), span=node.span)
    for axis, size in enumerate(sizes):
        found = core.strided_slice(found, Constant(np.zeros(1, np.int64)), reshape(size, (1,)),
                                   Constant(np.ones(1, np.int64)), axes=(axis,))  # fmt: skip
    return found


@tf_operator("RaggedTensorToSparse")
def ragged_to_sparse(node: TfNode) -> Sequence[Expr]:
    """Translate `RaggedTensorToSparse`: index tuples, values and shape."""
    node.ignore("RAGGED_RANK")
    *splits, values = node.exprs()
    count, levels = _levels(splits, values)
    sizes = [count, *(_longest(place) for _, place in levels)]
    return [core.stack(_coordinates(levels), 1), values, core.stack(sizes, 0)]


@tf_operator("RaggedGather")
def ragged_gather(node: TfNode) -> Sequence[Expr]:
    """Translate `RaggedGather`: rows at indices, with the rows that they contain."""
    node.ignore("PARAMS_RAGGED_RANK", "OUTPUT_RAGGED_RANK")
    *nested, values, indices = node.exprs()
    found: list[Expr] = []
    for splits in nested:
        new, indices = _gathered(_wide(splits), _wide(indices))
        found.append(core.cast(new, str(splits.tensor_type.dtype)))
    return [*found, core.take(values, indices, axis=0, mode="raise")]


def _gathered(splits: Expr, indices: Expr) -> tuple[Expr, Expr]:
    """Return the splits of the rows at indices, and the places of their elements."""
    one = constant(1, int64)
    starts = core.take(splits, indices, axis=0, mode="raise")
    counts = subtract(core.take(splits, add(indices, one), axis=0, mode="raise"), starts)
    new = core.concatenate([Constant(np.zeros(1, np.int64)), core.cumsum(counts, axis=0)], 0)
    rows, places = _rows_and_places(new, core.sum(counts))
    return new, add(core.take(starts, rows, axis=0, mode="fast"), places)
