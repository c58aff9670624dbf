"""Cases with guards, with numbers, or of numbers: taken apart into a choice and simple matches.

    match shape:                     taken = -1
        case Square(a) if a > 1:     if taken == -1: match shape: (Square(a): taken = 0 if a > 1)
            big                      if taken == -1: match shape: (Circle(): taken = 1)
        case Circle():               if taken == 0: match shape: (Square(a): big)
            small                    else: match shape: (Circle(): small)

The cases are looked at one after the other, so the program is as long as they are together.
"""

import ast
from collections.abc import Callable, Sequence

from relay.frontend.python.hidden import Forget, IsLiteral, hidden
from relay.frontend.python.scope import Scope
from relay.ir.expr import Expr
from relay.ir.types import TensorType
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode


class ChosenMatch(ast.Match):
    """A match that was made here: a case that fits everything makes what is behind it needless."""


def needed(cases: Sequence[ast.match_case], subject: Expr) -> bool:
    """Whether cases have guards or values, or the subject is a number."""
    if isinstance(subject.ty, TensorType):
        return True
    inner = [each for case in cases for each in ast.walk(case.pattern)]
    named = any(isinstance(each, ast.MatchAs) and each.pattern is not None for each in inner)
    values = any(isinstance(each, ast.MatchValue | ast.MatchSingleton) for each in inner)
    return named or values or any(case.guard is not None for case in cases)


def without_guards(
    at: ast.Match, subject: Expr, scope: Scope, complete: Callable[[Sequence[ast.pattern]], None]
) -> list[ast.stmt]:
    """Return statements without guards that do what a match with guards does.

    `complete` complains where the patterns of the cases without guards do not cover everything.
    """
    for case in at.cases:
        if isinstance(case.pattern, ast.MatchValue) and not isinstance(subject.ty, TensorType):
            advice = "patterns of data are Class(…), (…, …), names and _"
            what = f"{ast.unparse(case.pattern)} never is a {subject.ty!r}"
            raise mistake(ErrorCode.F124, what, scope.span(case.pattern), advice)
    held, taken = hidden("the value matched", at, scope), hidden("the case taken", at, scope)
    scope.names[held] = subject
    cases = [_Case(each, held, number, scope) for number, each in enumerate(at.cases)]
    sure = [case.whole for case in cases if case.is_sure]
    if not sure:
        last = at.cases[-1]
        advice = "end with `case _:`, which takes what the guards have left"
        raise mistake(ErrorCode.F125, "no case may fit", scope.span(last.pattern), advice)
    complete(sure)
    choose: list[ast.stmt] = [_assign(taken, _number(-1))]
    for number, case in enumerate(cases[:-1]):
        choose.append(ast.If(_equals(taken, -1), case.choice(taken, number), []))
    body = cases[-1].body()
    for number, case in reversed(list(enumerate(cases[:-1]))):
        chosen: list[ast.stmt] = [ast.If(_equals(taken, number), case.body(), body)]
        body = chosen
    return [_placed(each, at) for each in (*choose, *body, Forget(held))]


class _Case:
    """One case: its pattern with names where it had values, and the condition that they meet."""

    def __init__(self, at: ast.match_case, held: str, number: int, scope: Scope) -> None:
        self._at, self._held, self._scope = at, held, scope
        self._prefix = f"{held}:{number}"
        self._conditions: list[ast.expr] = []
        self._aliases: list[ast.stmt] = []
        self._decides = at.guard is None  # whether its pattern says alone what it fits
        self.whole = _without_name(at.pattern)
        self.pattern = self._plain(at.pattern, top=True)
        if at.guard is not None:
            self._conditions.append(at.guard)

    @property
    def is_sure(self) -> bool:
        """Whether the case fits whatever its pattern fits, such as `(n, True)`."""
        return self._decides

    def choice(self, taken: str, number: int) -> list[ast.stmt]:
        """Return statements that note the case where it fits."""
        chosen: list[ast.stmt] = [_assign(taken, _number(number))]
        if self._conditions:
            test = ast.BoolOp(ast.And(), self._conditions)
            whole = test if len(self._conditions) > 1 else self._conditions[0]
            chosen = [_assign(taken, ast.IfExp(whole, _number(number), _number(-1)))]
        return self._matched([*self._aliases, *chosen], [ast.Pass()])

    def body(self) -> list[ast.stmt]:
        """Return what the case does; it has been seen to fit."""
        stop = ast.Raise(ast.Name("AssertionError", ast.Load()), None)
        return self._matched([*self._aliases, Forget(self._held), *self._at.body], [stop])

    def _matched(self, then: list[ast.stmt], otherwise: list[ast.stmt]) -> list[ast.stmt]:
        if _is_open(self.pattern):
            name = self.pattern.name if isinstance(self.pattern, ast.MatchAs) else None
            return [*([_assign(name, _name(self._held))] if name else []), *then]
        rest = ast.match_case(ast.MatchAs(), None, otherwise)
        made = ast.match_case(self.pattern, None, then)
        return [ChosenMatch(_name(self._held), [made, rest])]

    def _plain(self, at: ast.pattern, *, top: bool = False) -> ast.pattern:
        """Return a pattern without values; recursion follows how patterns are nested."""
        match at:
            case ast.MatchValue(value=value):
                self._decides = False
                return self._named(ast.Compare(self._fresh(), [ast.Eq()], [value]), at)
            case ast.MatchSingleton(value=value):
                test = ast.Compare(self._fresh(), [IsLiteral()], [ast.Constant(value)])
                return self._named(test, at)
            case ast.MatchAs(pattern=ast.pattern() as inner, name=str() as name) if top:
                self._aliases.append(_assign(name, _name(self._held)))
                return self._plain(inner, top=True)
            case ast.MatchOr(patterns=patterns):
                return self._either(patterns, at, top=top)
            case ast.MatchClass(cls=cls, patterns=patterns, kwd_attrs=names, kwd_patterns=others):
                inside = [self._plain(each) for each in patterns], [self._plain(p) for p in others]
                return ast.copy_location(ast.MatchClass(cls, inside[0], names, inside[1]), at)
            case ast.MatchSequence(patterns=patterns):
                parts = [self._plain(each) for each in patterns]
                return ast.copy_location(ast.MatchSequence(parts), at)
            case _:
                return at

    def _either(
        self, patterns: Sequence[ast.pattern], at: ast.pattern, *, top: bool
    ) -> ast.pattern:
        """Return `A | B`: of numbers one name that is one of them, of classes as it stands."""
        values = [each.value for each in patterns if isinstance(each, ast.MatchValue)]
        if len(values) == len(patterns):
            self._decides = False
            fresh = self._fresh()
            tests: list[ast.expr] = [ast.Compare(fresh, [ast.Eq()], [value]) for value in values]
            return self._named(ast.BoolOp(ast.Or(), tests), at)
        before = len(self._conditions)
        made = [self._plain(each, top=top) for each in patterns]
        if len(self._conditions) > before:
            advice = "write a case for each of them"
            what = "values inside of one of several patterns"
            raise mistake(ErrorCode.F124, what, self._scope.span(at), advice)
        return ast.copy_location(ast.MatchOr(made), at)

    def _fresh(self) -> ast.Name:
        return ast.Name(f"{self._prefix}:{len(self._conditions)}", ast.Load())

    def _named(self, test: ast.expr, at: ast.pattern) -> ast.pattern:
        """Return a name for what is there, and remember what it has to be."""
        name = f"{self._prefix}:{len(self._conditions)}"
        self._conditions.append(ast.copy_location(test, at))
        return ast.copy_location(ast.MatchAs(None, name), at)


def _without_name(at: ast.pattern) -> ast.pattern:
    """Return the pattern that `as` names, as far as it is not inside of another one."""
    while isinstance(at, ast.MatchAs) and at.pattern is not None:
        at = at.pattern
    return at


def _is_open(pattern: ast.pattern) -> bool:
    """Whether a pattern fits everything."""
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None


def _name(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _number(number: int) -> ast.expr:
    return ast.Constant(number)


def _equals(name: str, number: int) -> ast.expr:
    return ast.Compare(_name(name), [ast.Eq()], [_number(number)])


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _placed(made: ast.stmt, at: ast.Match) -> ast.stmt:
    """Give what was made here the place of the match; what stood in the source keeps its own."""
    for each in ast.walk(made):
        if not hasattr(each, "lineno"):
            ast.copy_location(each, at)
    return made
