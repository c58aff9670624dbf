"""Code that stops the program: what stands for a branch that can never give a value."""

from relay.ir.expr import Call, Clause, Expr, Match, PatternConstructor, PatternVar, Var
from relay.ir.types import Type
from relay.prelude.library import library
from relay.support.errors import RelayError
from relay.support.span import Source, Span


def failing(ty: Type, error: RelayError, where: Span) -> Expr:
    """Return a value of a type that stops the program (`R040`) when it is computed.

    It is what an option without a value holds, `match? (None) { Some(%x) => %x }`; its place tells
    the error that made the branch senseless.
    """
    constructors = library("prelude.rly").constructors()
    span = Span(Source(f"{where.source.name}, in a branch that does not fit: {error.message}"))
    x = Var("x", ty)
    clause = Clause(PatternConstructor(constructors["Some"], (PatternVar(x),)), x)
    nothing = Call(constructors["None"], (), (ty,), span=span)
    return Match(nothing, (clause,), complete=False, span=span)
