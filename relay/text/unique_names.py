"""Unique names of variables in a printed text, derived from their name hints."""

import json
import re
from collections.abc import Container, Iterable, Sequence
from difflib import get_close_matches

from relay.ir.dims import DimVar
from relay.ir.expr import Var
from relay.ir.free_type_variables import FreeTypeVars
from relay.ir.types import FuncType, TypeVar
from relay.text.lexer import KEYWORDS
from relay.text.number_literals import is_number

_STRANGE = re.compile(r"[^\w/]", re.ASCII)
_IDENTIFIER = re.compile(r"[A-Za-z][\w/]*|_[\w/]+", re.ASCII)
PREFIX = "op."
"""The prefix that is written before an operator's name if a constructor has the same name."""

_ELEMENT = re.compile(r"(?:bool|bfloat|float|u?int)\d*(?:_e\w+)?(?:x\d+)?", re.ASCII)
_RESERVED = KEYWORDS | {"Tensor"}


def name_text(name: str) -> str:
    """Return the name of a data type or constructor, quoted unless it is a valid identifier.

    >>> name_text("Cons"), name_text("if"), name_text("a b")
    ('Cons', '"if"', '"a b"')
    """
    is_plain = _IDENTIFIER.fullmatch(name) and name not in _RESERVED and not is_number(name)
    return name if is_plain else json.dumps(name, ensure_ascii=False)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the most similar name in `known`, ignoring case; None if none is similar.

    >>> nearest("cons", ("Nil", "Cons")), nearest("cons", ("Nil",))
    ('Cons', None)
    """
    by_small = {each.lower(): each for each in known}
    near = get_close_matches(name.lower(), by_small, n=1, cutoff=0.75)
    return by_small[near[0]] if near else None


class Names:
    """The unique names of the variables in a definition.

    A type parameter of a function type is in scope only there, so its name must differ only from
    others that are used there.
    """

    def __init__(self, reserved_types: frozenset[str] = frozenset()) -> None:
        self._reserved_types = reserved_types
        self._free = FreeTypeVars()
        self._vars: dict[Var, str] = {}
        self._types: dict[TypeVar, str] = {}
        self._dims: dict[DimVar, str] = {}
        self._taken: dict[str, int] = {}
        self._taken_types: dict[str, int] = {}

    def of(self, var: Var) -> str:
        """Return the unique name of a variable: `%x`, or `%x1` if another one is called `%x`."""
        if var not in self._vars:
            self._vars[var] = "%" + _unique(_identifier(var.name, "v"), self._taken)
        return self._vars[var]

    def of_type(self, var: TypeVar) -> str:
        """Return the unique name of a type parameter."""
        if var not in self._types:
            name = _identifier(var.name, "t")
            name = f"t{name}" if _ELEMENT.fullmatch(name) else name
            self._types[var] = _unique(name, self._taken_types, (_RESERVED, self._reserved_types))
        return self._types[var]

    def of_dim(self, dim: DimVar) -> str:
        """Return the unique name of a dimension variable; fresh ones have a number, as in `n'1`."""
        if not dim.serial:
            return dim.name
        return self._dims.setdefault(dim, f"{dim.name}'{len(self._dims) + 1}")

    def hide(self, word: str) -> bool:
        """Whether a data type with the name `word` hides the element type of that name."""
        return word in self._reserved_types

    def inside(self, ty: FuncType) -> "Names":
        """Return the names to use inside a function type that has type parameters."""
        inner = Names(self._reserved_types)
        inner._dims = self._dims
        for var in self._free.of(ty):
            inner._types[var] = self.of_type(var)
            inner._taken_types.setdefault(inner._types[var], 1)
        return inner


def _identifier(hint: str, prefix: str) -> str:
    name = _STRANGE.sub("_", hint)
    return name if name[:1].isalpha() else prefix + name


def _unique(name: str, taken: dict[str, int], reserved: Sequence[Container[str]] = ()) -> str:
    """Return the name, with a number appended if it is taken; add it to `taken`.

    Names in `reserved` are not used either.
    """
    count = taken.get(name, int(any(name in words for words in reserved)))
    chosen = name
    while chosen in taken or any(chosen in words for words in reserved):
        chosen = f"{name}{count}"
        count += 1
    taken[name] = max(count, 1)
    taken.setdefault(chosen, 1)
    return chosen
