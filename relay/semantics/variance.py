"""Inference of the variance of data type parameters.

A `List[A]` contains values of `A`, so it is covariant: a list of more generic functions is accepted
where a list of less generic ones is expected. If a parameter occurs in a function type, it is
invariant, except for dimensions. The content of a cell is both read and written, so it is invariant
in dimensions, too.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum, auto

from relay.ir.module import Module
from relay.ir.types import FuncType, RefType, Type, TypeCall, all_parts, children


class Variance(IntEnum):
    """The variance of a parameter, from the least to the most restrictive."""

    OUT = auto()
    FUNCTION = auto()
    CELL = auto()


Variances = Mapping[str, Sequence[Variance]]
"""The variance of each parameter of each data type."""

_Place = tuple[str, Type]
"""The name of a data type, and a type that occurs in its fields."""


def variances(module: Module) -> Variances:
    """Return the least restrictive variance of each data type's parameters that their uses allow.

    >>> from relay.prelude import Prelude
    >>> variances(Prelude().mod.module)["List"]
    (<Variance.OUT: 1>,)
    """
    found = _found(module)
    return {
        name: tuple(found.get((name, param), Variance.OUT) for param in data.type_params)
        for name, data in module.types.items()
    }


def _found(module: Module) -> Mapping[_Place, Variance]:
    """Return the variance of each type inside the fields of data types, unless it is covariant.

    A type is at least as restricted as the type that contains it, and a type argument at least as
    its parameter.
    """
    found: dict[_Place, Variance] = {}
    inside: dict[_Place, list[_Place]] = defaultdict(list)
    waiting: list[tuple[_Place, Variance]] = []
    for name, ty in _parts(module):
        for index, part in enumerate(children(ty)):
            inside[name, ty].append((name, part))
            if isinstance(ty, FuncType):
                waiting.append(((name, part), Variance.FUNCTION))
            elif isinstance(ty, RefType):
                waiting.append(((name, part), Variance.CELL))
            elif isinstance(ty, TypeCall) and ty.head.name in module.types:
                params = module.types[ty.head.name].type_params[index : index + 1]
                for param in params:  # empty where there are too many arguments
                    inside[ty.head.name, param].append((name, part))
    while waiting:
        place, variance = waiting.pop()
        if variance > found.get(place, Variance.OUT):
            found[place] = variance
            waiting += ((part, variance) for part in inside[place])
    return found


def _parts(module: Module) -> Iterator[_Place]:
    """Yield each type in the fields of each data type, once for each data type."""
    for name, data in module.types.items():
        fields = (ty for constructor in data.constructors for ty in constructor.inputs)
        yield from ((name, part) for part in all_parts(*fields))
