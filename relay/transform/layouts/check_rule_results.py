"""Checks of the values that users' layout and legalisation rules return."""

from relay.ir.expr import Call, Expr
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError


def checked_replacement(call: Call, answer: object) -> Expr:
    """Return the expression that a user's rule returned for a call; the call itself for None.

    Raises `U311` for any other result.
    """
    return call if answer is None else of_its_type(call, checked_expression(call, answer))


def checked_expression(call: Call, answer: object) -> Expr:
    """Return the result of a user's rule for a call; raises `U311` unless it is an expression."""
    if isinstance(answer, Expr):
        return answer
    found = type(answer).__name__
    what = f"must return an expression or None, but returned an object of the class {found}"
    raise wrong_result(call, what, "return an expression, or None to leave the call unchanged")


def of_its_type(call: Call, found: Expr) -> Expr:
    """Return the replacement of a call; raises `U311` unless it has the type of the call."""
    if found.ty is call.ty:
        return found
    what = "no type yet" if found.ty is None else repr(found.ty)
    raise wrong_result(
        call,
        f"returned an expression of type {what}, but must return one of type {call.type!r}",
        "return an expression of the same type",
    )


def wrong_result(call: Call, did: str, help_: str) -> UsageError:
    """Return the error for a rule that did something wrong."""
    message = f"the layout rule for the operator {getattr(call.op, 'name', 'a call')} {did}"
    return UsageError(ErrorCode.U311, message, span=call.span, help=help_)
