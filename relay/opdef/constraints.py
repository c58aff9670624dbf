"""Constraints on dimensions that a type rule requires and only run time can decide.

Where a rule needs two dimensions to be equal and they are symbolic, it records a constraint.
`OperatorDef.typing` returns the constraints with the type of a call, and the compiler inserts a
check of each.
"""

from collections.abc import Callable
from contextvars import ContextVar
from enum import Enum

from relay.ir.dims import ANY, Broadcast, Dim, DimVar
from relay.ir.types import Type
from relay.support.node import Value, value


class Relation(Enum):
    """The relation that two dimensions must have; the value is the message for a violation."""

    EQUAL = "expected {size}, found {index}"
    AT_LEAST = "a size is {size} where at least {index} is needed"
    BROADCAST = "sizes {size} and {index} do not broadcast"


@value
class Constraint(Value):
    """Two dimensions of which a type rule requires a relation.

    Dimensions with the relation `BROADCAST` become equal when `relay.transform.dynamic_broadcast`
    repeats axes of size 1. `message` is the error message of a violation, with `{size}` for the
    left dimension and `{index}` for the right one.
    """

    left: Dim
    right: Dim
    relation: Relation
    message: str

    @property
    def names(self) -> tuple[DimVar, ...]:
        """Return the user's dimension names that broadcast; none if there are other dimensions.

        Two names denote two sizes. Whether `n + 1` and `m` differ is unknown.
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
    """The type of a call (None if it cannot be inferred yet), and its constraints."""

    type: Type | None
    constraints: tuple[Constraint, ...]


_noted: ContextVar[list[Constraint] | None] = ContextVar("constraints", default=None)


def typing_of(rule: Callable[[], Type | None]) -> Typing:
    """Return the type that a rule returns, with the constraints that it records."""
    noted: list[Constraint] = []
    token = _noted.set(noted)
    try:
        return Typing(rule(), tuple(dict.fromkeys(noted)))
    finally:
        _noted.reset(token)


def note(*constraints: Constraint) -> None:
    """Add constraints to those of the running rule."""
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
    """Record the constraint that two dimensions have a relation, unless they are equal or `?`.

    `what` names the dimensions for the message; `said` replaces the whole message.
    """
    if left != right and ANY not in (left, right):
        whose = ": ".join(filter(None, (operator, what.replace("{", "{{").replace("}", "}}"))))
        note(Constraint(left, right, relation, said or f"{whose}: {relation.value}"))
