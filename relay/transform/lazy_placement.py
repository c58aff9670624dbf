"""Lazy evaluation of shared values (call by need): each is computed at its first use, once.

A shared node is computed once, when the first of its users needs it. Usually that point is known at
compile time. It is not known if only some branches, clauses or closures need the node, because the
first of them to be entered is not known.
"""

from typing import NamedTuple, cast

from relay.ir.analysis.scope_placement import Placement
from relay.ir.analysis.scopes import Scoping, body_scopes
from relay.ir.expr import Call, Expr, Function, If, Let, Var
from relay.ir.match_patterns import Match
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.ir.types import UNIT
from relay.ir.walk import Edges, with_children
from relay.transform.effects import effectful_nodes, unspeculatable_nodes


def computed_lazily(function: Function) -> Function:
    """Return a function in which shared values that may be unneeded are computed on first use.

    The place of a node is the innermost scope around all its uses. A lazy node (see
    `LazyPlacement`), which its place may not need, becomes a reference cell with a function that
    computes it. A user calls the function in the cell, and replaces it by one that returns the
    computed value. Other nodes stay unchanged: it is not observable whether, or how often, they are
    computed.
    """
    places = LazyPlacement(function)
    return _rebuilt(function, places) if places.lazy else function


class _Arms(NamedTuple):
    """The scopes of a branch or match, which is itself in the scope `around`.

    `scopes` are those of its sides, one of which is entered.
    """

    around: int
    scopes: tuple[int, ...]


class LazyPlacement(Placement):
    """The scopes of a function, with an additional scope for each `lazy` node.

    A lazy node is one that its place may not need:

    1. A node that may trap, but has no effect, is lazy unless its place needs it: a node there uses
       it, or all sides of a branch there need it.
    2. A node with effects is lazy unless its first user is at its place.
    """

    def __init__(self, root: Function, scoping: Scoping = body_scopes) -> None:
        self._scoping = scoping
        self.lazy: dict[Expr, int] = {}
        self._uncertain = unspeculatable_nodes(root, self.edges)
        self._effectful = effectful_nodes(root, self.edges) if self._uncertain else set[Expr]()
        self._first_user = _first_users(root, self.edges) if self._effectful else {}
        self._reached: dict[Expr, int] = {}  # the scope of the first user
        self._asking: dict[Expr, set[int]] = {}
        self._arms: dict[int, _Arms] = {}
        super().__init__(root, scoping)

    def is_lazy(self, expr: Expr) -> bool:
        """Whether a node is computed at its first use rather than in its own scope."""
        return expr in self.lazy

    def _computed_in(self, expr: Expr) -> int:
        return self.lazy.get(expr, self.owner(expr))

    def _visit(self, expr: Expr) -> None:
        if expr in self._uncertain and not self._is_needed(expr):
            self.lazy[expr] = self._tree.add(self.owner(expr))
        super()._visit(expr)
        if isinstance(expr, If | Match):
            arms = _Arms(self._computed_in(expr), tuple(self.scopes(expr)))
            self._arms.update(dict.fromkeys(arms.scopes, arms))

    def _is_needed(self, expr: Expr) -> bool:
        owner = self.owner(expr)
        if expr in self._effectful:  # case 2
            return self._reached[expr] == owner
        asking = self._asking[expr]
        pending = list(asking)
        while pending:
            arms = self._arms.get(pending.pop())
            if arms is not None and arms.around not in asking and asking.issuperset(arms.scopes):
                asking.add(arms.around)
                pending.append(arms.around)
        return owner in asking

    def _use(self, user: Expr, part: Expr, scope: int) -> None:
        if part in self._effectful and self._first_user[part] is user:
            self._reached.setdefault(part, scope)
        if part in self._uncertain:
            self._asking.setdefault(part, set()).add(scope)
        super()._use(user, part, scope)


def _first_users(root: Expr, edges: Edges) -> dict[Expr, Expr]:
    """Return the node that uses each node first, if all scopes are entered in program order."""
    first: dict[Expr, Expr] = {}
    stack = [(root, root)]
    while stack:
        expr, user = stack.pop()
        if expr not in first:
            first[expr] = user
            stack.extend((part, expr) for part in reversed(edges(expr)))
    return first


def _rebuilt(function: Function, places: LazyPlacement) -> Function:
    """Return the function with a reference cell for each lazy node, filled on first use."""
    new: dict[Expr, Expr] = {}
    asked: dict[tuple[Expr, int], Expr] = {}  # the value of a lazy node in a scope

    def value(child: Expr, scope: int) -> Expr:
        if not places.is_lazy(child):
            return new[child]
        key = child, scope
        if key not in asked:
            asked[key] = _value_in(new[child])
        return asked[key]

    for expr in places.order:
        inner = [value(child, scope) for child, scope in places.placed_parts(expr)]
        made = with_children(expr, inner) if inner else expr
        is_lazy = places.is_lazy(expr)
        new[expr] = RefCreate(Function((), made), span=expr.span) if is_lazy else made
    return cast("Function", new[function])


def _value_in(cell: Expr) -> Expr:
    """Return an expression that evaluates a lazy cell and stores the value in it."""
    compute = RefRead(cell, span=cell.span)
    value = Call(compute, (), span=cell.span)
    var = Var("x", value.ty, span=cell.span, ty=value.ty)
    done = Var("_", UNIT, ty=UNIT)
    return Let(var, value, Let(done, RefWrite(cell, Function((), var)), var))
