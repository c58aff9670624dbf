"""Expressions that always trap, such as failing assertions: matches without clauses.

Like all traps, they may be dropped if their value is not needed
(docs/decisions/0008-imprecise-traps.md).
"""

from relay.ir.expr import Expr, Tuple
from relay.ir.match_patterns import Match
from relay.ir.types import Type
from relay.support.errors import RelayError
from relay.support.span import Source, Span

FAILED = "an assertion of the program failed"
"""The error message of a failing assertion; the source span shows its reason."""


def branch_failure(ty: Type, error: RelayError, where: Span | None) -> Expr:
    """Return an expression of type `ty` that traps, in place of a branch with a type error.

    `error` is the reason, and `where` the source location.
    """
    name = "" if where is None else f"{where.source.name}, "
    return failure(ty, f"{name}a branch that has a type error was chosen: {error.message}")


def failure(ty: Type, reason: str) -> Expr:
    """Return an expression of type `ty` that always traps (`R040`), with a reason."""
    return Match(Tuple(()), (), complete=False, span=Span(Source(reason)), ty=ty)
