"""Global functions that a random program may call, with the types of the call."""

from collections.abc import Sequence
from dataclasses import dataclass

from relay.ir.dims import Dim, DimVar, in_order
from relay.ir.expr import GlobalVar
from relay.ir.types import (
    FuncType,
    TensorType,
    Type,
    TypeVar,
    children,
    dim_variables,
    substitute_dims,
    substitute_types,
)
from relay.prelude import library

LIBRARY = (
    "id",
    "compose",
    "flip",
    "length",
    "map",
    "foldl",
    "foldr",
    "sum",
    "concat",
    "filter",
    "zip",
    "rev",
    "map_accuml",
    "map_accumr",
    "tmap",
    "size",
)
"""Functions of the prelude that return a value quickly for all arguments."""


@dataclass(frozen=True)
class Signature:
    """A global function and its type; with `fuel` its first parameter bounds its recursion."""

    name: str
    ty: FuncType
    fuel: bool = False

    @property
    def var(self) -> GlobalVar:
        """Return a new reference to the function."""
        return GlobalVar(self.name, ty=self.ty)


def prelude_signatures() -> list[Signature]:
    """Return the signatures of the functions in `LIBRARY`."""
    module = library("prelude.rly")
    types = [(name, module[name].type) for name in LIBRARY]
    return [Signature(name, ty) for name, ty in types if isinstance(ty, FuncType)]


def bind(pattern: Type, ty: Type, bindings: dict[Type, Type]) -> bool:
    """Whether a type is an instance of a pattern with type variables; records their values.

    Recursion is bounded by the depth of the pattern.
    """
    if isinstance(pattern, TypeVar):
        return bindings.setdefault(pattern, ty) is ty
    if not children(pattern) or isinstance(ty, TypeVar):
        return pattern is ty
    inner, found = children(pattern), children(ty)
    alike = type(pattern) is type(ty) and len(inner) == len(found)
    alike = alike and getattr(pattern, "head", None) is getattr(ty, "head", None)
    return alike and all(bind(a, b, bindings) for a, b in zip(inner, found, strict=True))


def arguments_for(function: FuncType, result: Type) -> dict[Type, Type] | None:
    """Return type arguments with which a function returns that type, if they exist.

    Type variables of enclosing functions stand for themselves.
    """
    found: dict[Type, Type] = {}
    if not bind(function.result, result, found):
        return None
    around = [each for each in found if each not in function.type_params]
    return found if all(found[each] is each for each in around) else None


def with_sizes(ty: FuncType, result: Type, sizes: Sequence[Dim]) -> list[FuncType]:
    """Return the instances of a function with given sizes that return that type."""
    found: list[FuncType] = []
    names = in_order(dim_variables(ty))
    for size in sizes if names else (0,):
        chosen: dict[DimVar, Dim] = dict.fromkeys(names, size)
        instance = substitute_dims(ty, chosen)
        if isinstance(instance, FuncType) and instance.result is result:
            found.append(instance)
    return found


def instantiate(ty: FuncType, bindings: dict[Type, Type]) -> FuncType:
    """Return a generic function's type for these type arguments."""
    opened = FuncType(ty.params, ty.result)
    found = substitute_types(opened, bindings)
    assert isinstance(found, FuncType), "a function stays one"
    return found


def is_scalar(ty: Type) -> bool:
    """Whether it is a scalar type."""
    return isinstance(ty, TensorType) and not ty.shape
