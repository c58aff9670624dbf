"""Convert Python's patterns to patterns of data, and check that they cover every value."""

import ast
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from types import NoneType
from typing import Any

from relay.frontend.python.data_types.data_classes import DataTypes
from relay.frontend.python.values.data_class_fields import field_names, is_data_class
from relay.ir.expr import Constructor, Var
from relay.ir.match_patterns import (
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relay.ir.types import BOOL, UNIT, GlobalTypeVar, TensorType, TupleType, Type, TypeCall
from relay.numpy.errors import mistake
from relay.semantics.exhaustiveness import Alternatives, missing_cases, pattern_text
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.span import Span

_BOOL, _OTHERS = GlobalTypeVar("bool"), GlobalTypeVar("all but literals")
_BOOLS = Constructor("False", (), _BOOL, (), 0), Constructor("True", (), _BOOL, (), 1)
_NOTHING, _ANYTHING = Constructor("None", (), _OTHERS, (), 0), Constructor("_", (), _OTHERS, (), 1)

Values = Mapping[int, Callable[[], Any]]
"""The functions that evaluate the classes and values in a pattern, by the id of their syntax."""


class PatternOf:
    """A Python pattern for values of a type, as a Relay pattern with names and conditions."""

    def __init__(
        self,
        data: DataTypes,
        at: ast.pattern,
        ty: Type,
        values: Values,
        span: Callable[[ast.AST], Span],
    ) -> None:
        self._data, self._values, self._span = data, values, span
        self.binds: dict[str, Var] = {}
        self.conditions: list[tuple[Var, Any]] = []  # what a part has to be equal to
        self.never = False  # whether a part can never be what it has to be
        self.whole: str | None = None  # a name for the whole value
        self.literal: Pattern | None = None
        while isinstance(at, ast.MatchAs) and at.pattern is not None:
            self.whole, at = at.name, at.pattern
        self.pattern = self._translate(at, ty)
        self.covers = self._cover(at, ty) if not self.never else None  # what it surely fits

    def _translate(self, at: ast.pattern, ty: Type) -> Pattern:
        """Return the Relay pattern.

        Raises `F124` if there is none. Recursion follows its nesting.
        """
        span = self._span(at)
        match at:
            case ast.MatchAs(pattern=None, name=None):
                return PatternWildcard(span=span)
            case ast.MatchAs(pattern=None, name=str() as name):
                self.binds[name] = var = Var(name, ty, span=span)
                return PatternVar(var, span=span)
            case ast.MatchSequence(patterns=parts) if isinstance(ty, TupleType):
                if len(parts) != len(ty.fields):
                    raise _unfit(
                        (
                            f"the tuple pattern has {len(parts)} parts, but the matched value has "
                            f"type {ty!r}"
                        ),
                        span,
                    )
                inner = [self._translate(p, t) for p, t in zip(parts, ty.fields, strict=True)]
                return PatternTuple(tuple(inner), span=span)
            case ast.MatchClass():
                constructor, typed = self._parts(at, ty)
                wild = PatternWildcard()
                fields = [wild if p is None else self._translate(p, t) for p, t in typed]
                return PatternConstructor(constructor, tuple(fields), span=span)
            case ast.MatchSingleton(value=None) if ty is UNIT:
                return PatternWildcard()
            case ast.MatchSingleton(value=None) if (none := self._data.none(ty)) is not None:
                return PatternConstructor(none, (), span=span)
            case ast.MatchSingleton(value=value):
                return self._equal(value, ty, fits=ty is BOOL and value is not None)
            case ast.MatchValue(value=value):
                if not isinstance(ty, TensorType):
                    advice = "use the patterns Class(…), (…, …), names and _"
                    what = (
                        f"the pattern {ast.unparse(value)} never matches, because the value has "
                        f"type {ty!r}"
                    )
                    raise mistake(ErrorCode.F124, what, span, advice)
                return self._equal(self._values[id(value)](), ty, fits=True)
            case _:
                raise _unfit("this kind of pattern is not supported in a Relay function", span)

    def _equal(self, value: Any, ty: Type, *, fits: bool) -> Pattern:
        self.never = self.never or not fits
        var = Var("part", ty)
        self.conditions.append((var, value))
        return PatternVar(var)

    def _parts(
        self, at: ast.MatchClass, ty: Type
    ) -> tuple[Constructor, list[tuple[ast.pattern | None, Type]]]:
        """Return the constructor of a class pattern, and a pattern and a type for each field."""
        span = self._span(at)
        constructor = self._class(at.cls, ty, span)
        cls: Any = self._data.classes[constructor]
        names, placed = field_names(cls), cls.__match_args__
        parts: dict[str, ast.pattern] = dict(zip(placed, at.patterns, strict=False))
        parts |= dict(zip(at.kwd_attrs, at.kwd_patterns, strict=True))
        if len(at.patterns) > len(placed) or not set(parts) <= set(names):
            shown = f"{constructor.name}({', '.join(names)})"
            raise _unfit(
                "the pattern contains a field that the class does not have; its fields are "
                f"{shown}",
                span,
            )
        assert isinstance(ty, TypeCall), "the class is one of its forms"
        typed = zip(names, self._data.fields(constructor, ty), strict=True)
        return constructor, [(parts.get(name), field) for name, field in typed]

    def _class(self, at: ast.expr, ty: Type, span: Span) -> Constructor:
        cls = self._values[id(at)]()
        if not is_data_class(cls):
            raise _unfit(
                f"the pattern {ast.unparse(at)}(…) does not name a @relay.data class", span
            )
        constructor = self._data.constructor_in(ty, cls, span)
        if not isinstance(ty, TypeCall) or ty.head is not constructor.belongs_to:
            raise _unfit(
                f"a pattern of the class {cls.__name__} never matches, because the value has "
                f"type {ty!r}",
                span,
            )
        return constructor

    def _cover(self, at: ast.pattern, ty: Type) -> Pattern | None:
        """Return a pattern for values that certainly match; None if that depends on a number."""
        match at:
            case ast.MatchAs():
                return PatternWildcard()
            case ast.MatchSequence(patterns=parts) if isinstance(ty, TupleType):
                inner = [self._cover(p, t) for p, t in zip(parts, ty.fields, strict=True)]
                return (
                    None
                    if None in inner
                    else PatternTuple(tuple(each for each in inner if each is not None))
                )
            case ast.MatchClass():
                constructor, typed = self._parts(at, ty)
                fields = [PatternWildcard() if p is None else self._cover(p, t) for p, t in typed]
                return (
                    None
                    if None in fields
                    else PatternConstructor(
                        constructor, tuple(each for each in fields if each is not None)
                    )
                )
            case ast.MatchSingleton(value=value):
                none = self._data.none(ty) if value is None else None
                return _literal(value, ty) if none is None else PatternConstructor(none, ())
            case _:
                return None


def expanded(at: ast.pattern) -> list[ast.pattern]:
    """Return an equivalent list of patterns without `|`; recursion follows their nesting."""
    match at:
        case ast.MatchOr(patterns=patterns):
            return [each for pattern in patterns for each in expanded(pattern)]
        case ast.MatchAs(pattern=ast.pattern() as inner, name=name):
            return [ast.copy_location(ast.MatchAs(each, name), at) for each in expanded(inner)]
        case ast.MatchSequence(patterns=patterns):
            rows = product(*map(expanded, patterns))
            return [ast.copy_location(ast.MatchSequence(list(row)), at) for row in rows]
        case ast.MatchClass(cls=cls, patterns=patterns, kwd_attrs=names, kwd_patterns=others):
            rows = product(*map(expanded, (*patterns, *others)))
            count = len(patterns)
            made = (ast.MatchClass(cls, list(r[:count]), names, list(r[count:])) for r in rows)
            return [ast.copy_location(each, at) for each in made]
        case _:
            return [at]


def _literal(value: object, ty: Type) -> Pattern:
    """Return a pattern that represents `True`, `False` or `None` in coverage checks."""
    if ty is UNIT and value is None:
        return PatternWildcard()
    fits = ty is BOOL and value is not None
    return PatternConstructor(_BOOLS[bool(value)] if fits else _NOTHING)


def _literals(data: DataTypes) -> Alternatives:
    """Return the constructors of data types and of literals, for coverage checks."""
    own = {_BOOL: _BOOLS, _OTHERS: (_NOTHING, _ANYTHING)}
    return lambda head: own[head] if head in own else data.alternatives(head)


def check_complete(patterns: Sequence[Pattern], data: DataTypes, span: Span) -> None:
    """Raise `F125` unless the patterns cover every value of the type except None."""
    none = [PatternConstructor(form, ()) for form, cls in data.classes.items() if cls is NoneType]
    missing = missing_cases([*patterns, *none], _literals(data))
    if missing:
        advice = "add a case for it, or end with `case _:` for all other values"
        example = pattern_text(missing[0], without_fields="()")
        for each in (*_BOOLS, _ANYTHING):
            example = example.replace(f"{each.name}()", each.name)
        raise mistake(
            ErrorCode.F125, f"no case of this match accepts the value {example}", span, advice
        )


def _unfit(message: str, span: Span) -> RelayError:
    advice = "use the patterns Class(…), (…, …), names and _; compare numbers with if and elif"
    return mistake(ErrorCode.F124, message, span, advice)
