"""Decide which symbolic dimensions of an imported model are equal.

Exporters name the same size differently for every input. A model is first translated with
independent sizes; if branches, or the whole model, then have type errors, sizes that must be equal
are unified. Sizes that are equal or broadcast (one of them is 1) become unknown, so that the
program tests them at run time; if the types are then too imprecise to translate the model, these
sizes are also assumed to be equal.
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
from relay.opdef.definition import OperatorDef
from relay.opdef.dim_constraints import Constraint, Relation
from relay.support.errors import RelayError, RelayTypeError


class SizeNames:
    """A generator of unique dimension names that are valid in Relay's text format."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def unused(self, wanted: str) -> str:
        """Return an unused name derived from `wanted`."""
        name = "".join(c if c.isascii() and c.isalnum() else "_" for c in wanted)
        name = name if name[:1].isalpha() else f"d{name}"
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


@dataclass(frozen=True)
class Attempt:
    """The result of translating a model: the module, or a type error.

    `constraints` computes the constraints on its sizes; `has_forks` means that the branches of an
    `if` have no common type.
    """

    module: Module | RelayTypeError
    constraints: Callable[[], Sequence[Constraint]]
    has_forks: bool = False


Translate: TypeAlias = Callable[[Mapping[DimVar, Dim]], Attempt]
"""Translates a model with some sizes replaced by others, which they equal, or by `Any`."""


def with_equal_sizes(translate: Translate) -> Module:
    """Return the module of `translate`, repeated with equal sizes if constraints require it."""
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
    """Return the size constraints of all calls in the expressions."""
    calls = (each for each in post_order(Tuple(tuple(translated))) if isinstance(each, Call))
    return [
        each
        for call in calls
        if isinstance(call.op, OperatorDef) and any(is_dynamic(arg.type) for arg in call.args)
        for each in call.op.typing([arg.type for arg in call.args]).constraints
    ]


def left_open(constraints: Sequence[Constraint]) -> dict[DimVar, Dim]:
    """Map to `Any` each symbol whose only constraints are broadcasts, where one size may be 1.

    Symbols that must be equal anyway are unified, as by `one_size`.
    """
    same = one_size(each for each in constraints if each.relation is not Relation.BROADCAST)
    everywhere = one_size(constraints)
    classes: dict[DimVar, set[DimVar]] = {}
    for symbol, found in everywhere.items():
        classes.setdefault(found, {found}).add(symbol)
    mixed = [each for each in classes.values() if len({same.get(one, one) for one in each}) > 1]
    return {**same, **{symbol: ANY for each in mixed for symbol in each}}


def one_size(constraints: Iterable[Constraint]) -> dict[DimVar, DimVar]:
    """Map each symbol that must equal others to the first symbol of its class."""
    first: dict[DimVar, DimVar] = {}
    for each in constraints:
        left, right = each.left, each.right
        is_least = each.relation is Relation.AT_LEAST
        if isinstance(left, DimVar) and isinstance(right, DimVar) and not is_least:
            kept, gone = first.get(left, left), first.get(right, right)
            first |= {other: kept for other, found in first.items() if found is gone}
            first |= {gone: kept, kept: kept}
    return {symbol: found for symbol, found in first.items() if symbol is not found}
