"""Drop lets whose variables nobody reads."""

from typing import cast

from relay.ir.expr import Expr, Function, Let, Var
from relay.ir.walk import children, post_order, rewrite
from relay.support.node import value
from relay.transform.effects import effectful_nodes
from relay.transform.pipeline import FunctionPass
from relay.transform.promises import tells_sizes


@value
class DropDeadLets(FunctionPass):
    """Replace `let x = e; b` by `b` where `e` has no effect, and `b` does not read `x`.

    Whether `e` may trap does not matter. Values that only dropped values read are dropped, too. So
    is a function that nobody else calls, even if it calls itself.
    """

    def run(self, function: Function) -> Function:
        """Rebuild the function without the lets."""
        read = _read(function, effectful_nodes(function))

        def rule(expr: Expr) -> Expr:
            return expr.body if isinstance(expr, Let) and expr.var not in read else expr

        return cast("Function", rewrite(function, rule))


def _read(function: Function, kept: set[Expr]) -> set[Expr]:
    """Return the nodes that are needed: a value of a let is if its variable is, or if `kept`."""
    values = {expr.var: expr.value for expr in post_order(function) if isinstance(expr, Let)}
    read: set[Expr] = set()
    pending: list[Expr] = [function]
    while pending:
        expr = pending.pop()
        if expr in read:
            continue
        read.add(expr)
        match expr:
            case Let(var, value, body):
                stays = value in kept or tells_sizes(expr)
                pending.extend((var, value, body) if stays else (body,))
            case Var() if expr in values:
                pending.append(values[expr])
            case _:
                pending.extend(children(expr))
    return read
