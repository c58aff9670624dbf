"""Code that stops the program: what stands where no value can be."""

from relay.ir.expr import Expr, Tuple
from relay.ir.patterns import Match
from relay.ir.types import Type
from relay.support.errors import RelayError
from relay.support.span import Source, Span

STOPPED = "the program stops here"
"""What is said when such code runs; its place says why."""


def stopping(ty: Type, error: RelayError, where: Span | None) -> Expr:
    """Return a value of a type that stops the program (`R040`) when it is computed.

    It is a match without clauses; its place tells the error that made the code around senseless.
    """
    name = "" if where is None else f"{where.source.name}, "
    return stop(ty, f"{name}in a branch that does not fit: {error.message}")


def stop(ty: Type, reason: str) -> Expr:
    """Return a value of a type that stops the program (`R040`), which then shows the reason."""
    return Match(Tuple(()), (), complete=False, span=Span(Source(reason)), ty=ty)
