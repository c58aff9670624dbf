"""What a loop of the program carries from round to round: places, and their parts."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from relay.frontend.python.aliases import Alias
from relay.frontend.python.arrays import (
    Traced,
    TracedSize,
    is_array_of_numpy,
    is_list,
    is_mapping,
    is_object,
    is_plain,
    is_sequence,
)
from relay.frontend.python.fields import field_names, fields_of
from relay.frontend.python.state import Place, same
from relay.ir.comparison import join as join_types
from relay.ir.dims import ANY, AnyDim
from relay.ir.expr import Constant, Expr
from relay.ir.types import TensorType, Type
from relay.numpy.creation import zeros


class Carried:
    """A place that goes from round to round, with its parts that are values of the program."""

    def __init__(self, place: Place, start: Any, *, late: bool = False, deep: bool = False) -> None:
        self.place, self.start = place, start
        # Given by the first round, which surely comes: `start` is like what it gives.
        self.late = late
        self.deep = deep  # whether objects of data classes are carried field by field
        self.count = len(self.parts(start))
        self.length = len(start) if is_sequence(start) else 0  # of a list
        self.types: list[Type | None] = [None] * self.count
        self.owner: str | None = None
        self.divided = False  # whether a list is one with another in some rounds only
        self.aliases: list[Alias | None] = []  # of its arrays, where memory is followed

    def parts(self, value: Any) -> list[Any]:
        """Return the parts of what the place may hold."""
        return parts_of(value, deep=self.deep)

    def filled(self, parts: Iterable[Any]) -> Any:
        """Return what the place holds, with other parts."""
        return refilled(self.start, iter(parts), deep=self.deep)

    def is_like(self, value: Any) -> bool:
        """Whether a value has parts like those at the start."""
        return alike(self.start, value, deep=self.deep)


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


def parts_of(value: Any, *, deep: bool = False) -> list[Any]:
    """Return the parts of a value that are carried; recursion follows its nesting.

    With `deep`, objects of data classes have their fields as parts.
    """
    inner = _inner(value, deep=deep)
    if inner is not None:
        return [part for each in inner for part in parts_of(each, deep=deep)]
    return [value] if is_part(value) else []


def _inner(value: Any, *, deep: bool) -> Iterable[Any] | None:
    """Return what is in a container, or an object; None for others."""
    if is_sequence(value):
        return value
    if is_mapping(value):
        return value.values()
    return fields_of(value) if deep and is_object(value) else None


def refilled(value: Any, parts: Iterator[Any], *, deep: bool) -> Any:
    """Return a value with other parts, in the order of `parts_of`."""
    inner = _inner(value, deep=deep)
    if inner is None:
        return next(parts) if is_part(value) else value
    made = [refilled(each, parts, deep=deep) for each in inner]
    if is_sequence(value):
        return made if is_list(value) else tuple(made)
    if is_mapping(value):
        return dict(zip(value, made, strict=True))
    return value.__class__(**dict(zip(field_names(value.__class__), made, strict=True)))


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


def alike(a: Any, b: Any, *, deep: bool) -> bool:
    """Whether two values are built alike: recursion follows their nesting."""
    inner, other = _inner(a, deep=deep), _inner(b, deep=deep)
    if inner is None or other is None:
        return is_part(a) == is_part(b) and (is_part(a) or same(a, b))
    if is_mapping(a) and not (is_mapping(b) and list(a) == list(b)):
        return False
    one, more = list(inner), list(other)
    pairs = zip(one, more, strict=False)
    return (
        type(a) is type(b)
        and len(one) == len(more)
        and all(alike(*each, deep=deep) for each in pairs)
    )


def kept_type(name: str, found: Type, wanted: Type) -> str:
    """Return what to do about a variable that changes its type."""
    if isinstance(wanted, TensorType) and (common := join_types(found, wanted)) is not None:
        assert isinstance(common, TensorType), "tensors are joined to tensors"
        sizes = [str(dim) if isinstance(dim, int) else f'"{dim}"' for dim in common.shape]
        written = f"Tensor[{', '.join([*sizes, str(common.dtype)])}]"
        return f"a size that changes is declared where {name} starts: {name}: {written} = …"
    return "a loop keeps its variables' types: start with a value of the final type and shape"
