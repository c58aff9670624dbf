"""Loops over lists that are written out, whose body is repeated, with `break` and `continue`."""

import ast
from collections.abc import Callable, Sequence

from relay.frontend.python.analysis import assigned, read_elsewhere, returns
from relay.frontend.python.joining import JoinPoint, Rest, is_defined, joined, unpack
from relay.frontend.python.operations import tuple_of
from relay.frontend.python.scope import Flow, Scope
from relay.frontend.python.translating import Sequencer
from relay.frontend.python.values import Static, Undefined, Value
from relay.ir.expr import Expr
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError

_ROUNDS = 64
"""How many rounds are written inside each other; Python bounds how deeply functions call."""


class _Exit:
    """A place where control goes from several others: a function, unless it is reached once.

    Where control comes in a straight line, what is known of the variables stays known.
    """

    def __init__(self, join: JoinPoint, base: Scope, rest: Rest) -> None:
        self.straight: Scope | None = None  # from here, no other way than straight on was seen
        self._base = base
        self._rest = rest
        self._join = join

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
        self, statements: Sequencer, at: ast.For, items: Sequence[Value], scope: Scope
    ) -> None:
        self.span = scope.span(at.iter)
        self.conversion = statements.expressions.conversion
        self._changed = assigned([ast.Expr(at.target), *at.body, *at.orelse])
        self._statements, self._at, self._items, self._scope = statements, at, items, scope
        self._keep_target()
        self.names = sorted(name for name in self._changed if is_defined(name, scope))
        if len(items) > _ROUNDS:
            advice = "stack the list into a tensor, np.stack([…]), and loop over that"
            what = f"break and continue in a loop over {len(items)} items that are written out"
            raise mistake(ErrorCode.F122, what, self.span, advice)

    def _keep_target(self) -> None:
        """Give a target that is read behind the loop a value before it, which is never seen."""
        scope, target = self._scope, self._at.target
        if not isinstance(target, ast.Name) or not self._items or is_defined(target.id, scope):
            return
        if read_elsewhere(target.id, scope.function):
            scope.assign(target.id, self._items[0], scope.span(target))

    @property
    def returns(self) -> bool:
        """Whether a `return` stands in the loop."""
        return returns([*self._at.body, *self._at.orelse])

    def values(self) -> None:
        """Give the variables that the loop assigns what they are after it."""
        scope, typed = self._scope, self.conversion.typed

        def rest(inner: Scope) -> Expr:
            fields = [typed(inner.names[name], None, self.span) for name in self.names]
            return inner.block.finish(tuple_of(fields, self.span))

        unpack(scope, self.names, self.run(rest), self.span)
        for name in set(self._changed) - set(self.names):
            why = "is assigned only inside a loop, which may be left before"
            scope.names[name] = Undefined(why, f"give {name} a value before the loop")

    def run(self, rest: Rest) -> Expr:
        """Return the rounds, and the rest behind them.

        A variable that starts as a plain whole number and turns out to be a float starts as one.
        """
        scope, marked = self._scope, self._scope.block.mark()
        try:
            return self._run(rest)
        except RelayError as error:
            floats = {n: _as_float(scope.names[n]) for n in self.names}
            changed = {name: each for name, each in floats.items() if each is not None}
            if error.code not in (ErrorCode.F111, ErrorCode.F113) or not changed:
                raise
            scope.block.back_to(marked)
            scope.names |= changed
            try:
                return self._run(rest)
            except RelayError:
                raise error from None

    def _run(self, rest: Rest) -> Expr:
        def build(after: _Exit) -> Expr:
            result = self._next(0, self._scope, after)
            after.define()  # around all rounds, each of which has a block of its own
            return result

        return self._leading_to(rest, self._scope, build)

    def _leading_to(self, rest: Rest, scope: Scope, build: Callable[[_Exit], Expr]) -> Expr:
        """Return what leads to a place, translated again where its variables have other types."""

        def arms(join: JoinPoint) -> Expr:
            return build(_Exit(join, scope, rest))

        return joined(self.conversion, scope, self.names, rest, self.span, arms)

    def _round(self, number: int, scope: Scope, after: _Exit) -> Expr:
        if number == len(self._items):
            last = scope.branch(self._scope.flow)
            after.straight = last
            return self._statements.run(self._at.orelse, last, after.reach)

        def rest(inner: Scope) -> Expr:
            return self._next(number + 1, inner, after)

        def build(following: _Exit) -> Expr:
            flow = Flow(scope.flow.result, scope.flow.leave, after.reach, following.reach)
            inner = scope.branch(flow)
            inner.block = scope.block
            self._statements.unpack(self._at.target, self._items[number], inner)
            body = inner.branch(flow)
            after.straight = following.straight = body
            result = self._statements.run(self._at.body, body, following.reach)
            following.define()
            return result

        return self._leading_to(rest, scope, build)

    def _next(self, number: int, scope: Scope, after: _Exit) -> Expr:
        outer = scope.branch(self._scope.flow)
        return outer.block.finish(self._round(number, outer, after))


def _as_float(value: Value) -> Static | None:
    """Return a plain whole number as a float; None for other values."""
    content = value.content if isinstance(value, Static) else None
    whole = isinstance(content, int) and not isinstance(content, bool)
    return Static(float(content)) if whole and isinstance(content, int) else None
