"""Translate TensorFlow gathers, scatters, selections, sorts and counts."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.counted_loops import size_of
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.builders.tensorflow_operators import tuples_first
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.frontend.tensorflow.translate.constants_and_variables import weight
from relay.ir.expr import Call, Constant, Expr, Tuple, TupleGetItem
from relay.ops.binary import add, divide, multiply, opposite, subtract
from relay.ops.cast import Cast
from relay.ops.creation import Zeros
from relay.ops.functions import core
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.dynamic_shapes import DynamicTopK, DynamicZeros
from relay.ops.tensor.gather import GatherND, Take
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.scatter import ScatterND
from relay.ops.tensor.search_and_unique import SearchSorted
from relay.ops.tensor.sort import TopK
from relay.support.dtype import float32, int32, int64
from relay.support.error_codes import ErrorCode

_SCATTERS = {
    "ScatterNdNonAliasingAdd": "add",
    "TensorScatterAdd": "add",
    "TensorScatterMax": "max",
    "TensorScatterMin": "min",
    "TensorScatterSub": "add",
    "TensorScatterUpdate": "update",
}


@tf_operator("Gather")
def gather(node: TfNode) -> Expr:
    """Translate `Gather`: slices at indices of the first axis."""
    return Call(Take(axis=0, mode="raise"), (node.expr(0), node.expr(1)), span=node.span)


@tf_operator("GatherV2")
def gather_v2(node: TfNode) -> Expr:
    """Translate `GatherV2`: slices at indices of an axis."""
    batch, axis = node.integer_of("batch_dims", 0), node.integer(2, "the axis")
    op = Take(axis=axis, batch_dims=batch, mode="raise")
    return Call(op, (node.expr(0), node.expr(1)), span=node.span)


@tf_operator("ResourceGather")
def resource_gather(node: TfNode) -> Expr:
    """Translate `ResourceGather`: rows of a variable."""
    op = Take(axis=0, batch_dims=node.integer_of("batch_dims", 0), mode="raise")
    return Call(op, (weight(node, 0), node.expr(1)), span=node.span)


@tf_operator("ResourceGatherNd")
def resource_gather_nd(node: TfNode) -> Expr:
    """Translate `ResourceGatherNd`: read slices of a variable at index tuples."""
    return Call(GatherND(), (weight(node, 0), tuples_first(node.expr(1))), span=node.span)


@tf_operator(*_SCATTERS)
def tensor_scatter(node: TfNode) -> Expr:
    """Translate scatters that combine updates with a tensor at index tuples."""
    updates = opposite(node.expr(2)) if node.op == "TensorScatterSub" else node.expr(2)
    operands = (node.expr(0), tuples_first(node.expr(1)), updates)
    return Call(ScatterND(_SCATTERS[node.op]), operands, span=node.span)


@tf_operator("TopK", "TopKV2")
def topk(node: TfNode) -> Sequence[Expr]:
    """Translate `TopK`: the largest elements along the last axis, and their indices."""
    node.ignore("sorted")  # without it, any order is correct
    of = node.dtype("index_type") if "index_type" in node else int32
    known = (node.integer_of("k"),) if node.op == "TopK" else node.sizes(1)
    if known is None:
        found = Call(DynamicTopK(dtype=of), (node.expr(0), node.expr(1)), span=node.span)
    elif known[0] == 0:
        raise node.error(ErrorCode.F030, "the number of elements k must be at least 1, but is 0")
    else:
        found = Call(TopK(known[0], dtype=of), (node.expr(0),), span=node.span)
    return [TupleGetItem(found, 0), TupleGetItem(found, 1)]


@tf_operator("DynamicStitch", "ParallelDynamicStitch")
def dynamic_stitch(node: TfNode) -> Expr:
    """Translate `DynamicStitch`: place rows of several tensors at their indices.

    If rows have the same index, the last one counts.
    """
    count = len(node.inputs) // 2
    if not all(isinstance(each, Constant) for each in node.exprs()[:count]):
        return _stitched(node.exprs()[:count], node.exprs()[count:])
    places = [np.ravel(node.constant(index, "the list of indices")) for index in range(count)]
    rows = [
        reshape(x, (place.size, *x.tensor_type.shape[node.type(index).rank :]))
        for index, (x, place) in enumerate(zip(node.exprs()[count:], places, strict=True))
    ]
    order = np.concatenate(places)
    last = {int(place): source for source, place in enumerate(order)}
    if sorted(last) != [*range(len(last))]:
        missing = next(index for index in range(len(last) + 1) if index not in last)
        raise node.error(
            ErrorCode.F026,
            f"the indices lack {missing}: they must contain each number from 0 to the largest one",
        )
    sources = Constant(np.array([last[place] for place in range(len(last))]))
    joined = Call(Concatenate(0), (Tuple(tuple(rows)),))
    return Call(Take(axis=0, mode="fast"), (joined, sources), span=node.span)


def _stitched(places: Sequence[Expr], parts: Sequence[Expr]) -> Expr:
    """Return as many rows as the largest place requires; rows without a place are zeros."""
    flat = [core.cast(reshape(each, (-1,)), "int64") for each in places]
    rests = [
        x.tensor_type.shape[at.tensor_type.rank :] for at, x in zip(places, parts, strict=True)
    ]
    rows = [reshape(x, (-1, *rest)) for x, rest in zip(parts, rests, strict=True)]
    joined, order = (Call(Concatenate(0), (Tuple(tuple(each)),)) for each in (rows, flat))
    numbers = Call(Concatenate(0), (Tuple((Constant(np.array([-1])), order)),))
    count = add(core.max(numbers, axis=0, keepdims=True), constant(1, int64))
    sizes = [reshape(size_of(joined, axis), (1,)) for axis in range(1, len(rests[0]) + 1)]
    shape = Call(Concatenate(0), (Tuple((count, *sizes)),))
    first = Call(DynamicZeros(joined.tensor_type.dtype), (shape,))
    return Call(ScatterND(), (first, Call(ExpandDims(0), (order,)), joined))


@tf_operator("Empty")
def empty(node: TfNode) -> Expr:
    """Translate `Empty`: a tensor whose elements may be anything, here zeros."""
    of, shape = node.dtype("dtype"), node.sizes(0)
    node.ignore("init")
    if shape is None:
        return Call(DynamicZeros(of), (node.expr(0),), span=node.span)
    return Call(Zeros(shape, of), (), span=node.span)


@tf_operator("InplaceAdd", "InplaceSub", "InplaceUpdate")
def written_rows(node: TfNode) -> Expr:
    """Translate `InplaceUpdate` and alike: a tensor with other values in some rows."""
    x, rows, values = node.exprs()
    mode = "update" if node.op == "InplaceUpdate" else "add"
    values = opposite(values) if node.op == "InplaceSub" else values
    return Call(ScatterND(mode), (x, Call(ExpandDims(0), (rows,)), values), span=node.span)


@tf_operator("LinSpace")
def linspace(node: TfNode) -> Expr:
    """Translate `LinSpace`: evenly spaced numbers, including both ends."""
    start, stop, count = *node.exprs()[:2], node.integer(2, "the number of elements")
    of = node.type(0).dtype
    places = Constant(np.arange(count).astype(of.numpy))
    step = divide(subtract(stop, start), constant(max(count - 1, 1), of))
    return add(start, multiply(places, step))


@tf_operator("LowerBound", "UpperBound")
def search_sorted(node: TfNode) -> Expr:
    """Translate `LowerBound` and `UpperBound`: insertion positions into sorted rows."""
    op = SearchSorted(right=node.op == "UpperBound", dtype=node.dtype("out_type"))
    return Call(op, (node.expr(0), node.expr(1)), span=node.span)


@tf_operator("Bucketize")
def bucketize(node: TfNode) -> Expr:
    """Translate `Bucketize`: the index of the bucket that each element falls into."""
    found = Constant(np.asarray(node.attribute("boundaries"), np.float32))
    values = Call(Cast(float32), (node.expr(0),))
    return Call(SearchSorted(right=True), (found, values), span=node.span)
