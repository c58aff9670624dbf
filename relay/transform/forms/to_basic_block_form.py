"""The pass that binds values used in several scopes, so that each scope is a dataflow graph."""

from typing import ClassVar

from relay.ir.analysis.scope_placement import used_outside
from relay.ir.analysis.scopes import body_scopes
from relay.ir.expr import Expr, Function, If, Let
from relay.ir.match_patterns import Match
from relay.ir.walk import outside_kernels, post_order
from relay.support.node import value
from relay.transform.effects import effectful_nodes, has_effect
from relay.transform.lazy_placement import computed_lazily
from relay.transform.module_properties import Property
from relay.transform.pass_contract import Properties
from relay.transform.pipeline import FunctionPass
from relay.transform.to_a_normal_form import LetBinder


@value
class ToBasicBlockForm(FunctionPass):
    """Bind by a `let` each value that is used in several scopes: the basic-block normal form.

    Scopes are the bodies of functions, branches and clauses; a value belongs to the innermost scope
    around all its uses.

    1. A value that a nested scope uses is bound in its own scope. If it may trap or has an effect,
       and its own scope may not need it, the first nested scope that needs it computes it.
    2. Other values stay in the graph of their scope.
    3. If a `let` would move an effect before another one, all values with effects are bound.
    """

    ensures: ClassVar[Properties] = frozenset({Property.BASIC_BLOCKS})

    def run(self, function: Function) -> Function:
        """Return the function with values of several scopes bound by lets."""
        placed = computed_lazily(function)
        named = {_last_value(expr) for expr in used_outside(placed)}
        if not named:
            return placed
        effectful = effectful_nodes(placed)
        if not effectful.isdisjoint(named | _moved(placed)):  # case 3
            named |= {
                expr for expr in effectful if has_effect(expr) or isinstance(expr, If | Match)
            }
        return LetBinder(placed, named.__contains__).run()


def _last_value(expr: Expr) -> Expr:
    while isinstance(expr, Let):
        expr = expr.body
    return expr


def _moved(function: Function) -> set[Expr]:
    """Return the values of lets that are operands of other nodes: they are bound before these."""
    order = post_order(function, edges=outside_kernels)
    in_order: set[Expr] = set()
    for expr in reversed(order):  # users first
        bodies = [block[-1] for block in body_scopes(expr)[1]]
        if isinstance(expr, Let) and expr in in_order:
            bodies += [expr.value, expr.body]
        in_order.update(bodies)
    return {expr.value for expr in order if isinstance(expr, Let) and expr not in in_order}
