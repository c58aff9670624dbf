"""Turn let-bound pure values into shared nodes, so that passes see one dataflow graph."""

from collections.abc import Sequence
from typing import cast

from relay.ir.expr import Expr, Function, Let, Var
from relay.ir.walk import children, fold, post_order, with_children
from relay.support.node import value
from relay.transform.pipeline import FunctionPass
from relay.transform.purity import impure_nodes


@value
class ToGraphForm(FunctionPass):
    """Replace `let x = e; b` by `b` with `e` in the place of `x`.

    1. A pure value that is not a function literal is substituted; sharing keeps it computed once,
       and a value that is never used disappears.
    2. A let with effects stays, and so does one that binds a function (it may be recursive).
    """

    def run(self, function: Function) -> Function:
        """Walk the graph in which a variable's child is its value, and a let's child its body."""
        values = _substitutable(function)

        def edges(expr: Expr) -> Sequence[Expr]:
            if isinstance(expr, Var) and expr in values:
                return (values[expr],)
            if isinstance(expr, Let) and expr.var in values:
                return (expr.body,)
            return children(expr)

        def visit(expr: Expr, new: list[Expr]) -> Expr:
            if isinstance(expr, Var | Let) and len(new) == 1:  # case 1
                return new[0]
            return with_children(expr, new) if new else expr

        return cast("Function", fold(function, visit, edges=edges)) if values else function


def _substitutable(function: Function) -> dict[Var, Expr]:
    lets = [e for e in post_order(function) if isinstance(e, Let)]
    impure = impure_nodes(function) if lets else ()
    return {
        let.var: let.value
        for let in lets
        if let.value not in impure and not isinstance(let.value, Function)
    }
