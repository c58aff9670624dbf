"""Equality of function types up to the names of their type variables."""

from typing import Any

from relay.support.late_binding import module_above


class UpToTypeVariables:
    """A mixin for types that bind type variables; `==` and `hash` ignore their names."""

    __slots__ = ()
    type_params: Any

    def __eq__(self, other: object) -> bool:
        if self is other or not isinstance(other, UpToTypeVariables):
            return self is other
        if not self.type_params or len(self.type_params) != len(other.type_params):
            return False  # types are values: without binders, equal ones are the same object
        return _key(self) == _key(other)

    def __hash__(self) -> int:
        return len(self.type_params) if self.type_params else id(self) >> 4


def _key(ty: object) -> object:
    return module_above("relay.ir.type_keys").TypeKeys().of(ty)
