"""`if` and `match`: arms, where they meet again, and what follows those that do not.

A branching whose arms all reach their ends gives back the variables that they assign. Where an arm
returns, breaks or continues, what follows moves into the other arm, or into a function that the
arms share.
"""

import ast
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from relay.frontend.python import guards, matching, stops
from relay.frontend.python.analysis import assigned, definite, escapes, falls_through
from relay.frontend.python.joining import (
    Combine,
    JoinPoint,
    Rest,
    common_type,
    is_defined,
    joined,
    meet,
)
from relay.frontend.python.scope import Scope
from relay.frontend.python.translating import Sequencer
from relay.frontend.python.values import Static
from relay.ir.expr import Expr, If
from relay.ir.patterns import Clause, Match
from relay.ir.walk import bound_by
from relay.semantics.exhaustiveness import unreachable
from relay.support.node import node, replace
from relay.support.span import Span

Work = deque[ast.stmt]
"""The statements that are still to come."""


def unreached(_scope: Scope) -> Expr:
    """Stand where control does not get."""
    raise AssertionError("control does not get here")


@node
class Arm:
    """One arm of a branching: its statements, and what it binds before them."""

    body: list[ast.stmt]
    bind: Callable[[Scope], None]


class Branching:
    """Translates one branching; `work` is what follows it, and `end` what is behind that."""

    def __init__(self, statements: Sequencer, work: Work, scope: Scope, end: Rest) -> None:
        self._statements = statements
        self._expressions = statements.expressions
        self._work, self._scope, self._end = work, scope, end

    def choose(self, at: ast.If) -> Expr | None:
        """Translate an `if`; the result, if control does not come out at its end."""
        scope, work = self._scope, self._work
        if (guard := stops.guard(at, self._expressions, scope)) is not None:
            work.extendleft(reversed(guard))
            return None
        condition, span = self._expressions.condition(at.test, scope), scope.span(at.test)
        if isinstance(condition, Static):
            work.extendleft(reversed(at.body if condition.content else at.orelse))
            return None
        test = scope.block.bind("condition", condition, span)

        def combine(results: Sequence[Expr]) -> Expr:
            common_type(results, span)
            return If(test, results[0], results[1], span=span)

        arms = [Arm(at.body, lambda _: None), Arm(at.orelse, lambda _: None)]
        return self._branch(arms, combine, span)

    def match(self, at: ast.Match) -> Expr | None:
        """Translate a `match`; the result, if control does not come out at its end."""
        scope, span = self._scope, self._scope.span(at.subject)
        value = self._expressions.typed(at.subject, scope)
        subject = scope.block.bind("subject", value, span)
        if guards.needed(at.cases, subject):
            complete = partial(self._complete, subject=subject, span=span)
            self._work.extendleft(reversed(guards.without_guards(at, subject, scope, complete)))
            return None
        cases = matching.alternatives(at.cases)
        data = self._expressions.conversion.unit.data
        translator = matching.Patterns(data, scope)
        patterns = [translator.translate(case.pattern, subject.type) for case in cases]
        if isinstance(at, guards.ChosenMatch):
            dead = set(unreachable(patterns, data.alternatives))
            cases = [case for index, case in enumerate(cases) if index not in dead]
            patterns = [each for index, each in enumerate(patterns) if index not in dead]
        matching.check(patterns, data, span)

        def combine(results: Sequence[Expr]) -> Expr:
            clauses = tuple(map(Clause, patterns, results))
            return Match(subject, clauses, ty=common_type(results, span), span=span)

        for each in patterns:
            scope.memory.note_pattern(bound_by(each), subject)
        pairs = zip(cases, map(matching.binds, patterns), strict=True)
        arms = [
            Arm(case.body, lambda inner, found=found: inner.names.update(found))
            for case, found in pairs
        ]
        return self._branch(arms, combine, span)

    def _complete(self, given: Sequence[ast.pattern], subject: Expr, span: Span) -> None:
        """Raise `F125` unless some patterns cover everything that the subject can be."""
        data = self._expressions.conversion.unit.data
        translator = matching.Patterns(data, self._scope)
        cases = matching.alternatives([ast.match_case(each, None, []) for each in given])
        patterns = [translator.translate(case.pattern, subject.type) for case in cases]
        matching.check_complete(patterns, data, span)

    def _branch(self, arms: Sequence[Arm], combine: Combine, span: Span) -> Expr | None:
        """Translate a branching: its arms meet behind it, or one goes on, or several, or none."""
        reaching = [arm for arm in arms if falls_through(arm.body)]
        if reaching and not any(escapes(arm.body) for arm in arms):
            self._meet(arms, reaching, combine, span)
            return None
        if len(reaching) == 1:
            self._go_on(arms, reaching[0], combine, span)
            return None
        return self._share(arms, reaching, combine, span)

    def _share(
        self, arms: Sequence[Arm], reaching: Sequence[Arm], combine: Combine, span: Span
    ) -> Expr:
        """Put what follows into a function, which the arms call at their ends."""
        scope, rest = self._scope, list(self._work)
        names = sorted(each for each in self._names_after(reaching) if not scope.is_dead(each))
        going = [arm for arm in arms if arm in reaching or escapes(arm.body)]

        def end(inner: Scope) -> Expr:
            return self._statements.run(rest, inner, self._end)

        def build(join: JoinPoint) -> Expr:
            results = {id(arm): self._run(arm, scope.branch(), join.arrive) for arm in going}
            whole = self._whole(arms, results, combine, scope, span)
            join.define(scope)
            return whole

        return joined(self._expressions.conversion, scope, names, end, span, build)

    def _meet(
        self, arms: Sequence[Arm], reaching: Sequence[Arm], combine: Combine, span: Span
    ) -> None:
        """Go on behind the arms; those that do not reach their ends stop the program."""
        before = self._scope.branch()
        ends: list[Scope] = []
        for arm in reaching:
            inner = self._scope.branch()
            arm.bind(inner)
            self._statements.straight(arm.body, inner)
            ends.append(inner)

        def whole(results: Sequence[Expr]) -> Expr:
            given = dict(zip(map(id, reaching), results, strict=True))
            return self._whole(arms, given, combine, before, span)

        given = (name for arm in reaching for name in assigned(arm.body))
        names = dict.fromkeys(name for name in given if not self._scope.is_dead(name))
        conversion, may_stop = self._expressions.conversion, len(reaching) < len(arms)
        meet(conversion, self._scope, ends, list(names), whole, span, may_stop=may_stop)

    def _go_on(self, arms: Sequence[Arm], open_arm: Arm, combine: Combine, span: Span) -> None:
        """Continue in the one arm that reaches its end; the others have their results."""
        before = self._scope.branch()
        going = [arm for arm in arms if arm is not open_arm and escapes(arm.body)]
        closed = {id(arm): self._run(arm, before.branch()) for arm in going}

        def whole(rest: Expr) -> Expr:
            return self._whole(arms, {**closed, id(open_arm): rest}, combine, before, span)

        self._scope.block.wrap(whole)
        self._scope.certain = self._scope.certain and not going
        open_arm.bind(self._scope)
        self._work.extendleft(reversed(open_arm.body))

    def _whole(
        self,
        arms: Sequence[Arm],
        results: Mapping[int, Expr],
        combine: Combine,
        before: Scope,
        span: Span,
    ) -> Expr:
        """Return a branching whose arms have results, but for those that stop the program."""
        flow = before.flow
        if results:
            flow = replace(flow, result=common_type(list(results.values()), span))
        for arm in arms:
            if id(arm) not in results:
                results = {**results, id(arm): self._run(arm, before.branch(flow))}
        return combine([results[id(arm)] for arm in arms])

    def _run(self, arm: Arm, inner: Scope, end: Rest = unreached) -> Expr:
        arm.bind(inner)
        return self._statements.run(arm.body, inner, end)

    def _names_after(self, arms: Sequence[Arm]) -> set[str]:
        """Return the variables that have a value behind the arms, and may have a new one."""
        changed = {name for arm in arms for name in assigned(arm.body)}
        sure = set[str].intersection(*(definite(arm.body) for arm in arms)) if arms else set[str]()
        return {name for name in changed if name in sure or is_defined(name, self._scope)}
