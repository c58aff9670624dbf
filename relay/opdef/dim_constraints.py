"""Constraints on dimensions, which type rules require and which can only be checked at run time.

If a type rule requires two symbolic dimensions to be equal, it records a constraint.
`OperatorDef.typing` returns these with the type of a call, and the compiler inserts a check for
each.
"""

from collections.abc import Callable
from contextvars import ContextVar
from enum import Enum

from relay.ir.dims import ANY, Broadcast, Dim, DimVar
from relay.ir.types import Type
from relay.support.node import Value, value


class Relation(Enum):
    """The relation that a constraint requires of two dimensions; each value is an error text."""

    EQUAL = "expected {size}, found {index}"
    AT_LEAST = "a size is {size}, but at least {index} is needed"
    BROADCAST = "the sizes {size} and {index} do not broadcast"


@value
class Constraint(Value):
    """A requirement of a type rule: a relation that two dimensions must have.

    Dimensions with the relation `BROADCAST` become equal when `relay.transform.dynamic_broadcast`
    repeats axes of size 1. `message` is the error message, in which `{size}` and `{index}` stand
    for the left and the right dimension.
    """

    left: Dim
    right: Dim
    relation: Relation
    message: str

    @property
    def names(self) -> tuple[DimVar, ...]:
        """Return the two user-named dimensions that broadcast with each other, if both are names.

        Different names denote different sizes. The result is empty for other dimensions: `n + 1`
        and `m` may be equal.
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
    """The type of a call and the constraints on its dimensions.

    The type is None if it cannot be inferred yet.
    """

    type: Type | None
    constraints: tuple[Constraint, ...]


_noted: ContextVar[list[Constraint] | None] = ContextVar("constraints", default=None)


def typing_of(rule: Callable[[], Type | None]) -> Typing:
    """Return the type that a type rule returns, and the constraints that it records."""
    noted: list[Constraint] = []
    token = _noted.set(noted)
    try:
        return Typing(rule(), tuple(dict.fromkeys(noted)))
    finally:
        _noted.reset(token)


def record_constraints(*constraints: Constraint) -> None:
    """Add constraints to those that the type rule being run requires."""
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
    message: str = "",
) -> None:
    """Record that two dimensions must have a relation, to be checked at run time.

    Equal dimensions, and `?`, need no check. `what` describes the dimensions in the error message;
    `message` replaces that message.
    """
    if left != right and ANY not in (left, right):
        whose = ": ".join(filter(None, (operator, what.replace("{", "{{").replace("}", "}}"))))
        record_constraints(
            Constraint(left, right, relation, message or f"{whose}: {relation.value}")
        )
