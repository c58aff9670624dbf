"""The pass that replaces let-bound pure values by shared nodes of a dataflow graph."""

from collections.abc import Sequence
from typing import cast

from relay.ir.analysis.dims_in_scope import binds_new_dims
from relay.ir.analysis.scope_placement import Placement
from relay.ir.analysis.scopes import Parts, Scoping, body_scopes, function_scopes
from relay.ir.expr import Constant, Constructor, Expr, Function, GlobalVar, Let, Var
from relay.ir.walk import Edges, children, fold, post_order, with_children
from relay.support.errors import RelayTypeError
from relay.support.node import value
from relay.transform.effects import effectful_nodes, unspeculatable_nodes
from relay.transform.lazy_placement import LazyPlacement
from relay.transform.pipeline import FunctionPass


@value
class ToGraphForm(FunctionPass):
    """Replace `let x = e; b` by `b` with `e` in place of `x`.

    1. A value without effects that is not a function literal is substituted; sharing keeps it
       computed once, and an unused value is dropped.
    2. A let with effects stays, and so does one that binds a function (it may be recursive).
    3. A let stays if all uses of its variable are in nested functions: its value would be
       recomputed at each of their calls.
    4. A let stays if its value, or a value that depends on it, may trap and would become lazy:
       branches that share it would have to test whether it is already computed.
    5. If substitution causes a type error in an operator, its arguments are bound by lets of the
       types that they had before: the operator traps if it is evaluated.
    """

    def run(self, function: Function) -> Function:
        """Return the function with let-bound values substituted for their variables."""
        values = _substitutable(function)
        values = _staying_outside(function, values) if values else values
        values = _placed_eagerly(function, values)
        edges = _without_names(values)

        def visit(expr: Expr, new: list[Expr]) -> Expr:
            if isinstance(expr, Var | Let) and len(new) == 1:  # case 1
                return new[0]
            return _rebuilt(expr, new) if new else expr

        return cast("Function", fold(function, visit, edges=edges)) if values else function


def _rebuilt(expr: Expr, new: Sequence[Expr]) -> Expr:
    try:
        return with_children(expr, new)
    except RelayTypeError:  # case 5
        pairs = zip(children(expr), new, strict=True)
        return with_children(expr, [_as_known_before(*pair) for pair in pairs])


def _as_known_before(old: Expr, new: Expr) -> Expr:
    if old.ty is None or old.ty is new.ty:
        return new
    var = Var("known", old.ty)
    return Let(var, new, var, span=new.span)


def _without_names(values: dict[Var, Expr]) -> Edges:
    def edges(expr: Expr) -> Sequence[Expr]:
        if isinstance(expr, Var) and expr in values:
            return (values[expr],)
        if isinstance(expr, Let) and expr.var in values:
            return (expr.body,)
        return children(expr)

    return edges


def _substitutable(function: Function) -> dict[Var, Expr]:
    lets = [e for e in post_order(function) if isinstance(e, Let)]
    effectful = effectful_nodes(function) if lets else set[Expr]()
    return {
        let.var: let.value
        for let in lets
        if let.value not in effectful
        and not isinstance(let.value, Function)
        and not binds_new_dims(let)
    }


def _staying_outside(function: Function, values: dict[Var, Expr]) -> dict[Var, Expr]:
    """Return the let-bound `values` except those that would move into a function."""
    order = post_order(function)
    if not any(isinstance(expr, Function) and not expr.is_primitive for expr in order[:-1]):
        return values
    now = Placement(function, function_scopes())
    then = Placement(function, function_scopes(_without_names(values)))
    return {
        var: bound
        for var, bound in values.items()
        if _is_atom(bound) or not then.is_used(bound) or then.depth_of(bound) <= now.depth_of(var)
    }


def _placed_eagerly(function: Function, values: dict[Var, Expr]) -> dict[Var, Expr]:
    """Return the let-bound `values` without those that would be computed lazily."""
    if not values or unspeculatable_nodes(function).isdisjoint(values.values()):
        return values
    while True:
        edges = _without_names(values)
        places = LazyPlacement(function, _scopes_along(edges))
        lazy = {v for v, bound in values.items() if places.is_lazy(bound) or places.is_lazy(v)}
        if not lazy:
            return values
        values = {var: bound for var, bound in values.items() if var not in lazy}


def _scopes_along(edges: Edges) -> Scoping:
    def parts(expr: Expr) -> Parts:
        return (edges(expr), ()) if isinstance(expr, Var | Let) else body_scopes(expr)

    return parts


def _is_atom(expr: Expr) -> bool:
    return isinstance(expr, Var | Constant | GlobalVar | Constructor)
