"""Copies of functions that share nothing that binds."""

from typing import cast

from relay.ir.expr import Expr, Function, Var
from relay.ir.walk import binders, outside_kernels, post_order, rewrite


def fresh(function: Function) -> Function:
    """Return the function with new variables for all that it binds."""
    bound = [var for expr in post_order(function, edges=outside_kernels) for var in binders(expr)]
    new = {var: Var(var.name, var.annotation, span=var.span, ty=var.ty) for var in bound}

    def rule(expr: Expr) -> Expr:
        return new.get(expr, expr) if isinstance(expr, Var) else expr

    return cast("Function", rewrite(function, rule))
