"""The pass that hoists invariant work out of recursive global functions."""

from collections.abc import Sequence
from typing import cast

from relay.ir.alpha_rename import fresh
from relay.ir.expr import Call, Expr, Function, GlobalVar, Var
from relay.ir.module import Module
from relay.ir.types import FuncType
from relay.ir.unused_names import unused
from relay.ir.walk import children, outside_kernels, post_order, rewrite
from relay.support.node import replace, value
from relay.transform.effects import unspeculatable_nodes
from relay.transform.loops.hoist_invariants import invariant_arithmetic
from relay.transform.loops.recognize_loops import changing
from relay.transform.pipeline import Pass


@value
class HoistFromRecursion(Pass):
    """Compute once, before the recursion, what depends on unchanged parameters only.

    For example, `f(n, x, w)` calls itself with the same weight `w`, and computes `g(w)`. It becomes
    `f(n, x, w) { f_1(n, x, w, g(w)) }`, where `f_1` calls itself, with the result of `g(w)` as a
    further parameter.

    1. The arithmetic that is hoisted is that of `HoistFromLoops`, and is computed under the same
       conditions.
    2. All calls of the function in its own body pass the parameter on, and nothing there uses the
       function as a value. Generic functions, and those with attributes, stay unchanged.
    """

    def transform(self, module: Module) -> Module:
        """Return the module; each function with hoisted work becomes two functions."""
        taken, new = set(module.functions), dict[str, Function]()
        for name, function in module.functions.items():
            found = _hoisted(name, function)
            if found:
                inner = unused(name, taken)
                new[inner] = _recursive(name, function, inner, found)
                new[name] = _calling(function, GlobalVar(inner, ty=new[inner].type), found)
        return module.with_functions({**module.functions, **new}) if new else module


def _hoisted(name: str, function: Function) -> Sequence[Expr]:
    """Return the arithmetic on parameters that a recursive function passes on to itself."""
    order = post_order(function.body, edges=outside_kernels)
    calls = [expr for expr in order if isinstance(expr, Call) and _is(expr.op, name)]
    users = {expr for expr in order if any(_is(child, name) for child in children(expr))}
    if function.attrs or function.type_params or not calls:
        return ()
    if users != set(calls) or any(_is(arg, name) for e in calls for arg in e.args):
        return ()
    kept = [p for i, p in enumerate(function.params) if all(each.args[i] is p for each in calls)]
    moving = changing(function, kept) | unspeculatable_nodes(function.body, outside_kernels)
    return [*invariant_arithmetic(order, moving)]


def _is(expr: object, name: str) -> bool:
    return isinstance(expr, GlobalVar) and expr.name == name


def _recursive(name: str, function: Function, inner: str, found: Sequence[Expr]) -> Function:
    """Return the recursive function that takes the hoisted values as further parameters."""
    own: dict[Expr, Var] = {each: Var("all", each.type, span=each.span) for each in found}
    ty = cast("FuncType", function.type)
    more = tuple(each.type for each in found)
    callee = GlobalVar(inner, ty=FuncType((*ty.params, *more), ty.result))

    def rule(expr: Expr) -> Expr:
        if expr in own:
            return own[expr]
        if isinstance(expr, Call) and _is(expr.op, name):
            return replace(expr, op=callee, args=(*expr.args, *own.values()))
        return expr

    def edges(expr: Expr) -> Sequence[Expr]:
        return () if expr in own else outside_kernels(expr)

    body = rewrite(function.body, rule, edges=edges)
    return fresh(replace(function, params=(*function.params, *own.values()), body=body, ty=None))


def _calling(function: Function, callee: GlobalVar, found: Sequence[Expr]) -> Function:
    """Return the function that computes the hoisted values and calls the recursive function."""
    result = cast("FuncType", function.type).result
    body = Call(callee, (*function.params, *found), span=function.span, ty=result)
    return replace(function, body=body)
