"""Lookup of the functions that a module's calls may reach, by global name or bound variable."""

from collections.abc import Sequence
from typing import TypeAlias

from relay.ir.expr import Expr, Function, GlobalVar, Let, Var
from relay.ir.module import Module
from relay.ir.walk import outside_kernels, post_order

Callee: TypeAlias = str | Var


def nodes_of(module: Module) -> list[Expr]:
    """Return all expressions of a module's functions, without the bodies of kernels."""
    functions = module.functions.values()
    return [e for each in functions for e in post_order(each, edges=outside_kernels)]


def known_functions(module: Module, nodes: Sequence[Expr]) -> dict[Callee, Function]:
    """Return the functions that global names and variables refer to."""
    found: dict[Callee, Function] = {**module.functions}
    for expr in nodes:
        if isinstance(expr, Let) and isinstance(expr.value, Function):
            found[expr.var] = expr.value
    return found


def callee(op: Expr) -> Callee | None:
    """Return the global name or the variable that is called; None if the callee is computed."""
    match op:
        case GlobalVar(name):
            return name
        case Var():
            return op
        case _:
            return None
