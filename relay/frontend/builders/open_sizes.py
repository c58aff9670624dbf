"""Names of open sizes, and which of them are equal.

Exporters name the same size differently for every input. A model is first translated with
independent sizes; if branches, or the whole model, then have type errors, sizes that must be equal
are unified. Sizes that may be equal or 1 become unknown, so that the program tests them at run
time; if the translation then knows too little about the model, these are also assumed equal.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from relay.ir.dims import ANY, Dim, DimVar
from relay.ir.expr import Call, Expr, Tuple
from relay.ir.module import Module
from relay.ir.types import is_dynamic
from relay.ir.walk import post_order
from relay.opdef.constraints import Constraint, Relation
from relay.opdef.definition import OperatorDef
from relay.support.errors import RelayError, RelayTypeError


class SizeNames:
    """Names of sizes, valid in Relay's text and each given once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def unused(self, wanted: str) -> str:
        """Return a name like the wanted one."""
        name = "".join(c if c.isascii() and c.isalnum() else "_" for c in wanted)
        name = name if name[:1].isalpha() else f"d{name}"
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


@dataclass(frozen=True)
class Attempt:
    """A translation or its error, its constraints on sizes, and whether branches have no type."""

    module: Module | RelayTypeError
    constraints: Callable[[], Sequence[Constraint]]
    has_forks: bool = False


Translate: TypeAlias = Callable[[Mapping[DimVar, Dim]], Attempt]
"""Translates a model with some sizes replaced by others, which they equal, or by `Any`."""


def with_equal_sizes(translate: Translate) -> Module:
    """Return a translation, repeated with equal sizes if those of different names must agree."""
    first = translate({})
    constraints = first.constraints()
    meets = any(len(each.names) > 1 for each in constraints)
    if isinstance(first.module, Module) and not first.has_forks and not meets:
        return first.module
    for same in (left_open(constraints), one_size(constraints)):
        with suppress(RelayError):
            again = translate(same)
            is_known = same == one_size(constraints) or not again.has_forks
            if same and is_known and isinstance(again.module, Module):
                return again.module
    if isinstance(first.module, RelayTypeError):
        raise first.module
    return first.module


def constraints_in(translated: Sequence[Expr]) -> list[Constraint]:
    """Return the constraints on sizes of all calls in some expressions."""
    calls = (each for each in post_order(Tuple(tuple(translated))) if isinstance(each, Call))
    return [
        each
        for call in calls
        if isinstance(call.op, OperatorDef) and any(is_dynamic(arg.type) for arg in call.args)
        for each in call.op.typing([arg.type for arg in call.args]).constraints
    ]


def left_open(constraints: Sequence[Constraint]) -> dict[DimVar, Dim]:
    """Return `Any` for symbols that meet others only where one of them may be 1.

    Symbols that must be equal nevertheless are unified, as in `one_size`.
    """
    same = one_size(each for each in constraints if each.relation is not Relation.BROADCAST)
    everywhere = one_size(constraints)
    classes: dict[DimVar, set[DimVar]] = {}
    for symbol, found in everywhere.items():
        classes.setdefault(found, {found}).add(symbol)
    mixed = [each for each in classes.values() if len({same.get(one, one) for one in each}) > 1]
    return {**same, **{symbol: ANY for each in mixed for symbol in each}}


def one_size(constraints: Iterable[Constraint]) -> dict[DimVar, DimVar]:
    """Return for each symbol that must equal others the first of them."""
    first: dict[DimVar, DimVar] = {}
    for each in constraints:
        left, right = each.left, each.right
        is_least = each.relation is Relation.AT_LEAST
        if isinstance(left, DimVar) and isinstance(right, DimVar) and not is_least:
            kept, gone = first.get(left, left), first.get(right, right)
            first |= {other: kept for other, found in first.items() if found is gone}
            first |= {gone: kept, kept: kept}
    return {symbol: found for symbol, found in first.items() if symbol is not found}
