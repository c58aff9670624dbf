"""A warning that a compiled program does not call the functions of `relay.debug`."""

import warnings

from relay.ir.expr import Call
from relay.ir.module import Module
from relay.ir.walk import post_order
from relay.opdef.user_rules import HOOKS
from relay.ops.annotation import Debug
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageWarning


def warn_of_debug_functions(module: Module) -> None:
    """Issue the warning `U328` at the first value that has a registered debugging function."""
    for expr in post_order(*(function.body for function in module.functions.values())):
        match expr:
            case Call(Debug(name) as op) if HOOKS.find(op, name) is not None:
                message = "compiled programs do not call the function of relay.debug"
                help_ = 'evaluate the program: relay.create_executor("debug", mod).evaluate()'
                warning = UsageWarning(ErrorCode.U328, message, span=expr.span, help=help_)
                warnings.warn(warning, stacklevel=2)
                return
            case _:
                pass
