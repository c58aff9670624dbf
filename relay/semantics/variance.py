"""How the arguments of data types compare: by what definitions do with their parameters.

A `List[A]` holds values of `A`, so where a list of something is wanted, a list of something more
generic will do. A data type that holds cells of `A`, which are read and written, asks for the same
type, and so does one that holds functions from or to `A`: what is passed has one form.
"""

from collections.abc import Mapping, Sequence
from enum import Flag, auto

from relay.ir.module import Module, TypeData
from relay.ir.types import FuncType, RefType, Type, TypeCall, TypeVar, children


class Variance(Flag):
    """Where a type stands in another one: where values come out, where they go in, or both.

    >>> Variance.OUT.inside(Variance.IN)
    <Variance.IN: 2>
    """

    OUT = auto()
    IN = auto()
    BOTH = OUT | IN

    def inside(self, other: "Variance") -> "Variance":
        """Return the variance of a part of this variance in a part of the other one."""
        found = self if Variance.OUT in other else Variance(0)
        return found | _TURNED[self] if Variance.IN in other else found


_TURNED = {
    Variance(0): Variance(0),
    Variance.OUT: Variance.IN,
    Variance.IN: Variance.OUT,
    Variance.BOTH: Variance.BOTH,
}

Variances = Mapping[str, Sequence[Variance]]
"""The variance of each parameter of each data type; a parameter that is not used has none."""


def variances(module: Module) -> Variances:
    """Return how the arguments of each data type compare: the least that all definitions allow.

    >>> from relay.prelude import Prelude
    >>> variances(Prelude().mod.module)["List"]
    (<Variance.OUT: 1>,)
    """
    found = {name: (Variance(0),) * len(data.type_params) for name, data in module.types.items()}
    users = _users(module)
    waiting = dict.fromkeys(module.types)
    while waiting:
        name, _ = waiting.popitem()
        data = module.types[name]
        places = _places(data, found)
        new = tuple(places.get(param, Variance(0)) for param in data.type_params)
        if new != found[name]:
            found[name] = new
            waiting.update(dict.fromkeys(users.get(name, ())))
    return found


def _users(module: Module) -> dict[str, list[str]]:
    """Return the data types in whose definitions each one stands."""
    users: dict[str, list[str]] = {}
    for name, data in module.types.items():
        seen: set[Type] = set()
        stack = [ty for constructor in data.constructors for ty in constructor.inputs]
        while stack:
            top = stack.pop()
            if top not in seen:
                seen.add(top)
                stack.extend(children(top))
                if isinstance(top, TypeCall):
                    users.setdefault(top.head.name, []).append(name)
    return users


def _places(data: TypeData, known: Variances) -> dict[Type, Variance]:
    """Return where each part of a data type's fields stands, as far as variances are known."""
    found: dict[Type, Variance] = {}
    fields = [ty for constructor in data.constructors for ty in constructor.inputs]
    stack = [(ty, Variance.OUT) for ty in fields]
    while stack:
        ty, variance = stack.pop()
        before = found.get(ty, Variance(0))
        if variance not in before:
            found[ty] = before | variance
            stack += [(part, way.inside(variance)) for part, way in _parts(ty, known)]
    return found


def _parts(ty: Type, known: Variances) -> list[tuple[Type, Variance]]:
    match ty:
        case TypeVar():
            return []
        case FuncType(params, result, _, constraints):
            return [(each, Variance.BOTH) for each in (*params, result, *constraints)]
        case RefType(content):
            return [(content, Variance.BOTH)]
        case TypeCall(head, args) if head.name in known:
            return [*zip(args, known[head.name], strict=False)]
        case _:
            return [(part, Variance.OUT) for part in children(ty)]
