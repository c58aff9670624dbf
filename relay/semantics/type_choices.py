"""The values of type parameters while a function runs, where they determine sizes.

`@first[A](%l: List[A])`, called for a `List[Tensor[(2)]]`, is the function in which `A` is a
`Tensor[(2)]`: what its patterns bind and what the functions inside of it take has two elements.
Compiled, it becomes one of its own (`relay.transform.monomorphize`).
"""

from collections.abc import Mapping

from relay.ir.dims import ANY, renamed_apart
from relay.ir.expr import Call, Function
from relay.ir.types import (
    Type,
    dim_variables,
    dimensions,
    substitute_dims,
    substitute_types,
)
from relay.semantics.called_dims import Sizes


class Choice:
    """What type parameters stand for in a call; those that stand for no sizes are left out."""

    def __init__(self, types: Mapping[Type, Type]) -> None:
        self.types = dict(types)
        self._known: dict[Type, Type] = {}

    def of(self, ty: Type) -> Type:
        """Return what a type is in the call."""
        if not self.types:
            return ty
        if ty not in self._known:
            self._known[ty] = substitute_types(ty, self.types)
        return self._known[ty]


NO_CHOICE = Choice({})


class TypeChoices:
    """What calls choose; equal choices are one, so that each type is looked at once in it."""

    def __init__(self) -> None:
        self._found: dict[tuple[object, ...], Choice] = {}
        self._equal: dict[frozenset[tuple[Type, Type]], Choice] = {frozenset(): NO_CHOICE}

    def of(
        self, call: Call, function: Function, outer: Choice, caller: Choice, told: Sizes
    ) -> Choice:
        """Return what type parameters stand for in a function that is called.

        `outer` has those of the functions around it, `caller` those where the call stands; `told`
        are sizes that types tell there.
        """
        if not call.type_args:
            return outer
        key = call, function, outer, caller, frozenset(told.items())
        if key not in self._found:
            types = {**outer.types, **_chosen(call, function, caller, told)}
            self._found[key] = self._equal.setdefault(frozenset(types.items()), Choice(types))
        return self._found[key]


def _chosen(call: Call, function: Function, caller: Choice, told: Sizes) -> dict[Type, Type]:
    own = dim_variables(function.type)
    types = [substitute_dims(caller.of(ty), told) for ty in call.type_args]
    apart = renamed_apart(dim_variables(*types) & own)
    pairs = zip(function.type_params, types, strict=True)
    return {var: substitute_dims(ty, apart) for var, ty in pairs if _says_sizes(ty)}


def _says_sizes(ty: Type) -> bool:
    return any(dim is not ANY for dim in dimensions(ty))
