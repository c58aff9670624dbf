"""Map a loop (`vmap`) whose number of steps differs between elements.

The functions of the loop become one function that runs until no element is active any more. Its
parameters, the *state*, are

1. for each function of the loop a mask of the elements that call it next;
2. that function's parameters, unless they are the same in all steps;
3. the results of the elements that have left the loop.

One step runs one of the functions for all elements in its mask: functions that run inner loops
come first, so that elements wait for each other before the next step of the outer loop. Branches
on mapped conditions divide the mask, and each call or result in tail position writes the elements
in its mask. All other elements keep their state, and compute nothing of their own: see
`relay.frontend.vmap_branches`. In a loop of one function, a parameter that does not depend on
mapped values and on the path, such as a counter, is not mapped.
"""

from collections.abc import Callable, Sequence

from relay.autodiff.let_emitter import Emitter
from relay.frontend.vmap_bodies import Callees, MappedBody
from relay.frontend.vmap_branches import any_of
from relay.frontend.vmap_errors import has_effects
from relay.frontend.vmap_find_loops import ValueNumbers, calls_one_of
from relay.frontend.vmap_loop_states import LoopState
from relay.ir.expr import Call, Expr, Function, GlobalVar, If, Let, Tuple, Var
from relay.ir.match_patterns import Clause, Match, Pattern
from relay.ir.types import TensorType
from relay.ops.creation import Zeros
from relay.ops.logical import LogicalAnd, LogicalNot, LogicalOr
from relay.support.node import node
from relay.support.trampoline import Task, run
from relay.transform.vmap import Mapped

Build = Callable[[Sequence[Expr]], Expr]
"""Make a branch or match from the results of its sides."""


class MappedParameterError(Exception):
    """A signal to restart the mapping of a loop, in which `param` has to be mapped, too."""

    def __init__(self, param: Var) -> None:
        super().__init__(param.name)
        self.param = param


def steps(state: LoopState, callees: Callees) -> Function:
    """Return the function that runs the steps: of inner loops first, then of outer ones.

    Raises `MappedParameterError` if another parameter has to be mapped, and `C120` if the loop has
    no mapped form.
    """
    body: Expr = state.state[-1]
    for name, function in reversed([*state.loop.functions.items()]):
        if callees.has_effects(function.body):
            raise has_effects(function.body)
        active = any_of(state.state[state.places[name]])
        body = If(active, _Step(state, callees, name).call(), body, span=function.span)
    return Function((*state.fixed.values(), *state.state), body)


@node
class _State:
    """The values of a loop's parameters after a part of a step.

    `numbers` identifies the unmapped values that this part assigned, by index of the parameter.
    """

    values: list[Expr]
    numbers: dict[int, object]


class _Step:
    """A rewriter of one function of a loop into a step of the mapped loop."""

    def __init__(self, loop: LoopState, callees: Callees, name: str) -> None:
        self._loop, self._places, self._size = loop, loop.places, loop.data.size
        self._mask = loop.state[self._places[name]]
        self._none = Var("none", self._mask.type, ty=self._mask.type)
        self._emitter = Emitter()
        self._names = loop.loop.functions
        function = self._names[name]
        forms = {param: loop.new_form(param) for param in function.params}
        known = {param: form.expr for param, form in forms.items() if form.is_mapped}
        for param, form in forms.items():
            if param not in known and form.expr is not param:
                self._emitter.bind(param, form.expr)
        self._body = MappedBody(callees, loop.data, known, self._mask)
        self._code, self._numbers = function.body, ValueNumbers()
        self._state = _State([*loop.state], {})
        self._state.values[self._places[name]] = self._none

    def call(self) -> Expr:
        """Return the code of the step, followed by the call that runs the next steps."""
        zeros_of = self._mask.type
        assert isinstance(zeros_of, TensorType), "a mask"
        self._emitter.bind(self._none, Call(Zeros(zeros_of.shape, "bool"), ()))
        new = run(self._region(self._code, self._mask, self._state, self._emitter))
        fixed = self._loop.fixed.values()
        return self._emitter.around(Call(self._loop.callee, (*fixed, *new.values)))

    def _region(self, code: Expr, mask: Expr, state: _State, emitter: Emitter) -> Task[_State]:
        """Rewrite code in tail position for the elements in a mask, which is not empty."""
        if not self._computes_harm(code):
            return (yield self._tail(code, mask, state, emitter))
        with self._body.only(mask, code, emitter):
            return (yield self._tail(code, mask, state, emitter))

    def _computes_harm(self, code: Expr) -> bool:
        """Whether code before the first branch must not run for elements outside of the mask."""
        while isinstance(code, Let):
            if code.value in self._body.harmful:
                return True
            code = code.body
        ends = isinstance(code, If) or calls_one_of(code, self._names)
        return not ends and code in self._body.harmful

    def _is_harmful(self, code: Expr) -> bool:
        """Whether code in tail position must not run unless an element needs it."""
        stack = [code]
        while stack:
            top = stack.pop()
            if self._computes_harm(top):
                return True
            while isinstance(top, Let):
                top = top.body
            stack += (top.then, top.other) if isinstance(top, If) else ()
        return False

    def _tail(self, code: Expr, mask: Expr, state: _State, emitter: Emitter) -> Task[_State]:
        while isinstance(code, Let):
            yield self._body.bind(code, emitter)
            self._numbers.bind(code.var, code.value)
            code = code.body
        match code:
            case If(condition, then, other) if self._body.atom(condition).is_mapped:
                taken = self._body.atom(condition).expr
                opposite = Call(LogicalNot(), (taken,))
                state = yield self._divided(then, mask, taken, state, emitter)
                return (yield self._divided(other, mask, opposite, state, emitter))
            case If(condition, then, other):
                sides = [(each, Emitter()) for each in (then, other)]
                return (yield self._joined(_if(condition, code), sides, mask, state, emitter))
            case Match(clauses=()):  # it traps
                emitter.let(code, "none")
                return state
            case Match():
                return (yield self._match(code, mask, state, emitter))
            case Call(GlobalVar(name), args) if name in self._names:
                return self._continued(name, args, mask, state, emitter)
            case _:
                found = yield self._body.value(code, emitter)
                values = [*state.values]
                values[-1] = self._merged(mask, found, values[-1], emitter)
                return _State(values, state.numbers)

    def _divided(
        self, side: Expr, mask: Expr, taken: Expr, state: _State, emitter: Emitter
    ) -> Task[_State]:
        """Rewrite one side of a branch, for the elements in the mask that take it."""
        mask = emitter.let(Call(LogicalAnd(), (mask, taken)), "mask")
        if not self._is_harmful(side):
            return (yield self._region(side, mask, state, emitter))
        inner = Emitter()
        new = yield self._region(side, mask, state, inner)
        return _joined(_if(any_of(mask), side), [(new, inner), (state, Emitter())], state, emitter)

    def _joined(
        self,
        build: Build,
        sides: Sequence[tuple[Expr, Emitter]],
        mask: Expr,
        state: _State,
        emitter: Emitter,
    ) -> Task[_State]:
        """Rewrite the sides of a branch or match that all elements take together.

        `build` makes the branch from the code of its sides.
        """
        results: list[tuple[_State, Emitter]] = []
        for side, inner in sides:
            results.append(((yield self._region(side, mask, state, inner)), inner))
        return _joined(build, results, state, emitter)

    def _match(self, code: Match, mask: Expr, state: _State, emitter: Emitter) -> Task[_State]:
        sides: list[tuple[Expr, Emitter]] = []
        patterns: list[Pattern] = []
        for clause in code.clauses:
            inner = Emitter()
            patterns.append(self._body.pattern(clause.pattern, inner))
            sides.append((clause.body, inner))

        def build(new: Sequence[Expr]) -> Expr:
            clauses = tuple(map(Clause, patterns, new))
            return Match(code.data, clauses, code.complete, span=code.span)

        return (yield self._joined(build, sides, mask, state, emitter))

    def _continued(
        self, name: str, args: Sequence[Expr], mask: Expr, state: _State, emitter: Emitter
    ) -> _State:
        """Return the state after a call of a function of the loop."""
        values, numbers, place = [*state.values], dict(state.numbers), self._places[name]
        for param, arg in zip(self._names[name].params, args, strict=True):
            if param in self._places:
                self._assign(param, arg, mask, _State(values, numbers), emitter)
        before = values[place]
        either = mask if before is self._none else Call(LogicalOr(), (before, mask))
        values[place] = emitter.let(either, "active")
        return _State(values, numbers)

    def _assign(self, param: Var, arg: Expr, mask: Expr, new: _State, emitter: Emitter) -> None:
        """Assign an argument to a parameter in the state `new`, for the elements in a mask."""
        place, found = self._places[param], self._body.atom(arg)
        if self._loop.new_form(param).is_mapped:
            new.values[place] = self._merged(mask, found, new.values[place], emitter)
            return
        number = self._numbers.of(arg)
        if found.is_mapped or new.numbers.setdefault(place, number) != number:
            raise MappedParameterError(param)
        new.values[place] = found.expr

    def _merged(self, mask: Expr, new: Mapped, old: Expr, emitter: Emitter) -> Expr:
        """Return a state value in which the elements in a mask have new values."""
        value = emitter.let(self._body.end(new, emitter), "new")
        return emitter.let(self._body.select(mask, value, old), "state")


def _if(condition: Expr, origin: Expr) -> Build:
    return lambda new: If(condition, *new, span=origin.span)


def _joined(
    build: Build, sides: Sequence[tuple[_State, Emitter]], old: _State, emitter: Emitter
) -> _State:
    """Return the state after a branch, whose sides return the variables that they have changed."""
    changed = [
        place
        for place, value in enumerate(old.values)
        if any(side.values[place] is not value for side, _ in sides)
    ]
    bodies = [
        inner.around(Tuple(tuple(side.values[place] for place in changed))) for side, inner in sides
    ]
    values, whole = [*old.values], emitter.let(build(bodies), "step")
    for place, value in zip(changed, emitter.fields(whole), strict=True):
        values[place] = value
    return _State(values, _common_numbers([side.numbers for side, _ in sides]))


def _common_numbers(numbers: Sequence[dict[int, object]]) -> dict[int, object]:
    """Return `_State.numbers` after a branch, given those after each side.

    A parameter to which the sides assign different values gets a new number.
    """
    found: dict[int, object] = {}
    for each in numbers:
        for place, number in each.items():
            found[place] = number if found.get(place, number) == number else object()
    return found
