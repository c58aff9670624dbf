"""Which types of two programs have the same values, and values of one as values of the other.

Passes may copy the definition of a data type, or replace a generic one by monomorphic copies.
"""

from collections.abc import Sequence

import numpy as np

from relay.build.sample_inputs import DataType, alternatives
from relay.ir.module import Module, TypeData
from relay.ir.types import (
    FuncType,
    GlobalTypeVar,
    RefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    children,
)
from relay.semantics.evaluator_values import Data, Reference, Value


def types_correspond(
    old: Sequence[Type], before: Module, new: Sequence[Type], after: Module
) -> bool:
    """Whether values of types of the program after a pass are values of types before it.

    1. Tensors have the same element types and sizes, but dynamic sizes may become static.
    2. The constructors of data types have the same names and corresponding fields. A monomorphic
       copy corresponds to the type of which it is a copy.
    3. Functions have the same type, and the data types in it correspond.

    The data types in values are limited: those of a recursive type may be without an end.
    """
    pending, known = [*zip(old, new, strict=True)], set[tuple[Type, Type]]()
    while pending:
        match pending.pop():
            case (TensorType() as a, TensorType() as b):
                if a.dtype is not b.dtype or not narrows(a, b):
                    return False
            case (TupleType(a), TupleType(b)) if len(a) == len(b):
                pending += zip(a, b, strict=True)
            case (RefType(a), RefType(b)):
                pending.append((a, b))
            case (GlobalTypeVar() | TypeCall() as a, GlobalTypeVar() | TypeCall() as b):
                if (a, b) not in known:
                    known.add((a, b))
                    if len(known) > _MOST or not _same_names(before, a, after, b):
                        return False
                    fields = zip(alternatives(a, before), alternatives(b, after), strict=True)
                    pending += [
                        each for (_, x), (_, y) in fields for each in zip(x, y, strict=True)
                    ]
            case (FuncType() as a, b) if a is b:
                pending += [(part, part) for part in children(a)]
            case (a, b):
                if a is not b:
                    return False
    return True


_MOST = 20
"""The limit of data types in a type."""


def narrows(old: TensorType, new: TensorType) -> bool:
    """Whether a tensor type has the sizes of another one, or static sizes for dynamic ones."""
    return len(old.shape) == len(new.shape) and all(
        a == b or not isinstance(a, int) for a, b in zip(old.shape, new.shape, strict=True)
    )


def value_in(module: Module, ty: Type, value: Value) -> Value:
    """Return a value as one of a type of a module, whose constructors it has; references are new.

    The value may be of a corresponding type. The nesting of generated values is limited.
    """
    match ty, value:
        case TupleType(types), tuple() as fields:
            return tuple(value_in(module, *each) for each in zip(types, fields, strict=True))
        case RefType(held), Reference(content=content):
            return Reference(value_in(module, held, content))
        case GlobalTypeVar() | TypeCall(), Data(old, fields):
            constructor, types = alternatives(ty, module)[old.index]
            parts = zip(types, fields, strict=True)
            return Data(constructor, tuple(value_in(module, *each) for each in parts))
        case _:
            return value


def fits(module: Module, ty: Type, value: Value) -> bool:
    """Whether a value of a corresponding type has the static sizes that a type requires."""
    match ty, value:
        case TensorType(shape), np.ndarray() | np.generic():
            sizes = zip(shape, value.shape, strict=True)
            return all(not isinstance(dim, int) or dim == size for dim, size in sizes)
        case TupleType(types), tuple():
            return all(fits(module, *each) for each in zip(types, value, strict=True))
        case RefType(held), Reference(content=content):
            return fits(module, held, content)
        case GlobalTypeVar() | TypeCall(), Data(old, fields):
            _, types = alternatives(ty, module)[old.index]
            return all(fits(module, *each) for each in zip(types, fields, strict=True))
        case _:
            return True


def _same_names(before: Module, old: DataType, after: Module, new: DataType) -> bool:
    """Whether two data types have constructors with the same names and numbers of fields."""
    one, other = _definition(before, old), _definition(after, new)
    if one is None or other is None:
        return False
    counts = [[len(each.inputs) for each in data.constructors] for data in (one, other)]
    return counts[0] == counts[1] and not _names(one).isdisjoint(_names(other))


def _definition(module: Module, ty: DataType) -> TypeData | None:
    head = ty.head if isinstance(ty, TypeCall) else ty
    return module.types.get(head.name)


def _names(data: TypeData) -> set[tuple[str, ...]]:
    """Return the names of a definition, its constructors, and the definition that it copies."""
    originals = [] if data.instance is None else [data.instance.generic]
    return {
        (each.header.name, *(constructor.name for constructor in each.constructors))
        for each in (data, *originals)
    }
