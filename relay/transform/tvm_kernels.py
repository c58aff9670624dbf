"""The form that TVM's `FuseOps` gives to kernels."""

from typing import cast

from relay.ir.expr import Call, Expr, Function, Var
from relay.ir.walk import post_order, rewrite
from relay.ops.annotation import StopFusion
from relay.ops.tensor.reshape import Reshaping
from relay.support.node import replace

RESHAPE_ONLY = "relay.reshape_only"
"""The attribute of kernels that only reshape their operand."""


def with_tvm_kernels(function: Function) -> Function:
    """Return a fused function whose kernels have the form that they have in TVM.

    1. The annotation `stop_fusion`, which has ended kernels, is dropped.
    2. A kernel that only reshapes has the attribute `relay.reshape_only`.
    """
    return cast("Function", rewrite(function, _completed))


def _completed(expr: Expr) -> Expr:
    match expr:
        case Call(Function(params) as kernel, args) if kernel.is_primitive:
            body = rewrite(kernel.body, _without_stop)  # case 1
            if isinstance(body, Var):
                return args[params.index(body)]
            attrs = {**kernel.attrs, RESHAPE_ONLY: 1} if _only_reshapes(body) else kernel.attrs
            if body is kernel.body and attrs is kernel.attrs:
                return expr
            return replace(expr, op=replace(kernel, body=body, attrs=attrs))
        case _:
            return expr


def _without_stop(expr: Expr) -> Expr:
    match expr:
        case Call(StopFusion(), (data,)):
            return data
        case _:
            return expr


def _only_reshapes(body: Expr) -> bool:
    calls = [expr for expr in post_order(body) if isinstance(expr, Call)]
    return all(isinstance(call.op, Reshaping) for call in calls)
