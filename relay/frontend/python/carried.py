"""What a loop of the program carries from round to round: places, and their parts."""

from typing import Any

import numpy as np

from relay.frontend.python.arrays import (
    Traced,
    TracedSize,
    is_array_of_numpy,
    is_mapping,
    is_object,
    is_plain,
    is_sequence,
)
from relay.frontend.python.state import Place, same
from relay.ir.comparison import join as join_types
from relay.ir.dims import ANY, AnyDim
from relay.ir.expr import Constant, Expr
from relay.ir.types import TensorType, Type
from relay.numpy.creation import zeros


class Carried:
    """A place that goes from round to round, with its parts that are values of the program."""

    def __init__(self, place: Place, start: Any, *, late: bool = False) -> None:
        self.place, self.start = place, start
        self.late = (
            late  # given by the first round, which surely comes: `start` is like what it gives
        )
        self.count = len(parts_of(start))
        self.types: list[Type | None] = [None] * self.count
        self.owner: str | None = None


def has_placeholder(ty: Type) -> bool:
    """Whether there can be something of a type that nobody ever sees."""
    return isinstance(ty, TensorType) and (
        ANY not in ty.shape or all(isinstance(each, int | AnyDim) for each in ty.shape)
    )


def placeholder(ty: Type) -> Expr:
    """Return something of a type that nobody ever sees."""
    assert isinstance(ty, TensorType), "just seen"
    none = Constant(np.asarray(0, np.int32))
    return zeros([none if isinstance(each, AnyDim) else each for each in ty.shape], ty.dtype)


def parts_of(value: Any) -> list[Any]:
    """Return the parts of a value that are carried; recursion follows its nesting."""
    if is_sequence(value):
        return [part for each in value for part in parts_of(each)]
    if is_mapping(value):
        return [part for each in value.values() for part in parts_of(each)]
    return [value] if is_part(value) else []


def is_part(value: Any) -> bool:
    """Whether a value is one that a program computes, or a number."""
    numbers = is_plain(value) or is_array_of_numpy(value)
    return numbers or is_object(value) or isinstance(value, Traced | TracedSize | Expr)


def is_carriable(value: Any) -> bool:
    """Whether a loop can carry a value: numbers, arrays and data, and containers of them."""
    if is_sequence(value):
        return all(map(is_carriable, value))
    if is_mapping(value):
        return all(map(is_carriable, value.values()))
    return is_part(value)


def alike(a: Any, b: Any) -> bool:
    """Whether two values are built alike: recursion follows their nesting."""
    if is_sequence(a):
        return type(a) is type(b) and len(a) == len(b) and all(map(alike, a, b))
    if is_mapping(a):
        return is_mapping(b) and list(a) == list(b) and all(alike(a[key], b[key]) for key in a)
    return is_part(a) == is_part(b) and (is_part(a) or same(a, b))


def kept_type(name: str, found: Type, wanted: Type) -> str:
    """Return what to do about a variable that changes its type."""
    if isinstance(wanted, TensorType) and (common := join_types(found, wanted)) is not None:
        assert isinstance(common, TensorType), "tensors are joined to tensors"
        sizes = [str(dim) if isinstance(dim, int) else f'"{dim}"' for dim in common.shape]
        written = f"Tensor[{', '.join([*sizes, str(common.dtype)])}]"
        return f"a size that changes is declared where {name} starts: {name}: {written} = …"
    return "a loop keeps its variables' types: start with a value of the final type and shape"
