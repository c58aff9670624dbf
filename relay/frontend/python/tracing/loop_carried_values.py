"""Values that a loop of the program carries from one iteration to the next."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from relay.frontend.python.tracing.aliases import Alias
from relay.frontend.python.tracing.mutable_state import Place, same
from relay.frontend.python.values.containers import is_fixed, opened_up
from relay.frontend.python.values.data_class_fields import is_declared
from relay.frontend.python.values.traced_values import (
    Traced,
    TracedSize,
    inner,
    is_array_of_numpy,
    is_object,
    is_part_by_part,
    is_plain,
    is_sequence,
)
from relay.ir.dims import ANY, AnyDim
from relay.ir.expr import Constant, Expr
from relay.ir.type_comparison import join as join_types
from relay.ir.types import TensorType, Type
from relay.numpy.creation import zeros

Splits = Callable[[object], bool]


def no_object(_value: object) -> bool:
    """Return False; as the predicate `splits`, it makes loops carry every object as one value."""
    return False


class Carried:
    """A variable, field or array that a loop carries, flattened into values of the program."""

    def __init__(
        self, place: Place, start: Any, *, late: bool = False, splits: Splits = is_part_by_part
    ) -> None:
        self.place, self.start = place, start
        # Given by the first round, which surely comes: `start` is like what it gives.
        self.late = late
        self.splits = splits  # which objects of data classes are carried field by field
        self.count = len(self.parts(start))
        self.length = len(start) if is_sequence(start) else 0  # of a list
        self.types: list[Type | None] = [None] * self.count
        self.owner: str | None = None
        self.divided = False  # whether a list is one with another in some rounds only
        self.aliases: list[Alias | None] = []  # of its arrays, where memory is followed

    def parts(self, value: Any) -> list[Any]:
        """Return the flattened parts of a value that this variable may hold."""
        return parts_of(value, splits=self.splits)

    def filled(self, parts: Iterable[Any]) -> Any:
        """Return a value structured like the initial one, with the given parts."""
        return refilled(self.start, iter(parts), splits=self.splits)

    def is_like(self, value: Any) -> bool:
        """Whether a value has containers of the same kinds and lengths as the initial value."""
        return alike(self.start, value, splits=self.splits)


def has_placeholder(ty: Type) -> bool:
    """Whether a dummy value of type `ty` can be created, for a place whose value is never read."""
    return isinstance(ty, TensorType) and (
        ANY not in ty.shape or all(isinstance(each, int | AnyDim) for each in ty.shape)
    )


def placeholder(ty: Type) -> Expr:
    """Return a dummy value of a type, for a variable that is assigned before it is read."""
    assert isinstance(ty, TensorType), "just seen"
    none = Constant(np.asarray(0, np.int32))
    return zeros([none if isinstance(each, AnyDim) else each for each in ty.shape], ty.dtype)


def parts_of(value: Any, *, splits: Splits = is_part_by_part) -> list[Any]:
    """Return the parts of a value that a loop carries; recursion follows its nesting.

    Objects for which `splits` is true are carried field by field.
    """
    held = _inner(value, splits=splits)
    if held is not None:
        return [part for each in held for part in parts_of(each, splits=splits)]
    return [value] if is_part(value) else []


def _inner(value: Any, *, splits: Splits) -> Sequence[Any] | None:
    """Return the items of a container or the fields of an object; None for other values."""
    return None if is_object(value) and not splits(value) else inner(value)


def refilled(value: Any, parts: Iterator[Any], *, splits: Splits) -> Any:
    """Return a value with its parts replaced, in the order of `parts_of`."""
    held = _inner(value, splits=splits)
    found = None if held is None else opened_up(value)
    if found is None:
        return next(parts) if is_part(value) else value
    return found[0].made([refilled(each, parts, splits=splits) for each in found[1]])


def is_part(value: Any) -> bool:
    """Whether a value is a number or computed by the program, and so carried as one part."""
    numbers = is_plain(value) or is_array_of_numpy(value)
    return numbers or is_object(value) or isinstance(value, Traced | TracedSize | Expr)


def is_carriable(value: Any) -> bool:
    """Whether a loop can carry a value: numbers, arrays, data, and containers of them."""
    held = inner(value)
    if held is not None and not is_declared(value):
        return all(is_carriable(each) or is_fixed(each) for each in held)
    return is_part(value)


def alike(a: Any, b: Any, *, splits: Splits) -> bool:
    """Whether two values have containers of the same kinds and lengths, nested alike.

    Values that are neither containers nor values of the program must be equal.
    """
    one = None if _inner(a, splits=splits) is None else opened_up(a)
    other = None if _inner(b, splits=splits) is None else opened_up(b)
    if one is None or other is None:
        return is_part(a) == is_part(b) and (is_part(a) or same(a, b))
    pairs = zip(one[1], other[1], strict=False)
    same_kind = one[0] is other[0] and len(one[1]) == len(other[1])
    return same_kind and all(alike(*each, splits=splits) for each in pairs)


def kept_type(name: str, found: Type, wanted: Type) -> str:
    """Return advice on how variable `name` can keep its type in a loop."""
    if isinstance(wanted, TensorType) and (common := join_types(found, wanted)) is not None:
        assert isinstance(common, TensorType), "tensors are joined to tensors"
        sizes = [str(dim) if isinstance(dim, int) else f'"{dim}"' for dim in common.shape]
        written = f"Tensor[{', '.join([*sizes, str(common.dtype)])}]"
        return (
            f"annotate the first assignment of {name} with a size that may change: {name}: "
            f"{written} = …"
        )
    return f"start the loop with a value of {name} that has the type and shape of its last value"
