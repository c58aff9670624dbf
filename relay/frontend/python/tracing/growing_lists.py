"""Lists to which a loop appends, represented as the rows of a tensor.

Written out,

    out = []
    for row in x:
        out.append(f(row))

is a loop that fills `rows = np.zeros((len(x), …))` and counts the rows. If the number of iterations
does not determine the number of rows, in a `while` loop or where an inner loop appends, the tensor
doubles its length whenever it is full.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relay.frontend.python.rewriting.source_locations import FILLING
from relay.frontend.python.tensors.item_assignment import written
from relay.frontend.python.tensors.loop_iterables import Steps
from relay.frontend.python.tracing.comprehensions import length_of
from relay.frontend.python.tracing.mutable_state import State, put
from relay.frontend.python.values.traced_values import GrowingList, is_tuple
from relay.ir.dims import ANY
from relay.ir.expr import Call, Constant, Expr, Var
from relay.ir.types import TensorType, Type
from relay.numpy.creation import zeros
from relay.numpy.errors import mistake
from relay.numpy.tensor_conversion import Size, convert
from relay.ops.binary import Add
from relay.ops.functions import core
from relay.support.dtype import int32
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.span import Span

_FEW = 8
"""The initial capacity, in rows, if the number of rows is unknown."""


def endless(span: Span) -> RelayError:
    """Return the error `F116` for a list whose length cannot be determined."""
    what = "the length of this list cannot depend on values that the program computes"
    return mistake(ErrorCode.F116, what, span, f"fill a tensor instead of a list: {FILLING}")


class Growth:
    """The growth of the list `listed` in a loop, which appends items of type `item` to it.

    Without `steps`, the counted iterations of the loop, its final length is unknown.
    """

    def __init__(self, trace: Any, steps: Steps | None, listed: list[Any], item: Type) -> None:
        self.trace, self.steps, self.listed, self.item = trace, steps, listed, item
        self.by = 1  # items in a round, at most
        self.made: GrowingList | None = None

    def _is_possible(self, before: State) -> bool:
        """Whether the items are tensors of one type and nothing else refers to the list."""
        tensors = isinstance(self.item, TensorType) and ANY not in self.item.shape
        known = [self.trace.typed(each).type for each in self.listed]
        one = all(each is self.item for each in known)
        return tensors and one and id(self.listed) not in self.trace.stack.holds(before)

    def start(self, before: State, span: Span) -> None:
        """Replace the list, before the loop, by a tensor of rows wherever it is referenced."""
        if not self._is_possible(before):
            raise endless(span)
        made = self.made
        rows, count = self._rows(), Constant(np.asarray(len(self.listed), np.int32))
        if made is not None:
            made.rows.expr, made.count.expr = rows, count
            made.has_room = self.steps is not None
            return
        self.made = made = GrowingList(self.trace, rows, count)
        made.has_room, made.loop = self.steps is not None, self.trace.loops[-1]
        made.listed, made.item = self.listed, self.item
        for place, key, value in list(self.trace.state().slots()):
            if value is self.listed:
                put(place, key, made)
            elif is_tuple(value) and any(each is self.listed for each in value):
                put(place, key, tuple(made if each is self.listed else each for each in value))

    def _rows(self) -> Expr:
        trace, item = self.trace, self.item
        assert isinstance(item, TensorType), "the caller looked"
        rows = zeros([self._capacity(), *item.shape], item.dtype)
        for number, each in enumerate(self.listed):
            rows = written(rows, number, trace.value(each), trace.span)
        if self.steps is None:
            open_ = TensorType((ANY, *item.shape), item.dtype)
            return trace.bind(Var("rows", ty=open_, span=trace.span), rows)
        return trace.emit(rows, "rows")

    def _capacity(self) -> Any:
        before = len(self.listed)
        if self.steps is None:
            return before + _FEW
        rounds = length_of(self.steps.in_steps_of_one())
        if isinstance(rounds, Size) and (before, self.by) == (0, 1):
            return rounds
        if isinstance(rounds, int):
            return before + rounds * self.by
        expr = rounds.expr if isinstance(rounds, Size) else rounds
        return core.add(core.multiply(convert(expr, int32, None), self.by), before)

    def has_room(self) -> bool:
        """Whether the tensor has room for all items that one iteration appends.

        If not, reserve it.
        """
        assert self.made is not None, "it has been started"
        if self.steps is None:
            return True
        before, self.by = self.by, max(self.made.appends, self.by)
        if self.made.is_uneven:
            self.steps = None
        return self.steps is not None and before == self.by

    def finish(self, paths: Sequence[Callable[[], None]], *, breaks: bool) -> None:
        """Finish the list after the loop; `paths` restore the state at the ends of an iteration.

        All rows are items if each iteration has appended as many items as its share of rows.
        """
        assert self.made is not None, "it has been started"
        before, steady = self.made.count.expr, not breaks and self.steps is not None
        for enter in paths:
            enter()
            steady = steady and self._is_steady(before)
        self.made.is_open, self.made.is_full = False, steady

    def _is_steady(self, before: Expr) -> bool:
        assert self.made is not None, "it has been started"
        at, number = self.made.count.expr, 0
        while at is not before and isinstance(at, Var) and at in self.trace.values:
            value = self.trace.values[at]
            if not (isinstance(value, Call) and isinstance(value.op, Add)):
                return False
            at, number = value.args[0], number + 1
        return at is before and number == self.by
