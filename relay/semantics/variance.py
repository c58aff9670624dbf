"""The variance of data type parameters.

A `List[A]` holds values of `A`, so where a list of something is wanted, a list of something more
generic will do. What functions take or give, in a data type that holds some, goes in and comes out
of it: neither side may be more generic. What cells hold is read and written by all who know them,
and has one type, sizes included.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum, auto

from relay.ir.module import Module
from relay.ir.types import FuncType, RefType, Type, TypeCall, children


class Variance(IntEnum):
    """Where values of a parameter stand in data, from what asks least on."""

    OUT = auto()
    FUNCTION = auto()
    CELL = auto()


Variances = Mapping[str, Sequence[Variance]]
"""The variance of each parameter of each data type."""

_Place = tuple[str, Type]
"""A part of the fields of a data type of this name."""


def variances(module: Module) -> Variances:
    """Return how the arguments of each data type compare: the least that all definitions allow.

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
    """Return where each part of a data type stands, if not only where values come out.

    A part stands where that does of which it is a part, and an argument where its parameter does.
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
                for param in params:  # none where there are too many arguments
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
        seen: set[Type] = set()
        stack = [ty for constructor in data.constructors for ty in constructor.inputs]
        while stack:
            top = stack.pop()
            if top not in seen:
                seen.add(top)
                yield name, top
                stack.extend(children(top))
