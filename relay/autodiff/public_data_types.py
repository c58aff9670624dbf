"""Gives the data types of a derivative the names that its program uses.

A derivative is made from the monomorphic program, in which each instance of a generic data type is
a type of its own: the second instance of `Option` is `Option_1`, with a constructor `Some_1`.
Callers know neither.
"""

from collections import Counter
from collections.abc import Mapping

from relay.ir.expr import Constructor
from relay.ir.module import Module, TypeData, TypeInstance
from relay.ir.types import Type, TypeCall
from relay.transform.monomorphization.type_map import substitution
from relay.transform.rewrite_types import TypeRewriter, with_rewritten_types


def with_public_types(module: Module) -> Module:
    """Return a module in which instances of generic data types are these types again.

    1. If each generic type has one instance, its names are those of the generic type: the module
       is returned.
    2. Otherwise, all instances become generic types with type arguments.
    """
    instances = (data.instance for data in module.types.values() if data.instance)
    counts = Counter(each.generic.header for each in instances)
    return module if all(count == 1 for count in counts.values()) else with_generic_types(module)


def with_generic_types(module: Module) -> Module:
    """Return a module in which all instances of generic data types are these types again.

    A type whose instances have changed stays as it is, with all its instances: it contains
    functions or references, which closure conversion and shadow cells have replaced. Callers cannot
    pass such values.
    """
    instances = {name: data.instance for name, data in module.types.items() if data.instance}
    while changed := _changed(module, instances):
        instances = {n: each for n, each in instances.items() if each.generic.header not in changed}
    return with_rewritten_types(module, _GenericTypes(instances))


def _changed(module: Module, instances: Mapping[str, TypeInstance]) -> set[Type]:
    """Return the generic types of which an instance has other fields than its arguments say."""
    types = _GenericTypes(instances)
    return {
        each.generic.header
        for name, each in instances.items()
        if types.fields(module.types[name]) != types.generic_fields(each)
    }


class _GenericTypes(TypeRewriter):
    """A rewriter that replaces the instances of generic types, given by name, by these types."""

    def __init__(self, instances: Mapping[str, TypeInstance]) -> None:
        super().__init__(self._generic)
        self._instances = instances

    def _generic(self, ty: Type) -> Type | None:
        found = self._instances.get(ty.head.name) if isinstance(ty, TypeCall) else None
        return found and TypeCall(found.generic.header, tuple(map(self.type, found.type_args)))

    def fields(self, data: TypeData) -> list[tuple[Type, ...]]:
        """Return the rewritten types of the fields of an instance, for each constructor."""
        return [tuple(map(self.type, each.inputs)) for each in data.constructors]

    def generic_fields(self, instance: TypeInstance) -> list[tuple[Type, ...]]:
        """Return the types of fields that a generic type has with its rewritten arguments."""
        args = map(self.type, instance.type_args)
        types = substitution(dict(zip(instance.generic.type_params, args, strict=True)))
        return [tuple(map(types, each.inputs)) for each in instance.generic.constructors]

    def definition(self, data: TypeData) -> TypeData:
        """Return the definition of the generic type for an instance; others are rewritten."""
        found = self._instances.get(data.header.name)
        return found.generic if found else super().definition(data)

    def constructor(self, constructor: Constructor) -> Constructor:
        """Return the generic constructor for one of an instance; others are rewritten."""
        found = self._instances.get(constructor.belongs_to.name)
        if found is None:
            return super().constructor(constructor)
        return found.generic.constructors[constructor.index]
