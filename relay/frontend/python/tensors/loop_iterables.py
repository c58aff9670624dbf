"""The iterables of loops: ranges, rows of tensors, and `zip` or `enumerate` of them."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from relay.frontend.python.values.error_suggestions import describe
from relay.frontend.python.values.traced_values import (
    DynamicList,
    Traced,
    TracedSize,
    expr_of,
    is_tensor,
)
from relay.frontend.python.values.traps import stopped_unless
from relay.ir.expr import Call, Constant, Expr
from relay.numpy.errors import mistake
from relay.numpy.tensor_conversion import Size, constant, together
from relay.numpy.tensor_conversion import convert as cast
from relay.numpy.tensor_conversion import size as length_of
from relay.opdef.table import OPERATORS
from relay.ops.functions import core
from relay.ops.tensor.gather import Take
from relay.support.dtype import int32
from relay.support.error_codes import ErrorCode
from relay.support.span import Span


class Steps:
    """A counted iteration from `start` to `stop`; `item` returns the item of an iteration."""

    __relay_steps__ = True

    def __init__(
        self,
        trace: Any,
        bounds: tuple[Expr, Expr, int],
        item: Callable[[Expr], Any],
        count: "int | Size | None" = None,
    ) -> None:
        self.trace = trace
        self.start, self.stop, self.step = bounds
        self.item = item
        self.count = count  # of the rounds, where it is known as a size

    @property
    def surely_runs(self) -> bool:
        """Whether there is certainly a first iteration."""
        if not (isinstance(self.start, Constant) and isinstance(self.stop, Constant)):
            return False
        return bool(range(self.start.array.item(), self.stop.array.item(), self.step))

    def in_steps_of_one(self) -> "Steps":
        """Return equivalent steps that count the iterations from 0."""
        if self.step == 1:
            return self
        step = constant(self.step, self.start.tensor_type.dtype, self.trace.span)
        return _numbered(
            self.trace, self.start, step, count_of(self.start, self.stop, step), self.item
        )

    def __iter__(self) -> Iterator[Any]:
        advice = "loop over it with for, or write np.arange(n)"
        what = "this expression needs a list of known length, but the program computes the length"
        raise mistake(ErrorCode.F107, what, self.trace.span, advice)


def steps_of(trace: Any, given: Any, *, static: bool = False) -> Steps | None:
    """Return how a loop over `given` counts its iterations; None if Python iterates over it.

    With `static`, ranges of known numbers are counted, too.
    """
    if isinstance(given, Steps):
        return given
    if isinstance(given, range):
        return range_of(trace, (given.start, given.stop, given.step)) if static else None
    if isinstance(given, DynamicList):
        given = trace.python(given.tensor)
    if isinstance(given, TracedSize) or (isinstance(given, Traced) and not is_tensor(given)):
        advice = "loop over range(…) or a tensor; for data, write a recursive function with match"
        trace.refuse(
            "F122", f"a for loop cannot run over a value of type {describe(given)}", advice
        )
    return _rows(trace, given) if isinstance(given, Traced) else None


def _rows(trace: Any, whole: Traced) -> Steps:
    span, held = trace.span, expr_of(whole)
    if not held.tensor_type.rank:
        advice = "loop over range(…) or a tensor; for data, write a recursive function with match"
        trace.refuse(
            "F122", f"a for loop cannot run over a value of type {describe(whole)}", advice
        )
    count = length_of(held, 0, span)
    shape = Call(OPERATORS.find("shape_of")(), (held,), span=span)
    first = Call(Take(axis=0), (shape, Constant(np.asarray(0, np.int32))), span=span)
    stop = constant(count, int32, span) if isinstance(count, int) else first
    bounds = constant(0, int32, span), stop, 1
    return Steps(trace, bounds, lambda i: trace.row(whole, i), count)


def range_of(trace: Any, args: tuple[Any, ...]) -> Steps:
    """Return the steps of `range(…)`; raises `F122` for arguments that are not integers."""
    span = trace.span
    bounds = [0, args[0]] if len(args) == 1 else list(args[:2])
    step = args[2] if len(args) == 3 else 1
    if isinstance(step, int) and step == 0:
        what = "the step of a range must be an integer other than 0"
        trace.refuse("F122", what, "write an integer as the step, or use a while loop that counts")
    late = [] if isinstance(step, int) else [step]
    start, stop, *by = together([trace.value(each) for each in (*bounds, *late)], span)
    for each in (start, stop, *by):
        if not each.tensor_type.dtype.is_integer or each.tensor_type.rank:
            what = f"range() takes integers, but an argument has type {each.ty!r}"
            raise mistake(ErrorCode.F122, what, span, "convert the argument with int(…)")
    if not by:
        only = (
            trace.value(args[0])
            if len(args) == 1 and isinstance(args[0], int | TracedSize)
            else None
        )
        return Steps(trace, (start, stop, step), trace.python, only)
    zero = constant(0, by[0].tensor_type.dtype, span)
    moves = Call(OPERATORS.find("not_equal")(), (by[0], zero), span=span)
    count = stopped_unless(moves, "range() with a step of 0", count_of(start, stop, by[0]), span)
    return _numbered(trace, start, by[0], count, trace.python)


def _numbered(
    trace: Any, start: Expr, step: Expr, count: Expr, item: Callable[[Expr], Any]
) -> Steps:
    """Return steps whose item for iteration `i` is `item(start + i * step)`."""
    dtype = start.tensor_type.dtype
    zero = Constant(np.zeros((), dtype.numpy))
    return Steps(trace, (zero, cast(count, dtype, None), 1), lambda i: item(start + i * step))


def enumerated(trace: Any, over: Any, start: Any = 0) -> Steps:
    """Return the steps of `enumerate(…)`."""
    first = _open(trace, over)

    def item(i: Expr) -> Any:
        number = trace.python(_call("subtract", i, first.start, trace.span))
        return number + start, first.item(i)

    return Steps(trace, (first.start, first.stop, 1), item, first.count)


def reversed_(trace: Any, over: Any) -> Steps:
    """Return the steps of `reversed(…)`."""
    first, span = _open(trace, over), trace.span
    last = _call("subtract", first.stop, constant(1, first.stop.tensor_type.dtype, span), span)
    total = _call("add", first.start, last, span)
    return Steps(
        trace,
        (first.start, first.stop, 1),
        lambda i: first.item(_call("subtract", total, i, span)),
        first.count,
    )


def zipped(trace: Any, parts: tuple[Any, ...]) -> Steps:
    """Return the steps of `zip(…)`, as many as the shortest argument has."""
    steps, span = [_open(trace, part) for part in parts], trace.span
    counts = [_call("subtract", each.stop, each.start, span) for each in steps]
    stop = counts[0]
    for each in counts[1:]:
        stop = _call("minimum", stop, each, span)
    known = [each.count for each in steps]
    same = known[0] if all(isinstance(each, int) and each == known[0] for each in known) else None
    if len(steps) == 1:
        same = known[0]

    def item(i: Expr) -> Any:
        return tuple(each.item(_call("add", i, each.start, span)) for each in steps)

    return Steps(trace, (constant(0, stop.tensor_type.dtype, span), stop, 1), item, same)


def _open(trace: Any, over: Any) -> Steps:
    found = steps_of(trace, over, static=True)
    if found is None:
        found = steps_of(trace, trace.python(trace.tensor(over)))
    assert found is not None, "a tensor"
    return found.in_steps_of_one()


def _call(name: str, a: Expr, b: Expr, span: Span) -> Expr:
    x, y = together([a, b], span)
    if (
        isinstance(y, Constant)
        and name in ("add", "subtract")
        and not y.array.ndim
        and y.array == 0
    ):
        return x
    return Call(OPERATORS.find(name)(), (x, y), span=span)


def count_of(start: Expr, stop: Expr, step: Expr) -> Expr:
    """Return the number of elements of a range, which is not negative."""
    if start.tensor_type.dtype.is_float:
        count = core.cast(core.ceil((stop - start) / step), "int32")
    else:
        count = core.cast(-core.floor_divide(start - stop, step), "int32")
    return core.maximum(count, 0)
