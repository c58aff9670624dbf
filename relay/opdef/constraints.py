"""Constraints on sizes: what a type rule requires that only run time can tell.

A rule that needs two sizes to be equal gives symbolic ones the benefit of the doubt, and notes it
as a constraint. `OperatorDef.typing` returns them beside the type of a call; whoever compiles the
call has the program test them.
"""

from collections.abc import Callable
from contextvars import ContextVar
from enum import Enum

from relay.ir.dims import ANY, Broadcast, Dim, DimVar
from relay.ir.types import Type
from relay.support.node import Value, value


class Relation(Enum):
    """How two sizes have to compare: what is said of them, and what where they do not."""

    EQUAL = "expected {size}, found {index}"
    AT_LEAST = "a size is {size} where at least {index} is needed"
    BROADCAST = "sizes {size} and {index} do not broadcast"


@value
class Constraint(Value):
    """Two sizes that a type rule needs to be equal, or the left one not to be smaller.

    Sizes that `BROADCAST` are equal once `relay.transform.dynamic_broadcast` has repeated what has
    size 1. `message` is what the program says where they are not: with `{size}` for the left one
    and `{index}` for the right one.
    """

    left: Dim
    right: Dim
    relation: Relation
    message: str

    @property
    def names(self) -> tuple[DimVar, ...]:
        """Return the names of the program that broadcast; none if other sizes are among them.

        Whoever writes two names means two sizes. Of `n + 1` and `m`, nobody knows.
        """
        if self.relation is not Relation.BROADCAST:
            return ()
        sides = (self.left, self.right)
        met = [s for dim in sides for s in (dim.sizes if isinstance(dim, Broadcast) else (dim,))]
        sizes = dict.fromkeys(met)
        names = tuple(s for s in sizes if isinstance(s, DimVar) and not s.is_made)
        return names if len(names) == len(sizes) else ()


@value
class Typing(Value):
    """The type of a call (None if the operator cannot tell it yet), and its constraints."""

    type: Type | None
    constraints: tuple[Constraint, ...]


_noted: ContextVar[list[Constraint] | None] = ContextVar("constraints", default=None)


def typing_of(rule: Callable[[], Type | None]) -> Typing:
    """Return what a rule returns, and what it notes meanwhile."""
    noted: list[Constraint] = []
    token = _noted.set(noted)
    try:
        return Typing(rule(), tuple(dict.fromkeys(noted)))
    finally:
        _noted.reset(token)


def note(*constraints: Constraint) -> None:
    """Add constraints to those of the rule that runs: `constrain`, for ready ones."""
    noted = _noted.get()
    if noted is not None:
        noted += constraints


def constrain(
    operator: str,
    left: Dim,
    right: Dim,
    what: str = "",
    relation: Relation = Relation.EQUAL,
    *,
    said: str = "",
) -> None:
    """Note that a rule needs sizes to compare like this, unless they are seen to be equal.

    `what` says which sizes they are; `said` is the whole message, if the rule knows better.
    """
    if left != right and ANY not in (left, right):
        whose = ": ".join(filter(None, (operator, what.replace("{", "{{").replace("}", "}}"))))
        note(Constraint(left, right, relation, said or f"{whose}: {relation.value}"))
