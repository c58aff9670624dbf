"""Modules from elsewhere, such as a model that was loaded, as functions of a program."""

from collections.abc import Container, Mapping
from typing import cast

from relay.ir.analysis.call_graph import CallGraph
from relay.ir.custom_derivatives import with_renamed_derivatives
from relay.ir.expr import Expr, Function, GlobalVar
from relay.ir.module import Module
from relay.ir.walk import children, rewrite
from relay.semantics.infer import infer
from relay.support.node import replace


def linked(module: Module, name: str, taken: Container[str]) -> dict[str, Function]:
    """Return what the `main` of a module needs, itself first, by names that are not taken.

    >>> from relay.ir.expr import Tuple
    >>> list(linked(Module.of(Tuple(())), "encoder", {"main", "encoder"}))
    ['encoder_1']
    """
    typed = infer(module)
    wanted = CallGraph(typed).reachable("main")
    names: dict[str, str] = {}
    for each in ("main", *wanted):
        if each not in names:
            hint = name if each == "main" else f"{name}_{each}"
            names[each] = free_name(hint, {*names.values()}, taken)
    return {new: _renamed(typed[old], names) for old, new in names.items()}


def free_name(hint: str, *taken: Container[str]) -> str:
    """Return a name that is in none of the given containers: the hint, or one with a number."""
    name, number = hint, 1
    while any(name in each for each in taken):
        name, number = f"{hint}_{number}", number + 1
    return name


def _renamed(function: Function, names: Mapping[str, str]) -> Function:
    def rule(expr: Expr) -> Expr:
        return replace(expr, name=names[expr.name]) if isinstance(expr, GlobalVar) else expr

    renamed = cast("Function", rewrite(function, rule, edges=children))
    return with_renamed_derivatives(renamed, names)
