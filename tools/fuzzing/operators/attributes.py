"""Random attributes of operators, drawn by their declared types and those of their examples."""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from functools import cache
from random import Random
from typing import Any, cast

from relay.opdef.attribute_types import leaves
from relay.opdef.definition import OperatorDef
from relay.opdef.table import OPERATORS
from relay.support.dtype import DType

_ELEMENTS = ("float32", "float16", "bfloat16", "float64", "int8", "uint8", "int32", "int64", "bool")
_FLOATS = (0.0, 1.0, -1.0, 0.5, 2.0, -0.25, 1e-6, 3.7, 100.0)
_INTEGERS = (-1, 0, 1, 2, 3, 4, 8, -2, 64)


def with_another_attribute(
    cls: type[Any], attributes: Mapping[str, Any], rank: int, random: Random
) -> Mapping[str, Any]:
    """Return the attributes with one of them changed, or given where its default was meant.

    `rank` is that of the arguments: integers are rather axes of them.
    """
    declared: dict[str, Any] = {field.name: field for field in fields(cls)}
    if not declared:
        return attributes
    name = random.choice([*declared])
    field = declared[name]
    old = attributes.get(name, None if field.default is MISSING else field.default)
    used = _used(name)
    if used and random.random() < 0.4:
        new = random.choice(used)
    elif old is None:
        new = _drawn(field.type, rank, random)
    else:
        new = changed(old, rank, random)
    return {**attributes, name: new}


def changed(old: Any, rank: int, random: Random) -> Any:
    """Return a value like another one; recursion follows the nesting of attributes."""
    match old:
        case bool():
            return not old
        case int():
            return random.choice((old + 1, old - 1, -old, _integer(rank, random)))
        case float():
            return random.choice((*_FLOATS, old * 2, -old))
        case DType():
            return random.choice(_ELEMENTS)
        case list() | tuple():
            return _changed_items(cast("Sequence[Any]", old), rank, random)
        case _:
            return old


def _changed_items(old: Sequence[Any], rank: int, random: Random) -> tuple[Any, ...]:
    items = list(old)
    place = random.randrange(len(items)) if items else 0
    match random.randrange(5):
        case 0 if items:
            items.pop(place)
        case 1 if items:
            items.insert(place, random.choice(items))
        case 2:
            random.shuffle(items)
        case _ if items:
            items[place] = changed(items[place], rank, random)
        case _:
            items = [_integer(rank, random)]
    return tuple(items)


def _drawn(declared: Any, rank: int, random: Random) -> Any:
    """Return a value of a declared type for an attribute whose value is None."""
    kinds = leaves(declared)
    choices: list[Any] = [None]
    if DType in kinds:
        choices.append(random.choice(_ELEMENTS))
    if float in kinds:
        choices.append(random.choice(_FLOATS))
    if int in kinds:
        choices += [_integer(rank, random)]
    if Ellipsis in kinds and int in kinds:
        choices.append(tuple(_integer(rank, random) for _ in range(random.randrange(rank + 1))))
    return random.choice(choices)


def _integer(rank: int, random: Random) -> int:
    return random.choice((random.randint(-rank - 1, rank), random.choice(_INTEGERS)))


@cache
def _used(name: str) -> tuple[Any, ...]:
    """Return the values that examples of all operators have for an attribute of this name."""
    found = {
        repr(example.attributes[name]): example.attributes[name]
        for _, cls in sorted(OPERATORS.items())
        if issubclass(cls, OperatorDef) and cls.__module__.startswith("relay.ops.")
        for example in cls.examples
        if name in example.attributes
    }
    return tuple(found.values())
