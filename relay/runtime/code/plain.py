"""What Python has of its own for lists and options, as values of data types.

A list of the program is a type with `Nil` and `Cons`, an option one with `None` and `Some`.
"""

from collections.abc import Sequence
from typing import Any, cast

from relay.runtime.code.border import Data, DataField, DataType, Field, parts_of


def as_data(types: Sequence[DataType], ty: int, given: Any) -> Any:
    """Return a Python list as a list, None and what is no option as an option; all else as it is.

    What is inside is looked at too, as far as the types nest: that bounds the recursion.
    """
    fields = {variant.name: variant.fields for variant in types[ty].variants}
    match fields:
        case {"Nil": (), "Cons": (item, _)} if isinstance(given, list):
            return _chain([_field(types, item, each) for each in cast("list[Any]", given)])
        case {"None": (), "Some": (content,)} if given is None or parts_of(given) is None:
            is_there = given is not None
            return Data("Some", (_field(types, content, given),)) if is_there else Data("None")
        case _:
            return given


def _field(types: Sequence[DataType], field: Field, given: Any) -> Any:
    return as_data(types, field.type, given) if isinstance(field, DataField) else given


def _chain(items: Sequence[Any]) -> Data:
    result = Data("Nil")
    for item in reversed(items):
        result = Data("Cons", (item, result))
    return result
