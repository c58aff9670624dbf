"""Placement: which scope owns a value, the innermost one around all its uses.

Sharing is meaning (`relay.ir.expr`): what two branches use is one value, whichever of them needs it
first; what a function and a closure inside it use is computed once for each call of the function.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property

from relay.ir.analysis.scopes import Scoping, body_scopes, is_atom, is_word
from relay.ir.expr import Expr
from relay.ir.walk import post_order


class Placement:
    """The scopes of an expression as a tree, and the one that owns each node.

    Scopes are numbered, each after the one around it; 0 is around everything. `order` lists the
    nodes, operands before what uses them. What counts as a scope, `scoping` says.
    """

    def __init__(self, root: Expr, scoping: Scoping = body_scopes) -> None:
        self._scoping = scoping
        self._tree = ScopeTree()
        self._owner: dict[Expr, int] = {root: 0}
        self._opened: dict[Expr, range] = {}
        self._shared: set[Expr] = set()
        self.order = post_order(root, edges=self.edges)
        for expr in reversed(self.order):  # users before what they use
            self._visit(expr)

    def edges(self, expr: Expr) -> Sequence[Expr]:
        """Return all parts of a node."""
        outside, inside = self._scoping(expr)
        return (*outside, *(part for block in inside for part in block)) if inside else outside

    def owner(self, expr: Expr) -> int:
        """Return the scope that owns a node, which must be used."""
        return self._owner[expr]

    def depth_of(self, expr: Expr) -> int:
        """Return how many scopes enclose the one place where a node is computed."""
        return self._tree.depth(self._owner[expr])

    def scopes(self, expr: Expr) -> range:
        """Return the scopes that a node opens, in order."""
        return self._opened.get(expr, range(0))

    def scope(self, expr: Expr, index: int = 0) -> int:
        """Return one of the scopes that a node opens."""
        return self._opened[expr][index]

    def enclosing(self, scope: int) -> Iterator[int]:
        """Yield a scope and those around it, the innermost first."""
        yield scope
        while scope:
            scope = self._tree.parent(scope)
            yield scope

    def encloses(self, outer: int, inner: int) -> bool:
        """Whether a scope is another one, or around it: then it is entered whenever that is."""
        return self._tree.common(outer, inner) == outer

    def is_used(self, expr: Expr) -> bool:
        """Whether anything uses a node: a variable may only be bound."""
        return expr in self._owner

    def is_shared(self, expr: Expr) -> bool:
        """Whether a node is used more than once."""
        return expr in self._shared

    @cached_property
    def members(self) -> list[list[Expr]]:
        """Return for each scope the nodes that it owns, words left out."""
        members: list[list[Expr]] = [[] for _ in range(self._tree.size)]
        for expr in self.order:
            if not is_word(expr):
                members[self._owner[expr]].append(expr)
        return members

    def placed_parts(self, expr: Expr) -> Iterator[tuple[Expr, int]]:
        """Yield the parts of a node, and the scope in which it uses each."""
        outside, inside = self._scoping(expr)
        here = self._computed_in(expr)
        for part in outside:
            yield part, here
        for scope, block in zip(self.scopes(expr), inside, strict=True):
            for part in block:
                yield part, scope

    def _visit(self, expr: Expr) -> None:
        here = self._computed_in(expr)
        inside = self._scoping(expr)[1]
        if inside:
            first = self._tree.size
            for _ in inside:
                self._tree.add(here)
            self._opened[expr] = range(first, self._tree.size)
        for part, scope in self.placed_parts(expr):
            self._use(expr, part, scope)

    def _computed_in(self, expr: Expr) -> int:
        """Return the scope in which a node is computed, all of whose users are known."""
        return self._owner[expr]

    def _use(self, user: Expr, part: Expr, scope: int) -> None:
        """Note that a node needs another one in a scope."""
        del user
        known = self._owner.get(part)
        if known is None:
            self._owner[part] = scope
        else:
            self._shared.add(part)
            self._owner[part] = self._tree.common(known, scope)


def used_outside(root: Expr) -> set[Expr]:
    """Return the values of an expression that a scope inside their own uses, atoms left out."""
    placement = Placement(root)
    return {
        part
        for expr in placement.order
        for part, scope in placement.placed_parts(expr)
        if scope != placement.owner(part) and not is_atom(part)
    }


class ScopeTree:
    """Scopes and the scope around each; every one also knows a far ancestor to jump to.

    The jumps are those of a skew binary number of the depth, so that the common ancestor of two
    scopes takes a time logarithmic in their depth: a body of 100,000 `let` is that deep.
    """

    def __init__(self) -> None:
        self._parent, self._jump, self._depth = [0], [0], [0]

    @property
    def size(self) -> int:
        """Return how many scopes there are."""
        return len(self._parent)

    def parent(self, scope: int) -> int:
        """Return the scope around one."""
        return self._parent[scope]

    def depth(self, scope: int) -> int:
        """Return how many scopes are around one."""
        return self._depth[scope]

    def add(self, parent: int) -> int:
        """Return a new scope inside another."""
        jump, depth = self._jump, self._depth
        near, far = jump[parent], jump[jump[parent]]
        same = depth[parent] - depth[near] == depth[near] - depth[far]
        self._parent.append(parent)
        jump.append(far if same else parent)
        depth.append(depth[parent] + 1)
        return len(depth) - 1

    def common(self, a: int, b: int) -> int:
        """Return the innermost scope around both."""
        depth, jump, parent = self._depth, self._jump, self._parent
        if depth[a] < depth[b]:
            a, b = b, a
        while depth[a] > depth[b]:
            a = jump[a] if depth[jump[a]] >= depth[b] else parent[a]
        while a != b:
            far = jump[a] != jump[b]
            a, b = (jump[a], jump[b]) if far else (parent[a], parent[b])
        return a
