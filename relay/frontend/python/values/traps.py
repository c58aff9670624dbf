"""What stops the program: `assert`, `raise`, and what Python would raise at run time."""

from relay.ir.expr import Expr, If, Tuple
from relay.ir.failure import failure
from relay.ir.types import Type
from relay.support.span import Span


def stopped(ty: Type, why: str, span: Span | None) -> Expr:
    """Return a value of a type that stops the program (`R040`), with the place and the reason."""
    return failure(ty, why if span is None else f"{span}: {why}")


def stopped_unless(condition: Expr, why: str, value: Expr, span: Span | None) -> Expr:
    """Return a value, if the condition holds; else the program stops."""
    return If(condition, value, stopped(value.type, why, span), span=span)


def check(condition: Expr, why: str, span: Span | None) -> Expr:
    """Return nothing, `()`, if the condition holds; else the program stops."""
    return stopped_unless(condition, why, Tuple((), span=span), span)
