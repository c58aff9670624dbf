"""What `for` goes over: numbers of a range, slices of tensors, several of them together."""

import ast
from collections.abc import Callable, Sequence

import numpy as np

from relay.frontend.python.arithmetic import binary
from relay.frontend.python.operations import describe, items_of, together
from relay.frontend.python.operations import size as length_of
from relay.frontend.python.ranges import count_of
from relay.frontend.python.scope import Scope
from relay.frontend.python.stopping import stopped_unless
from relay.frontend.python.translating import Translator
from relay.frontend.python.values import Group, Series, Static, Value
from relay.ir.expr import Call, Constant, Expr
from relay.ir.types import TensorType
from relay.numpy.errors import mistake
from relay.numpy.tensors import Size, constant
from relay.numpy.tensors import convert as cast
from relay.opdef.table import OPERATORS
from relay.ops.tensor.gather import Take
from relay.support.dtype import int32
from relay.support.error_codes import ErrorCode
from relay.support.node import node
from relay.support.span import Span

_TOGETHER = ("enumerate", "zip", "reversed")


@node
class Counter:
    """What a `for` loop counts: from `start` to before `stop`; `item` is the target's value."""

    start: Expr
    stop: Expr
    step: int
    item: Callable[[Expr], Value]
    count: Static | Size | None = None  # of the rounds, where it is known as a size

    @property
    def surely_runs(self) -> bool:
        """Whether it is known that there is a first round."""
        if not (isinstance(self.start, Constant) and isinstance(self.stop, Constant)):
            return False
        return bool(range(self.start.data.item(), self.stop.data.item(), self.step))

    def in_steps_of_one(self, span: Span) -> "Counter":
        """Return the counter that numbers the rounds from 0 on, where this one has a step."""
        if self.step == 1:
            return self
        start = self.start
        step = constant(self.step, start.tensor_type.dtype, span)
        return _numbered(start, step, count_of(start, self.stop, step), self.item)


class Walk:
    """Translates the heads of `for` loops."""

    def __init__(self, expressions: Translator, scope: Scope) -> None:
        self._expressions = expressions
        self._scope = scope

    def items(self, over: ast.expr) -> Sequence[Value] | None:
        """Return the items of a list that is written out, for which the body is repeated."""
        name = _function(over)
        if name == "range":
            return None
        parts = over.args if isinstance(over, ast.Call) and name in _TOGETHER else []
        if parts and not self._are_written(parts):
            return None
        value = self._expressions.value(over, self._scope)
        return value.items if isinstance(value, Group) else None

    def _are_written(self, parts: Sequence[ast.expr]) -> bool:
        """Whether what is gone through together is written out: one list is, the others can be.

        A tensor of known size can, and a range with known ends.
        """
        lists = [self.items(part) for part in parts]
        others = [part for part, items in zip(parts, lists, strict=True) if items is None]
        return len(others) < len(parts) and all(map(self._can_be_written, others))

    def _can_be_written(self, over: ast.expr) -> bool:
        if isinstance(over, ast.Call) and _function(over) == "range":
            ends = [self._expressions.value(arg, self._scope) for arg in over.args]
            return all(isinstance(end, Static) for end in ends)
        return items_of(self._expressions.value(over, self._scope), None) is not None

    def is_open(self, over: ast.expr) -> bool:
        """Whether only the program knows how many items there are."""
        name = _function(over)
        if isinstance(over, ast.Call) and name in ("range", *_TOGETHER):
            return not self._are_known(over)
        value = self._expressions.value(over, self._scope)
        if isinstance(value, Series):
            return True
        tensor = isinstance(value, Expr) and isinstance(value.ty, TensorType) and value.ty.shape
        return bool(tensor) and items_of(value, None) is None

    def _are_known(self, over: ast.Call) -> bool:
        """Whether it is known what all that a range, or a function of lists, is given is."""
        if _function(over) == "range":
            ends = [self._expressions.value(arg, self._scope) for arg in over.args]
            return all(isinstance(end, Static) for end in ends)
        return not any(
            self.is_open(arg) for arg in over.args[: 1 if _function(over) == "enumerate" else None]
        )

    def counter(self, over: ast.expr) -> Counter:
        """Return how a loop counts; raises `F122` for what cannot be looped over."""
        span, name = self._scope.span(over), _function(over)
        if isinstance(over, ast.Call) and name == "range":
            return _range([self._expressions.value(arg, self._scope) for arg in over.args], span)
        if isinstance(over, ast.Call) and name == "enumerate" and over.args:
            return self._enumerate(over, span)
        if isinstance(over, ast.Call) and name in _TOGETHER and over.args:
            parts = [self.counter(arg).in_steps_of_one(span) for arg in over.args]
            return self._reversed(parts[0], span) if name == "reversed" else self._zip(parts, span)
        return self._slices(self._expressions.value(over, self._scope), span)

    def _enumerate(self, over: ast.Call, span: Span) -> Counter:
        first = self.counter(over.args[0]).in_steps_of_one(span)
        others = [*over.args[1:], *(key.value for key in over.keywords if key.arg == "start")]
        base = self._expressions.value(others[0], self._scope) if others else Static(0)

        def item(i: Expr) -> Value:
            number = _call("subtract", i, first.start, span)
            return Group((binary(ast.Add, number, base, span), first.item(i)))

        return Counter(first.start, first.stop, 1, item, first.count)

    def _reversed(self, first: Counter, span: Span) -> Counter:
        last = _call("subtract", first.stop, constant(1, int32, span), span)
        ends = _call("add", first.start, last, span)
        return Counter(
            first.start, first.stop, 1, lambda i: first.item(_call("subtract", ends, i, span))
        )

    def _zip(self, parts: Sequence[Counter], span: Span) -> Counter:
        """Count from 0 to the shortest length."""
        zero = constant(0, int32, span)
        stop = _call("subtract", parts[0].stop, parts[0].start, span)
        for part in parts[1:]:
            stop = _call("minimum", stop, _call("subtract", part.stop, part.start, span), span)

        def item(at: Expr) -> Value:
            return Group(tuple(part.item(_call("add", at, part.start, span)) for part in parts))

        return Counter(zero, stop, 1, item)

    def _slices(self, value: Value, span: Span) -> Counter:
        value = value.tensor if isinstance(value, Series) else value
        ty = value.ty if isinstance(value, Expr) else None
        if not isinstance(value, Expr) or not isinstance(ty, TensorType) or not ty.rank:
            advice = "loop over range(…) or a tensor; walk through data by recursion and match"
            if isinstance(value, Group):
                advice = "how often is known only at run time: make it a tensor, np.array([…])"
            raise mistake(ErrorCode.F122, f"cannot loop over {describe(value)}", span, advice)
        size, zero = ty.shape[0], constant(0, int32, span)
        shape = Call(OPERATORS.find("shape_of")(), (value,), span=span)
        first = Call(Take(axis=0), (shape, Constant(np.asarray(0, np.int32))), span=span)
        stop = constant(size, int32, span) if isinstance(size, int) else first
        item: Callable[[Expr], Value] = lambda i: Call(Take(axis=0), (value, i), span=span)  # noqa: E731
        return Counter(zero, stop, 1, item, length_of(value, 0, span))


def _function(over: ast.expr) -> str:
    """Return the name of the function that is called, if one is."""
    called = over.func if isinstance(over, ast.Call) else None
    return called.id if isinstance(called, ast.Name) else ""


def _call(name: str, a: Expr, b: Expr, span: Span) -> Expr:
    return Call(OPERATORS.find(name)(), tuple(together([a, b], span)), span=span)


def _range(args: list[Value], span: Span) -> Counter:
    if not 1 <= len(args) <= 3:
        raise mistake(
            ErrorCode.F122, "range takes one to three numbers", span, "range(start, stop, step)"
        )
    pair = [Static(0), args[0]] if len(args) == 1 else args[:2]
    step = args[2].content if len(args) == 3 and isinstance(args[2], Static) else 1
    if not isinstance(step, int) or step == 0:
        advice = "write a whole number, or count with while"
        raise mistake(
            ErrorCode.F122, "the step of a range is a whole number other than 0", span, advice
        )
    late = [args[2]] if len(args) == 3 and not isinstance(args[2], Static) else []
    start, stop, *by = together([*pair, *late], span)
    for each in (start, stop, *by):
        if not each.tensor_type.dtype.is_integer or each.tensor_type.rank:
            what = f"range counts with whole numbers, not {each.ty!r}"
            raise mistake(ErrorCode.F122, what, span, "convert with int(…), or count with while")
    if not by:
        only = args[0] if len(args) == 1 and isinstance(args[0], Static | Size) else None
        return Counter(start, stop, step, lambda index: index, only)
    moves = _call("not_equal", by[0], constant(0, by[0].tensor_type.dtype, span), span)
    count = count_of(start, stop, by[0])
    count = stopped_unless(moves, "range() with a step of 0", count, span)
    return _numbered(start, by[0], count, lambda index: index)


def _numbered(start: Expr, step: Expr, count: Expr, item: Callable[[Expr], Value]) -> Counter:
    """Return the counter of rounds, of which each has the number `start + round * step`."""
    dtype = start.tensor_type.dtype
    zero = Constant(np.zeros((), dtype.numpy))
    return Counter(zero, cast(count, dtype, None), 1, lambda i: item(start + i * step))
