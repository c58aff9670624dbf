"""Translate lists of tensors, which are tensors whose first axis numbers the elements."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.loops import at
from relay.frontend.builders.tensors import constant, reshape
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.frontend.tensorflow.values import (
    EmptyList,
    Value,
    filled,
    like_list,
    new_list,
    number_of,
)
from relay.ir.dims import Dim
from relay.ir.expr import Call, Constant, Expr, If, Tuple
from relay.ir.failure import failure
from relay.ir.types import TensorType
from relay.ops.cast import Cast
from relay.ops.comparison import equal, less
from relay.ops.tensor.encode import ShapeOf
from relay.ops.tensor.gather import Take
from relay.ops.tensor.join import Concatenate
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.scatter import ScatterND
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import int32, int64
from relay.support.error_codes import ErrorCode


def _item_shape(node: TfNode, index: int) -> tuple[Dim, ...] | None:
    """Return the declared shape of elements, an input; None if a size, or the rank, is open."""
    found = node.sizes(index) if node.type(index).rank else None
    return None if found is None or -1 in found else found


def items(node: TfNode, index: int, item: TensorType | None = None) -> Expr:
    """Return a list as a tensor; an empty one needs the type of its elements (`F032`)."""
    found = node.value(index)
    if isinstance(found, Expr):
        return found
    if isinstance(found, EmptyList) and item is not None:
        return filled(found, item)
    raise node.error(
        ErrorCode.F032,
        "the shape of a list's elements is not known before one is written",
        "give the TensorArray an element_shape, and the inputs shapes: shapes={…}",
    )


def _as_declared(node: TfNode, index: int, shape: int) -> Expr:
    """Return a list, whose elements have the shape in another input if none was written."""
    declared = _item_shape(node, shape)
    found = node.value(index)
    if isinstance(found, EmptyList) and declared is not None:
        return items(node, index, TensorType(declared, found.dtype))
    return items(node, index)


@tf_operator("TensorListReserve")
def reserve(node: TfNode) -> Value:
    """Return a list of a number of elements."""
    shape = _item_shape(node, 0)
    return new_list(EmptyList(node.dtype("element_dtype"), shape, number_of(node.expr(1))))


@tf_operator("EmptyTensorList")
def empty(node: TfNode) -> Value:
    """Return a list without elements."""
    shape = _item_shape(node, 0)
    return new_list(EmptyList(node.dtype("element_dtype"), shape, constant(0, int64)))


@tf_operator("TensorListFromTensor")
def from_tensor(node: TfNode) -> Expr:
    """Return the slices of a tensor along its first axis as a list."""
    return node.expr(0)


@tf_operator("TensorListStack")
def stack(node: TfNode) -> Expr:
    """Return the elements of a list, stacked along a new first axis."""
    node.ignore("num_elements")
    return _as_declared(node, 0, 1)


@tf_operator("TensorListConcatV2")
def concatenate(node: TfNode) -> Sequence[Expr]:
    """Return the elements of a list joined along their first axis, and how long each is."""
    return joined(node, items(node, 0))


def joined(node: TfNode, whole: Expr) -> Sequence[Expr]:
    """Return the elements of a list joined along their first axis, and how long each is."""
    count, size, *rest = whole.tensor_type.shape
    if not isinstance(count, int) or not isinstance(size, int):
        raise node.error(ErrorCode.F032, "the sizes of the list and its elements must be known")
    lengths = Constant(np.full(count, size, np.int64))
    return [reshape(whole, (count * size, *rest)), lengths]


@tf_operator("TensorListGetItem")
def get_item(node: TfNode) -> Expr:
    """Return one element."""
    return at(_as_declared(node, 0, 2), node.expr(1))


@tf_operator("TensorListSetItem")
def set_item(node: TfNode) -> Expr:
    """Replace one element; the list grows if an attribute says so."""
    grows = node.flag("resize_if_index_out_of_bounds")
    return written(node, items(node, 0, node.type(2)), node.expr(1), node.expr(2), grows=grows)


def written(node: TfNode, whole: Expr, index: Expr, item: Expr, *, grows: bool) -> Expr:
    """Return a list with an element replaced; one that grows may also get one more at its end."""
    place = number_of(index)
    inside = Call(ScatterND(), (whole, reshape(place, (1,)), item), span=node.span)
    if not grows:
        return inside
    more = appended(whole, item)
    behind = failure(more.type, f"{node.span.source.name}: an element far behind the last one")
    length = length_of(whole)
    beyond = If(equal(place, length), more, behind, span=node.span)
    return If(less(place, length), inside, beyond, span=node.span)


def appended(whole: Expr, item: Expr) -> Expr:
    """Return a list with one more element."""
    return Call(Concatenate(0), (Tuple((whole, Call(ExpandDims(0), (item,)))),))


def length_of(whole: Expr) -> Expr:
    """Return the number of a list's elements, int64."""
    size = whole.tensor_type.shape[0]
    if isinstance(size, int):
        return constant(size, int64)
    return at(Call(ShapeOf(int64), (whole,)), constant(0, int64))


def length_in(value: Value) -> Expr:
    """Return the number of elements of a list or an empty one, int32."""
    length = value.count if isinstance(value, EmptyList) else length_of(_tensor(value))
    return Call(Cast(int32), (length,))


def _tensor(value: Value) -> Expr:
    assert isinstance(value, Expr), "lists are tensors"
    return value


@tf_operator("TensorListLength")
def length(node: TfNode) -> Expr:
    """Return the number of elements."""
    return length_in(node.value(0))


@tf_operator("TensorListPushBack")
def push_back(node: TfNode) -> Expr:
    """Return a list with one more element."""
    return appended(items(node, 0, node.type(1)), node.expr(1))


@tf_operator("TensorListPopBack")
def pop_back(node: TfNode) -> Sequence[Expr]:
    """Return a list without its last element, and that element."""
    whole = items(node, 0)
    last = Call(Take(axis=0, mode="raise"), (whole, constant(-1, int64)), span=node.span)
    return [Call(StridedSlice((0,), (-1,), axes=(0,)), (whole,)), last]


@tf_operator("TensorListGather")
def gather(node: TfNode) -> Expr:
    """Return some elements, stacked."""
    return Call(Take(axis=0, mode="raise"), (items(node, 0), node.expr(1)), span=node.span)


@tf_operator("TensorListScatterIntoExistingList")
def scatter_into(node: TfNode) -> Expr:
    """Replace some elements."""
    return scattered(node, node.value(0), node.expr(1), node.expr(2))


def scattered(node: TfNode, whole: Value, rows: Expr, places: Expr) -> Expr:
    """Return a list with elements replaced by the rows of a tensor."""
    into = _tensor(like_list(whole, rows))
    tuples = reshape(places, (1, *places.tensor_type.shape))
    return Call(ScatterND(), (into, tuples, rows), span=node.span)


@tf_operator("TensorListConcatLists")
def concatenate_lists(node: TfNode) -> Expr:
    """Return the elements of two lists."""
    pair = (items(node, 0), items(node, 1))
    return Call(Concatenate(0), (Tuple(pair),), span=node.span)
