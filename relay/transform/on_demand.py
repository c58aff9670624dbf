"""What may not be needed is computed where it is first needed, and once: call by need.

A shared node means what `relay.semantics.evaluate` says: it is computed when something first asks
for its value, and from then on the value is there. As a rule that is one place of the program. It
is not where branches, clauses or closures ask first: nobody knows which of them will be entered.
"""

from collections.abc import Set as AbstractSet
from typing import cast

from relay.ir.expr import Call, Expr, Function, Let, Var
from relay.ir.references import RefCreate, RefRead, RefWrite
from relay.ir.types import UNIT
from relay.ir.walk import post_order, with_children
from relay.transform.effects import unspeculatable_nodes
from relay.transform.scopes import Scopes, Uses, uses


def computed_on_demand(function: Function) -> Function:
    """Return a function whose nodes mean the same when each is computed at its place.

    The place of a node is the innermost scope around all its uses, when the first of them is come
    to. A node that may have an effect, or stop the program, and that a scope inside of that one
    asks for first, becomes a cell with a function that computes it. Whoever needs the value calls
    what is in the cell, and leaves a function there that has it at hand. Other nodes stay as they
    are: nobody can tell whether, and how often, they are computed.
    """
    uncertain = unspeculatable_nodes(function)
    places = Places(function, uncertain) if uncertain else None
    return _rebuilt(function, places) if places and places.waiting else function


class Places(Scopes):
    """The scopes of a function, and one for each node that is `waiting` for its first use.

    Only nodes that are `uncertain` to have a value, or whose order matters, wait.
    """

    def __init__(self, root: Function, uncertain: AbstractSet[Expr], uses: Uses = uses) -> None:
        self.waiting: dict[int, int] = {}
        self._uncertain = uncertain
        self._first_user = _first_users(root, uses)
        self._reached: dict[int, int] = {}  # the scope that asks first
        super().__init__(root, uses)

    def waits(self, expr: Expr) -> bool:
        """Whether a scope inside of a node's own asks for it first."""
        return id(expr) in self.waiting

    def of_children(self, expr: Expr) -> list[tuple[Expr, int]]:
        """Return the children of a node, and in which scope it asks for each."""
        opened = iter(self.opened.get(id(expr), ()))
        here = self.waiting.get(id(expr), self.home[id(expr)])
        return [(child, next(opened) if begins else here) for child, begins in self._uses(expr)]

    def _inside(self, expr: Expr) -> int:
        home = self.home[id(expr)]
        if expr not in self._uncertain or self._reached[id(expr)] == home:
            return home
        scope = self.waiting[id(expr)] = self._tree.add(home)
        return scope

    def _use(self, user: Expr, child: Expr, scope: int) -> None:
        if self._first_user[id(child)] is user:
            self._reached.setdefault(id(child), scope)
        super()._use(user, child, scope)


def _first_users(root: Expr, uses: Uses) -> dict[int, Expr]:
    """Return for each node which one asks for it first, if all scopes are entered in order."""
    first: dict[int, Expr] = {}
    stack = [(root, root)]
    while stack:
        expr, user = stack.pop()
        if id(expr) not in first:
            first[id(expr)] = user
            stack.extend((child, expr) for child, _ in reversed(uses(expr)))
    return first


def _rebuilt(function: Function, places: Places) -> Function:
    """Return the function with cells for all nodes that wait."""
    new: dict[int, Expr] = {}
    asked: dict[tuple[int, int], Expr] = {}  # what a scope that needs a waiting node does

    def value(child: Expr, scope: int) -> Expr:
        if not places.waits(child):
            return new[id(child)]
        key = id(child), scope
        if key not in asked:
            asked[key] = _value_in(new[id(child)])
        return asked[key]

    for expr in post_order(function, edges=lambda expr: [child for child, _ in uses(expr)]):
        inner = [value(child, scope) for child, scope in places.of_children(expr)]
        made = with_children(expr, inner) if inner else expr
        waits = places.waits(expr)
        new[id(expr)] = RefCreate(Function((), made), span=expr.span) if waits else made
    return cast("Function", new[id(function)])


def _value_in(cell: Expr) -> Expr:
    """Return what gives the value of a cell's function, and has the cell hold it."""
    compute = RefRead(cell, span=cell.span)
    value = Call(compute, (), span=cell.span)
    var = Var("x", value.ty, span=cell.span, ty=value.ty)
    done = Var("_", UNIT, ty=UNIT)
    return Let(var, value, Let(done, RefWrite(cell, Function((), var)), var))
