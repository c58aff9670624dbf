"""The driver of loop passes: rewrites each loop, given the nodes it shares with code around it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, cast

from relay.ir.analysis.scope_placement import Placement
from relay.ir.analysis.scopes import function_scopes
from relay.ir.expr import Expr, Function
from relay.ir.walk import fold, outside_kernels, post_order, with_children
from relay.transform.lazy_placement import LazyPlacement


@dataclass(frozen=True)
class Shared:
    """The nodes that a local function and the code around it both use.

    The values of nodes in `early` are known when the closure is built. The other nodes are computed
    at their first use, because they may trap or have effects.
    """

    nodes: set[Expr]
    early: set[Expr]


Outside: TypeAlias = Callable[[Function], Shared]
"""A function from a local function to the nodes that it shares with the code around it."""


def rewrite_loops(function: Function, rule: Callable[[Expr, Outside], Expr]) -> Function:
    """Rebuild a function from the leaves up, inner loops first.

    `rule` receives each node once, with its new children; it may query the nodes that a function
    bound by this node shares with the code around it. A function without local functions is
    returned unchanged.
    """
    if not any(isinstance(e, Function) for e in post_order(function.body, edges=outside_kernels)):
        return function
    placement = Placement(function, function_scopes(outside_kernels))
    places = LazyPlacement(function)
    depths: dict[Expr, int] = {}  # the function nesting depth of each new node
    lazy: set[Expr] = set()

    def outside(inner: Function) -> Shared:
        around = depths[inner]
        used = post_order(inner.body, edges=outside_kernels)
        nodes = {each for each in used if depths.get(each, around + 1) <= around}
        return Shared(nodes, nodes - lazy)

    def visit(expr: Expr, new: list[Expr]) -> Expr:
        made = rule(with_children(expr, new) if new else expr, outside)
        depth = placement.depth_of(expr)
        depths[made] = min(depth, depths.get(made, depth))
        if places.is_lazy(expr):
            lazy.add(made)
        return made

    return cast("Function", fold(function, visit, edges=outside_kernels))
