"""Python's `match` on data: patterns, and whether they cover everything."""

import ast
from collections.abc import Sequence
from itertools import product
from typing import Any

from relay.frontend.python.data import DataTypes
from relay.frontend.python.fields import field_names
from relay.frontend.python.scope import Scope
from relay.frontend.python.values import Static
from relay.ir.expr import Constructor, Var
from relay.ir.patterns import (
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relay.ir.types import BOOL, UNIT, GlobalTypeVar, TupleType, Type, TypeCall
from relay.ir.walk import bound_by
from relay.numpy.errors import mistake
from relay.semantics.exhaustiveness import Alternatives, missing_cases, pattern_text, unreachable
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.span import Span

_BOOL, _OTHERS = GlobalTypeVar("bool"), GlobalTypeVar("all but literals")
_BOOLS = Constructor("False", (), _BOOL, (), 0), Constructor("True", (), _BOOL, (), 1)
_NOTHING, _ANYTHING = Constructor("None", (), _OTHERS, (), 0), Constructor("_", (), _OTHERS, (), 1)


class Patterns:
    """Translates the patterns of one `match` statement."""

    def __init__(self, data: DataTypes, scope: Scope) -> None:
        self._data = data
        self._scope = scope

    def translate(self, at: ast.pattern, ty: Type) -> Pattern:
        """Return the pattern for a value of that type; raises `F124` where there is none."""
        span = self._scope.span(at)
        match at:
            case ast.MatchAs(pattern=None, name=None):
                return PatternWildcard(span=span)
            case ast.MatchAs(pattern=None, name=str() as name):
                return PatternVar(Var(name, ty, span=span), span=span)
            case ast.MatchSequence(patterns=parts) if isinstance(ty, TupleType):
                if len(parts) != len(ty.fields):
                    raise _unfit(f"{len(parts)} patterns for {ty!r}", span)
                inner = [self.translate(p, t) for p, t in zip(parts, ty.fields, strict=True)]
                return PatternTuple(tuple(inner), span=span)
            case ast.MatchClass():
                return self._constructor(at, ty, span)
            case ast.MatchSingleton(value=value):
                return _literal(value, ty)
            case _:
                raise _unfit("this pattern cannot be expressed in Relay", span)

    def _constructor(self, at: ast.MatchClass, ty: Type, span: Span) -> Pattern:
        constructor = self._class(at.cls, ty, span)
        cls: Any = self._data.classes[constructor]
        names, placed = field_names(cls), cls.__match_args__
        parts: dict[str, ast.pattern] = dict(zip(placed, at.patterns, strict=False))
        parts |= dict(zip(at.kwd_attrs, at.kwd_patterns, strict=True))
        if len(at.patterns) > len(placed) or not set(parts) <= set(names):
            shown = f"{constructor.name}({', '.join(names)})"
            raise _unfit(f"the pattern does not have the fields of {shown}", span)
        wild = PatternWildcard()
        assert isinstance(ty, TypeCall), "the class is one of its forms"
        typed = zip(names, self._data.fields(constructor, ty), strict=True)
        inner = [self.translate(parts[n], t) if n in parts else wild for n, t in typed]
        return PatternConstructor(constructor, tuple(inner), span=span)

    def _class(self, at: ast.expr, ty: Type, span: Span) -> Constructor:
        name = at.id if isinstance(at, ast.Name) else ""
        found = self._scope.names.get(name, Static(self._scope.outside.get(name)))
        cls = found.content if isinstance(found, Static) else None
        if not isinstance(cls, type) or not hasattr(cls, "__relay_data__"):
            raise _unfit(f"{ast.unparse(at)} is not a @relay.data class", span)
        constructor = self._data.constructor(cls, span)
        if not isinstance(ty, TypeCall) or ty.head is not constructor.belongs_to:
            raise _unfit(f"a {cls.__name__} never is a {ty!r}", span)
        return constructor


def alternatives(cases: Sequence[ast.match_case]) -> list[ast.match_case]:
    """Return the cases with `A() | B()` taken apart: a case for each, with the same body."""
    return [
        ast.match_case(pattern, case.guard, case.body)
        for case in cases
        for pattern in _expanded(case.pattern)
    ]


def _expanded(at: ast.pattern) -> list[ast.pattern]:
    """Return patterns without `|` that fit what one fits; recursion follows their nesting."""
    match at:
        case ast.MatchOr(patterns=patterns):
            return [each for pattern in patterns for each in _expanded(pattern)]
        case ast.MatchSequence(patterns=patterns):
            rows = product(*map(_expanded, patterns))
            return [ast.copy_location(ast.MatchSequence(list(row)), at) for row in rows]
        case ast.MatchClass(cls=cls, patterns=patterns, kwd_attrs=names, kwd_patterns=others):
            rows = product(*map(_expanded, (*patterns, *others)))
            count = len(patterns)
            made = (ast.MatchClass(cls, list(r[:count]), names, list(r[count:])) for r in rows)
            return [ast.copy_location(each, at) for each in made]
        case _:
            return [at]


def check(patterns: Sequence[Pattern], data: DataTypes, span: Span) -> None:
    """Raise `F125` unless the patterns cover every value of the type, each of them something."""
    for index in unreachable(patterns, data.alternatives):
        advice = "remove it, or move it up"
        raise mistake(ErrorCode.F125, "this case is never reached", patterns[index].span, advice)
    check_complete(patterns, data, span)


def _literal(value: object, ty: Type) -> Pattern:
    """Return what stands for `True`, `False` or `None` where only what is covered counts."""
    if ty is UNIT and value is None:
        return PatternWildcard()
    fits = ty is BOOL and value is not None
    return PatternConstructor(_BOOLS[bool(value)] if fits else _NOTHING)


def _literals(data: DataTypes) -> Alternatives:
    """Return the forms of data types, and of bools; all but a literal is what it leaves over."""
    own = {_BOOL: _BOOLS, _OTHERS: (_NOTHING, _ANYTHING)}
    return lambda head: own[head] if head in own else data.alternatives(head)


def check_complete(patterns: Sequence[Pattern], data: DataTypes, span: Span) -> None:
    """Raise `F125` unless the patterns cover every value of the type."""
    missing = missing_cases(patterns, _literals(data))
    if missing:
        advice = "add the case, or `case _:` for all others"
        example = pattern_text(missing[0], without_fields="()")
        for each in (*_BOOLS, _ANYTHING):
            example = example.replace(f"{each.name}()", each.name)
        raise mistake(ErrorCode.F125, f"no case fits {example}", span, advice)


def binds(pattern: Pattern) -> dict[str, Var]:
    """Return the variables of a pattern by name."""
    return {var.name: var for var in bound_by(pattern)}


def _unfit(message: str, span: Span) -> RelayError:
    advice = "patterns are Class(…), (…, …), names and _; compare numbers with if and elif"
    return mistake(ErrorCode.F124, message, span, advice)
