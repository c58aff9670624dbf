"""What a kernel needs to be true of run-time sizes, before it may run."""

from relay.ir.expr import Call, Function
from relay.ir.types import is_dynamic
from relay.ir.walk import post_order
from relay.opdef.assumptions import Assumption, assuming
from relay.opdef.definition import OperatorDef


def assumptions_of(function: Function) -> tuple[Assumption, ...]:
    """Return what the type rules of a primitive function's operators take for granted."""
    with assuming() as found:
        for call in post_order(function.body):
            if isinstance(call, Call) and isinstance(call.op, OperatorDef):
                types = [arg.type for arg in call.args]
                if any(map(is_dynamic, (*types, call.type))):
                    call.op.result_type(types)
    return tuple(dict.fromkeys(found))
