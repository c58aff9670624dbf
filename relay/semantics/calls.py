"""What a call must say."""

from relay.ir.expr import Call
from relay.ir.types import FuncType
from relay.semantics.blame import callee_name
from relay.support.errors import TypeError_


def check_counts(call: Call, callee: FuncType) -> None:
    """Require an argument for each parameter, and type arguments for all type parameters or none.

    Raises `T023`.
    """
    if len(call.args) != len(callee.params):
        wanted = len(callee.params)
        several = "" if wanted == 1 else "s"
        name = callee_name(call.op)
        message = f"{name} takes {wanted} argument{several}, not {len(call.args)}"
        raise TypeError_("T023", message, span=call.span, help=f"its type is {callee!r}")
    if call.type_args and len(call.type_args) != len(callee.type_params):
        count, given = len(callee.type_params), len(call.type_args)
        message = f"the function has {count} type parameters, not {given}"
        raise TypeError_("T023", message, span=call.span)
