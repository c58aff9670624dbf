"""Turn let-bound pure values into shared nodes, so that passes see one dataflow graph."""

from collections.abc import Callable, Sequence
from typing import cast

from relay.ir.expr import Constant, Constructor, Expr, Function, GlobalVar, Let, Var
from relay.ir.walk import Edges, children, fold, post_order, with_children
from relay.semantics.homes import Homes
from relay.support.errors import TypeError_
from relay.support.node import value
from relay.transform.on_demand import Places
from relay.transform.pipeline import FunctionPass
from relay.transform.promises import tells_sizes
from relay.transform.purity import impure_nodes, uncertain_nodes
from relay.transform.scopes import Uses, uses
from relay.transform.turns import Turns


@value
class ToGraphForm(FunctionPass):
    """Replace `let x = e; b` by `b` with `e` in the place of `x`.

    1. A pure value that is not a function literal is substituted; sharing keeps it computed once,
       and a value that is never used disappears, unless it may stop the program.
    2. A let with effects stays, and so does one that binds a function (it may be recursive).
    3. A let outside of all functions that use its variable stays: its value would move into them,
       and be computed at each of their calls.
    4. So does one whose value may stop the program where a branch or a clause would ask for it
       first: the program would go on where that is not taken. Or where what comes after it now
       would come before it, and may stop the program for another reason.
    5. And so does one that depends on such a value, where branches would have to ask each other
       whether it is there already.
    6. Where an operator would then be known not to fit, its arguments stand in lets of the types
       that they had before: it stops the program when that comes there, and not before.
    """

    def run(self, function: Function) -> Function:
        """Walk the graph in which a variable's child is its value, and a let's child its body."""
        values = _substitutable(function)
        values = _staying_outside(function, values) if values else values
        values = _stopping_in_time(function, values)
        edges = _without_names(values)

        def visit(expr: Expr, new: list[Expr]) -> Expr:
            if isinstance(expr, Var | Let) and len(new) == 1:  # case 1
                return new[0]
            return _rebuilt(expr, new) if new else expr

        return cast("Function", fold(function, visit, edges=edges)) if values else function


def _rebuilt(expr: Expr, new: Sequence[Expr]) -> Expr:
    try:
        return with_children(expr, new)
    except TypeError_:  # case 6
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
    staying = impure_nodes(function) | _unused_stops(function, lets) if lets else ()
    return {
        let.var: let.value
        for let in lets
        if let.value not in staying and not isinstance(let.value, Function) and not tells_sizes(let)
    }


def _unused_stops(function: Function, lets: Sequence[Let]) -> set[Expr]:
    """Return the values that may stop the program, and that only values which disappear read."""
    uncertain = uncertain_nodes(function)
    values = {let.var: let.value for let in lets}
    read: set[Expr] = set()
    pending: list[Expr] = [function]
    while pending:
        expr = pending.pop()
        if expr in read:
            continue
        read.add(expr)
        match expr:
            case Let(_, value, body):
                pending.extend((value, body) if value in uncertain else (body,))
            case Var() if expr in values:
                pending.append(values[expr])
            case _:
                pending.extend(children(expr))
    return {value for var, value in values.items() if value in uncertain and var not in read}


def _staying_outside(function: Function, values: dict[Var, Expr]) -> dict[Var, Expr]:
    """Return the values without those that would move into a function: case 3."""
    order = post_order(function)
    if not any(isinstance(expr, Function) and not expr.is_primitive for expr in order[:-1]):
        return values
    now, then = Homes(function), Homes(function, edges=_without_names(values))
    return {
        var: bound
        for var, bound in values.items()
        if _is_atom(bound) or not then.knows(bound) or then.depth_of(bound) <= now.depth_of(var)
    }


def _stopping_in_time(function: Function, values: dict[Var, Expr]) -> dict[Var, Expr]:
    """Return the values without those that would stop the program later, or not: cases 4 and 5."""
    uncertain = uncertain_nodes(function) if values else set[Expr]()
    if uncertain.isdisjoint(values.values()):
        return values
    now, order = Places(function, uncertain), post_order(function)
    while True:
        lets = (e for e in order if isinstance(e, Let) and e.var not in values)
        staying = {let.value for let in lets} & uncertain
        edges = _without_names(values)
        then = Places(function, uncertain_nodes(function, edges), _uses_along(edges))
        moved = _moved(
            Turns(order, staying), Turns(post_order(function, edges=edges), staying, edges)
        )
        late = {
            var
            for var, bound in values.items()
            if bound in uncertain
            and (
                then.waits(bound)
                or then.waits(var)
                or then.depth_of(bound) > now.depth_of(var)
                or moved(bound) > 0
            )
        }
        late = late or {var for var, bound in values.items() if bound in uncertain and moved(bound)}
        late = late or set(filter(then.waits, values))  # case 5
        if not late:
            return values
        values = {var: bound for var, bound in values.items() if var not in late}


def _moved(now: Turns, then: Turns) -> Callable[[Expr], int]:
    """Return by how much the turn of a value would be later."""

    def moved(bound: Expr) -> int:
        reasons = now.reasons(bound)
        return then.before(bound, reasons) - now.before(bound, reasons)

    return moved


def _uses_along(edges: Edges) -> Uses:
    def along(expr: Expr) -> list[tuple[Expr, bool]]:
        if isinstance(expr, Var | Let):
            return [(child, False) for child in edges(expr)]
        return uses(expr)

    return along


def _is_atom(expr: Expr) -> bool:
    return isinstance(expr, Var | Constant | GlobalVar | Constructor)
