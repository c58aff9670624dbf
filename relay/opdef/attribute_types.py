"""Validation of attribute values by their declared types.

Some conversions are allowed, such as an integer or a list where a tuple of integers is declared.
Numbers are strict: `1.5`, `True` and `"1"` are not accepted as integers.
"""

from functools import cache
from types import UnionType
from typing import Any, Union, cast, get_args, get_origin

import numpy as np

from relay.ir.dims import DimVar
from relay.support.dims.algebra import Symbolic
from relay.support.dtype import DType

_WORDS = {
    bool: "True or False",
    int: "an integer",
    float: "a number",
    str: "a string",
    Symbolic: "a size",
    DType: 'an element type, "float32"',
}


def plain(given: object) -> object:
    """Convert NumPy values to Python values and lists to tuples, at any depth.

    >>> plain([np.int64(1), np.array([2.5])])
    (1, (2.5,))
    """
    if isinstance(given, np.generic | np.ndarray):
        given = cast("Any", given).tolist()
    if isinstance(given, list | tuple | range):
        return tuple(map(plain, cast("list[object]", given)))
    return given


@cache
def leaves(declared: Any) -> frozenset[Any]:
    """Return the basic types in a declared type: `int` and `None` for `tuple[int] | None`."""
    inner = get_args(declared)
    return frozenset[Any]().union(*map(leaves, inner)) if inner else frozenset((declared,))


def may_be(declared: Any, given: object) -> bool:
    """Whether each number or string in a value has a type that occurs in the declared type.

    >>> may_be(tuple[int, ...] | None, (1, 2)), may_be(tuple[int, ...] | None, 1.5)
    (True, False)
    """
    if isinstance(given, tuple):
        return all(may_be(declared, each) for each in cast("tuple[object, ...]", given))
    kinds = leaves(declared)
    if Any in kinds:
        return True
    match given:
        case bool():
            return bool in kinds
        case int():
            is_truth = bool in kinds and given in (0, 1)
            return is_truth or not kinds.isdisjoint((int, float, Symbolic))
        case float():
            return float in kinds
        case str():
            return not kinds.isdisjoint((str, DType))
        case Symbolic():
            return Symbolic in kinds
        case _:
            return True


def fits(value: object, declared: Any) -> bool:
    """Whether a value conforms to a declared type, such as `tuple[int, ...] | None`."""
    origin, inner = get_origin(declared), get_args(declared)
    if origin in (UnionType, Union):
        return any(fits(value, each) for each in inner)
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        items = cast("tuple[object, ...]", value)
        kinds = [inner[0]] * len(items) if inner[-1] is Ellipsis else inner
        return len(kinds) == len(items) and all(map(fits, items, kinds))
    if declared is Any:
        return True
    if declared is float:
        return isinstance(value, int | float)
    return isinstance(value, declared) if isinstance(declared, type) else True


def kinds_text(declared: Any, given: object) -> str:
    """Return a phrase for errors that names the types which an attribute like `given` accepts."""
    kinds = leaves(declared)
    if DType in kinds and isinstance(given, DimVar):
        return f'an element type in quotes: "{given}"'
    words = [word for kind, word in _WORDS.items() if kind in kinds]
    several = ", or several of them: [1, 2]" if Ellipsis in kinds else ""
    return " or ".join(words) + several


def shown(given: object) -> str:
    """Return an attribute's value as program text."""
    match given:
        case tuple():
            return f"[{', '.join(map(shown, cast('tuple[object, ...]', given)))}]"
        case str():
            return f'"{given}"'
        case float():
            return f"{given!r}f"
        case _:
            return str(given)
