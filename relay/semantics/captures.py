"""The values that function literals capture from enclosing functions."""

from collections import defaultdict
from collections.abc import Iterable

from relay.ir.analysis.scope_placement import Placement
from relay.ir.analysis.scopes import function_scopes
from relay.ir.expr import Expr, Function
from relay.ir.walk import children, post_order


class Captures:
    """An analysis of an expression: the nodes that each function in it captures from outside.

    Its time is proportional to the number of captures, even if functions are deeply nested.

    >>> from relay.ir.expr import Tuple, Var
    >>> x, y = Var("x"), Var("y")
    >>> inner = Function((y,), Tuple((x, y)))
    >>> [*Captures(Function((x,), inner)).of(inner)] == [x]
    True
    """

    def __init__(self, root: Expr) -> None:
        self._placement = placement = Placement(root, function_scopes())
        self._found = defaultdict[int, dict[Expr, None]](dict)
        for expr in post_order(root):
            is_scope = isinstance(expr, Function)
            user = placement.scope(expr) if is_scope else placement.owner(expr)
            for child in children(expr):
                self._note(child, user)

    def of(self, function: Function) -> Iterable[Expr]:
        """Return the nodes of enclosing functions that a function uses."""
        return self._found[self._placement.scope(function)]

    def _note(self, expr: Expr, user: int) -> None:
        """Record that the functions from the scope `user` out to the owner of `expr` capture it."""
        home = self._placement.owner(expr)
        for number in self._placement.enclosing(user):
            if number == home or expr in self._found[number]:
                return
            self._found[number][expr] = None
