"""Copies of functions with fresh bound variables."""

from collections.abc import Iterator
from typing import cast

from relay.ir.expr import Expr, Function, Var
from relay.ir.module import Module
from relay.ir.walk import binders, outside_kernels, post_order, rewrite


def fresh(function: Function) -> Function:
    """Return a copy of the function in which every bound variable is new."""
    new = {var: renewed(var) for var in _bound(function)}

    def rule(expr: Expr) -> Expr:
        return new.get(expr, expr) if isinstance(expr, Var) else expr

    return cast("Function", rewrite(function, rule))


def renewed(var: Var) -> Var:
    """Return a new variable with the name, types and span of another one."""
    return Var(var.name, var.annotation, span=var.span, ty=var.ty)


def bound_twice(module: Module) -> Iterator[tuple[str, Var]]:
    """Yield each function that binds a variable of an earlier function, with the first such."""
    seen: set[Var] = set()
    for name, function in module.functions.items():
        bound = list(_bound(function))
        again = next((var for var in bound if var in seen), None)
        if again is not None:
            yield name, again
        seen.update(bound)


def bound_apart(module: Module) -> Module:
    """Return a module whose functions share no bound variable; the same one if they share none."""
    copies = {name: fresh(module[name]) for name, _ in bound_twice(module)}
    return module.with_functions({**module.functions, **copies}) if copies else module


def _bound(function: Function) -> Iterator[Var]:
    for expr in post_order(function, edges=outside_kernels):
        yield from binders(expr)
