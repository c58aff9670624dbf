"""Rewriting loops with regard to what they share with the code around them."""

from collections.abc import Callable
from typing import TypeAlias, cast

from relay.ir.expr import Expr, Function
from relay.ir.walk import fold, outside_kernels, post_order, with_children
from relay.semantics.homes import Homes

Outside: TypeAlias = Callable[[Function], set[int]]
"""Gives the nodes that a local function uses and that are computed outside of it, by their ids."""


def rewrite_loops(function: Function, rule: Callable[[Expr, Outside], Expr]) -> Function:
    """Rebuild a function from the leaves up, so inner loops first.

    `rule` sees each node once, its children already new; it may ask what a function that the node
    binds shares with the code around.
    """
    homes = Homes(function, edges=outside_kernels)
    depths: dict[int, int] = {}  # in how many functions each new node is computed

    def outside(inner: Function) -> set[int]:
        around = depths[id(inner)]
        used = map(id, post_order(inner.body, edges=outside_kernels))
        return {each for each in used if depths.get(each, around + 1) <= around}

    def visit(expr: Expr, new: list[Expr]) -> Expr:
        made = rule(with_children(expr, new) if new else expr, outside)
        depth = homes.depth_of(expr)
        depths[id(made)] = min(depth, depths.get(id(made), depth))
        return made

    return cast("Function", fold(function, visit, edges=outside_kernels))
