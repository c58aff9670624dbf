"""Hash keys of types, which are equal for types that differ only in the names of bound variables.

A type without type variables is its own key, because types are values. In other types, a bound
variable is identified by the distance of its binder and its position there (a De Bruijn index), so
a function's type has the same key whether it shares type variables with the function or has its
own. Each type is visited once for each list of enclosing binders, however often it occurs. Bound
dimension variables are replaced by numbered ones.
"""

import hashlib
from collections.abc import Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from relay.ir.dims import Dim, DimVar
from relay.ir.types import (
    FuncType,
    IncompleteType,
    TensorType,
    Type,
    TypeCall,
    TypeRelation,
    TypeVar,
    children,
    substitute_dims,
)

_Around: TypeAlias = tuple[tuple[TypeVar, ...], ...]


class TypeKeys:
    """A factory of keys, by which types of one program are equal up to the names of variables.

    `declare` numbers the type variables that functions of the program bind; other free type
    variables equal only themselves. `dims` maps bound dimension variables to their replacements.

    >>> a, b = TypeVar("A"), TypeVar("B")
    >>> keys = TypeKeys()
    >>> keys.of(FuncType((a,), a, (a,))) == keys.of(FuncType((b,), b, (b,)))
    True
    """

    def __init__(self, dims: Mapping[DimVar, Dim] = MappingProxyType({})) -> None:
        self._dims = dims
        self._numbers: dict[TypeVar, int] = {}
        self._known: dict[_Around, dict[int, tuple[Type, Hashable]]] = {}

    def declare(self, type_params: Sequence[TypeVar]) -> None:
        """Number the type variables that a function binds, in the order of these calls."""
        for var in type_params:
            self._numbers.setdefault(var, len(self._numbers))

    def of(self, ty: Type, around: _Around = ()) -> Hashable:
        """Return a type's key; `around` lists the type parameters of enclosing function types."""
        known = self._known.setdefault(around, {})  # by identity: `==` of types asks for keys
        if id(ty) not in known:
            known[id(ty)] = ty, self._key(ty, around)
        return known[id(ty)][1]

    def _key(self, ty: Type, around: _Around) -> Hashable:
        if isinstance(ty, TypeVar):
            return self._variable(ty, around)
        if isinstance(ty, TensorType):
            numbered = substitute_dims(ty, self._dims) if self._dims else ty
            return ty if numbered is ty else repr(numbered)  # a type is alive, this one is not
        if isinstance(ty, IncompleteType):
            return f"hole {id(ty)}"
        binds = ty.type_params if isinstance(ty, FuncType) else ()
        inner = [self.of(each, (*around, binds) if binds else around) for each in children(ty)]
        if not binds and not any(isinstance(key, str) for key in inner):
            return ty
        kinds = [var.kind.name for var in binds]
        return _digest(type(ty).__name__, _head(ty), kinds, [_key_text(key) for key in inner])

    def _variable(self, var: TypeVar, around: _Around) -> str:
        for out, binder in enumerate(reversed(around)):
            if var in binder:
                return f"bound {out} {binder.index(var)}"
        return f"type {self._numbers.get(var, id(var))}"


def _head(ty: Type) -> object:
    """Return the fields of a type other than its component types."""
    match ty:
        case TypeCall(head):
            return head
        case FuncType(params):
            return len(params)
        case TypeRelation(relation, _, num_inputs):
            return relation, num_inputs
        case _:
            return None


def _key_text(key: Hashable) -> str:
    """Return the key of a component type as a string.

    A type without type variables is its own key, and its memory address becomes the string. The
    address stays valid, because the enclosing type refers to it.
    """
    return key if isinstance(key, str) else f"closed {id(key)}"


def _digest(*parts: object) -> str:
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest()
