"""Hooks for loops, matches, assignments, definitions, `assert` and `raise`."""

import builtins
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from relay.frontend.python.data_types.annotations import Annotations
from relay.frontend.python.hooks.comparison_hooks import Comparisons
from relay.frontend.python.hooks.local_functions import LocalFunction
from relay.frontend.python.hooks.match_statements import Matching
from relay.frontend.python.tensors.loop_iterables import Steps, steps_of
from relay.frontend.python.tracing.blocks import Stop
from relay.frontend.python.tracing.comprehensions import gathered
from relay.frontend.python.tracing.loop_statements import Rounds, go
from relay.frontend.python.tracing.regions import BREAK, CONTINUE, Ended
from relay.frontend.python.values.traced_values import UNROLLED, Traced, expr_of
from relay.frontend.python.values.traps import check, stopped
from relay.ir.expr import Expr, Var
from relay.ir.type_comparison import holds_functions, with_unknown_dims_of
from relay.ir.types import Type
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError

_OF_CALLS = (
    *("call", "attribute", "item", "outside", "set_attribute", "set_item"),
    *("change_attribute", "change_item", "delete_attribute", "delete_item"),
)
"""The hooks that are methods of `Calls`."""


class Hooks(Comparisons):
    """The object whose methods the rewritten code of a traced function calls.

    `relay.frontend.python.rewriting.statements` explains the rewriting.
    """

    BREAK, CONTINUE, slice = BREAK, CONTINUE, slice

    def __init__(self, trace: Any) -> None:
        super().__init__(trace)
        self.changing = trace.divided.refuse
        self.waiting = trace.stack.waiting
        for name in _OF_CALLS:
            setattr(self, name, getattr(trace.calls, name))

    # Loops and matches

    def while_(
        self, test: Any, body: Any, other: Any, names: Sequence[Any], kept: Sequence[str]
    ) -> None:
        """Trace a `while` loop."""
        go(Rounds(self, test, body, other, names, kept), None, None)

    def for_(
        self, over: Any, body: Any, other: Any, names: Sequence[Any], kept: Sequence[str]
    ) -> None:
        """Trace a `for` loop."""
        rounds = Rounds(self, None, body, other, names, kept)
        steps = steps_of(self.trace, over, static=True)
        if steps is None:
            rounds.native(map(self.trace.calls.outside, list(over)))
        else:
            go(rounds, steps, over if isinstance(over, range) else None)

    def match_(self, subject: Any, cases: Sequence[Any]) -> Any:
        """Trace a `match` statement."""
        return Matching(self, subject, cases).carry_out()

    def listed(self, over: Any, element: Callable[[Any], Any], *tests: Callable[[Any], Any]) -> Any:
        """Return the list of a comprehension with one `for` clause; `element` computes an item."""
        steps = steps_of(self.trace, over)
        size = expr_of(over).tensor_type.shape[0] if isinstance(over, Traced) else None
        if steps is not None and not (isinstance(size, int) and size <= UNROLLED):
            return gathered(self, steps, element, tests)
        made: list[Any] = []
        for item in over:
            each = self.trace.calls.outside(item)
            chosen = (
                self.truth(self.all_of(*[partial(test, each) for test in tests])) if tests else True
            )
            if chosen is True:
                made.append(element(each))
            elif chosen is not False and steps is not None:
                return gathered(self, steps, element, tests)
            elif chosen is not False:
                what = "the length of this list cannot depend on values that the program computes"
                advice = "select elements: np.where(x > 0, x, 0), or x[x > 0] of a tensor"
                self.trace.refuse("F107", what, advice)
        return made

    def items(self, over: Any) -> Iterable[Any]:
        """Return the items over which a comprehension iterates."""
        return over if isinstance(over, Steps) else map(self.trace.calls.outside, over)

    # Assignments

    def bound(self, name: str, value: Any) -> Any:
        """Return `value`, which is assigned to a variable, as a binding named `name`."""
        if isinstance(value, Traced) and value.base is None:
            box = value.box
            if box.name == "value":
                box.name = name
            box.expr = self.trace.emit(box.expr, name)
        return value

    def declared(
        self,
        name: str,
        made: Callable[[], Any],
        annotation: Callable[[], Any],
        around: Mapping[str, Any],
    ) -> Any:
        """Return the value of an annotated variable, converted to the declared type."""
        trace, span = self.trace, self.trace.span
        wanted = self._type(annotation, around)
        if wanted is None:
            return self.bound(name, made())
        trace.hints.append(wanted)
        value = made()
        trace.hints.pop()
        found = trace.convert.typed(value, wanted, span)
        ty = found.type if holds_functions(found.type) else with_unknown_dims_of(found.type, wanted)
        if ty is found.type and isinstance(value, Traced):
            return self.bound(name, value)
        owner = trace.shared(value, name) if isinstance(value, Traced) else None
        held = found if ty is found.type else trace.bind(Var(name, ty=ty, span=span), found)
        return self.bound(name, trace.python(held, owner))

    def _type(self, annotation: Callable[[], Any], around: Mapping[str, Any]) -> Type | None:
        try:
            given = annotation()
        except NameError as error:
            raise mistake(
                ErrorCode.F105,
                f"the annotation cannot be evaluated: {error}",
                self.trace.span,
                "write a Relay type: float32, Tensor[3], a tuple, or a data class",
            ) from None
        names = {**vars(builtins), **around, **self.trace.unit.names}
        return Annotations(names, self.trace.unit.data).type_of(given, self.trace.span)

    def local(
        self, typed: bool, annotations: Callable[[], Mapping[str, Any]], around: Mapping[str, Any]
    ) -> Callable[[Any], Any]:
        """Return a decorator for functions that are defined inside a traced function.

        With `typed` (all parameters are annotated), such a function becomes a function of the
        program; otherwise its calls are traced inline.
        """
        trace = self.trace

        def decorate(function: Any) -> Any:
            if not typed:
                return function
            return LocalFunction(
                trace, function, lambda given: self._type(lambda: given, around), annotations
            )

        return decorate

    # Stops

    def assert_(self, test: Any, said: Callable[[], Any] | None, text: str) -> None:
        """Trap unless a condition holds; raises `F135` if it is known to be false on every path."""
        trace, span = self.trace, self.trace.span
        condition = self.truth(test)
        why = "AssertionError" + (f": {_text(said, text)}" if said is not None else "")
        if isinstance(condition, Expr):
            checked = check(condition, why, span)
            trace.bind(Var("checked", ty=checked.ty, span=span), checked)
        elif not condition:
            shown = (
                f"this assertion always fails: {why}"
                if said is not None
                else "this assertion always fails"
            )
            self._stop(why, shown)

    def raise_(self, made: Callable[[], Any] | None, text: str) -> None:
        """Trap where Python would raise; raises `F135` if every path of the program reaches it."""
        why = text
        if made is not None:
            try:
                error = made()
                kind = error if isinstance(error, type) else type(error)
                said = "" if isinstance(error, type) else ", ".join(map(str, error.args))
                why = f"{kind.__name__}: {said}" if said else kind.__name__
            except RelayError:
                why = text
        self._stop(why, f"the function always raises this exception here: {why}")

    def _stop(self, why: str, sure: str) -> None:
        trace, span = self.trace, self.trace.span
        if all(region.root.end is None for region in trace.regions) and trace.certain:
            advice = "change the condition, or the constants and annotations that it depends on"
            raise mistake(ErrorCode.F135, sure, span, advice)
        trace.block.end = Stop(lambda ty: stopped(ty, why, span))
        trace.block = None
        raise Ended


def _text(said: Callable[[], Any] | None, text: str) -> str:
    """Return the message of an exception if it is known, else its source text."""
    try:
        return str(said()) if said is not None else ""
    except RelayError:
        return text
