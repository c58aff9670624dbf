"""Placement of shared expressions: each is owned by the innermost scope that encloses all its uses.

A shared expression is computed only once (`relay.ir.expr`): one that two branches use is computed
where the first of them needs it, and one that a function and a closure in it use is computed once
per call of the function.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property

from relay.ir.analysis.scopes import Scoping, body_scopes, is_atom, is_inline_leaf
from relay.ir.expr import Expr
from relay.ir.walk import post_order


class Placement:
    """The tree of scopes in an expression, and the scope that owns each node.

    A scope is, for example, a function body or a branch. It owns the nodes for which it is the
    innermost scope around all uses. Scopes are numbered from the outermost (0) inwards; `order`
    lists the nodes, operands before users; the function `scoping` divides a node's subexpressions
    into scopes.
    """

    def __init__(self, root: Expr, scoping: Scoping = body_scopes) -> None:
        self._scoping = scoping
        self._tree = ScopeTree()
        self._owner: dict[Expr, int] = {root: 0}
        self._opened: dict[Expr, range] = {}
        self._shared: set[Expr] = set()
        self.order = post_order(root, edges=self.edges)
        for expr in reversed(self.order):  # users before operands
            self._visit(expr)

    def edges(self, expr: Expr) -> Sequence[Expr]:
        """Return all subexpressions of a node, in its own scope and in nested scopes."""
        outside, inside = self._scoping(expr)
        return (*outside, *(part for block in inside for part in block)) if inside else outside

    def owner(self, expr: Expr) -> int:
        """Return the number of the scope that owns a node, which must have a use."""
        return self._owner[expr]

    def depth_of(self, expr: Expr) -> int:
        """Return the nesting depth of the scope that owns a node."""
        return self._tree.depth(self._owner[expr])

    def scopes(self, expr: Expr) -> range:
        """Return the numbers of the scopes that a node opens, in order."""
        return self._opened.get(expr, range(0))

    def scope(self, expr: Expr, index: int = 0) -> int:
        """Return the number of the scope that a node opens, the `index`-th if it opens several."""
        return self._opened[expr][index]

    def enclosing(self, scope: int) -> Iterator[int]:
        """Yield a scope and the scopes that enclose it, the innermost first."""
        yield scope
        while scope:
            scope = self._tree.parent(scope)
            yield scope

    def encloses(self, outer: int, inner: int) -> bool:
        """Whether the scope `outer` is `inner` or encloses it."""
        return self._tree.common(outer, inner) == outer

    def is_used(self, expr: Expr) -> bool:
        """Whether a node has a use; a bound variable, for example, may have none."""
        return expr in self._owner

    def is_shared(self, expr: Expr) -> bool:
        """Whether a node is used more than once."""
        return expr in self._shared

    @cached_property
    def members(self) -> list[list[Expr]]:
        """Return the nodes that each scope owns, without leaves like variables and constants."""
        members: list[list[Expr]] = [[] for _ in range(self._tree.size)]
        for expr in self.order:
            if not is_inline_leaf(expr):
                members[self._owner[expr]].append(expr)
        return members

    def placed_parts(self, expr: Expr) -> Iterator[tuple[Expr, int]]:
        """Yield each subexpression of a node, with the number of the scope that uses it."""
        outside, inside = self._scoping(expr)
        here = self._computed_in(expr)
        for part in outside:
            yield part, here
        for scope, block in zip(self.scopes(expr), inside, strict=True):
            for part in block:
                yield part, scope

    def _visit(self, expr: Expr) -> None:
        here = self._computed_in(expr)
        outside, inside = self._scoping(expr)
        if inside:
            first = self._tree.size
            for _ in inside:
                self._tree.add(here)
            self._opened[expr] = range(first, self._tree.size)
        for part in outside:
            self._use(expr, part, here)
        for scope, block in zip(self.scopes(expr), inside, strict=True):
            for part in block:
                self._use(expr, part, scope)

    def _computed_in(self, expr: Expr) -> int:
        return self._owner[expr]

    def _use(self, user: Expr, part: Expr, scope: int) -> None:
        """Record that `user` uses `part` in a scope, and update the owner of `part`."""
        del user
        known = self._owner.get(part)
        if known is None:
            self._owner[part] = scope
            return
        self._shared.add(part)
        if known != scope:
            self._owner[part] = self._tree.common(known, scope)


def used_outside(root: Expr) -> set[Expr]:
    """Return the nodes, except atoms, that are used in a scope nested inside their owner scope."""
    placement = Placement(root)
    return {
        part
        for expr in placement.order
        for part, scope in placement.placed_parts(expr)
        if scope != placement.owner(part) and not is_atom(part)
    }


class ScopeTree:
    """The tree of scopes, in which common ancestors are found in logarithmic time.

    Each scope has a jump pointer to a distant ancestor, chosen by the skew binary representation of
    its depth. Trees may be deep: 100,000 for a body of as many nested `let` expressions.
    """

    def __init__(self) -> None:
        self._parent, self._jump, self._depth = [0], [0], [0]

    @property
    def size(self) -> int:
        """Return the number of scopes."""
        return len(self._parent)

    def parent(self, scope: int) -> int:
        """Return the scope that directly encloses another one."""
        return self._parent[scope]

    def depth(self, scope: int) -> int:
        """Return the nesting depth of a scope."""
        return self._depth[scope]

    def add(self, parent: int) -> int:
        """Add a scope inside `parent`, and return its number."""
        jump, depth = self._jump, self._depth
        near, far = jump[parent], jump[jump[parent]]
        same = depth[parent] - depth[near] == depth[near] - depth[far]
        self._parent.append(parent)
        jump.append(far if same else parent)
        depth.append(depth[parent] + 1)
        return len(depth) - 1

    def common(self, a: int, b: int) -> int:
        """Return the innermost scope that encloses both `a` and `b`."""
        depth, jump, parent = self._depth, self._jump, self._parent
        if depth[a] < depth[b]:
            a, b = b, a
        while depth[a] > depth[b]:
            a = jump[a] if depth[jump[a]] >= depth[b] else parent[a]
        while a != b:
            far = jump[a] != jump[b]
            a, b = (jump[a], jump[b]) if far else (parent[a], parent[b])
        return a
