"""The types of a constructor's fields, given the type of a value of its data type."""

from functools import lru_cache

from relay.ir.expr import Constructor
from relay.ir.types import (
    Type,
    TypeCall,
    dim_variables,
    substitute_types,
    without_dims,
)


@lru_cache(maxsize=1 << 12)
def field_types(constructor: Constructor, ty: Type) -> tuple[Type, ...]:
    """Return the types of the fields in a value of type `ty` that `constructor` has built.

    Dimension variables in the definition may have another size in each value: they become `?`.
    """
    given = ty.args if isinstance(ty, TypeCall) else ()
    bindings: dict[Type, Type] = dict(zip(constructor.type_params, given, strict=True))
    return tuple(substitute_types(field, bindings) for field in _own_open(constructor))


def with_unknown_dims(ty: Type) -> Type:
    """Return a type with `?` in place of all dimension variables."""
    return without_dims(ty, dim_variables(ty))


@lru_cache(maxsize=1 << 10)
def _own_open(constructor: Constructor) -> tuple[Type, ...]:
    names = dim_variables(*constructor.inputs)
    return tuple(without_dims(field, names) for field in constructor.inputs)
