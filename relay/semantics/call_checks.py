"""Checks of calls in type inference: the number of arguments, and dimension names."""

from collections.abc import Sequence

from relay.ir.expr import Call, with_arguments
from relay.ir.types import FuncType, Type, is_dynamic
from relay.opdef.definition import OperatorDef
from relay.semantics.type_mismatch import callee_name
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError


def check_counts(call: Call, callee: FuncType) -> None:
    """Raise `T023` unless a call has one argument per parameter, and the right type arguments.

    There must be one for each type parameter, or none at all.
    """
    if len(call.args) != len(callee.params):
        wanted = len(callee.params)
        several = "" if wanted == 1 else "s"
        name = callee_name(call.op)
        message = f"{name} takes {wanted} argument{several}, not {len(call.args)}"
        raise RelayTypeError(
            ErrorCode.T023,
            message,
            span=call.span,
            help=f"pass one argument for each parameter of the function's type, {callee!r}",
        )
    if call.type_arguments and len(call.type_arguments) != len(callee.type_params):
        count, given = len(callee.type_params), len(call.type_arguments)
        message = f"the function takes {count} type arguments, not {given}"
        help_ = "pass a type for each type parameter, or none: they are inferred"
        raise RelayTypeError(ErrorCode.T023, message, span=call.span, help=help_)


def check_names(call: Call, op: OperatorDef, types: Sequence[Type]) -> None:
    """Raise `T101` if dimensions with different names broadcast in an operator's call.

    Users' programs must not do so, because different names mean different sizes; programs after
    passes may.
    """
    if not any(map(is_dynamic, types)):
        return
    for each in op.typing(types).constraints:
        if len(each.names) > 1:
            message = each.message.format(size=each.names[0], index=each.names[1])
            help_ = "use the same name for equal sizes, or `?` for an arbitrary size"
            raise with_arguments(RelayTypeError(ErrorCode.T101, message, help=help_), call, types)
