"""Translate TensorFlow Lite gathers, scatters, selections and sorts."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.run_time_slices import first_of
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.frontend.tflite.translate.convolution import dequantised
from relay.ir.expr import Call, Constant, Expr, TupleGetItem
from relay.ops.binary import Minimum
from relay.ops.broadcasting import BroadcastTo
from relay.ops.cast import Cast
from relay.ops.comparison import equal
from relay.ops.creation import Full
from relay.ops.selection import Where
from relay.ops.tensor.gather import Take
from relay.ops.tensor.scatter import ScatterND
from relay.ops.tensor.search_and_unique import SearchSorted, Unique
from relay.ops.tensor.sort import TopK
from relay.ops.tensor.transpose import Transpose
from relay.ops.tensor.triangles_masks_diagonals import MatrixSetDiag
from relay.support.dtype import float32, int32, int64, uint8
from relay.support.error_codes import ErrorCode


@lite_operator("GATHER")
def gather(node: LiteNode) -> Expr:
    """Translate `GATHER`: slices at indices of an axis."""
    op = Take(axis=node.option("Axis"), batch_dims=node.option("BatchDims"), mode="raise")
    return Call(op, (node.expr(0), node.expr(1)), span=node.span)


@lite_operator("EMBEDDING_LOOKUP")
def embedding_lookup(node: LiteNode) -> Expr:
    """Translate `EMBEDDING_LOOKUP`: rows of a table; those of quantised tables may be floats."""
    is_mixed = node.tensor(1).is_quantized and not node.result.is_quantized
    table = dequantised(node, 1) if is_mixed else node.expr(1)
    return Call(Take(axis=0, mode="raise"), (table, node.expr(0)), span=node.span)


@lite_operator("HASHTABLE_LOOKUP")
def hashtable_lookup(node: LiteNode) -> list[Expr]:
    """Translate `HASHTABLE_LOOKUP`: rows of ascending keys, or zeros, and which keys exist."""
    wanted, keys, rows = node.exprs()
    count = node.type(1).static_shape[0]
    place = Call(SearchSorted(), (keys, wanted))
    inside = Call(Minimum(), (place, constant(count - 1, int32)))
    is_there = equal(Call(Take(axis=0), (keys, inside)), wanted)
    found = Call(Take(axis=0), (rows, inside), span=node.span)
    mask = reshape(is_there, (node.type(0).shape[0], *(1,) * (node.type(2).rank - 1)))
    zero = constant(0, node.type(2).dtype)
    return [Call(Where(), (mask, found, zero)), Call(Cast(uint8), (is_there,))]


@lite_operator("UNIQUE")
def unique(node: LiteNode) -> list[Expr]:
    """Translate `UNIQUE`: distinct elements, and the index of each input element in them."""
    node.ignore("IdxOutType")  # the result tensor has this type
    of = node.results[1].dtype
    assert of is not None, "indices are integers"
    found = Call(Unique(sorted=False), (node.expr(0),), span=node.span)
    number = reshape(Call(Cast(int64), (TupleGetItem(found, 3),)), (1,))
    return [first_of(TupleGetItem(found, 0), number), Call(Cast(of), (TupleGetItem(found, 2),))]


@lite_operator("TOPK_V2")
def topk(node: LiteNode) -> Sequence[Expr]:
    """Translate `TOPK_V2`: the largest elements along the last axis, and their indices."""
    count = node.integer(1, "the number of elements k")
    if count < 1:
        raise node.error(
            ErrorCode.F030, f"the number of elements k must be at least 1, but is {count}"
        )
    found = Call(TopK(count), (node.expr(0),), span=node.span)
    return [TupleGetItem(found, 0), TupleGetItem(found, 1)]


@lite_operator("BUCKETIZE")
def bucketize(node: LiteNode) -> Expr:
    """Translate `BUCKETIZE`: the index of the bucket that each element falls into."""
    found = Constant(np.asarray(node.numbers("Boundaries"), np.float32))
    return Call(
        SearchSorted(right=True), (found, Call(Cast(float32), (node.expr(0),))), span=node.span
    )


@lite_operator("MATRIX_SET_DIAG")
def matrix_set_diag(node: LiteNode) -> Expr:
    """Translate `MATRIX_SET_DIAG`: replace the diagonals of matrices."""
    return Call(MatrixSetDiag(), (node.expr(0), node.expr(1)), span=node.span)


@lite_operator("SPARSE_TO_DENSE")
def sparse_to_dense(node: LiteNode) -> Expr:
    """Translate `SPARSE_TO_DENSE`: values at indices, a default elsewhere."""
    node.ignore("ValidateIndices")
    shape, indices = node.ints(1, "the shape"), node.expr(0)
    count = indices.tensor_type.shape[0] if indices.tensor_type.rank else 1
    places = Call(Transpose((1, 0)), (reshape(indices, (count, len(shape))),))
    values = node.expr(2)
    if values.tensor_type.rank == 0:
        values = Call(BroadcastTo((count,)), (values,))
    elsewhere = Call(Full(shape), (reshape(node.expr(3), ()),))
    return Call(ScatterND(), (elsewhere, places, values), span=node.span)
