"""Which variables may still be read: a name that nobody reads any more does not see a change.

tmp = a
a = b
b = tmp
b[0] += 1       # tmp is the same array, and is not read before it is assigned again
"""

import ast
from collections.abc import Sequence

from relay.frontend.python.analysis import variables

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)

Names = frozenset[str]


class Liveness:
    """What may still be read behind each statement of a function."""

    def __init__(self, function: ast.FunctionDef) -> None:
        inner = [
            at for each in function.body for at in ast.walk(each) if isinstance(at, _FUNCTIONS)
        ]
        self._own = variables(function) - _reads(*inner)  # what inner functions see stays
        self._after: dict[ast.stmt, Names] = {}
        self._block(function.body, frozenset(), frozenset(), frozenset())

    def is_dead(self, name: str, statement: ast.stmt) -> bool:
        """Whether a variable is surely not read behind a statement, but for another value."""
        after = self._after.get(statement)
        return after is not None and name in self._own and name not in after

    def _block(self, body: Sequence[ast.stmt], after: Names, end: Names, again: Names) -> Names:
        """Return what is read from the start of statements on; `break` leads to `end`."""
        for at in reversed(body):
            self._after[at] = self._after.get(at, frozenset()) | after
            after = self._statement(at, after, end, again)
        return after

    def _statement(self, at: ast.stmt, after: Names, end: Names, again: Names) -> Names:
        """Return what is read from a statement on; recursion follows how they are nested."""
        match at:
            case ast.Return() | ast.Raise():
                return _reads(at)
            case ast.Break():
                return end
            case ast.Continue():
                return again
            case ast.If(test=test, body=body, orelse=orelse):
                arms = (self._block(each, after, end, again) for each in (body, orelse))
                return _reads(test).union(*arms)
            case ast.Match(subject=subject, cases=cases):
                arms = (self._case(each, after, end, again) for each in cases)
                return (_reads(subject) | after).union(*arms)
            case ast.While(test=test):
                return self._loop(at, _reads(test), frozenset(), after, end, again)
            case ast.For(target=target, iter=over):
                bound = _binds(target)
                return _reads(over) | self._loop(at, frozenset(), bound, after, end, again)
            case ast.Assign(targets=targets):
                return (after - _binds(*targets)) | _reads(at)
            case ast.AnnAssign(target=target, value=ast.expr()):
                return (after - _binds(target)) | _reads(at)
            case _:
                return after | _reads(at) | _binds(at)

    def _case(self, at: ast.match_case, after: Names, end: Names, again: Names) -> Names:
        return _reads(at.pattern, at.guard) | self._block(at.body, after, end, again)

    def _loop(
        self,
        at: ast.While | ast.For,
        test: Names,
        bound: Names,
        after: Names,
        end: Names,
        again: Names,
    ) -> Names:
        """Return what is read from the head of a loop on, which comes again after each round."""
        head = test | self._block(at.orelse, after, end, again)
        while True:
            found = head | (self._block(at.body, head, after, head) - bound)
            if found == head:
                return head
            head = found


def _reads(*parts: ast.AST | None) -> Names:
    """Return the names that parts of the syntax read."""
    inside = (at for each in parts if each is not None for at in ast.walk(each))
    return frozenset(
        at.id for at in inside if isinstance(at, ast.Name) and isinstance(at.ctx, ast.Load)
    )


def _binds(*targets: ast.AST) -> Names:
    """Return the names that targets give a value."""
    inside = (at for each in targets for at in ast.walk(each))
    return frozenset(
        at.id for at in inside if isinstance(at, ast.Name) and isinstance(at.ctx, ast.Store)
    )
