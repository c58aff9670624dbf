"""Accept Python lists and `None` as values of list and option types.

A list type has the constructors `Nil` and `Cons`, an option type has `None` and `Some`.
"""

from collections.abc import Sequence
from typing import Any, cast

from relay.runtime.code.interface_types import Data, DataType


def plain_parts(ty: DataType, given: Any) -> tuple[str, tuple[Any, ...]] | None:
    """Return constructor and fields for a Python list, or for None or the content of an option.

    Returns None unless `ty` is a list type and `given` a list, or `ty` is an option type. The
    fields are not converted.
    """
    match {variant.name: len(variant.fields) for variant in ty.variants}:
        case {"Nil": 0, "Cons": 2} if isinstance(given, list):
            chain = _chain(cast("list[Any]", given))
            return chain.constructor, chain.fields
        case variants if given is None and (names := [*filter(_is_none, variants.items())]):
            return names[0][0], ()
        case {"None": 0, "Some": 1}:
            return "Some", (given,)
        case _:
            return None


def _is_none(variant: tuple[str, int]) -> bool:
    """Whether a constructor represents Python's None; its name may have a numeric suffix."""
    name, fields = variant
    return fields == 0 and (name == "None" or name.startswith("None_"))


def _chain(items: Sequence[Any]) -> Data:
    result = Data("Nil")
    for item in reversed(items):
        result = Data("Cons", (item, result))
    return result
