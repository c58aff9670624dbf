"""The pass that removes `let` bindings whose values are unused (dead code elimination)."""

from typing import cast

from relay.ir.analysis.dims_in_scope import binds_new_dims
from relay.ir.expr import Expr, Function, Let, Var
from relay.ir.module import Module
from relay.ir.walk import children, outside_kernels, post_order, rewrite
from relay.support.node import value
from relay.transform.effects import EffectSummary, effectful_nodes
from relay.transform.pipeline import Pass, is_optimizable


@value
class DropDeadLets(Pass):
    """Replace `let x = e; b` by `b` where `e` has no effect, and `b` does not read `x`.

    1. `e` may be dropped even if it may trap or diverge.
    2. A call has no effect if the callee, and the functions it calls, have none.
    3. Values that only dropped values read are dropped, too. So is a function without other
       callers, even if it calls itself.
    4. With `ignore_effects`, effects do not matter either.
    """

    ignore_effects: bool = False

    def transform(self, module: Module) -> Module:
        """Return the module without dead lets, in all functions that may be optimised."""
        if not any(map(_has_lets, module.functions.values())):
            return module
        summary = EffectSummary(module.functions)  # case 2
        functions = {
            name: self._rebuilt(function, summary) if is_optimizable(function) else function
            for name, function in module.functions.items()
        }
        return module.with_functions(functions)

    def _rebuilt(self, function: Function, summary: EffectSummary) -> Function:
        kept = set[Expr]() if self.ignore_effects else effectful_nodes(function, summary=summary)
        read = _live_nodes(function, kept)

        def rule(expr: Expr) -> Expr:
            return expr.body if isinstance(expr, Let) and expr.var not in read else expr

        return cast("Function", rewrite(function, rule))


def _has_lets(function: Function) -> bool:
    return any(isinstance(expr, Let) for expr in post_order(function, edges=outside_kernels))


def _live_nodes(function: Function, kept: set[Expr]) -> set[Expr]:
    """Return the nodes of a function whose values are needed.

    The value of a let is needed if its variable is, or if the value is in `kept`.
    """
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
                stays = value in kept or binds_new_dims(expr)
                pending.extend((var, value, body) if stays else (body,))
            case Var() if expr in values:
                pending.append(values[expr])
            case _:
                pending.extend(children(expr))
    return read
