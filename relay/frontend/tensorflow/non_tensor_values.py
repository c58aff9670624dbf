"""Values of TensorFlow nodes that are not tensors: handles, and lists without elements."""

from dataclasses import dataclass
from typing import TypeAlias

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.ir.dims import ANY, Dim
from relay.ir.expr import Call, Constant, Expr
from relay.ir.types import TensorType
from relay.ops.cast import Cast
from relay.ops.creation import Zeros
from relay.ops.shape_arithmetic import size_in
from relay.ops.tensor.arange import Arange
from relay.ops.tensor.gather import Take
from relay.support.dtype import DType, int64


@dataclass(frozen=True)
class VariableHandle:
    """A reference to a variable, which the model never changes."""

    name: str


@dataclass(frozen=True)
class TableHandle:
    """A reference to a lookup table, which the model fills once."""

    name: str


@dataclass(frozen=True, eq=False)
class EmptyList:
    """A list of tensors before its first element is written.

    A list with elements is a tensor whose first axis is that of the elements. `item` is the shape
    of an element, None if a size is unknown; `count`, a scalar int64, is the number of elements.
    """

    dtype: DType
    item: tuple[Dim, ...] | None
    count: Expr


@dataclass(frozen=True, eq=False)
class ArrayHandle:
    """A reference to a TensorArray of TensorFlow 1.

    TensorFlow passes a reference and a scalar, the *flow*, to each operator on an array; the
    importer passes the tensor of all elements in place of the flow. With `grows`, the array accepts
    an element after the last one.
    """

    grows: bool


Value: TypeAlias = Expr | VariableHandle | TableHandle | EmptyList | ArrayHandle


def described(value: Value) -> str:
    """Return the description of a value's kind, for messages."""
    match value:
        case VariableHandle(name):
            return f"a reference to the variable '{name}'"
        case TableHandle(name):
            return f"a reference to the lookup table '{name}'"
        case EmptyList():
            return "a list of tensors"
        case ArrayHandle():
            return "a TensorArray"
        case _:
            return f"a tensor of type {value.type!r}"


def list_type(empty: EmptyList, item: TensorType) -> TensorType:
    """Return the tensor type of a list with elements of type `item`."""
    return TensorType((size_in(empty.count), *item.shape), item.dtype)


def filled(empty: EmptyList, item: TensorType) -> Expr:
    """Return a list as a tensor of zeros; raises `TypeError` if element sizes are unknown."""
    if ANY in item.shape:
        raise TypeError(f"a list of elements of type {item!r}")
    count = size_in(empty.count)
    if count is not ANY:
        return Call(Zeros((count, *item.shape), item.dtype), ())
    one = Call(Zeros((1, *item.shape), item.dtype), ())
    places = Call(Arange(), (constant(0, int64), empty.count, constant(1, int64)))
    return Call(Take(axis=0, mode="clip"), (one, places))


def like_list(value: Value, other: Expr) -> Value:
    """Return an empty list as a tensor whose elements have the shape and type of those of `other`.

    A value that is not an empty list is returned unchanged.
    """
    ty = other.tensor_type
    is_empty = isinstance(value, EmptyList)
    return filled(value, TensorType(ty.shape[1:], ty.dtype)) if is_empty else value


def new_list(empty: EmptyList) -> Value:
    """Return an empty list, as a tensor of zeros if the type of its elements is known."""
    return empty if empty.item is None else filled(empty, TensorType(empty.item, empty.dtype))


def number_of(x: Expr) -> Expr:
    """Return a one-element integer tensor as an int64 scalar."""
    flat = reshape(x, ()) if x.tensor_type.rank else x
    if isinstance(flat, Constant):
        return constant(int(flat.array), int64)
    return flat if flat.tensor_type.dtype is int64 else Call(Cast(int64), (flat,))
