"""Python lists and `None` as values of data types.

A list of the program is a type with `Nil` and `Cons`, an option one with `None` and `Some`.
"""

from collections.abc import Sequence
from typing import Any, cast

from relay.runtime.code.external_types import Data, DataType


def plain_parts(ty: DataType, given: Any) -> tuple[str, tuple[Any, ...]] | None:
    """Return the constructor and the fields of what has none of its own; None where `ty` has none.

    A list of Python is a list, None is an option, and so is what could be its content. What is
    inside is left as it is.
    """
    match {variant.name: len(variant.fields) for variant in ty.variants}:
        case {"Nil": 0, "Cons": 2} if isinstance(given, list):
            chain = _chain(cast("list[Any]", given))
            return chain.constructor, chain.fields
        case {"None": 0, "Some": 1}:
            return ("None", ()) if given is None else ("Some", (given,))
        case _:
            return None


def _chain(items: Sequence[Any]) -> Data:
    result = Data("Nil")
    for item in reversed(items):
        result = Data("Cons", (item, result))
    return result
