"""Which variables may still be read: a name that nobody reads any more does not see a change.

tmp = a
a = b
b = tmp
b[0] += 1       # tmp is the same array, and is not read before it is assigned again
"""

import ast
from collections.abc import Sequence

from relay.frontend.python.analysis import is_true, variables

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
        self._heads: dict[ast.stmt, Names] = {}  # what is read from the head of a loop on
        self._rounds: dict[ast.stmt, Names] = {}  # what is read from the start of a round on
        self._block(function.body, frozenset(), frozenset(), frozenset())

    def is_dead(self, name: str, statement: ast.stmt) -> bool:
        """Whether a variable is surely not read behind a statement, but for another value."""
        after = self._after.get(statement)
        return after is not None and name in self._own and name not in after

    def is_dead_in(self, name: str, loop: ast.stmt) -> bool:
        """Whether no round of a loop, nor what follows it, reads what a variable was before."""
        head = self._heads.get(loop)
        return head is not None and self.is_dead(name, loop) and name not in head

    def is_given_by(self, name: str, loop: ast.stmt) -> bool:
        """Whether a variable that is read behind a loop surely gets its value in each round."""
        known = loop in self._rounds and name in self._own and name in self._after[loop]
        return known and name not in self._rounds[loop]

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
                return _reads(subject).union(*arms)  # one of the cases fits: others are refused
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
        inside = _reads(at.guard) | self._block(at.body, after, end, again)
        return _reads(at.pattern) | (inside - _binds(at.pattern))

    def _loop(
        self,
        at: ast.While | ast.For,
        test: Names,
        bound: Names,
        after: Names,
        end: Names,
        again: Names,
    ) -> Names:
        """Return what is read from a loop on; its head comes again after each round."""
        head = test | self._heads.get(at, frozenset())
        if not (isinstance(at, ast.While) and is_true(at.test)):  # which only `break` leaves
            head |= self._block(at.orelse, after, end, again)
        while True:
            inner = self._block(at.body, head, after, head) - bound
            self._rounds[at], self._heads[at] = inner, head
            if inner <= head:
                return inner if _surely_runs(at) else head
            head |= inner


def _surely_runs(at: ast.While | ast.For) -> bool:
    """Whether a loop has a first round, as far as that is written there."""
    match at:
        case ast.While(test=test):
            return is_true(test)
        case ast.For(iter=ast.Call(func=ast.Name("range"), args=[ast.Constant(int() as count)])):
            return count > 0
        case ast.For(iter=ast.Tuple(elts=items) | ast.List(elts=items)):
            return bool(items)
        case _:
            return False


def _reads(*parts: ast.AST | None) -> Names:
    """Return the names that parts of the syntax read."""
    inside = (at for each in parts if each is not None for at in ast.walk(each))
    return frozenset(
        at.id for at in inside if isinstance(at, ast.Name) and isinstance(at.ctx, ast.Load)
    )


def _binds(*targets: ast.AST) -> Names:
    """Return the names that targets give a value."""
    found: set[str] = set()
    for at in (at for each in targets for at in ast.walk(each)):
        match at:
            case ast.Name(id=name, ctx=ast.Store()):
                found.add(name)
            case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
                found.add(name)
            case _:
                pass
    return frozenset(found)
