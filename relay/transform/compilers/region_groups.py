"""Analysis of the regions for one external compiler that may be merged without a cycle."""

from relay.ir.analysis.scope_placement import Placement
from relay.ir.expr import Call, Expr, Function
from relay.ir.walk import post_order
from relay.transform.compilers.region_attributes import compiler_of, outside_regions


class Groups:
    """A partition of regions into groups that may be merged.

    A region joins the groups of its operands unless a path leads from a group to the region through
    a node outside: the merged region would have to be computed both before and after that node.
    """

    def __init__(self, function: Function) -> None:
        self._order = post_order(function, edges=outside_regions)
        self._placement = Placement(function)
        self._parent: dict[Expr, Expr] = {}
        self._outside: dict[Expr, frozenset[Expr]] = {}  # for each node; for each group at its root

    def joined(self) -> list[list[Call]]:
        """Return the groups of two or more regions, with members in order of evaluation."""
        for expr in self._order:
            self._visit(expr)
        members: dict[Expr, list[Call]] = {}
        for expr in self._order:
            if isinstance(expr, Call) and expr in self._parent:
                members.setdefault(self._root(expr), []).append(expr)
        return [group for group in members.values() if len(group) > 1]

    def _visit(self, expr: Expr) -> None:
        parts = outside_regions(expr)
        regions = {self._root(part) for part in parts if part in self._parent}
        own = compiler_of(expr)
        wanted = {each for each in regions if self._fits(each, expr, own)}
        outside = frozenset[Expr]().union(
            *(self._outside[self._root(part)] for part in parts), regions - wanted
        )
        while blocked := wanted & {self._root(each) for each in outside}:
            wanted -= blocked
            outside |= blocked
        self._outside[expr] = outside
        if own is not None:
            self._parent[expr] = expr
            for group in wanted:
                self._parent[group] = expr

    def _fits(self, group: Expr, expr: Expr, compiler: str | None) -> bool:
        if compiler_of(group) != compiler:
            return False
        return self._placement.owner(group) == self._placement.owner(expr)

    def _root(self, expr: Expr) -> Expr:
        """Return the representative of a region's group (union-find).

        Any other node represents itself.
        """
        while self._parent.get(expr, expr) is not expr:
            expr = self._parent[expr]
        return expr
