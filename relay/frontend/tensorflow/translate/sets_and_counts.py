"""Translate TensorFlow operators that compare elements: sets, counts, ranks and partitions."""

from collections.abc import Sequence
from math import prod

import numpy as np

from relay.frontend.builders.run_time_slices import first_of
from relay.frontend.builders.segment_reductions import segments
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.dims import product
from relay.ir.expr import Call, Constant, Expr, TupleGetItem
from relay.numpy.sets import isin
from relay.ops.binary import multiply, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import equal, less
from relay.ops.functions import core
from relay.ops.max_min_reductions import Max
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.dynamic_shapes import DynamicOneHot
from relay.ops.tensor.one_hot_and_shape_of import OneHot
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.search_and_unique import Unique
from relay.support.dtype import DType, float64, int32, int64
from relay.support.error_codes import ErrorCode


@tf_operator("Unique", "UniqueWithCounts")
def unique(node: TfNode) -> Sequence[Expr]:
    """Translate `Unique`: distinct elements, the index of each input element, and counts."""
    return _unique(node, node.op == "UniqueWithCounts")


@tf_operator("UniqueV2", "UniqueWithCountsV2")
def unique_along_axis(node: TfNode) -> Sequence[Expr]:
    """Translate `UniqueV2` of vectors; raises `F030` for rows of tensors of a higher rank."""
    if node.type(0).rank != 1:
        problem = f"only vectors are supported, not tensors of rank {node.type(0).rank}"
        raise node.error(ErrorCode.F030, problem)
    return _unique(node, node.op == "UniqueWithCountsV2")


def _unique(node: TfNode, counts: bool) -> list[Expr]:
    of = _index_type(node)
    op = Unique(sorted=False, return_counts=counts)
    found = Call(op, (node.expr(0),), span=node.span)
    number = reshape(Call(Cast(int64), (TupleGetItem(found, 3),)), (1,))
    distinct = first_of(TupleGetItem(found, 0), number)
    places: Expr = Call(Cast(of), (TupleGetItem(found, 2),))
    if not counts:
        return [distinct, places]
    return [distinct, places, Call(Cast(of), (first_of(TupleGetItem(found, 4), number),))]


def _index_type(node: TfNode) -> DType:
    return node.dtype("out_idx") if "out_idx" in node else int32


@tf_operator("ListDiff")
def list_difference(node: TfNode) -> Sequence[Expr]:
    """Translate `ListDiff`: the elements of a vector that another one lacks, and their places."""
    x, y = node.exprs()
    if isinstance(x, Constant) and isinstance(y, Constant):
        found = np.flatnonzero(~np.isin(x.array, y.array))
        return [Constant(x.array[found]), Constant(found.astype(_index_type(node).numpy))]
    places = reshape(core.argwhere(isin(x, y, invert=True)), (-1,))
    return [core.take(x, places, axis=0, mode="fast"), core.cast(places, str(_index_type(node)))]


@tf_operator("DenseBincount")
def dense_bincount(node: TfNode) -> Expr:
    """Translate `DenseBincount`: count numbers, or sum their weights, per vector or row."""
    numbers, _, weights = node.exprs()
    of, axis = weights.tensor_type.dtype, node.type(0).rank - 1
    one, zero = constant(1, of), constant(0, of)
    if node.sizes(1) is None:
        size = reshape(node.expr(1), ())
        marks: Expr = Call(DynamicOneHot(), (numbers, one, zero, size), span=node.span)
    else:
        marks = Call(
            OneHot(node.integer(1, "the number of bins")), (numbers, one, zero), span=node.span
        )
    if node.flag("binary_output"):
        return Call(Max(axis=(axis,)), (marks,))
    if weights.tensor_type.shape != (0,):
        marks = multiply(marks, Call(ExpandDims(-1), (weights,)))
    return Call(Sum(axis=(axis,)), (marks,))


@tf_operator("Bincount")
def bincount(node: TfNode) -> Expr:
    """Translate `Bincount`: count numbers, or sum their weights; too large ones are ignored."""
    numbers, _, weights = node.exprs()
    count, of = node.integer(1, "the number of bins"), weights.tensor_type.dtype
    flat = reshape(numbers, (product(numbers.tensor_type.shape),))
    if weights.tensor_type.shape == (0,):
        weights = core.full_like(core.cast(numbers, str(of)), constant(1, of))
    weights = reshape(weights, flat.tensor_type.shape)
    return segments(weights, _inside(flat, count), count, "add")


def _inside(numbers: Expr, count: int) -> Expr:
    """Return numbers, with -1 in place of those that are too large."""
    of = numbers.tensor_type.dtype
    return where(less(numbers, constant(count, of)), numbers, constant(-1, of))


@tf_operator("HistogramFixedWidth")
def histogram(node: TfNode) -> Expr:
    """Translate `HistogramFixedWidth`: count elements in equal bins; outer bins take the rest."""
    values, (low, high) = node.expr(0), node.constant(1, "value_range").astype("float64")
    count, of = node.integer(2, "the number of bins"), node.dtype("dtype")
    flat = core.cast(reshape(values, (product(values.tensor_type.shape),)), "float64")
    from_low = subtract(core.maximum(flat, constant(low, float64)), constant(low, float64))
    steps = core.divide(from_low, constant((high - low) / count, float64))
    last = constant(count - 1, float64)
    places = core.cast(core.minimum(steps, last), "int64")
    ones = core.full_like(core.cast(flat, str(of)), constant(1, of))
    return segments(ones, places, count, "add")


@tf_operator("InTopK", "InTopKV2")
def in_top_k(node: TfNode) -> Expr:
    """Translate `InTopK`: whether fewer than k predictions exceed that of the wanted class."""
    x, wanted = node.expr(0), node.expr(1)
    k = node.integer_of("k") if node.op == "InTopK" else node.integer(2, "the number k")
    column = core.cast(core.expand_dims(wanted, 1), "int64")
    own = core.gather(x, 1, core.maximum(column, constant(0, int64)))
    better = core.sum(core.cast(core.greater(x, own), "int64"), axis=1)
    valid = core.all(core.isfinite(x), axis=1)
    return core.logical_and(valid, less(better, constant(k, int64)))


@tf_operator("NthElement")
def nth_element(node: TfNode) -> Expr:
    """Translate `NthElement`: the element of each row at a place in ascending order."""
    rank = node.type(0).rank
    ordered = core.sort(node.expr(0), axis=rank - 1, is_ascend=not node.flag("reverse"))
    return core.take(ordered, reshape(node.expr(1), ()), axis=rank - 1, mode="raise")


@tf_operator("UnravelIndex")
def unravel_index(node: TfNode) -> Expr:
    """Translate `UnravelIndex`: convert flat positions to index tuples, along the first axis."""
    places, of = node.expr(0), node.type(0).dtype
    sizes = node.ints(1, "the shape")
    columns: list[Expr] = []
    for axis, size in enumerate(sizes):
        step = constant(prod(sizes[axis + 1 :]), of)
        columns.append(core.floor_mod(core.floor_divide(places, step), constant(size, of)))
    return core.stack(columns, 0)


@tf_operator("DynamicPartition")
def dynamic_partition(node: TfNode) -> Sequence[Expr]:
    """Translate `DynamicPartition`: the slices of each group, by their group numbers."""
    x, groups = node.exprs()
    rank, of = groups.tensor_type.rank, groups.tensor_type.dtype
    return [
        core.gather_nd(x, core.transpose(core.argwhere(equal(groups, constant(index, of)))),
                       index_rank=rank)
        for index in range(node.integer_of("num_partitions"))
    ]  # fmt: skip
