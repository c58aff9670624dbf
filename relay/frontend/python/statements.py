"""Python statements as Relay expressions: control flow becomes branches and local functions.

A stretch of statements is translated front to back; what follows it is `end`. A branching whose
arms all reach their ends gives back the variables that they assign. Where an arm returns, breaks
or continues, what follows moves into the other arm, or into a function that the arms share.
"""

import ast
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial

from relay.frontend.python import functions, guards, matching, stops
from relay.frontend.python.analysis import (
    GROWING,
    assigned,
    definite,
    escapes,
    falls_through,
    grows,
    leaves_loop,
    mutated,
)
from relay.frontend.python.arithmetic import BINARY, binary
from relay.frontend.python.errors import FILLING, mistake
from relay.frontend.python.expressions import Expressions
from relay.frontend.python.indexing import is_mask, with_item
from relay.frontend.python.joining import Combine, JoinPoint, Rest, common_type, is_defined, meet
from relay.frontend.python.loops import Loop
from relay.frontend.python.operations import describe, items_of
from relay.frontend.python.operators import matmul
from relay.frontend.python.rounds import Rounds
from relay.frontend.python.scope import Scope
from relay.frontend.python.sharing import refuse_item
from relay.frontend.python.unsupported import unsupported_statement
from relay.frontend.python.values import Group, Static, Value
from relay.frontend.python.walking import Walk
from relay.frontend.python.writing import (
    kept,
    refuse_stale,
    refuse_walked,
    where_masked,
    written,
)
from relay.ir.expr import Expr, If
from relay.ir.patterns import Clause, Match
from relay.ir.types import TensorType
from relay.ir.walk import bound_by
from relay.semantics.exhaustiveness import unreachable
from relay.support.node import node
from relay.support.span import Span

Work = deque[ast.stmt]


@node
class Arm:
    """One arm of a branching: its statements, and what it binds before them."""

    body: list[ast.stmt]
    bind: Callable[[Scope], None]


class Statements:
    """Translates the statements of one program."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions

    def run(self, statements: Sequence[ast.stmt], scope: Scope, end: Rest) -> Expr:
        """Return what the statements compute, with `end` behind them."""
        work: Work = deque(statements)
        while work:
            result = self._statement(work.popleft(), work, scope, end)
            if result is not None:
                return scope.block.finish(result)
        return scope.block.finish(end(scope))

    def _statement(self, at: ast.stmt, work: Work, scope: Scope, end: Rest) -> Expr | None:
        """Translate one statement; the result, if control does not come out at its end."""
        span = scope.span(at)
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
                return self._if(at, work, scope, end)
            case ast.Match():
                return self._match(at, work, scope, end)
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
                functions.define(self, at, scope, span)
            case _:
                self._simple(at, scope, span)
        return None

    def _simple(self, at: ast.stmt, scope: Scope, span: Span) -> None:
        match at:
            case ast.Assign(targets=targets, value=value):
                found = self.expressions.value(value, scope)
                if len(targets) > 1 and isinstance(found, Expr):
                    found = scope.block.bind("value", found, span)
                for target in targets:
                    self.unpack(target, found, scope)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                wanted = functions.annotations(self, scope).type_of(
                    ast.unparse(at.annotation), span
                )
                scope.assign(name, self.expressions.typed(value, scope, wanted), span)
            case ast.AugAssign(target=target, op=sign, value=value):
                self._augmented(target, sign, value, scope, span)
            case ast.Expr(value=ast.Call(func=ast.Attribute(ast.Name(name), attr)) as call) if (
                attr in GROWING and isinstance(scope.names.get(name), Group)
            ):
                self._grow(name, attr, call, scope, span)
            case ast.Expr(value=ast.Constant()):
                pass
            case ast.Expr(value=value):
                self.expressions.value(value, scope)
            case ast.Assert():
                stops.asserted(at, self.expressions, scope)
            case ast.Pass():
                pass
            case _:
                raise unsupported_statement(at, span)

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
        if end is _unreachable and not rounds.returns:
            rounds.values()
            return None
        rest = list(work)
        return rounds.run(lambda inner: self.run(rest, inner, end))

    def _grow(self, name: str, method: str, at: ast.Call, scope: Scope, span: Span) -> None:
        """Give a variable the list that it holds, with more items: a list of another length."""
        scope.memory.write(name, scope.names, span)
        old, (*places, new) = scope.names[name], (self.expressions.value(a, scope) for a in at.args)
        assert isinstance(old, Group), "the caller looked"
        items = items_of(new, span) if method == "extend" else Group((new,))
        place = places[0].content if places and isinstance(places[0], Static) else len(old.items)
        if items is None or not isinstance(place, int):
            advice = "how long a list is is known before the program runs"
            raise mistake("F116", f"{method} of {describe(new)}", span, advice)
        listed = list(old.items)
        listed[place:place] = items.items
        scope.assign(name, Group(tuple(listed)), span)

    # Assignments

    def unpack(self, target: ast.expr, value: Value, scope: Scope) -> None:
        """Assign a value to a target, and its parts to the parts of it."""
        span = scope.span(target)
        match target:
            case ast.Name(id=name):
                scope.assign(name, value, span)
            case ast.Subscript(value=ast.Name(id=name), slice=at):
                self._write(name, at, value, scope, span)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                items = self._parts(parts, value, scope, span)
                refuse_stale(parts, items, span)
                for part, item in zip(parts, items, strict=True):
                    self.unpack(part.value if isinstance(part, ast.Starred) else part, item, scope)
            case _:
                raise mistake(
                    "F116",
                    f"{ast.unparse(target)} cannot be assigned: values do not change",
                    span,
                    f"make a new value: {FILLING}",
                )

    def _write(self, name: str, at: ast.expr, new: Value, scope: Scope, span: Span) -> None:
        """Write to a part of a tensor, or an item of a list: the variable gets a new value."""
        held = scope.names.get(name)
        if isinstance(held, Group):
            scope.memory.write(name, scope.names, span)
            changed = with_item(held, self.expressions.value(at, scope), new, span)
            scope.assign(name, changed, span)
            return
        whole = self.expressions.typed(ast.copy_location(ast.Name(name, ast.Load()), at), scope)
        if not isinstance(whole.ty, TensorType):
            advice = "build it again: rows = [*rows, row]"
            raise mistake("F116", f"{name} is no tensor, and does not change", span, advice)
        scope.memory.write(name, scope.names, span)
        evaluate = partial(self.expressions.value, scope=scope)
        scope.assign(name, written(whole, at, new, evaluate, span), span)

    def _parts(
        self, targets: Sequence[ast.expr], value: Value, scope: Scope, span: Span
    ) -> Sequence[Value]:
        """Return the parts of a value, as many as there are targets; `*rest` takes several."""
        if isinstance(value, Expr):
            value = scope.block.bind("parts", value, span)
        listed = items_of(value, span)
        stars = [i for i, each in enumerate(targets) if isinstance(each, ast.Starred)]
        items = [] if listed is None else list(listed.items)
        if stars and len(items) >= len(targets) - 1:
            (first,), after = stars, len(items) - (len(targets) - 1 - stars[0])
            return [*items[:first], Group(tuple(items[first:after])), *items[after:]]
        if listed is not None and len(items) == len(targets):
            return items
        what = f"cannot unpack {describe(value)} into {len(targets)} variables"
        advice = "unpack a tuple with as many fields; take parts of a tensor with x[0], x[1]"
        raise mistake("F126", what, span, advice)

    def _augmented(
        self, target: ast.expr, sign: ast.operator, value: ast.expr, scope: Scope, span: Span
    ) -> None:
        if isinstance(target, ast.Name):
            scope.memory.write(target.id, scope.names, span)
        elif not isinstance(target, ast.Subscript):
            self.unpack(target, Static(None), scope)
        masked = self._masked(target, scope)
        old = self.expressions.value(_read(target) if masked is None else masked, scope)
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            refuse_item(scope.memory, target.value.id, old, scope.names, span)
        new = self.expressions.value(value, scope)
        made = (
            binary(type(sign), old, new, span) if type(sign) in BINARY else matmul(old, new, span)
        )
        if masked is not None and isinstance(target, ast.Subscript):
            made = where_masked(old, self.expressions.value(target.slice, scope), made, new, span)
            target = masked
        self.unpack(target, kept(old, made, target, span), scope)

    def _masked(self, target: ast.expr, scope: Scope) -> ast.Name | None:
        """Return the variable of `x[mask] += 1`; None for other targets."""
        whole = target.value if isinstance(target, ast.Subscript) else None
        if not isinstance(whole, ast.Name) or not isinstance(target, ast.Subscript):
            return None
        if not isinstance(target.slice, ast.Name | ast.Compare | ast.UnaryOp | ast.BinOp):
            return None
        if not is_mask(self.expressions.value(target.slice, scope)):
            return None
        scope.memory.write(whole.id, scope.names, scope.span(target))
        return whole

    # Branches

    def _if(self, at: ast.If, work: Work, scope: Scope, end: Rest) -> Expr | None:
        if (guard := stops.guard(at, self.expressions, scope)) is not None:
            work.extendleft(reversed(guard))
            return None
        condition = self.expressions.condition(at.test, scope)
        if isinstance(condition, Static):
            work.extendleft(reversed(at.body if condition.content else at.orelse))
            return None
        assert isinstance(condition, Expr), "it is static or an expression"
        test, span = (
            scope.block.bind("condition", condition, scope.span(at.test)),
            scope.span(at.test),
        )

        def combine(results: Sequence[Expr]) -> Expr:
            common_type(results, span)
            return If(test, results[0], results[1], span=span)

        arms = [Arm(at.body, lambda _: None), Arm(at.orelse, lambda _: None)]
        return self._branch(arms, combine, work, scope, end, span)

    def _match(self, at: ast.Match, work: Work, scope: Scope, end: Rest) -> Expr | None:
        span = scope.span(at.subject)
        value = self.expressions.typed(at.subject, scope)
        subject = scope.block.bind("subject", value, span)
        if guards.needed(at.cases, subject):
            complete = partial(self._complete, subject=subject, scope=scope, span=span)
            work.extendleft(reversed(guards.without_guards(at, subject, scope, complete)))
            return None
        cases = matching.alternatives(at.cases)
        data = self.expressions.conversion.unit.data
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
        return self._branch(arms, combine, work, scope, end, span)

    def _complete(
        self, given: Sequence[ast.pattern], subject: Expr, scope: Scope, span: Span
    ) -> None:
        """Raise `F125` unless some patterns cover everything that the subject can be."""
        data = self.expressions.conversion.unit.data
        translator = matching.Patterns(data, scope)
        cases = matching.alternatives([ast.match_case(each, None, []) for each in given])
        patterns = [translator.translate(case.pattern, subject.type) for case in cases]
        matching.check_complete(patterns, data, span)

    def _branch(
        self, arms: Sequence[Arm], combine: Combine, work: Work, scope: Scope, end: Rest, span: Span
    ) -> Expr | None:
        """Translate a branching: all arms reach their ends, or one does, or several, or none."""
        reaching = [arm for arm in arms if falls_through(arm.body)]
        if not any(escapes(arm.body) for arm in arms):
            self._meet(arms, combine, scope, span)
            return None
        if len(reaching) == 1:
            self._go_on(arms, reaching[0], combine, work, scope)
            return None
        rest = list(work)
        changed_later = mutated(rest)
        names = sorted(self._names_after(reaching, scope))
        join = JoinPoint(
            self.expressions.conversion,
            scope,
            names,
            lambda inner: self.run(rest, inner, end),
            span,
        )

        def arrive(inner: Scope) -> Expr:
            for name in set(names) & changed_later.keys():
                inner.memory.write(name, inner.names, scope.span(changed_later[name]))
            return join.arrive(inner)

        results = [self._arm(arm, scope, arrive) for arm in arms]
        join.define(scope)
        return combine(results)

    def _meet(self, arms: Sequence[Arm], combine: Combine, scope: Scope, span: Span) -> None:
        ends: list[Scope] = []
        for arm in arms:
            inner = scope.branch()
            arm.bind(inner)
            self._straight(arm.body, inner)
            ends.append(inner)
        names = dict.fromkeys(name for arm in arms for name in assigned(arm.body))
        meet(self.expressions.conversion, scope, ends, list(names), combine, span)

    def _straight(self, statements: Sequence[ast.stmt], scope: Scope) -> None:
        """Translate statements whose end is always reached."""
        work: Work = deque(statements)
        while work:
            result = self._statement(work.popleft(), work, scope, _unreachable)
            assert result is None, "nothing leaves these statements"

    def _go_on(
        self, arms: Sequence[Arm], open_arm: Arm, combine: Combine, work: Work, scope: Scope
    ) -> None:
        """Continue in the one arm that reaches its end; the others have their results."""
        closed = {id(a): self._arm(a, scope, _unreachable) for a in arms if a is not open_arm}
        scope.block.wrap(
            lambda rest: combine([rest if arm is open_arm else closed[id(arm)] for arm in arms])
        )
        open_arm.bind(scope)
        work.extendleft(reversed(open_arm.body))

    def _arm(self, arm: Arm, scope: Scope, end: Rest) -> Expr:
        inner = scope.branch()
        arm.bind(inner)
        return self.run(arm.body, inner, end)

    def _names_after(self, arms: Sequence[Arm], scope: Scope) -> set[str]:
        """Return the variables that have a value behind the arms, and may have a new one."""
        changed = {name for arm in arms for name in assigned(arm.body)}
        sure = set[str].intersection(*(definite(arm.body) for arm in arms)) if arms else set[str]()
        return {name for name in changed if name in sure or is_defined(name, scope)}


def _repeated(at: ast.For, items: Sequence[Value], scope: Scope) -> list[ast.stmt]:
    """Return the body once for each item, which it finds under a name that no program has."""
    statements: list[ast.stmt] = []
    for index, item in enumerate(items):
        name = f"{at.lineno}:{at.col_offset}:{index}"
        scope.names[name] = item
        read = ast.copy_location(ast.Name(name, ast.Load()), at.iter)
        statements += [ast.copy_location(ast.Assign([at.target], read), at.target), *at.body]
    return statements


def _read(target: ast.expr) -> ast.expr:
    """Return the target of an augmented assignment as something to read."""
    if isinstance(target, ast.Subscript):
        return ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)
    assert isinstance(target, ast.Name), "others have been refused"
    return ast.copy_location(ast.Name(target.id, ast.Load()), target)


def _unreachable(_scope: Scope) -> Expr:
    raise AssertionError("control does not get here")
