"""Checks of the values that users' layout and legalisation rules return."""

from relay.ir.expr import Call, Expr
from relay.opdef.layout_rules import Relayout
from relay.ops.nn.conv_base import ConvBase
from relay.ops.nn.pool_base import Pool
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError


def checked_replacement(call: Call, answer: object) -> Expr:
    """Return the expression that a user's rule returned for a call; the call itself for None.

    Raises `U311` for any other result.
    """
    if answer is None:
        return call
    if not isinstance(answer, Expr):
        found = type(answer).__name__
        what = f"must return an expression or None, but returned an object of the class {found}"
        raise _wrong(call, what, "return an expression, or None to leave the call unchanged")
    if answer.ty is not call.ty:
        found = "no type yet" if answer.ty is None else repr(answer.ty)
        raise _wrong(
            call,
            f"returned an expression of type {found}, but must return one of type {call.type!r}",
            "return an expression of the same type",
        )
    return answer


def checked_layouts(call: Call, answer: object) -> Relayout | None:
    """Return the layouts of the call that a user's rule returned; None if it returned None.

    The call is a convolution or a pooling like the one that it replaces, on the same arguments,
    with layouts in its attributes. Raises `U311` for any other result.
    """
    if answer is None or answer is call:
        return None
    if not isinstance(answer, Call) or answer.args != call.args:
        help_ = "return a call with the same inputs, and with other layouts among its attributes"
        raise _wrong(call, "returned something other than a call on the same inputs", help_)
    match call.op, answer.op:
        case (ConvBase() as old, ConvBase() as new) | (Pool() as old, Pool() as new):
            letters = [layout.letters for layout in old.layouts]
            *inputs, output = (
                layout.of(order) for layout, order in zip(new.layouts, letters, strict=True)
            )
            return Relayout(new, tuple(inputs), output)
        case _:
            raise _wrong(
                call, "changed the operator", "only convolutions and poolings have layouts"
            )


def _wrong(call: Call, did: str, help_: str) -> UsageError:
    message = f"the layout rule for the operator {getattr(call.op, 'name', 'a call')} {did}"
    return UsageError(ErrorCode.U311, message, span=call.span, help=help_)
