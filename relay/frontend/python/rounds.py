"""Loops over lists that are written out, whose body is repeated, with `break` and `continue`."""

import ast
from collections.abc import Sequence
from typing import Protocol

from relay.frontend.python.analysis import assigned
from relay.frontend.python.conversion import Conversion
from relay.frontend.python.errors import mistake
from relay.frontend.python.joining import JoinPoint, Rest, is_defined
from relay.frontend.python.scope import Flow, Scope
from relay.frontend.python.values import Value
from relay.ir.expr import Expr

_ROUNDS = 64
"""How many rounds are written inside each other; Python bounds how deeply functions call."""


class Translator(Protocol):
    """What translates expressions."""

    conversion: Conversion


class Statements(Protocol):
    """What translates statements."""

    @property
    def expressions(self) -> Translator:
        """Return what translates expressions."""
        ...

    def run(self, statements: Sequence[ast.stmt], scope: Scope, end: Rest) -> Expr:
        """Return what the statements compute, with `end` behind them."""
        ...

    def unpack(self, target: ast.expr, value: Value, scope: Scope) -> None:
        """Assign a value to a target."""
        ...


class _Exit:
    """A place where control goes from several others: a function, unless it is reached once.

    Where control comes in a straight line, what is known of the variables stays known.
    """

    def __init__(self, rounds: "Rounds", base: Scope, rest: Rest) -> None:
        self.straight: Scope | None = None  # from here, no other way than straight on was seen
        self._base = base
        self._rest = rest
        self._join = JoinPoint(rounds.conversion, base, rounds.names, rest, rounds.span)

    def reach(self, scope: Scope) -> Expr:
        """Return what comes from here on."""
        if scope is self.straight and not self._join.is_made:
            return self._rest(scope.branch())
        return self._join.arrive(scope)

    def define(self) -> None:
        """Put the function, if there is one, around what has called it."""
        self._join.define(self._base)


class Rounds:
    """One loop over a written list, and what follows it."""

    def __init__(
        self, statements: Statements, at: ast.For, items: Sequence[Value], scope: Scope
    ) -> None:
        self.span = scope.span(at.iter)
        self.conversion = statements.expressions.conversion
        changed = assigned([ast.Expr(at.target), *at.body, *at.orelse])
        self.names = sorted(name for name in changed if is_defined(name, scope))
        self._statements, self._at, self._items, self._scope = statements, at, items, scope
        if len(items) > _ROUNDS:
            advice = "stack the list into a tensor, np.stack([…]), and loop over that"
            what = f"break and continue in a loop over {len(items)} items that are written out"
            raise mistake("F122", what, self.span, advice)

    def run(self, rest: Rest) -> Expr:
        """Return the rounds, and the rest behind them."""
        after = _Exit(self, self._scope, rest)
        result = self._round(0, self._scope, after)
        after.define()
        return result

    def _round(self, number: int, scope: Scope, after: _Exit) -> Expr:
        if number == len(self._items):
            last = scope.branch(self._scope.flow)
            after.straight = last
            return self._statements.run(self._at.orelse, last, after.reach)
        following = _Exit(self, scope, lambda inner: self._next(number + 1, inner, after))
        flow = Flow(scope.flow.result, scope.flow.leave, after.reach, following.reach)
        inner = scope.branch(flow)
        inner.block = scope.block
        self._statements.unpack(self._at.target, self._items[number], inner)
        body = inner.branch(flow)
        after.straight = following.straight = body
        result = self._statements.run(self._at.body, body, following.reach)
        following.define()
        return result

    def _next(self, number: int, scope: Scope, after: _Exit) -> Expr:
        outer = scope.branch(self._scope.flow)
        return outer.block.finish(self._round(number, outer, after))
