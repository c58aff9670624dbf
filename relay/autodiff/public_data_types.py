"""Gives the data types of a derivative the names that its program uses.

A derivative is made from the monomorphic program, in which each instance of a generic data type is
a type of its own: the second instance of `Option` is `Option_1`, with a constructor `Some_1`.
Callers know neither.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from relay.ir.expr import Constructor
from relay.ir.module import Module, TypeData, TypeInstance
from relay.ir.types import GlobalTypeVar, Type, TypeCall, TypeVar, all_parts
from relay.support.node import replace
from relay.support.strong_components import strong_components
from relay.transform.monomorphization.type_map import TypeMap, substitution
from relay.transform.rewrite_types import TypeRewriter, with_rewritten_types

_Instances: TypeAlias = Mapping[str, TypeInstance]
"""Instances of generic data types, by the names of the monomorphic types."""


def with_public_types(module: Module) -> Module:
    """Return a module in which instances of generic data types are these types again.

    1. If each generic type has one instance, that has the names of the generic type already: the
       module is returned unchanged.
    2. Otherwise, all instances become generic types with type arguments.
    """
    instances = (data.instance for data in module.types.values() if data.instance)
    counts = Counter(each.generic.header for each in instances)
    return module if all(count == 1 for count in counts.values()) else with_generic_types(module)


class _Field(NamedTuple):
    """A field of a generic data type: the indices of its constructor and in the constructor."""

    type: GlobalTypeVar
    constructor: int
    index: int


def with_generic_types(module: Module) -> Module:
    """Return a module with generic data types in place of their monomorphic instances.

    1. Fields with functions or references have other types now, which do not follow from the type
       arguments: closure conversion and shadow cells have replaced them. Such a field becomes a
       type parameter of its own.
    2. A type that contains itself in such a field would have an endless type argument. It stays as
       it is, with all its instances.
    """
    instances = {name: data.instance for name, data in module.types.items() if data.instance}
    while changed := _changed(module, instances):
        instances = _without_endless({**instances, **_wider(module, instances, changed)})
    return with_rewritten_types(module, _GenericTypes(instances))


def _changed(module: Module, instances: _Instances) -> set[_Field]:
    """Return the fields that have other types in an instance than its type arguments say."""
    types = _GenericTypes(instances)
    return {
        _Field(each.generic.header, i, j)
        for name, each in instances.items()
        for i, inputs in enumerate(types.fields(module.types[name]))
        for j, ty in enumerate(inputs)
        if ty != types.generic_fields(each)[i][j]
    }


def _wider(module: Module, instances: _Instances, fields: set[_Field]) -> _Instances:
    """Return the instances of types that get a type parameter for each of some fields."""
    types = [each.type for each in fields]
    generics = {each.generic.header: each.generic for each in instances.values()}
    places = {ty: sorted(each for each in fields if each.type is ty) for ty in {*types}}
    wider = {ty: _with_params(generics[ty], of) for ty, of in places.items()}
    found: dict[str, TypeInstance] = {}
    for name, each in instances.items():
        if each.generic.header in wider:
            own, of = module.types[name].constructors, places[each.generic.header]
            more = tuple(own[i].inputs[j] for _, i, j in of)
            found[name] = TypeInstance(wider[each.generic.header], (*each.type_args, *more))
    return found


def _with_params(generic: TypeData, fields: Sequence[_Field]) -> TypeData:
    """Return a data type with additional type parameters, one for each of these fields."""
    added = {(i, j): TypeVar("F") for _, i, j in fields}
    params = (*generic.type_params, *added.values())
    itself = TypeCall(generic.header, generic.type_params), TypeCall(generic.header, params)
    types = TypeMap(lambda ty: itself[1] if ty == itself[0] else None)
    constructors = tuple(
        replace(
            each,
            inputs=tuple(added.get((i, j)) or types(ty) for j, ty in enumerate(each.inputs)),
            type_params=params,
        )
        for i, each in enumerate(generic.constructors)
    )
    return replace(generic, type_params=params, constructors=constructors)


def _without_endless(instances: _Instances) -> _Instances:
    """Return the instances, except those of types with an instance among its own type arguments."""
    edges = {
        name: [
            part.head.name
            for part in all_parts(*each.type_args)
            if isinstance(part, TypeCall) and part.head.name in instances
        ]
        for name, each in instances.items()
    }
    cycles = [of for of in strong_components(edges) if any({*edges[name]} & {*of} for name in of)]
    endless = {instances[name].generic.header for of in cycles for name in of}
    return {name: each for name, each in instances.items() if each.generic.header not in endless}


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
        """Return a definition rewritten; that of an instance becomes that of its generic type."""
        found = self._instances.get(data.header.name)
        return found.generic if found else super().definition(data)

    def constructor(self, constructor: Constructor) -> Constructor:
        """Return the generic constructor for one of an instance; others are rewritten."""
        found = self._instances.get(constructor.belongs_to.name)
        if found is None:
            return super().constructor(constructor)
        return found.generic.constructors[constructor.index]
