"""Nodes that may not be needed are computed where they are first needed, and once: call by need.

A shared node is computed once, when the first of its users needs it. As a rule that is one place of
the program. It is not where only some branches, clauses or closures need it: which of them is
entered first is not known.
"""

from collections.abc import Set as AbstractSet
from typing import NamedTuple, cast

from relay.ir.expr import Call, Expr, Function, If, Let, Var
from relay.ir.patterns import Match
from relay.ir.references import RefCreate, RefRead, RefWrite
from relay.ir.types import UNIT
from relay.ir.walk import Edges, post_order, with_children
from relay.transform.effects import effectful_nodes, unspeculatable_nodes
from relay.transform.scopes import Scopes, Uses, uses


def computed_lazily(function: Function) -> Function:
    """Return a function whose nodes mean the same when each is computed at its place.

    The place of a node is the innermost scope around all its uses. A lazy node, see `Places`,
    becomes a cell with a function that computes it. A user calls the function in the cell, and
    leaves one there that has the value at hand. Other nodes stay as they are: nobody notices
    whether, and how often, they are computed.
    """
    places = Places(function)
    return _rebuilt(function, places) if places.lazy else function


class _Arms(NamedTuple):
    """The scopes of the branches or clauses of a node, one of which is entered."""

    around: int
    scopes: tuple[int, ...]


class Places(Scopes):
    """The scopes of a function, and one for each node that is `lazy`: its place may not need it.

    1. A node that may trap, but has no effect, is lazy unless its place needs it: a node there
       uses it, or all branches of a choice there need it.
    2. A node with effects is lazy unless a node at its place is the first to use it.
    """

    def __init__(self, root: Function, uses: Uses = uses) -> None:
        edges = _edges_of(uses)
        self.lazy: dict[int, int] = {}
        self._uncertain = unspeculatable_nodes(root, edges)
        self._effectful = effectful_nodes(root, edges) if self._uncertain else set[Expr]()
        self._first_user = _first_users(root, self._effectful, uses)
        self._reached: dict[int, int] = {}  # the scope of the first user
        self._asking: dict[int, set[int]] = {}
        self._arms: dict[int, _Arms] = {}
        super().__init__(root, uses)

    def is_lazy(self, expr: Expr) -> bool:
        """Whether a node is computed where it is first needed, and not at its place."""
        return id(expr) in self.lazy

    def of_children(self, expr: Expr) -> list[tuple[Expr, int]]:
        """Return the children of a node, and in which scope it asks for each."""
        opened = iter(self.opened.get(id(expr), ()))
        here = self._scope_of(expr)
        return [(child, next(opened) if begins else here) for child, begins in self._uses(expr)]

    def _scope_of(self, expr: Expr) -> int:
        return self.lazy.get(id(expr), self.home[id(expr)])

    def _visit(self, expr: Expr) -> None:
        super()._visit(expr)
        if isinstance(expr, If | Match):
            arms = _Arms(self._scope_of(expr), tuple(self.opened.get(id(expr), ())))
            self._arms.update(dict.fromkeys(arms.scopes, arms))

    def _inside(self, expr: Expr) -> int:
        home = self.home[id(expr)]
        if expr not in self._uncertain or self._is_needed(expr, home):
            return home
        scope = self.lazy[id(expr)] = self._tree.add(home)
        return scope

    def _is_needed(self, expr: Expr, home: int) -> bool:
        if expr in self._effectful:  # case 2
            return self._reached[id(expr)] == home
        asking = self._asking[id(expr)]
        pending = list(asking)
        while pending:
            arms = self._arms.get(pending.pop())
            if arms is not None and arms.around not in asking and asking.issuperset(arms.scopes):
                asking.add(arms.around)
                pending.append(arms.around)
        return home in asking

    def _use(self, user: Expr, child: Expr, scope: int) -> None:
        if child in self._effectful and self._first_user[id(child)] is user:
            self._reached.setdefault(id(child), scope)
        if child in self._uncertain:
            self._asking.setdefault(id(child), set()).add(scope)
        super()._use(user, child, scope)


def _edges_of(uses: Uses) -> Edges:
    return lambda expr: [child for child, _ in uses(expr)]


def _first_users(root: Expr, effectful: AbstractSet[Expr], uses: Uses) -> dict[int, Expr]:
    """Return the user that asks for each node first, if all scopes are entered in order.

    Only those of effectful nodes matter.
    """
    first: dict[int, Expr] = {}
    stack = [(root, root)] if effectful else []
    while stack:
        expr, user = stack.pop()
        if id(expr) not in first:
            first[id(expr)] = user
            stack.extend((child, expr) for child, _ in reversed(uses(expr)))
    return first


def _rebuilt(function: Function, places: Places) -> Function:
    """Return the function with cells for all lazy nodes."""
    new: dict[int, Expr] = {}
    asked: dict[tuple[int, int], Expr] = {}  # the value of a lazy node in a scope

    def value(child: Expr, scope: int) -> Expr:
        if not places.is_lazy(child):
            return new[id(child)]
        key = id(child), scope
        if key not in asked:
            asked[key] = _value_in(new[id(child)])
        return asked[key]

    for expr in post_order(function, edges=_edges_of(uses)):
        inner = [value(child, scope) for child, scope in places.of_children(expr)]
        made = with_children(expr, inner) if inner else expr
        is_lazy = places.is_lazy(expr)
        new[id(expr)] = RefCreate(Function((), made), span=expr.span) if is_lazy else made
    return cast("Function", new[id(function)])


def _value_in(cell: Expr) -> Expr:
    """Return the value of the function in a cell, after which the cell holds the value."""
    compute = RefRead(cell, span=cell.span)
    value = Call(compute, (), span=cell.span)
    var = Var("x", value.ty, span=cell.span, ty=value.ty)
    done = Var("_", UNIT, ty=UNIT)
    return Let(var, value, Let(done, RefWrite(cell, Function((), var)), var))
