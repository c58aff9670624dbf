"""The pass that hoists invariant work out of recursive global functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from relay.ir.alpha_rename import with_fresh_variables
from relay.ir.expr import Call, Expr, Function, GlobalVar, Var
from relay.ir.fresh_names import unused
from relay.ir.module import Module
from relay.ir.types import FuncType
from relay.ir.walk import children, fold, outside_kernels, post_order, with_children
from relay.support.node import replace, value
from relay.transform.effects import unspeculatable_nodes
from relay.transform.loops.hoist_invariants import (
    invariant_arithmetic,
    read_transposed,
    transposed,
    with_transposed,
)
from relay.transform.loops.recognize_loops import loop_variant_nodes
from relay.transform.pipeline import Pass


@value
class HoistFromRecursion(Pass):
    """Compute once, before the recursion, what depends on unchanged parameters only.

    For example, `f(n, x, w)` calls itself with the same weight `w`, and computes `g(w)`. It becomes
    `f(n, x, w) { f_1(n, x, w, g(w)) }`, where `f_1` calls itself, with the result of `g(w)` as a
    further parameter.

    1. The arithmetic that is hoisted is that of `HoistFromLoops`, and is computed under the same
       conditions.
    2. So is the transposition of a matrix that a product with many rows reads transposed.
    3. All calls of the function in its own body pass the parameter on, and nothing there uses the
       function as a value. Generic functions, and those with attributes, stay unchanged.
    """

    def transform(self, module: Module) -> Module:
        """Return the module; each function with hoisted work becomes two functions."""
        taken, new = set(module.functions), dict[str, Function]()
        for name, function in module.functions.items():
            found = _hoisted(name, function)
            if found is not None:
                inner = unused(name, taken)
                new[inner] = _recursive(name, function, inner, found)
                new[name] = _calling(function, GlobalVar(inner, ty=new[inner].type), found)
        return module.with_functions({**module.functions, **new}) if new else module


@dataclass(frozen=True)
class _Hoisted:
    """The values that a recursive function needs to compute only once, before the recursion.

    `values` are all of them. Some are nodes of the function; the others are the transposed matrices
    of `products`.
    """

    values: Sequence[Expr]
    products: Mapping[Expr, Expr]


def _hoisted(name: str, function: Function) -> _Hoisted | None:
    """Return work that depends only on parameters that a recursion passes on unchanged."""
    order = post_order(function.body, edges=outside_kernels)
    calls = [expr for expr in order if isinstance(expr, Call) and _is(expr.op, name)]
    users = {expr for expr in order if any(_is(child, name) for child in children(expr))}
    if function.attrs or function.type_params or not calls:
        return None
    if users != set(calls) or any(_is(arg, name) for e in calls for arg in e.args):
        return None
    kept = [p for i, p in enumerate(function.params) if all(each.args[i] is p for each in calls)]
    moving = loop_variant_nodes(function, kept) | unspeculatable_nodes(
        function.body, outside_kernels
    )
    sources = read_transposed(order, moving)
    matrices = {source: transposed(source) for source in sources.values()}
    products = {product: matrices[source] for product, source in sources.items()}
    values = [*invariant_arithmetic(order, moving), *matrices.values()]
    return _Hoisted(values, products) if values else None


def _is(expr: object, name: str) -> bool:
    return isinstance(expr, GlobalVar) and expr.name == name


def _recursive(name: str, function: Function, inner: str, found: _Hoisted) -> Function:
    """Return the function with hoisted values as further parameters, which it passes on."""
    own: dict[Expr, Var] = {each: Var("all", each.type, span=each.span) for each in found.values}
    ty = cast("FuncType", function.type)
    more = tuple(each.type for each in found.values)
    callee = GlobalVar(inner, ty=FuncType((*ty.params, *more), ty.result))

    def visit(expr: Expr, new: list[Expr]) -> Expr:
        if expr in own:
            return own[expr]
        made = with_children(expr, new) if new else expr
        if expr in found.products:
            call = cast("Call", made)
            return with_transposed(call, call.args[0], own[found.products[expr]])
        if isinstance(made, Call) and _is(made.op, name):
            return replace(made, op=callee, args=(*made.args, *own.values()))
        return made

    def edges(expr: Expr) -> Sequence[Expr]:
        return () if expr in own else outside_kernels(expr)

    body = fold(function.body, visit, edges=edges)
    return with_fresh_variables(
        replace(function, params=(*function.params, *own.values()), body=body, ty=None)
    )


def _calling(function: Function, callee: GlobalVar, found: _Hoisted) -> Function:
    """Return the function that computes the hoisted values, and calls the recursive one."""
    result = cast("FuncType", function.type).result
    args = (*function.params, *found.values)
    return replace(function, body=Call(callee, args, span=function.span, ty=result))
