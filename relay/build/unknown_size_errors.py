"""Errors for kernels whose sizes are unknown: a kernel needs a static or named size for each."""

from relay.ir.expr import Call, Expr, Function
from relay.ir.module import Module
from relay.ir.types import has_any, is_dynamic
from relay.ir.walk import outside_kernels, post_order
from relay.opdef.definition import OperatorDef
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError


def makes_unknown_sizes(module: Module) -> list[Call]:
    """Return the operator calls in a module's kernels whose results have unknown sizes."""
    return [
        call
        for function in module.functions.values()
        for kernel in post_order(function, edges=outside_kernels)
        for call in _calls(kernel)
        if _makes_sizes(call)
    ]


def refuse_unknown_sizes(module: Module) -> None:
    """Raise `C103` for kernels whose results have unknown sizes, naming their operators.

    The module's operators are grouped into kernels.
    """
    found = makes_unknown_sizes(module)
    if found:
        names = sorted({call.op.name for call in found if isinstance(call.op, OperatorDef)})
        raise CompileError(
            ErrorCode.C103,
            f"the result sizes of the operators {', '.join(names)} are unknown at compile time",
            span=found[0].span,
            notes=[f"{call.type!r}{f' at {call.span}' if call.span else ''}" for call in found],
            help=(
                "replace `?` by a number, by the name of a size of an input, or pass a tensor "
                "with the size"
            ),
        )


def _calls(kernel: Expr) -> list[Call]:
    """Return the operator calls inside the kernel that an expression calls."""
    if not (isinstance(kernel, Call) and isinstance(kernel.op, Function)):
        return []
    return [call for call in post_order(kernel.op.body) if isinstance(call, Call)]


def _makes_sizes(call: Call) -> bool:
    """Whether the argument types do not determine the sizes of a call's result."""
    if not is_dynamic(call.type) or not isinstance(call.op, OperatorDef):
        return False
    ty = call.op.result_type([arg.type for arg in call.args])
    return ty is not None and has_any(ty)
