"""Gives new names to data types that a derivative has changed, so that a module can hold both.

In a derivative, fields with functions hold data, and fields with references hold pairs of them.
"""

from collections.abc import Mapping

from relay.autodiff.fresh_names import Names
from relay.ir.expr import Constructor, Function
from relay.ir.module import Module, TypeData
from relay.ir.types import GlobalTypeVar, Type, TypeCall, all_parts
from relay.support.node import replace
from relay.transform.rewrite_types import TypeRewriter, with_rewritten_types


def with_new_names(derived: Module, around: Module, function: Function) -> Module | None:
    """Return the derivative of `function`, with its changed data types renamed; or None.

    `derived` is the module with the derivative. A data type of it is renamed if its definition
    differs from that of the same name in the module `around`. The result is None if the function
    takes or returns values of such a type, because its callers use the type in `around`.
    """
    changed = _changed(derived, around)
    if not changed:
        return derived
    places = (*function.params, function.body)
    parts = [part for each in places for part in all_parts(each.type)]
    if any(isinstance(part, TypeCall) and part.head.name in changed for part in parts):
        return None
    names = Names(around, derived)
    return with_rewritten_types(
        derived, _Renamed({name: _renamed(derived.types[name], names) for name in changed})
    )


def _changed(derived: Module, around: Module) -> set[str]:
    """Return the types of `around` that differ in `derived`, themselves or in their fields."""
    known = [name for name in derived.types if name in around.types]
    found = {
        name
        for name in known
        if derived.types[name].constructors != around.types[name].constructors
    }
    while more := {name for name in known if name not in found and _holds(derived, name, found)}:
        found |= more
    return found


def _holds(module: Module, name: str, types: set[str]) -> bool:
    inputs = [ty for each in module.types[name].constructors for ty in each.inputs]
    return any(
        isinstance(each, TypeCall) and each.head.name in types for each in all_parts(*inputs)
    )


def _renamed(data: TypeData, names: Names) -> TypeData:
    header = GlobalTypeVar(names.fresh(f"{data.header.name}_grad"))
    constructors = tuple(
        replace(each, name=names.fresh(f"{each.name}_grad"), belongs_to=header)
        for each in data.constructors
    )
    return replace(data, header=header, constructors=constructors, instance=None)


class _Renamed(TypeRewriter):
    """A rewriter that replaces data types, given by name, by copies with other names."""

    def __init__(self, copies: Mapping[str, TypeData]) -> None:
        super().__init__(self._copied)
        self._copies = copies

    def _copied(self, ty: Type) -> Type | None:
        if not isinstance(ty, TypeCall) or ty.head.name not in self._copies:
            return None
        return TypeCall(self._copies[ty.head.name].header, tuple(map(self.type, ty.args)))

    def constructor(self, constructor: Constructor) -> Constructor:
        """Return the constructor of a copy; others are rewritten."""
        copy = self._copies.get(constructor.belongs_to.name)
        found = copy.constructors[constructor.index] if copy else constructor
        return super().constructor(found)

    def definition(self, data: TypeData) -> TypeData:
        """Return the copy of a definition, with rewritten fields."""
        return super().definition(self._copies.get(data.header.name, data))
