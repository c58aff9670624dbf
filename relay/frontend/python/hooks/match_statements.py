"""Trace `match` statements.

On data the program matches, on numbers it branches, and on known values Python decides.
"""

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from relay.frontend.python.data_types.match_patterns import (
    PatternOf,
    Values,
    check_complete,
    expanded,
)
from relay.frontend.python.tracing.blocks import Block, Split
from relay.frontend.python.tracing.regions import ENDED, Ended, Region, cells_of, split
from relay.frontend.python.values.containers import is_named_tuple
from relay.frontend.python.values.error_suggestions import describe
from relay.frontend.python.values.traced_values import (
    Traced,
    TracedSize,
    is_mapping,
    is_plain,
    is_sequence,
)
from relay.ir.expr import Expr
from relay.ir.match_patterns import Clause, Match, Pattern, PatternVar, PatternWildcard
from relay.ir.types import Type
from relay.numpy.errors import mistake
from relay.semantics.exhaustiveness import missing_cases, unreachable
from relay.support.error_codes import ErrorCode
from relay.support.span import Span


class _Case:
    """One case: its pattern, and the functions for its values, names, guard and body."""

    def __init__(self, row: Any) -> None:
        self.at, values, self.bind, self.guard, self.body = row
        named = [
            each for each in ast.walk(self.at) if isinstance(each, ast.MatchClass | ast.MatchValue)
        ]
        keys = [id(each.cls if isinstance(each, ast.MatchClass) else each.value) for each in named]
        self.values: Values = dict(zip(keys, values, strict=True))


class Matching:
    """One `match` statement."""

    def __init__(self, hooks: Any, subject: Any, cases: Sequence[Any]) -> None:
        self.hooks, self.trace, self.subject = hooks, hooks.trace, subject
        self.span: Span = hooks.trace.span
        self.cases = [_Case(each) for each in cases]

    def carry_out(self) -> Any:
        """Trace the statement.

        Return the marker of the place where control continues, or None if that is not known.
        """
        if _is_program(self.subject):
            self._of_data()
            return None
        return self._known(self.cases)

    def _place(self, at: ast.AST) -> Span:
        return self.trace.codes[self.span.source.name].span(at)

    # Data

    def _of_data(self) -> None:
        trace = self.trace
        functions = [each for case in self.cases for each in (case.bind, case.guard, case.body)]
        region = Region(trace, cells_of(functions, trace), "if")
        held = trace.emit(trace.typed(self.subject), "subject")
        rows = [
            (case, PatternOf(trace.unit.data, at, held.type, case.values, self._place))
            for case in self.cases
            for at in expanded(case.at)
        ]
        self._refuse_dead(rows)
        index = 0
        while index < len(rows) and trace.block is not None:
            simple = 0
            while index + simple < len(rows) and _is_simple(*rows[index + simple]):
                simple += 1
            step = max(simple, 1)
            self._step(region, held, rows[index : index + step], sure=bool(simple))
            index += step
        if trace.block is not None:
            self._incomplete(rows)
        if region.close() is ENDED:
            raise Ended

    def _step(self, region: Region, held: Expr, rows: Sequence[Any], *, sure: bool) -> None:
        """Trace consecutive cases, `rows`, that a single match expression of Relay can decide.

        Values that fit none continue after it.
        """
        trace, block = self.trace, None
        step = Region(trace, region.roots, "if")
        block = trace.block
        patterns: list[Pattern] = [row.pattern for _, row in rows]
        dead = set(unreachable(patterns, trace.unit.data.alternatives)) if sure else set[int]()
        rows = [row for number, row in enumerate(rows) if number not in dead]
        patterns = [row.pattern for _, row in rows]
        fails = not _is_complete(patterns, trace.unit.data)
        arms = [Block(block) for _ in range(len(rows) + fails)]
        clauses = [*patterns, *([PatternWildcard()] if fails else [])]

        def combine(exprs: Sequence[Expr], ty: Type) -> Expr:
            return Match(held, tuple(map(Clause, clauses, exprs)), ty=ty, span=self.span)

        if len(arms) == 1 and isinstance(patterns[0], PatternWildcard | PatternVar):
            arms = [block]
            if isinstance(patterns[0], PatternVar):
                trace.bind(patterns[0].var, held)
        else:
            block.end = Split(arms, combine)
        for number, arm in enumerate(arms):
            step.before.restore()
            trace.block = arm
            if number == len(rows):
                trace.leave(step)
                continue
            self._arm(region, step, *rows[number])
        try:
            if step.close() is ENDED:
                raise Ended
        except Ended:
            trace.block = None

    def _arm(self, region: Region, step: Region, case: _Case, pattern: PatternOf) -> None:
        trace = self.trace
        owner = f"a part of an immutable value of type {describe(self.subject)}"
        found: dict[str, Any] = {
            name: trace.python(var, owner) for name, var in pattern.binds.items()
        }
        trace.homes |= dict.fromkeys(
            [*pattern.binds.values(), *(var for var, _ in pattern.conditions)], trace.block
        )
        if isinstance(pattern.pattern, PatternVar) and pattern.binds:
            found = dict.fromkeys(pattern.binds, self.subject)
        if pattern.whole is not None:
            found[pattern.whole] = self.subject
        equal = [
            lambda var=var, value=value: self.hooks.compare("Eq", trace.python(var), value)
            for var, value in pattern.conditions
        ]
        if pattern.never:
            equal = [lambda: False]
        self._decide(region, step, case, found, equal)

    def _decide(
        self,
        region: Region,
        step: Region,
        case: _Case,
        found: Mapping[str, Any],
        equal: Sequence[Callable[[], Any]],
    ) -> None:
        """Trace a case whose pattern matches; its values and guard may still fail at run time."""
        trace, hooks = self.trace, self.hooks

        def guarded() -> Any:
            case.bind(found)
            return case.guard() if case.guard is not None else True

        condition = hooks.truth(hooks.all_of(*equal, guarded))
        if condition is False:
            trace.leave(step)
            return
        if condition is not True:
            then, other = split(trace, condition, self.span)
            before = trace.state()
            trace.block = other
            trace.leave(step)
            before.restore()
            trace.block = then
            case.bind(found)
        hooks.settle(hooks.run(case.body), region)

    def _refuse_dead(self, rows: Sequence[tuple[_Case, PatternOf]]) -> None:
        """Raise `F125` for a case that is never reached."""
        sure: list[Pattern] = []
        for case, row in rows:
            if case.guard is None and row.covers is not None and not row.conditions:
                sure.append(row.pattern)
        for index in unreachable(sure, self.trace.unit.data.alternatives):
            what = "this case never matches: the cases above it accept all its values"
            raise mistake(
                ErrorCode.F125,
                what,
                sure[index].span,
                "remove the case, or move it above the more general one",
            )

    def _incomplete(self, rows: Sequence[tuple[_Case, PatternOf]]) -> None:
        """Raise `F125` if a value may fit no case.

        Trap if only patterns with numbers leave it open.
        """
        sure = [row.covers for case, row in rows if case.guard is None and row.covers is not None]
        if not sure:
            advice = "add a last case `case _:`, which has no if"
            raise mistake(
                ErrorCode.F125,
                "every case of this match has an if, so that a value may match none",
                self._place(self.cases[-1].at),
                advice,
            )
        check_complete(sure, self.trace.unit.data, self.span)
        try:
            self.hooks.raise_(None, "AssertionError")
        except Ended:
            return

    # Known values, and numbers

    def _known(self, cases: Sequence[_Case]) -> Any:
        """Run the first case that fits; conditions known only at run time become branches."""
        for number, case in enumerate(cases):
            found: dict[str, Any] = {}
            fits = self._fits(case, case.at, self.subject, found)
            if fits is False:
                continue

            def guarded(case: _Case = case, found: dict[str, Any] = found) -> Any:
                case.bind(found)
                return case.guard() if case.guard is not None else True

            condition = self.hooks.truth(self.hooks.all_of(lambda fits=fits: fits, guarded))
            if condition is True:
                return case.body()
            if condition is False:
                continue
            rest = cases[number + 1 :]
            functions = [each for case in cases for each in (case.bind, case.guard, case.body)]

            def then(case: _Case = case, found: dict[str, Any] = found) -> Any:
                case.bind(found)
                return case.body()

            self._choose(condition, then, lambda rest=rest: self._known(rest), functions)
            return None
        return None

    def _choose(
        self,
        condition: Expr,
        then: Callable[[], Any],
        other: Callable[[], Any],
        functions: Sequence[Any],
    ) -> None:
        trace = self.trace
        region = Region(trace, cells_of(functions, trace), "if")
        for arm, block in zip((then, other), split(trace, condition, self.span), strict=True):
            region.before.restore()
            trace.block = block
            self.hooks.settle(self.hooks.run(arm), region)
        if region.close() is ENDED:
            raise Ended

    def _fits(self, case: _Case, at: ast.pattern, value: Any, found: dict[str, Any]) -> Any:
        """Return whether a pattern fits, a bool or an expression; add its captures to `found`."""
        match at:
            case ast.MatchAs(pattern=inner, name=name):
                fits = True if inner is None else self._fits(case, inner, value, found)
                if name is not None:
                    found[name] = value
                return fits
            case ast.MatchValue(value=wanted):
                return self.hooks.compare("Eq", value, case.values[id(wanted)]())
            case ast.MatchSingleton(value=wanted):
                if isinstance(value, Traced) and isinstance(wanted, bool):
                    return self.hooks.compare("Eq", value, wanted)
                return value is wanted
            case ast.MatchOr(patterns=parts):
                return self._any([self._fits(case, each, value, found) for each in parts])
            case ast.MatchSequence(patterns=parts) if is_sequence(value):
                return self._sequence(case, parts, list(value), found)
            case ast.MatchMapping(keys=keys, patterns=parts) if is_mapping(value):
                known = [ast.literal_eval(key) for key in keys]
                if not all(key in value for key in known):
                    return False
                return self._all(
                    [
                        self._fits(case, p, value[k], found)
                        for p, k in zip(parts, known, strict=True)
                    ]
                )
            case ast.MatchClass(cls=cls, patterns=parts, kwd_attrs=names, kwd_patterns=named):
                kind = case.values[id(cls)]()
                if not self.trace.calls.call(isinstance, value, kind):
                    return False
                fields = [*getattr(kind, "__match_args__", ())[: len(parts)], *names]
                values = [self.trace.calls.attribute(value, name) for name in fields]
                return self._all(
                    [
                        self._fits(case, p, v, found)
                        for p, v in zip([*parts, *named], values, strict=True)
                    ]
                )
            case _:
                return False

    def _sequence(
        self, case: _Case, parts: Sequence[ast.pattern], items: list[Any], found: dict[str, Any]
    ) -> Any:
        star = next((i for i, each in enumerate(parts) if isinstance(each, ast.MatchStar)), None)
        if star is not None and len(items) >= len(parts) - 1:
            behind = len(parts) - star - 1
            middle = items[star : len(items) - behind]
            starred = parts[star]
            if isinstance(starred, ast.MatchStar) and starred.name is not None:
                found[starred.name] = middle
            items = [*items[:star], *items[len(items) - behind :]]
            parts = [*parts[:star], *parts[star + 1 :]]
        if len(items) != len(parts):
            return False
        return self._all([self._fits(case, p, v, found) for p, v in zip(parts, items, strict=True)])

    def _all(self, found: Sequence[Any]) -> Any:
        return self.hooks.all_of(*[lambda each=each: each for each in found]) if found else True

    def _any(self, found: Sequence[Any]) -> Any:
        return self.hooks.any_of(*[lambda each=each: each for each in found])


def _is_simple(case: _Case, pattern: PatternOf) -> bool:
    return case.guard is None and not pattern.conditions and not pattern.never


def _is_program(value: Any) -> bool:
    """Whether a value, or an item of a tuple at any depth, is computed by the program."""
    if is_sequence(value) and not is_named_tuple(type(value)):
        return any(map(_is_program, value)) and all(
            _is_program(each) or is_plain(each) for each in value
        )
    return isinstance(value, Traced | TracedSize)


def _is_complete(patterns: Sequence[Pattern], data: Any) -> bool:
    """Whether patterns cover every value of their type."""
    return not missing_cases(patterns, data.alternatives)
