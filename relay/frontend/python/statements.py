"""Python statements as Relay expressions: control flow becomes branches and local functions.

A stretch of statements is translated front to back; what follows it is `end`. The parts have files
of their own: `assigning`, `branching`, `loops` and `rounds`, `functions`, `stops`.
"""

import ast
from collections import deque
from collections.abc import Sequence

from relay.frontend.python import nested, stops
from relay.frontend.python.analysis import GROWING, grows, leaves_loop
from relay.frontend.python.assigning import Assignments
from relay.frontend.python.branching import Branching, Work, unreached
from relay.frontend.python.expressions import Expressions
from relay.frontend.python.hidden import Forget, hidden
from relay.frontend.python.imports import bring_in
from relay.frontend.python.joining import Rest
from relay.frontend.python.loop_endings import without_else
from relay.frontend.python.loops import Loop
from relay.frontend.python.operations import items_of
from relay.frontend.python.rounds import Rounds
from relay.frontend.python.scope import Scope
from relay.frontend.python.signatures import annotations
from relay.frontend.python.unsupported import unsupported_statement
from relay.frontend.python.values import Group, Static, Value
from relay.frontend.python.walking import Walk
from relay.frontend.python.writing import refuse_walked
from relay.ir.expr import Expr


class Statements:
    """Translates the statements of one program."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions
        self._assignments = Assignments(expressions)

    def run(self, statements: Sequence[ast.stmt], scope: Scope, end: Rest) -> Expr:
        """Return what the statements compute, with `end` behind them."""
        work: Work = deque(statements)
        while work:
            result = self._statement(work.popleft(), work, scope, end)
            if result is not None:
                return scope.block.finish(result)
        return scope.block.finish(end(scope))

    def straight(self, statements: Sequence[ast.stmt], scope: Scope) -> None:
        """Translate statements whose end is always reached."""
        work: Work = deque(statements)
        while work:
            result = self._statement(work.popleft(), work, scope, unreached)
            assert result is None, "nothing leaves these statements"

    def unpack(self, target: ast.expr, value: Value, scope: Scope) -> None:
        """Assign a value to a target, and its parts to the parts of it."""
        self._assignments.unpack(target, value, scope)

    def _statement(self, at: ast.stmt, work: Work, scope: Scope, end: Rest) -> Expr | None:
        """Translate one statement; the result, if control does not come out at its end."""
        scope.statement = at
        match at:
            case ast.Return(value=value):
                result = self.expressions.value(value, scope) if value else Static(None)
                return scope.flow.leave(result, scope.span(value or at))
            case ast.Break():
                assert scope.flow.on_break is not None, "Python checks the syntax"
                return scope.flow.on_break(scope)
            case ast.Continue():
                assert scope.flow.on_continue is not None, "Python checks the syntax"
                return scope.flow.on_continue(scope)
            case ast.If():
                return Branching(self, work, scope, end).choose(at)
            case ast.Match():
                return Branching(self, work, scope, end).match(at)
            case ast.While() | ast.For() if leaves_loop(at.orelse):
                work.extendleft(reversed(without_else(at)))
            case ast.For() if (items := self._items(at, scope)) is not None:
                if leaves_loop(at.body):
                    return self._rounds(Rounds(self, at, items, scope), work, end)
                work.extendleft(reversed([*_repeated(at, items, scope), *at.orelse]))
            case ast.Raise():
                return stops.raised(at, self.expressions, scope)
            case ast.While() | ast.For():
                rest = list(work)
                return Loop(self, at, scope).translate(lambda inner: self.run(rest, inner, end))
            case ast.FunctionDef():
                nested.define(self, at, scope)
            case _:
                self._simple(at, scope)
        return None

    def _simple(self, at: ast.stmt, scope: Scope) -> None:
        match at:
            case ast.Assign(targets=[target], value=ast.Call() as call) if self._assignments.pops(
                call, scope
            ):
                self.unpack(target, self._assignments.pop(call, scope), scope)
            case ast.Expr(value=ast.Call() as call) if self._assignments.pops(call, scope):
                self._assignments.pop(call, scope)
            case ast.Assign():
                self._assignments.assign(at, scope)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                types, span = annotations(self, scope), scope.span(at)
                wanted = types.type_of(ast.unparse(at.annotation), span)
                scope.declare(name, self.expressions.typed(value, scope, wanted), wanted, span)
            case ast.AugAssign():
                self._assignments.augmented(at, scope)
            case ast.Expr(value=ast.Call(func=ast.Attribute(ast.Name(name), attr)) as call) if (
                attr in GROWING and isinstance(scope.names.get(name), Group)
            ):
                self._assignments.grow(name, attr, call, scope)
            case ast.Expr(value=ast.Constant()):
                pass
            case ast.Expr(value=value):
                self.expressions.value(value, scope)
            case ast.Assert():
                stops.asserted(at, self.expressions, scope)
            case ast.Pass():
                pass
            case ast.Import() | ast.ImportFrom():
                bring_in(at, scope)
            case Forget(name=name):
                scope.names.pop(name, None)
            case _:
                raise unsupported_statement(at, scope.span(at))

    def _items(self, at: ast.For, scope: Scope) -> Sequence[Value] | None:
        """Return what a loop over a list that is written out goes through; None for others."""
        refuse_walked(at, scope)
        walk = Walk(self.expressions, scope)
        if not grows(at.body):
            return walk.items(at.iter)
        found = items_of(self.expressions.value(at.iter, scope), scope.span(at.iter))
        return None if found is None else found.items

    def _rounds(self, rounds: Rounds, work: Work, end: Rest) -> Expr | None:
        """Translate a loop over a written list that is left early, with what follows behind it."""
        if end is unreached and not rounds.returns:
            rounds.values()
            return None
        rest = list(work)
        return rounds.run(lambda inner: self.run(rest, inner, end))


def _repeated(at: ast.For, items: Sequence[Value], scope: Scope) -> list[ast.stmt]:
    """Return the body once for each item, which it finds under a name that no program has."""
    statements: list[ast.stmt] = []
    for index, item in enumerate(items):
        name = hidden(f"item {index} of the loop", at, scope)
        scope.names[name] = item
        read = ast.copy_location(ast.Name(name, ast.Load()), at.iter)
        taken = ast.copy_location(ast.Assign([at.target], read), at.target)
        statements += [taken, Forget(name), *at.body]
    return statements
