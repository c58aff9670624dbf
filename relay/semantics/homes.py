"""Where a value belongs: the innermost function all of whose uses of it share.

Sharing is meaning (`relay.ir.expr`): a node that a function and a closure inside it both use is
computed once for each call of the function, not for each call of the closure.
"""

from collections.abc import Callable, Iterator

from relay.ir.expr import Expr, Function
from relay.ir.walk import Edges, children, post_order


def _every(_: Function) -> bool:
    return True


class Homes:
    """The functions of an expression as a tree, and the one that each node belongs to.

    Functions are named by their depth-first number; 0 stands for what is outside of all. Only
    functions that `counts` accepts are in the tree. `edges` gives the children of a node.
    """

    def __init__(
        self, root: Expr, counts: Callable[[Function], bool] = _every, edges: Edges = children
    ) -> None:
        self._counts = counts
        self._edges = edges
        self.depth: list[int] = [0]
        self._parent: list[int] = [0]
        self._number: dict[int, int] = {}
        self._home: dict[int, int] = {id(root): 0}
        self._kept_alive = root
        for expr in reversed(post_order(root, edges=edges)):  # users before what they use
            self._visit(expr)

    def knows(self, expr: Expr) -> bool:
        """Whether anything uses the node."""
        return id(expr) in self._home

    def depth_of(self, expr: Expr) -> int:
        """Return how many functions enclose the one place where the node is computed."""
        return self.depth[self._home[id(expr)]]

    def inside(self, function: Function) -> int:
        """Return the number of a function that counts."""
        return self._number[id(function)]

    def around(self, expr: Expr) -> Iterator[int]:
        """Yield the functions around the place where a node is computed, the innermost first."""
        return self.outwards(self._home[id(expr)])

    def outwards(self, number: int) -> Iterator[int]:
        """Yield a function and those around it."""
        yield number
        while number:
            number = self._parent[number]
            yield number

    def _visit(self, expr: Expr) -> None:
        home = self._home[id(expr)]
        is_inside = isinstance(expr, Function) and self._counts(expr)
        inner = self._enter(expr, home) if is_inside else home
        for child in self._edges(expr):
            known = self._home.get(id(child))
            self._home[id(child)] = inner if known is None else self._common(known, inner)

    def _enter(self, function: Expr, home: int) -> int:
        self._number[id(function)] = len(self._parent)
        self._parent.append(home)
        self.depth.append(self.depth[home] + 1)
        return len(self.depth) - 1

    def _common(self, a: int, b: int) -> int:
        """Return the innermost function around two."""
        while a != b:
            if self.depth[a] >= self.depth[b]:
                a = self._parent[a]
            else:
                b = self._parent[b]
        return a
