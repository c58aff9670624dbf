"""Translate TensorArrays of TensorFlow 1; the value of their *flow* output is the elements."""

from collections.abc import Sequence

from relay.frontend.builders.counted_loops import at
from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.non_tensor_values import (
    ArrayHandle,
    EmptyList,
    Value,
    new_list,
    number_of,
)
from relay.frontend.tensorflow.registry import tf_operator
from relay.frontend.tensorflow.translate.tensor_lists import (
    items,
    joined,
    length_in,
    scattered,
    written,
)
from relay.ir.expr import Call, Expr
from relay.ops.tensor.gather import Take
from relay.support.error_codes import ErrorCode


def _versions(name: str) -> list[str]:
    """Return the names of an operator on TensorArrays in its three versions."""
    return [f"TensorArray{name}{version}" for version in ("", "V2", "V3")]


@tf_operator(*_versions(""))
def tensor_array(node: TfNode) -> Sequence[Value]:
    """Translate the creation of a TensorArray: return a handle, and the elements."""
    shape = node.attribute("element_shape") if "element_shape" in node else None
    shape = None if shape is None or -1 in shape else shape
    grows = node.flag("dynamic_size")
    content = EmptyList(node.dtype("dtype"), shape, number_of(node.expr(0)))
    return [ArrayHandle(grows), new_list(content)]


@tf_operator(*_versions("Write"))
def write(node: TfNode) -> Expr:
    """Translate the write of one element."""
    handle, item = node.value(0), node.expr(2)
    if not isinstance(handle, ArrayHandle):
        raise node.error(ErrorCode.F021, "the first input is not a TensorArray of the model")
    whole = items(node, 3, item.tensor_type)
    return written(node, whole, node.expr(1), item, grows=handle.grows)


@tf_operator(*_versions("Read"))
def read(node: TfNode) -> Expr:
    """Translate the read of one element."""
    return at(items(node, 2), node.expr(1))


@tf_operator(*_versions("Gather"))
def gather(node: TfNode) -> Expr:
    """Translate the gather of elements, stacked along a new first axis."""
    node.ignore("element_shape")
    return Call(Take(axis=0, mode="raise"), (items(node, 2), node.expr(1)), span=node.span)


@tf_operator(*_versions("Scatter"))
def scatter(node: TfNode) -> Expr:
    """Translate the scatter of a tensor's rows to elements."""
    return scattered(node, node.value(3), node.expr(2), node.expr(1))


@tf_operator("TensorArrayPack")
def pack(node: TfNode) -> Expr:
    """Translate `TensorArrayPack`: all elements, stacked along a new first axis."""
    node.ignore("element_shape")
    return items(node, 1)


@tf_operator("TensorArrayUnpack")
def unpack(node: TfNode) -> Expr:
    """Translate `TensorArrayUnpack`: the elements are the rows of a tensor."""
    return node.expr(1)


@tf_operator(*_versions("Split"))
def split(node: TfNode) -> Expr:
    """Translate the split of a tensor along its first axis; the elements are the parts."""
    lengths = node.ints(2, "the lengths of the elements")
    if len(set(lengths)) != 1:
        raise node.error(
            ErrorCode.F030,
            f"all elements must have the same length, but the lengths are {lengths}",
            "pad the parts to the same length before the split",
        )
    rest = node.type(1).shape[1:]
    return reshape(node.expr(1), (len(lengths), lengths[0], *rest))


@tf_operator(*_versions("Close"))
def close(_node: TfNode) -> Sequence[Expr]:
    """Translate the end of a TensorArray, which has no result."""
    return []


@tf_operator(*_versions("Concat"))
def concatenate(node: TfNode) -> Sequence[Expr]:
    """Translate the concatenation of elements; also return the length of each."""
    node.ignore("element_shape_except0")
    return joined(node, items(node, 1))


@tf_operator(*_versions("Size"))
def size(node: TfNode) -> Expr:
    """Translate the number of elements."""
    return length_in(node.value(1))
