"""Loops as functions that call themselves with the variables that the loop assigns."""

import ast
from collections.abc import Mapping

from relay.frontend.python.analysis import (
    assigned,
    falls_through,
    is_true,
    read_elsewhere,
    returns,
)
from relay.frontend.python.joining import Rest, is_defined, unpack
from relay.frontend.python.opened_sizes import opened
from relay.frontend.python.operations import fits, tuple_of
from relay.frontend.python.scope import Flow, Scope
from relay.frontend.python.translating import Sequencer
from relay.frontend.python.unseen import unseen
from relay.frontend.python.values import Static, Undefined, Value
from relay.frontend.python.walking import Counter, Walk
from relay.ir.comparison import join
from relay.ir.expr import Call, Expr, Function, If, Var
from relay.ir.types import FuncType, TensorType, TupleType, Type
from relay.numpy.errors import mistake
from relay.numpy.tensors import constant, default_dtype
from relay.opdef.table import OPERATORS
from relay.support.error_codes import ErrorCode
from relay.support.span import Span

LoopStatement = ast.While | ast.For


class _Widen(Exception):  # noqa: N818 - no error: the loop is translated again
    """A variable turns out to need another type.

    One that started as a plain number needs another element type, or sizes are found out.
    """

    def __init__(self, name: str, ty: Type, owner: Var | None) -> None:
        super().__init__(name)
        self.name = name
        self.type = ty
        self.owner = owner  # the variable of a loop further out that it starts from, if any


class Loop:
    """One loop statement and what follows it."""

    def __init__(self, statements: Sequencer, at: LoopStatement, scope: Scope) -> None:
        self.at = at
        self.scope = scope
        self.statements = statements
        self.expressions = statements.expressions
        self.kept: set[str] = set()  # targets that are read behind the loop, too
        header = at.iter if isinstance(at, ast.For) else at.test
        self.span = scope.span(at).to(scope.span(header))
        self.counter = self._counter(at) if isinstance(at, ast.For) else None
        if isinstance(at, ast.For):
            self._keep_target(at)
        changed = assigned([*at.body, *at.orelse])
        self.vars: list[Var] = []
        target = assigned([ast.Expr(at.target)]) if isinstance(at, ast.For) else []
        changed += [name for name in target if name in self.kept and name not in changed]
        defined = [name for name in changed if is_defined(name, scope)]
        self.names = [name for name in defined if not self._is_dead(name)]
        self.local = [each for each in dict.fromkeys([*changed, *target]) if each not in defined]

    def _keep_target(self, at: ast.For) -> None:
        """Let the target have its last value behind the loop, if it is one variable of one type.

        A loop that surely goes round gives it one before, which is never seen.
        """
        name = at.target.id if isinstance(at.target, ast.Name) else ""
        if not name or self.counter is None or name in assigned(at.body):
            return
        if not read_elsewhere(name, self.scope.function):
            return
        first = self.counter.item(self.counter.start)
        before = self.scope.names.get(name)
        if is_defined(name, self.scope) and before is not None:
            if _natural(before) in (None, _natural(first)):
                self.kept.add(name)
        elif self.counter.surely_runs:
            self.scope.assign(name, first, self.span)
            self.kept.add(name)
        elif at.orelse and not falls_through(at.orelse):  # who comes out has left a round
            before = unseen(first)
            if before is not None:
                self.scope.assign(name, before, self.span)
                self.kept.add(name)

    def translate(self, rest: Rest) -> Expr | None:
        """Add the loop; None if what follows comes after it, else the whole including the rest."""
        has_return = returns([*self.at.body, *self.at.orelse])
        flow = self.scope.flow
        if has_return and flow.result is None:
            advice = "annotate the function's result: -> float32"
            raise mistake(
                ErrorCode.F123, "return inside a loop needs a declared result", self.span, advice
            )
        types = {name: self._initial_type(name) for name in self.names}
        while True:
            try:
                built = _Attempt(self, types, flow.result if has_return else None)
            except _Widen as wider:
                if wider.owner is not None and wider.owner not in self.vars:
                    raise
                types[wider.name if wider.owner is None else wider.owner.name] = wider.type
                continue
            if not built.given:
                break
            self._begin(built.given)
            types |= {name: self._initial_type(name) for name in built.given}
        return built.tail(rest) if has_return else built.values()

    def condition(self, scope: Scope, index: Var | None) -> Value:
        """Return whether the loop goes on."""
        if isinstance(self.at, ast.While):
            return self.expressions.condition(self.at.test, scope)
        assert index is not None, "a for loop counts"
        assert self.counter is not None, "a for loop counts"
        sign = "less" if self.counter.step > 0 else "greater"
        return Call(OPERATORS.find(sign)(), (index, self.counter.stop), span=self.span)

    def initial(self, types: Mapping[str, Type]) -> list[Expr]:
        """Return what the variables are before the loop."""
        typed = self.expressions.conversion.typed
        return [typed(self.scope.names[n], types[n], self.span) for n in self.names]

    def variables(self, types: Mapping[str, Type]) -> list[Var]:
        """Return new parameters for the variables of the loop, each with a place of its own."""
        return [Var(name, types[name], span=self._place(name)) for name in self.names]

    def forget(self, scope: Scope) -> None:
        """Note that what only the loop assigns may have no value behind it."""
        why = "is assigned only inside a loop, which may not run at all"
        for name in self.local:
            scope.names[name] = Undefined(why, f"give {name} a value before the loop")

    def is_given(self, name: str) -> bool:
        """Whether a variable that has no value before the loop surely has one behind it."""
        if isinstance(self.at, ast.For):
            runs = self.counter is not None and self.counter.surely_runs
        else:
            runs = is_true(self.at.test)
        live = self.scope.liveness
        return runs and live is not None and live.is_given_by(name, self.at)

    def _begin(self, given: Mapping[str, Value]) -> None:
        """Give variables something of their types before the loop, which is never seen."""
        for name, value in given.items():
            self.scope.assign(name, value, self.span)
            self.names.append(name)
            self.local.remove(name)

    def _is_dead(self, name: str) -> bool:
        live = self.scope.liveness
        return name not in self.kept and live is not None and live.is_dead_in(name, self.at)

    def _place(self, name: str) -> Span:
        """Return where the loop assigns a variable first: sizes that it may not have are blamed."""
        parts = (part for statement in self.at.body for part in ast.walk(statement))
        for part in parts:
            if isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Store):
                return self.scope.span(part)
        return self.span

    def _initial_type(self, name: str) -> Type:
        value = self.scope.names[name]
        return self.expressions.conversion.typed(value, None, self.span).type

    def _counter(self, at: ast.For) -> Counter:
        return Walk(self.expressions, self.scope).counter(at.iter)


class _Attempt:
    """A loop, translated with certain types of its variables."""

    def __init__(self, loop: Loop, types: Mapping[str, Type], result: Type | None) -> None:
        self._loop = loop
        self._types = types
        index = Var("i", loop.counter.start.ty) if loop.counter else None
        self._vars = loop.variables(types)
        loop.vars = self._vars
        self._initial = loop.initial(types)
        loop.scope.memory.note_together(self._vars, self._initial)
        self._params = tuple(self._vars) if index is None else (index, *self._vars)
        self._ends: list[list[Expr]] = []  # what the variables are where the loop is left
        self.given: dict[str, Value] = {}  # what like the variables are that each round gives
        self._carried = TupleType(tuple(types[name] for name in loop.names))
        wanted = result or self._carried
        self._function = Var("loop", FuncType(tuple(p.type for p in self._params), wanted))
        own = FuncType(self._carried.fields, wanted)
        self._after = Var("after", own) if result else None
        self._body = self._translate(index, wanted)

    def values(self) -> None:
        """Add the loop to the scope, and give its variables what they are after it."""
        scope, loop = self._loop.scope, self._loop
        whole = self._start(scope)
        unpack(scope, loop.names, whole, loop.span)
        loop.forget(scope)

    def tail(self, rest: Rest) -> Expr:
        """Return the loop with the rest behind it, in functions that call each other."""
        scope, loop = self._loop.scope, self._loop
        assert self._after is not None, "there is a declared result"
        if falls_through([loop.at]):
            params = loop.variables(self._types)
            inner = scope.branch()
            inner.names.update(zip(loop.names, params, strict=True))
            for values in self._ends:
                scope.memory.note_together(params, values)
            loop.forget(inner)
            body = rest(inner)
            after = Function(tuple(params), body, body.ty, span=loop.span)
            scope.block.define(self._after, after, loop.span)
        return self._start(scope)

    def _start(self, scope: Scope) -> Expr:
        loop = self._loop
        scope.block.define(self._function, self._body, loop.span)
        start = [loop.counter.start] if loop.counter else []
        return Call(self._function, (*start, *self._initial), span=loop.span)

    def _translate(self, index: Var | None, result: Type) -> Function:
        loop = self._loop
        flow = Flow(result, loop.scope.flow.leave, self._leave, lambda s: self._again(s, index))
        head = loop.scope.branch(flow)
        head.names.update(zip(loop.names, self._vars, strict=True))
        loose = [
            var for name, var in zip(loop.names, self._vars, strict=True) if self._is_loose(name)
        ]
        head.loose = loop.scope.loose | frozenset(loose)
        for name in loop.local:
            head.names.pop(name, None)
        goes_on = loop.condition(head, index)
        inside = head.branch()
        if index is not None and loop.counter is not None and isinstance(loop.at, ast.For):
            loop.statements.unpack(loop.at.target, loop.counter.item(index), inside)
        body = loop.statements.run(loop.at.body, inside, lambda s: self._again(s, index))
        if isinstance(goes_on, Static) and goes_on.content:
            whole = body
        else:
            other = self._exhausted(head)
            condition = loop.expressions.conversion.typed(goes_on, None, loop.span)
            whole = If(condition, body, other, span=loop.span)
        return Function(self._params, head.block.finish(whole), result, span=loop.span)

    def _exhausted(self, head: Scope) -> Expr:
        """Return what comes when the loop ends by itself: its `else`, if it has one."""
        loop = self._loop
        if not loop.at.orelse:
            return self._leave(head)
        inner = head.branch(Flow(head.flow.result, head.flow.leave))
        return loop.statements.run(loop.at.orelse, inner, self._leave)

    def _leave(self, scope: Scope) -> Expr:
        values, span = self._current(scope), self._loop.span
        self._ends.append(values)
        if self._after is None:
            result = tuple_of(values, span)
            scope.memory.note_result(self._function, result)
            return result
        return Call(self._after, tuple(values), span=span)

    def _again(self, scope: Scope, index: Var | None) -> Expr:
        loop = self._loop
        span, values = loop.span, self._current(scope)
        scope.memory.note_together(self._vars, values)
        if index is not None and self._loop.counter is not None:
            step = constant(self._loop.counter.step, index.tensor_type.dtype, span)
            values = [Call(OPERATORS.find("add")(), (index, step), span=span), *values]
        return Call(self._function, tuple(values), span=span)

    def _current(self, scope: Scope) -> list[Expr]:
        for name in self._loop.local:
            if name not in self.given and is_defined(name, scope) and self._loop.is_given(name):
                value = unseen(scope.names[name])
                self.given |= {} if value is None else {name: value}
        return [self._settled(name, scope.names[name]) for name in self._loop.names]

    def _is_loose(self, name: str) -> bool:
        """Whether a variable started as a plain number, whose type can still be chosen."""
        started = self._loop.scope.names[name]
        if isinstance(started, Static) and started.number is not None:
            return self._types[name] is _own(started)
        return isinstance(started, Var) and started in self._loop.scope.loose

    def _settled(self, name: str, value: Value) -> Expr:
        """Return a variable's value in its type: raises `F110` if it has another by now."""
        loop, wanted = self._loop, self._types[name]
        span = value.span if isinstance(value, Expr) and value.span else loop.span
        if isinstance(value, Undefined):
            raise mistake(ErrorCode.F109, f"{name} {value.why}", span, value.help)
        found = loop.expressions.conversion.natural(value, wanted, span)
        if fits(found.ty, wanted):
            ty = opened(found, wanted, loop.scope.memory)
            if ty is not wanted:
                raise _Widen(name, ty, None)
            return found
        started = loop.scope.names[name]
        scalar = isinstance(found.ty, TensorType) and not found.ty.shape
        if scalar and self._is_loose(name):
            raise _Widen(name, found.type, started if isinstance(started, Var) else None)
        raise mistake(
            ErrorCode.F110,
            f"{name} is {wanted!r} before the loop and {found.ty!r} after a round of it",
            span,
            _kept(name, found.type, wanted),
        )


def _kept(name: str, found: Type, wanted: Type) -> str:
    """Return what to do about a variable that changes its type."""
    if isinstance(wanted, TensorType) and (common := join(found, wanted)) is not None:
        declared = f"{name}: {_written(common)} = …"
        return f"a size that changes is declared where {name} starts: {declared}"
    return "a loop keeps its variables' types: start with a value of the final type and shape"


def _written(ty: Type) -> str:
    """Return the annotation of a tensor."""
    assert isinstance(ty, TensorType), "tensors are joined to tensors"
    sizes = [str(dim) if isinstance(dim, int) else f'"{dim}"' for dim in ty.shape]
    return f"Tensor[{', '.join([*sizes, str(ty.dtype)])}]"


def _natural(value: Value) -> Type | None:
    """Return the type that a value has; None for a plain number, whose type can be chosen."""
    return value.ty if isinstance(value, Expr) else None


def _own(started: Static) -> Type:
    return TensorType((), default_dtype(started.content))
