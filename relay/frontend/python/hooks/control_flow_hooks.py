"""Hooks for control flow, conditions, comparisons and assignments on values of the program."""

import builtins
import dataclasses
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import NoneType
from typing import Any

import numpy as np

from relay.frontend.python.data_types.annotations import Annotations
from relay.frontend.python.hooks.local_functions import LocalFunction
from relay.frontend.python.hooks.match_statements import Matching
from relay.frontend.python.tensors.arithmetic import BINARY
from relay.frontend.python.tensors.loop_iterables import Steps, steps_of
from relay.frontend.python.tracing.blocks import Stop
from relay.frontend.python.tracing.comprehensions import gathered
from relay.frontend.python.tracing.function_tracing import FELL
from relay.frontend.python.tracing.loop_statements import Rounds, go
from relay.frontend.python.tracing.regions import (
    BREAK,
    CONTINUE,
    ENDED,
    Ended,
    Region,
    Return,
    cells_of,
    split,
)
from relay.frontend.python.values.chosen_functions import Choice, same_function
from relay.frontend.python.values.data_class_fields import is_written
from relay.frontend.python.values.error_suggestions import describe
from relay.frontend.python.values.traced_values import (
    UNROLLED,
    DynamicList,
    Traced,
    TracedSize,
    expr_of,
    is_data,
    is_object,
    is_sequence,
    is_traced,
)
from relay.frontend.python.values.traps import check, stopped
from relay.ir.expr import Call, Constant, Expr, Var
from relay.ir.type_comparison import holds_functions, with_unknown_dims_of
from relay.ir.types import BOOL, UNIT, TensorType, Type
from relay.numpy.errors import mistake
from relay.opdef.table import OPERATORS
from relay.support.dtype import DType
from relay.support.dtype import dtype as to_dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError

_OF_CALLS = (
    *("call", "attribute", "item", "outside", "set_attribute", "set_item"),
    *("change_attribute", "change_item", "delete_attribute", "delete_item"),
)
"""The hooks that are methods of `Calls`."""

_SIGNS = {"Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge", "Eq": "eq", "NotEq": "ne"}


class Hooks:
    """The object whose methods the rewritten code of a traced function calls.

    `relay.frontend.python.rewriting.statements` explains the rewriting.
    """

    BREAK, CONTINUE, slice = BREAK, CONTINUE, slice

    def __init__(self, trace: Any) -> None:
        self.trace = trace
        self.changing = trace.divided.refuse
        self.waiting = trace.stack.waiting
        for name in _OF_CALLS:
            setattr(self, name, getattr(trace.calls, name))

    def Return(self, value: Any = None) -> Return:  # noqa: N802 - the mark of a statement
        """Return the marker of a path that leaves the function with `value`."""
        return Return(value, self.trace.span)

    def returned(self, value: Any) -> Any:
        """Record the location of a `return` in a function without branches; return its value."""
        self.trace.returned_at = self.trace.span
        return value

    # Where control goes

    def target(self, kind: str) -> Region:
        """Return the innermost region of a kind: `call`, `loop` or `round` (an iteration)."""
        regions = self.trace.regions
        kinds = ("call", "function") if kind == "call" else (kind,)
        return next(each for each in reversed(regions) if each.kind in kinds)

    def run(self, body: Callable[..., Any], *args: Any) -> Any:
        """Return what `body` returns: a marker of where control continues, or None.

        The marker is `ENDED` if all paths through the body trap.
        """
        try:
            return body(*args)
        except Ended:
            return ENDED

    def settle(self, out: Any, fall: Region) -> None:
        """End the block with a jump to the region that the marker `out` names.

        Without a marker (None) control continues after region `fall`.
        """
        trace = self.trace
        if trace.block is None or out is ENDED:
            return
        if isinstance(out, Return):
            trace.leave(self.target("call"), out.value, out.span)
        elif out is BREAK or out is CONTINUE:
            trace.leave(self.target("loop" if out is BREAK else "round"))
        else:
            trace.leave(fall)

    def activation(self, body: Callable[[], Any]) -> Any:
        """Return the result of a function whose body contains branches or loops."""
        trace = self.trace
        region = trace.regions[-1]
        own = (
            region.kind == "function"
            and region.expected is not None
            and body.__code__ in region.expected.co_consts
        )
        if own:
            region.expected = None
            region.cells = cells_of([body], trace)
            region.roots += region.cells
        else:
            region = Region(trace, cells_of([body], trace), "call")
        out = self.run(body)
        if trace.block is not None and out is not ENDED:
            value, span = (out.value, out.span) if isinstance(out, Return) else (FELL, None)
            trace.leave(region, value, span)
        if own:
            raise Ended
        for leaf in region.leaves:
            leaf.value = None if leaf.value is FELL else leaf.value
        value = region.close()
        if value is ENDED:
            raise Ended
        return value

    # Conditions

    def truth(self, value: Any) -> "bool | Expr":
        """Return the truth value: a bool if it is known, else an expression. Raises `F114`."""
        if isinstance(value, DynamicList):
            value = self.trace.calls.call(len, value)
        if not isinstance(value, Traced | TracedSize):
            return bool(value)
        held, span = expr_of(value), self.trace.span
        if self.trace.unit.data.none(held.ty) is not None and not self._has_truth(held.ty):
            return self.truth(self.compare("IsNot", value, None))
        if isinstance(held, Constant) and not held.data.ndim:
            return bool(held.data)
        if held.ty is BOOL:
            return held
        if isinstance(held.ty, TensorType) and not held.ty.shape:
            zero = Constant(np.zeros((), held.ty.dtype.numpy))
            return Call(OPERATORS.find("not_equal")(), (held, zero), span=span)
        what = f"a condition must be a single bool, not a value of type {describe(value)}"
        advice = (
            "write a comparison (x > 0), use .all() or .any() of a tensor, or select with np.where"
        )
        raise mistake(ErrorCode.F114, what, span, advice)

    def _has_truth(self, ty: Any) -> bool:
        """Whether a class of the data type defines `__bool__` or `__len__`."""
        data = self.trace.unit.data
        classes = [data.classes[form] for form in data.alternatives(ty.head)]
        names = ("__bool__", "__len__")
        return any(is_written(getattr(cls, name, None)) for cls in classes for name in names)

    def _branch(self, condition: Expr, arms: Sequence[Callable[[], Any] | None], kind: str) -> Any:
        trace, span = self.trace, self.trace.span
        condition = trace.emit(condition, "condition")
        region = Region(trace, cells_of(arms, trace), kind)
        for arm, block in zip(arms, split(trace, condition, span), strict=True):
            region.before.restore()
            trace.block = block
            out = None if arm is None else self.run(arm)
            if kind == "if":
                self.settle(out, region)
            elif out is not ENDED:
                trace.leave(region, out)
        value = region.close()
        if value is ENDED:
            raise Ended
        return value

    def if_(
        self, test: Any, then: Callable[[], Any] | None, other: Callable[[], Any] | None
    ) -> Any:
        """Trace an `if` statement."""
        condition = self.truth(test)
        if isinstance(condition, bool):
            arm = then if condition else other
            return None if arm is None else arm()
        self._branch(condition, [then, other], "if")
        return None

    def choose(self, test: Any, then: Callable[[], Any], other: Callable[[], Any]) -> Any:
        """Return `then() if test else other()`."""
        condition = self.truth(test)
        if isinstance(condition, bool):
            return then() if condition else other()
        return self._branch(condition, [then, other], "call")

    def both(self, *values: Callable[[], Any]) -> Any:
        """Return the result of `a and b`, which is one of the two operands, as in Python."""
        return self._boolean(values, stop=False)

    def either(self, *values: Callable[[], Any]) -> Any:
        """Return the result of `a or b`, which is one of the two operands, as in Python."""
        return self._boolean(values, stop=True)

    def _boolean(self, values: Sequence[Callable[[], Any]], *, stop: bool) -> Any:
        value = values[0]()
        if len(values) == 1:
            return value
        condition = self.truth(value)
        if isinstance(condition, bool):
            return value if condition is stop else self._boolean(values[1:], stop=stop)
        decided, rest = (lambda: value), (lambda: self._boolean(values[1:], stop=stop))
        return self._branch(condition, [decided, rest] if stop else [rest, decided], "call")

    def all_of(self, *values: Callable[[], Any]) -> Any:
        """Return whether all conditions hold, evaluating no more of them than Python would."""
        return self._decided(values, stop=False)

    def any_of(self, *values: Callable[[], Any]) -> Any:
        """Return whether any condition holds, evaluating no more of them than Python would."""
        return self._decided(values, stop=True)

    def _decided(self, values: Sequence[Callable[[], Any]], *, stop: bool) -> Any:
        first = self.truth(values[0]())
        if len(values) == 1:
            return first if isinstance(first, bool) else self.trace.python(first)
        if isinstance(first, bool):
            return first if first is stop else self._decided(values[1:], stop=stop)
        decided, rest = (lambda: stop), (lambda: self._decided(values[1:], stop=stop))
        return self._branch(first, [decided, rest] if stop else [rest, decided], "call")

    def negated(self, value: Any) -> Any:
        """Return `not value`."""
        condition = self.truth(value)
        if isinstance(condition, bool):
            return not condition
        return self.trace.python(
            Call(OPERATORS.find("logical_not")(), (condition,), span=self.trace.span)
        )

    def compared(
        self, signs: Sequence[str], left: Any, right: Any, *others: Callable[[], Any]
    ) -> Any:
        """Return whether a chain of comparisons, such as `a < b < c`, holds."""
        found = self.compare(signs[0], left, right)
        if not others:
            return found
        condition = self.truth(found)
        rest = lambda: self.compared(signs[1:], right, others[0](), *others[1:])  # noqa: E731
        if isinstance(condition, bool):
            return rest() if condition else found
        return self._branch(condition, [rest, lambda: False], "call")

    def compare(self, sign: str, a: Any, b: Any) -> Any:
        """Return the result of one comparison; `in` compares with each item or element."""
        match sign:
            case "In":
                return self._contained(a, b)
            case "NotIn":
                return self.negated(self._contained(a, b))
            case "Is" | "IsNot" | "Eq" | "NotEq" if isinstance(a, Choice) or isinstance(b, Choice):
                python = operator.is_ if sign in ("Is", "IsNot") else operator.eq
                same = self.trace.python(same_function(a, b, python))
                return same if sign in ("Is", "Eq") else self.negated(same)
            case "Is" | "IsNot":
                same = self._identical(a, b)
                return same if sign == "Is" else self.negated(same)
            case "Eq" | "NotEq" if b is None and is_data(a):
                return self.compare("Is" if sign == "Eq" else "IsNot", a, b)
            case "Eq" | "NotEq" if isinstance(a, DType) != isinstance(b, DType):
                return (_dtype(a) == _dtype(b)) is (sign == "Eq")
            case "Eq" | "NotEq" if type(a) is type(b) and _compared_items(a) and is_traced((a, b)):
                same = self._same_items(a, b)
                return same if sign == "Eq" else self.negated(same)
            case _:
                return BINARY[_SIGNS[sign]][2](a, b)

    def _identical(self, a: Any, b: Any) -> Any:
        """Return `a is b`; raises `F107` if only the program could know."""
        for one, other in ((a, b), (b, a)):
            if isinstance(one, Traced | TracedSize) and not is_traced(other):
                if other is None and self.trace.unit.data.none(expr_of(one).ty) is not None:
                    return self.trace.calls.call(isinstance, one, NoneType)
                return other is None and expr_of(one).ty is UNIT
        program = any(isinstance(each, Traced | TracedSize) for each in (a, b))
        copied = type(a) is type(b) and any(map(self.trace.divided.holds, (a, b)))
        if program or copied:
            advice = "compare numbers with ==, and distinguish objects with a match statement"
            self.trace.refuse(
                "F107",
                ("`is` compares Python objects, but this value exists only when the program runs"),
                advice,
            )
        return a is b

    def _same_items(self, a: Any, b: Any) -> Any:
        one, other = _compared_items(a), _compared_items(b)
        if one is None or other is None or len(one) != len(other):
            return False
        pairs = [lambda x=x, y=y: self.compare("Eq", x, y) for x, y in zip(one, other, strict=True)]
        return self.all_of(*pairs) if pairs else True

    def _contained(self, item: Any, container: Any) -> Any:
        if isinstance(container, Traced | DynamicList):
            whole = (
                self.trace.python(container.tensor)
                if isinstance(container, DynamicList)
                else container
            )
            return self.trace.contained(item, whole)
        if not is_traced((item, container)) and not isinstance(item, Choice):
            return item in container
        found: Any = False
        for each in container:
            same = self.compare("Eq", item, each)
            if isinstance(same, Traced) and expr_of(same).tensor_type.rank:
                same = self.trace.calls.call(np.any, same)
            found = (
                same
                if found is False
                else found | same
                if not isinstance(same, bool)
                else found or same
            )
        return found

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


def _compared_items(value: Any) -> Sequence[Any] | None:
    """Return the items or fields that `==` compares; None for objects with their own equality."""
    if is_sequence(value):
        return value
    cls = value.__class__
    if not is_object(value) or is_written(cls.__eq__) or not cls.__dataclass_params__.eq:
        return None
    return [getattr(value, each.name) for each in dataclasses.fields(cls) if each.compare]


def _text(said: Callable[[], Any] | None, text: str) -> str:
    """Return the message of an exception if it is known, else its source text."""
    try:
        return str(said()) if said is not None else ""
    except RelayError:
        return text


def _dtype(of: Any) -> object:
    """Return an element type if `of` names one, as in `x.dtype == np.float32`; else `of` itself."""
    try:
        return to_dtype(of)
    except (RelayError, TypeError):
        return of
