"""Translate TensorLists as tensors whose first axis is that of the elements."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.counted_loops import at
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.non_tensor_values import (
    EmptyList,
    Value,
    filled,
    like_list,
    new_list,
    number_of,
)
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.dims import Dim, is_static
from relay.ir.expr import Call, Constant, Expr, If, Tuple
from relay.ir.trap import failure
from relay.ir.types import TensorType
from relay.ops.cast import Cast
from relay.ops.comparison import equal, less
from relay.ops.creation import Zeros
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.gather import Take
from relay.ops.tensor.one_hot_and_shape_of import ShapeOf
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.scatter import ScatterND
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import int32, int64
from relay.support.error_codes import ErrorCode


def _item_shape(node: TfNode, index: int) -> tuple[Dim, ...] | None:
    """Return the element shape that input `index` declares; None if a size is unknown."""
    found = node.sizes(index) if node.type(index).rank else None
    return None if found is None or -1 in found else found


def items(node: TfNode, index: int, item: TensorType | None = None) -> Expr:
    """Return a list as a tensor; raises `F032` for an empty list of unknown element type.

    `item` is that type, if known.
    """
    found = node.value(index)
    if isinstance(found, Expr):
        return found
    if isinstance(found, EmptyList) and item is not None:
        return filled(found, item)
    raise node.error(
        ErrorCode.F032,
        "the shape of a list's elements must be known before an element is written",
        "set element_shape of the TensorArray, and specify the input shapes: shapes={…}",
    )


def _as_declared(node: TfNode, index: int, shape: int) -> Expr:
    """Return a list as a tensor; if it is empty, input `shape` has the element shape."""
    declared = _item_shape(node, shape)
    found = node.value(index)
    if isinstance(found, EmptyList) and declared is not None:
        return items(node, index, TensorType(declared, found.dtype))
    return items(node, index)


@tf_operator("TensorListReserve")
def reserve(node: TfNode) -> Value:
    """Translate `TensorListReserve`: a list with a number of elements."""
    shape = _item_shape(node, 0)
    return new_list(EmptyList(node.dtype("element_dtype"), shape, number_of(node.expr(1))))


@tf_operator("EmptyTensorList")
def empty(node: TfNode) -> Value:
    """Translate `EmptyTensorList`."""
    shape = _item_shape(node, 0)
    return new_list(EmptyList(node.dtype("element_dtype"), shape, constant(0, int64)))


@tf_operator("TensorListFromTensor")
def from_tensor(node: TfNode) -> Expr:
    """Translate `TensorListFromTensor`: the elements are slices along the first axis."""
    return node.expr(0)


@tf_operator("TensorListStack")
def stack(node: TfNode) -> Expr:
    """Translate `TensorListStack`: elements stacked along a new first axis."""
    node.ignore("num_elements")
    return _as_declared(node, 0, 1)


@tf_operator("TensorListConcatV2")
def concatenate(node: TfNode) -> Sequence[Expr]:
    """Translate `TensorListConcatV2`: elements joined along their first axis, and lengths."""
    return joined(node, items(node, 0))


def joined(node: TfNode, whole: Expr) -> Sequence[Expr]:
    """Return the elements of a list joined along their first axis, and the length of each."""
    count, size, *rest = whole.tensor_type.shape
    if not isinstance(count, int) or not isinstance(size, int):
        raise node.error(
            ErrorCode.F032,
            "the sizes of the list and of its elements must be known at compile time, but are "
            f"{count} and {size}",
        )
    lengths = Constant(np.full(count, size, np.int64))
    return [reshape(whole, (count * size, *rest)), lengths]


@tf_operator("TensorListGetItem")
def get_item(node: TfNode) -> Expr:
    """Translate `TensorListGetItem`."""
    return at(_as_declared(node, 0, 2), node.expr(1))


@tf_operator("TensorListSetItem")
def set_item(node: TfNode) -> Expr:
    """Translate `TensorListSetItem`; an attribute allows the list to grow."""
    grows = node.flag("resize_if_index_out_of_bounds")
    return written(node, items(node, 0, node.type(2)), node.expr(1), node.expr(2), grows=grows)


def written(node: TfNode, whole: Expr, index: Expr, item: Expr, *, grows: bool) -> Expr:
    """Return a list with an element replaced.

    If it `grows`, the index may also be that after the last element.
    """
    place = number_of(index)
    inside = Call(ScatterND(), (whole, reshape(place, (1,)), item), span=node.span)
    if not grows:
        return inside
    more = appended(whole, item)
    behind = failure(
        more.type, f"{node.span.source.name}: an element is written beyond the end of a list"
    )
    length = length_of(whole)
    beyond = If(equal(place, length), more, behind, span=node.span)
    return If(less(place, length), inside, beyond, span=node.span)


def appended(whole: Expr, item: Expr) -> Expr:
    """Return a list with `item` appended."""
    return Call(Concatenate(0), (Tuple((whole, Call(ExpandDims(0), (item,)))),))


def length_of(whole: Expr) -> Expr:
    """Return the number of elements of a list, as int64."""
    size = whole.tensor_type.shape[0]
    if isinstance(size, int):
        return constant(size, int64)
    return at(Call(ShapeOf(int64), (whole,)), constant(0, int64))


def length_in(value: Value) -> Expr:
    """Return the number of elements of a list, which may be empty, as int32."""
    length = value.count if isinstance(value, EmptyList) else length_of(_tensor(value))
    return Call(Cast(int32), (length,))


def _tensor(value: Value) -> Expr:
    assert isinstance(value, Expr), "lists are tensors"
    return value


@tf_operator("TensorListLength")
def length(node: TfNode) -> Expr:
    """Translate `TensorListLength`."""
    return length_in(node.value(0))


@tf_operator("TensorListPushBack")
def push_back(node: TfNode) -> Expr:
    """Translate `TensorListPushBack`."""
    return appended(items(node, 0, node.type(1)), node.expr(1))


@tf_operator("TensorListPopBack")
def pop_back(node: TfNode) -> Sequence[Expr]:
    """Translate `TensorListPopBack`: the list without its last element, and that element."""
    whole = items(node, 0)
    last = Call(Take(axis=0, mode="raise"), (whole, constant(-1, int64)), span=node.span)
    return [Call(StridedSlice((0,), (-1,), axes=(0,)), (whole,)), last]


@tf_operator("TensorListGather")
def gather(node: TfNode) -> Expr:
    """Translate `TensorListGather`: stack the elements at some indices."""
    return Call(Take(axis=0, mode="raise"), (items(node, 0), node.expr(1)), span=node.span)


@tf_operator("TensorListScatterIntoExistingList")
def scatter_into(node: TfNode) -> Expr:
    """Translate `TensorListScatterIntoExistingList`: replace elements by rows of a tensor."""
    return scattered(node, node.value(0), node.expr(1), node.expr(2))


def scattered(node: TfNode, whole: Value, rows: Expr, places: Expr) -> Expr:
    """Return a list with elements at `places` replaced by the rows of a tensor."""
    into = _tensor(like_list(whole, rows))
    tuples = reshape(places, (1, *places.tensor_type.shape))
    return Call(ScatterND(), (into, tuples, rows), span=node.span)


@tf_operator("TensorListScatter", "TensorListScatterV2")
def scatter(node: TfNode) -> Expr:
    """Translate `TensorListScatterV2`: rows of a tensor at indices of a new list.

    A length of -1 is the largest index, plus one.
    """
    rows, places = node.expr(0), node.expr(1)
    count = node.integer(3, "the number of elements") if len(node.inputs) > 3 else -1
    if count < 0:
        found = node.ints(1, "the indices")
        count = max(found, default=-1) + 1
    shape = rows.tensor_type.shape
    whole = Call(Zeros((count, *shape[1:]), rows.tensor_type.dtype), ())
    return scattered(node, whole, rows, places)


@tf_operator("TensorListElementShape")
def element_shape(node: TfNode) -> Expr:
    """Translate `TensorListElementShape`: the shape of the elements of a list, as a vector."""
    whole = items(node, 0)
    of = node.dtype("shape_type")
    sizes = whole.tensor_type.shape[1:]
    if is_static(sizes):
        return Constant(np.array(sizes, of.numpy))
    return Call(StridedSlice((1,), (len(sizes) + 1,), axes=(0,)), (Call(ShapeOf(of), (whole,)),))


@tf_operator("TensorListResize")
def resize(node: TfNode) -> Expr:
    """Translate `TensorListResize`: drop the last elements, or append zeros."""
    whole, count = items(node, 0), node.integer(1, "the number of elements")
    size = whole.tensor_type.shape[0]
    if not isinstance(size, int):
        what = f"the number of elements must be known at compile time, but is {size}"
        raise node.error(ErrorCode.F032, what)
    if count <= size:
        return Call(StridedSlice((0,), (count,), axes=(0,)), (whole,))
    rest = (count - size, *whole.tensor_type.shape[1:])
    zeros = Call(Zeros(rest, whole.tensor_type.dtype), ())
    return Call(Concatenate(0), (Tuple((whole, zeros)),), span=node.span)


@tf_operator("TensorListConcatLists")
def concatenate_lists(node: TfNode) -> Expr:
    """Translate `TensorListConcatLists`: the elements of two lists."""
    pair = (items(node, 0), items(node, 1))
    return Call(Concatenate(0), (Tuple(pair),), span=node.span)
