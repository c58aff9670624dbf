"""Recognises kernels whose result is a view of an argument, which need not run."""

from typing import cast

from relay.ir.expr import Call, Function, Var
from relay.ir.types import TensorType
from relay.opdef.definition import OperatorDef


def is_view(function: Function) -> bool:
    """Whether a primitive function returns its first argument's elements in the same order."""
    expr = function.body
    while isinstance(expr, Call) and isinstance(expr.op, OperatorDef):
        types = cast("list[TensorType]", [arg.type for arg in expr.args])
        if not expr.op.keeps_order(*types):
            return False
        expr = expr.args[0]
    return isinstance(expr, Var) and expr is function.params[0]
