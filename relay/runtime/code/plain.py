"""What Python has of its own for lists and options, as values of data types.

A list of the program is a type with `Nil` and `Cons`, an option one with `None` and `Some`.
"""

from collections.abc import Sequence
from typing import Any, cast

from relay.runtime.code.border import Data, DataField, DataType, Field, TupleField, parts_of


def as_data(types: Sequence[DataType], ty: int, given: Any) -> Any:
    """Return a Python list as a list, None and what is no option as an option; all else as it is.

    What is inside of lists, options and tuples is looked at too.
    """
    return _Turning(types).data(ty, given)


def fields_as_data(
    types: Sequence[DataType], fields: Sequence[Field], given: Sequence[Any]
) -> tuple[Any, ...]:
    """Return the parts of a value, lists and options among them turned by `as_data`."""
    turning = _Turning(types)
    return tuple(turning.field(field, part) for field, part in zip(fields, given, strict=True))


class _Turning:
    def __init__(self, types: Sequence[DataType]) -> None:
        self._types = types
        self._begun: set[tuple[int, int]] = set()

    def data(self, ty: int, given: Any) -> Any:
        """Return a value of a data type; one that would be part of itself stays what it is."""
        key = ty, id(given)
        if key in self._begun:
            return given
        self._begun.add(key)
        found = self._turned(ty, given)
        self._begun.remove(key)
        return found

    def _turned(self, ty: int, given: Any) -> Any:
        fields = {variant.name: variant.fields for variant in self._types[ty].variants}
        match fields:
            case {"Nil": (), "Cons": (item, _)} if isinstance(given, list):
                return _chain([self.field(item, each) for each in cast("list[Any]", given)])
            case {"None": (), "Some": (content,)} if given is None or parts_of(given) is None:
                there = () if given is None else (self.field(content, given),)
                return Data("Some", there) if there else Data("None")
            case _:
                return given

    def field(self, field: Field, given: Any) -> Any:
        match field:
            case DataField(ty):
                return self.data(ty, given)
            case TupleField(fields) if isinstance(given, tuple):
                parts = cast("tuple[Any, ...]", given)
                if len(parts) == len(fields):
                    return tuple(map(self.field, fields, parts))
                return parts
            case _:
                return given


def _chain(items: Sequence[Any]) -> Data:
    result = Data("Nil")
    for item in reversed(items):
        result = Data("Cons", (item, result))
    return result
