"""A report of the operators for which no precision is stated, before a pass narrows floats."""

import warnings
from collections import Counter
from collections.abc import Mapping

from relay.ir.expr import Call
from relay.ir.module import Module
from relay.ir.walk import outside_kernels, post_order
from relay.opdef.definition import OperatorDef, Precision
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError, UsageWarning
from relay.transform.pipeline import is_optimizable


def unstated_precision(module: Module) -> Mapping[str, int]:
    """Return the names of operators without a precision, with the numbers of their calls."""
    bodies = [f.body for f in module.functions.values() if is_optimizable(f)]
    return Counter(
        call.op.name
        for call in post_order(*bodies, edges=outside_kernels)
        if isinstance(call, Call) and isinstance(call.op, OperatorDef)
        if call.op.precision is Precision.UNSTATED
    )


def report_unstated_precision(module: Module, mode: int) -> None:
    """Report operators without a precision, if there are any: 0 raises `U324`, 1 warns."""
    found = unstated_precision(module)
    if not found or mode == 2:
        return
    calls = ", ".join(f"{name} ({count}×)" for name, count in sorted(found.items()))
    message = f"no rule says in which precision these operators compute: {calls}"
    if mode == 0:
        help_ = "pass missing_op_mode=1 or 2, to compute them in the precision of their arguments"
        raise UsageError(ErrorCode.U324, message, help=help_)
    help_ = "pass missing_op_mode=2 if they may compute in the precision of their arguments, as now"
    warnings.warn(UsageWarning(ErrorCode.U324, message, help=help_), stacklevel=2)
