"""Expressions that trap: for `assert`, `raise`, and errors that Python would raise at run time."""

from relay.ir.expr import Expr, If, Tuple
from relay.ir.trap import failure
from relay.ir.types import Type
from relay.support.span import Span


def stopped(ty: Type, why: str, span: Span | None) -> Expr:
    """Return an expression of type `ty` that traps (error `R040`) with the reason `why`."""
    return failure(ty, why if span is None else f"{span}: {why}")


def stopped_unless(condition: Expr, why: str, value: Expr, span: Span | None) -> Expr:
    """Return an expression that yields `value` if the condition holds and traps otherwise."""
    return If(condition, value, stopped(value.type, why, span), span=span)


def check(condition: Expr, why: str, span: Span | None) -> Expr:
    """Return an expression that yields `()` if the condition holds and traps otherwise."""
    return stopped_unless(condition, why, Tuple((), span=span), span)
