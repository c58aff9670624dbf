"""Equality of function types up to the names of their type variables."""

from typing import Any, cast

from relay.support.late_binding import module_above
from relay.support.node import set_field


class UpToTypeVariables:
    """A mixin for types that bind type variables; `==` and `hash` ignore their names.

    `alpha_key` is computed when it is first needed, because it visits the whole type.
    """

    __slots__ = ()
    type_params: Any
    alpha_key: str | None

    def __eq__(self, other: object) -> bool:
        if self is other or not isinstance(other, UpToTypeVariables):
            return self is other
        if not self.type_params or len(self.type_params) != len(other.type_params):
            return False  # types are values: without binders, equal ones are the same object
        return _key(self) == _key(other)

    def __hash__(self) -> int:
        return hash(_key(self)) if self.type_params else id(self) >> 4


def _key(ty: UpToTypeVariables) -> str:
    if ty.alpha_key is None:
        set_field(ty, "alpha_key", module_above("relay.ir.type_keys").TypeKeys().of(ty))
    return cast("str", ty.alpha_key)
