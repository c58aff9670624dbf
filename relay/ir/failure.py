"""Failing assertions: a match without clauses, which always traps.

Other traps may be dropped where their value is not needed (docs/decisions/0008-imprecise-traps.md).
"""

from relay.ir.expr import Expr, Tuple
from relay.ir.patterns import Match
from relay.ir.types import Type
from relay.support.errors import RelayError
from relay.support.span import Source, Span

FAILED = "the program stops here"
"""The message of a failure; its span shows the reason."""


def branch_failure(ty: Type, error: RelayError, where: Span | None) -> Expr:
    """Return a failure that replaces an ill-typed branch, with the error as its reason."""
    name = "" if where is None else f"{where.source.name}, "
    return failure(ty, f"{name}in a branch that does not fit: {error.message}")


def failure(ty: Type, reason: str) -> Expr:
    """Return an expression of the given type that traps (`R040`) with this reason."""
    return Match(Tuple(()), (), complete=False, span=Span(Source(reason)), ty=ty)
