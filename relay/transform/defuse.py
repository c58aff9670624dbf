"""Inline primitive functions: kernels become operators again."""

from typing import ClassVar, cast

from relay.ir.expr import Call, Expr, Function, Var
from relay.ir.walk import children, rewrite, substitute
from relay.support.node import value
from relay.transform.contract import NORMAL_FORMS, Properties
from relay.transform.module_properties import Property
from relay.transform.pipeline import FunctionPass


@value
class Defuse(FunctionPass):
    """Replace calls of primitive functions by their bodies: the inverse of `FuseOperators`."""

    breaks: ClassVar[Properties] = NORMAL_FORMS | {Property.FUSED}

    def run(self, function: Function) -> Function:
        """Rewrite from the leaves up."""
        return cast("Function", rewrite(function, _defuse, edges=children))


def _defuse(expr: Expr) -> Expr:
    match expr:
        case Call(Function(params, body) as kernel, args) if kernel.is_primitive:
            bindings: dict[Var, Expr] = dict(zip(params, args, strict=True))
            return substitute(body, bindings)
        case _:
            return expr
