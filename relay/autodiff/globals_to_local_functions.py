"""Defines the global functions that a function calls as local functions inside of it."""

from collections.abc import Mapping

from relay.ir.alpha_rename import with_fresh_variables
from relay.ir.analysis.call_graph import CallGraph
from relay.ir.custom_derivatives import has_custom_derivative
from relay.ir.expr import Expr, Function, GlobalVar, Let, Var
from relay.ir.module import Module
from relay.ir.walk import post_order, rewrite
from relay.support.node import replace

_LARGEST = 4  # functions: each defines those that call it, so copies of n functions grow as n!


def not_local(module: Module, entry: str) -> str | None:
    """Return why the functions that `entry` calls cannot be defined in it, or None."""
    names = sorted({*CallGraph(module).reachable(entry)} - {entry})
    if len(names) > _LARGEST:
        return f"it calls {len(names)} functions that call each other"
    for name in names:
        called = module[name]
        if has_custom_derivative(called):
            return f"it calls @{name}, which has a custom derivative"
        if called.type_params or called.dim_params:
            return f"it calls @{name}, which is recursive and generic"
    return None


def with_local_functions(module: Module, function: Function) -> Function:
    """Return the function with the global functions that it uses, or that these use, as local ones.

    Local functions may be recursive.
    """
    return replace(function, body=_localized(module, function.body, {}))


def _localized(module: Module, body: Expr, known: Mapping[str, Var]) -> Expr:
    """Return an expression that calls local functions: those in `known`, and those it defines.

    The recursion ends, because functions inside of a function know it.
    """
    own = {
        name: Var(name, module[name].type, ty=module[name].type)
        for name in _called(body)
        if name not in known
    }
    functions = {**known, **own}
    result = rewrite(body, lambda e: functions[e.name_hint] if isinstance(e, GlobalVar) else e)
    before = list(own)
    for name in reversed(before):
        visible = {each: functions[each] for each in (*known, *before[: before.index(name) + 1])}
        local = with_fresh_variables(module[name])
        value = replace(local, body=_localized(module, local.body, visible))
        result = Let(own[name], value, result, ty=result.ty)
    return result


def _called(root: Expr) -> list[str]:
    """Return the names of the global functions in an expression, without repetitions."""
    found = (each.name_hint for each in post_order(root) if isinstance(each, GlobalVar))
    return list(dict.fromkeys(found))
