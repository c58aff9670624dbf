"""Assignment to a slice whose bounds, or whose axis size, are known only at run time.

For each index of the axis, the program tests whether the slice contains it, and if so selects the
new element.
"""

import numpy as np

from relay.frontend.python.tensors.slicing import Bound, scalar_of
from relay.frontend.python.values.traps import stopped_unless
from relay.ir.expr import Call, Constant, Expr
from relay.numpy.creation import full
from relay.numpy.tensor_conversion import constant, count_along, places_along, sizes_of
from relay.ops.functions import core
from relay.ops.selection import Where
from relay.ops.tensor.reshape import ExpandDims
from relay.support.dtype import int32
from relay.support.span import Span


class Stretch:
    """A slice of one axis of a tensor, with bounds and step that are expressions."""

    def __init__(self, whole: Expr, axis: int, item: slice, span: Span) -> None:
        self._whole, self._axis, self._span = whole, axis, span
        low, high, step = map(scalar_of, (item.start, item.stop, item.step))
        self.is_known = not any(isinstance(each, Expr) for each in (low, high, step))
        self.is_backward = isinstance(step, int) and step < 0
        self._size = count_along(whole, axis, span)
        self._low = self._inside(low, constant(0, int32, span))
        self._high = self._inside(high, self._size)
        self._step = self._number(1 if step is None else step)

    def written(self, new: Expr) -> Expr:
        """Return the tensor with `new` assigned to the slice; a single element is broadcast."""
        rank = self._whole.tensor_type.rank
        offset = places_along(self._whole, self._axis, self._span) - self._low
        turn = core.floor_divide(offset, self._step)
        taken = core.logical_and(
            core.logical_and(core.greater_equal(offset, 0), core.less(turn, self._count)),
            core.equal(turn * self._step, offset),
        )
        own = new.tensor_type.rank - (rank - self._axis)  # which axis of the new elements it is
        if own >= 0 and new.tensor_type.shape[own] != 1:
            new = self._spread(new, own, taken, turn)
        for _ in range(rank - self._axis - 1):
            taken = Call(ExpandDims(taken.tensor_type.rank), (taken,), span=self._span)
        result = Call(Where(), (taken, new, self._whole), span=self._span)
        forwards = core.greater(self._step, 0)
        return stopped_unless(forwards, "a slice with a step below 1", result, self._span)

    @property
    def _count(self) -> Expr:
        """Return the number of indices in the slice."""
        length = -core.floor_divide(self._low - self._high, self._step)
        return core.maximum(length, constant(0, int32, self._span))

    def _spread(self, new: Expr, axis: int, taken: Expr, turn: Expr) -> Expr:
        """Return a new element for each index of the axis.

        Those outside of the slice do not matter.

        `taken` is true for indices in the slice, `turn` numbers these. A single new element is used
        for all indices.
        """
        shape = [*sizes_of(new)]
        shape[axis] = 1
        zero = Constant(np.zeros((), new.tensor_type.dtype.numpy))
        padded = core.concatenate([new, full(shape, zero)], axis=axis)
        size = count_along(new, axis, self._span)
        single = core.equal(size, constant(1, int32, self._span))
        turns = core.where(taken, core.where(single, core.zeros_like(turn), turn), size)
        fits = core.logical_or(single, core.equal(size, self._count))
        why = "ValueError: the slice and the value assigned to it differ in size"
        return stopped_unless(fits, why, core.take(padded, turns, axis), self._span)

    def _inside(self, bound: Bound, otherwise: Expr) -> Expr:
        """Return a bound clamped to the axis, or `otherwise` if it is absent.

        Negative bounds count from the end.
        """
        if bound is None:
            return otherwise
        at = self._number(bound)
        counted = core.where(core.less(at, 0), at + self._size, at)
        zero = constant(0, int32, self._span)
        return core.minimum(core.maximum(counted, zero), self._size)

    def _number(self, bound: Bound) -> Expr:
        if isinstance(bound, Expr):
            return core.cast(bound, "int32")
        return constant(bound, int32, self._span)
