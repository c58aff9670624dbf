"""Names that are unique in a text, made from the hints that variables carry."""

import re
from collections.abc import Iterable

from relay.ir.expr import Var
from relay.ir.type_variables import FreeTypeVars
from relay.ir.types import FuncType, TypeVar
from relay.text.lexer import KEYWORDS

_STRANGE = re.compile(r"[^\w/]", re.ASCII)


class Names:
    """Gives every variable of a definition a name of its own, the same each time it is asked.

    What a function type binds is seen in it alone, and needs another name only than what it uses.
    """

    def __init__(self, reserved_types: Iterable[str] = ()) -> None:
        self._reserved_types = reserved_types
        self._free = FreeTypeVars()
        self._vars: dict[Var, str] = {}
        self._types: dict[TypeVar, str] = {}
        self._taken: dict[str, int] = {}
        self._taken_types: dict[str, int] = dict.fromkeys([*reserved_types, *KEYWORDS, "Tensor"], 1)

    def of(self, var: Var) -> str:
        """Return `%x`, or `%x1` when another variable has that name already."""
        if var not in self._vars:
            self._vars[var] = "%" + _unique(_identifier(var.name, "v"), self._taken)
        return self._vars[var]

    def of_type(self, var: TypeVar) -> str:
        """Return the name of a type parameter."""
        if var not in self._types:
            self._types[var] = _unique(_identifier(var.name, "t"), self._taken_types)
        return self._types[var]

    def inside(self, ty: FuncType) -> "Names":
        """Return the names that are seen in a function type with type parameters."""
        inner = Names(self._reserved_types)
        for var in self._free.of(ty):
            inner._types[var] = self.of_type(var)
            inner._taken_types.setdefault(inner._types[var], 1)
        return inner


def _identifier(hint: str, prefix: str) -> str:
    name = _STRANGE.sub("_", hint)
    return name if name[:1].isalpha() else prefix + name


def _unique(name: str, taken: dict[str, int]) -> str:
    """Append a counter until nobody has the name; the counter remembers where it stopped."""
    count = taken.get(name, 0)
    chosen = name
    while chosen in taken:
        chosen = f"{name}{count}"
        count += 1
    taken[name] = max(count, 1)
    taken.setdefault(chosen, 1)
    return chosen
