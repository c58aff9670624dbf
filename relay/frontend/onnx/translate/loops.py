"""Translate the ONNX operator `Loop` to a recursive function.

A value of Relay has one rank. If the first iterations change the rank or element type of a value,
they are *peeled*: translated one by one before the loop, each for its own types.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import onnx

from relay.frontend.builders.collect_loop_outputs import Collection, collecting
from relay.frontend.builders.counted_loops import Step
from relay.frontend.builders.lists_and_options import as_type
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.rank_splits import Fork, Results, attempt, decision, on_each
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.let_before_loops import bound_before
from relay.frontend.onnx.translate.loop_types import ChangedTypeError, loop_types, scalar, value_of
from relay.frontend.onnx.value import OnnxValue
from relay.ir.dims import ANY
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ops.binary import add, subtract
from relay.ops.comparison import less
from relay.ops.creation import Zeros
from relay.ops.logical import LogicalAnd
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.reshape import ExpandDims
from relay.support.dtype import bool_, int64
from relay.support.errors import RelayTypeError

ENDLESS = 2**62
"""The number of iterations of a loop that only its condition ends."""

MOST_CERTAIN, MOST_POSSIBLE = 64, 4
"""How many iterations are peeled that run for certain, and that run depending on values."""


@onnx_operator("Loop")
def loop_node(node: OnnxNode) -> Sequence[Expr] | Sequence[OnnxValue] | Fork:
    """Translate `Loop`: repeat a subgraph by count and condition, and collect its scan outputs."""
    try:
        return bound_before(node, lambda given: _loop(given).whole())
    except ChangedTypeError:
        results = _loop(node).peeled()
    if isinstance(results, RelayTypeError):
        raise results
    return results


def _loop(node: OnnxNode) -> "_Loop":
    first = [node.expr(index) for index in range(2, len(node.inputs))]
    count = scalar(node.expr(0)) if node.has(0) else constant(ENDLESS, int64)
    return _Loop(node, count, scalar(node.expr(1)) if node.has(1) else None, first)


@dataclass(frozen=True)
class _Loop:
    """A loop after `done` iterations: the state that these computed, and their condition.

    `count` is the number of all iterations. Without a condition, `go_on` is None.
    """

    node: OnnxNode
    count: Expr
    go_on: Expr | None
    first: Sequence[Expr]
    done: int = 0

    def whole(self) -> list[Expr]:
        """Return the results of a loop whose iterations keep all types.

        Raises `ChangedTypeError` if an iteration changes a rank or an element type.
        """
        types, items, again = loop_types(self.node, self._names()[2:], self.first, self._run)
        go_on = constant(1, bool_) if self.go_on is None else self.go_on
        flag = None if again is None else go_on
        count = subtract(self.count, constant(self.done, int64)) if self.done else self.count
        length = ANY
        if isinstance(self.count, Constant) and again is None:
            length = max(0, _number(self.count) - self.done)
        collections = [Collection(item, length, count) for item in items]

        def step(time: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], Expr | None]:
            results, condition = self._run(time, state)
            kept = map(as_type, results, types)
            return [*kept, *results[len(types) :]], None if again is None else condition

        first = list(map(as_type, self.first, types))
        return collecting(count, flag, first, types, collections, cast("Step", step))

    def peeled(self) -> Results:
        """Return the results of the loop, the first iteration of which is not part of a loop.

        Raises `F042` if too many iterations change types.
        """
        runs = self._runs()
        results, condition = self._run(constant(0, int64), self.first)
        many = len(self.first)
        state, items = results[:many], results[many:]
        empty = [Call(Zeros((0, *_known(x)), x.tensor_type.dtype), ()) for x in items]
        stopped = [OnnxValue(each) for each in (*self.first, *empty)]
        if runs is False:
            return stopped
        rest = replace(self, go_on=condition, first=state, done=self.done + 1)
        limit = MOST_CERTAIN if runs is True else MOST_POSSIBLE

        def after(found: Sequence[OnnxValue]) -> Results:
            exprs = [each.expr for each in found]
            rows = zip(items, exprs[many:], strict=True)
            return [OnnxValue(x) for x in (*exprs[:many], *(_in_front(*row) for row in rows))]

        following = attempt(lambda: on_each(rest.results(limit), after))
        if runs is True:
            return following
        return decision(runs, following, stopped, self.node.span)

    def results(self, limit: int) -> Results:
        """Return the results of the loop, with iterations peeled while they change types."""
        try:
            return [OnnxValue(each) for each in self.whole()]
        except ChangedTypeError:
            if self.done >= limit:
                raise
            return self.peeled()

    def _run(self, time: Expr, state: Sequence[Expr]) -> tuple[list[Expr], Expr | None]:
        """Return the results of an iteration, counted from the first one that is not done."""
        body: onnx.GraphProto = self.node.required("body")
        number = _sum(time, self.done)
        goes_on = constant(1, bool_)  # the step runs only if the condition is true
        given = dict(zip(self._names(), map(value_of, (number, goes_on, *state)), strict=True))
        condition, *results = (value.expr for value in self.node.subgraph(body, given))
        is_endless = self.go_on is None or _is_true(self.go_on)
        return results, None if is_endless and _is_true(condition) else scalar(condition)

    def _names(self) -> list[str]:
        """Return the names of the inputs of the body: the number, the condition and the state."""
        body: onnx.GraphProto = self.node.required("body")
        return [info.name for info in body.input]

    def _runs(self) -> Expr | bool:
        """Return whether the next iteration runs: a truth value, if it is known."""
        if isinstance(self.count, Constant):
            counted: Expr | bool = self.done < _number(self.count)
        else:
            counted = less(constant(self.done, int64), self.count)
        if self.go_on is None or _is_true(self.go_on) or counted is False:
            return counted
        if isinstance(self.go_on, Constant):
            return False
        return self.go_on if counted is True else Call(LogicalAnd(), (counted, self.go_on))


def _sum(time: Expr, done: int) -> Expr:
    if isinstance(time, Constant):
        return constant(_number(time) + done, int64)
    return add(time, constant(done, int64)) if done else time


def _number(x: Constant) -> int:
    return int(x.array)


def _is_true(x: Expr) -> bool:
    return isinstance(x, Constant) and bool(x.array)


def _known(item: Expr) -> list[int]:
    return [size if isinstance(size, int) else 0 for size in item.tensor_type.shape]


def _in_front(item: Expr, rest: Expr) -> Expr:
    """Return the scan output of an iteration in front of those of the following ones."""
    row = Call(ExpandDims(0), (item,))
    return Call(Concatenate(0), (Tuple((row, rest)),))
