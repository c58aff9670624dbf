"""Which scope a node belongs to: bodies, branches and clauses are scopes."""

from collections.abc import Callable
from typing import TypeAlias

from relay.ir.expr import Expr, Function, If
from relay.ir.patterns import Match
from relay.ir.scopes import Tree
from relay.ir.scopes import is_atom as is_word
from relay.ir.walk import outside_kernels, post_order


def uses(expr: Expr) -> list[tuple[Expr, bool]]:
    """Return the children in order, and for each whether a scope begins there."""
    match expr:
        case If(condition, then, other):
            return [(condition, False), (then, True), (other, True)]
        case Match(data, clauses):
            bodies = {id(clause.body) for clause in clauses}
            return [(data, False), *((e, id(e) in bodies) for e in outside_kernels(expr)[1:])]
        case Function(params, body) if not expr.is_primitive:
            return [*((param, False) for param in params), (body, True)]
        case _:
            return [(child, False) for child in outside_kernels(expr)]


Uses: TypeAlias = Callable[[Expr], list[tuple[Expr, bool]]]


class Scopes:
    """The scopes of an expression as a tree, and the one that each node belongs to.

    A node belongs to the innermost scope around all its uses. Scopes are numbered, each after the
    one around it; 0 is around everything. `opened` are those that a node begins, in order.
    `uses` gives the children of a node, and for each whether a scope begins there.
    """

    def __init__(self, root: Expr, uses: Uses = uses) -> None:
        self._uses = uses
        self._tree = Tree()
        self._kept_alive = root
        self.home: dict[int, int] = {id(root): 0}
        self.opened: dict[int, list[int]] = {}
        for expr in reversed(post_order(root, edges=self._edges)):  # users first
            self._visit(expr)

    def depth_of(self, expr: Expr) -> int:
        """Return how many scopes enclose the one place where the node is computed."""
        return self._tree.depth(self.home[id(expr)])

    def is_around(self, outer: int, inner: int) -> bool:
        """Whether a scope is another one, or encloses it: then it is entered whenever that is."""
        return self._tree.common(outer, inner) == outer

    def _edges(self, expr: Expr) -> list[Expr]:
        return [child for child, _ in self._uses(expr)]

    def _visit(self, expr: Expr) -> None:
        here = self._inside(expr)
        for child, begins in self._uses(expr):
            scope = here
            if begins:
                scope = self._tree.add(here)
                self.opened.setdefault(id(expr), []).append(scope)
            self._use(expr, child, scope)

    def _inside(self, expr: Expr) -> int:
        """Return the scope in which a node is computed, all of whose users are known."""
        return self.home[id(expr)]

    def _use(self, user: Expr, child: Expr, scope: int) -> None:
        """Note that a node needs another one in a scope."""
        del user
        known = self.home.get(id(child))
        self.home[id(child)] = scope if known is None else self._tree.common(known, scope)


def used_outside(function: Function) -> set[Expr]:
    """Return the values of a function that a scope inside their own uses."""
    scopes = Scopes(function)
    found: set[Expr] = set()
    for expr in post_order(function, edges=outside_kernels):
        opened = iter(scopes.opened.get(id(expr), ()))
        for child, begins in uses(expr):
            scope = next(opened) if begins else scopes.home[id(expr)]
            if scope != scopes.home[id(child)] and not is_atom(child):
                found.add(child)
    return found


def is_atom(expr: Expr) -> bool:
    """Whether an expression is written wherever it is used: a word, or a kernel."""
    return is_word(expr) or (isinstance(expr, Function) and expr.is_primitive)
