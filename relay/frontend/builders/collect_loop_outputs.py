"""Collect one result per step of a loop in a tensor, along a new first axis."""

from collections.abc import Sequence
from dataclasses import dataclass

from relay.frontend.builders.counted_loops import Step, loop, mirrored
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.ir.dims import ANY, Dim
from relay.ir.expr import Call, Expr, If, Tuple
from relay.ir.types import TensorType, Type
from relay.ops.comparison import equal
from relay.ops.creation import Zeros
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.scatter import ScatterND
from relay.ops.tensor.transpose import Reverse, Transpose
from relay.support.dtype import int64


@dataclass(frozen=True)
class Collection:
    """The tensor that collects one item of type `item` in each step of a loop.

    `number` is the number of steps as an expression, and `count` the same number as a dimension.
    Each item is written to its row of a preallocated tensor; if the number of steps or the size of
    an item is only known after the loop, items are appended instead. `backwards` puts the first
    item last; the items are slices of the result along `axis`.
    """

    item: TensorType
    count: Dim
    number: Expr
    backwards: bool = False
    axis: int = 0

    @property
    def type(self) -> TensorType:
        """Return the type that the collecting tensor has during the loop."""
        count = self.count if self._has_room else ANY
        return TensorType((count, *self.item.shape), self.item.dtype)

    @property
    def _has_room(self) -> bool:
        return ANY not in (self.count, *self.item.shape)

    def first(self) -> Expr:
        """Return the collecting tensor before the first step, without items."""
        if self._has_room:
            return Call(Zeros((self.count, *self.item.shape), self.item.dtype), ())
        known = (0 if size is ANY else size for size in self.item.shape)
        return Call(Zeros((0, *known), self.item.dtype), ())

    def with_item(self, items: Expr, item: Expr, time: Expr) -> Expr:
        """Return the collecting tensor `items` with the `item` of step `time` added."""
        if not self._has_room:
            row = Call(ExpandDims(0), (item,))
            more = Call(Concatenate(0), (Tuple((items, row)),))
            if ANY not in self.item.shape:
                return more
            return If(equal(time, constant(0, int64)), row, more)  # it determines the other sizes
        place = mirrored(time, self.number) if self.backwards else time
        return Call(ScatterND(), (items, reshape(place, (1,)), item))

    def finished(self, items: Expr) -> Expr:
        """Return the result, given the collecting tensor after the last step."""
        if self.backwards and not self._has_room:
            items = Call(Reverse(0), (items,))
        if self.axis == 0:
            return items
        others = range(1, self.item.rank + 1)
        return Call(Transpose((*others[: self.axis], 0, *others[self.axis :])), (items,))


def collecting(
    count: Expr,
    go_on: Expr | None,
    first: Sequence[Expr],
    types: Sequence[Type],
    collections: Sequence[Collection],
    step: Step,
) -> list[Expr]:
    """Build a loop (see `loop`); return its final state, then the tensor of each collection.

    `step(number, state)` returns the next state, and one item for each collection.
    """
    size = len(types)

    def grow(time: Expr, whole: Sequence[Expr]) -> tuple[Sequence[Expr], Expr | None]:
        results, again = step(time, whole[:size])
        parts = zip(collections, whole[size:], results[size:], strict=True)
        grown = [each.with_item(items, item, time) for each, items, item in parts]
        return [*results[:size], *grown], again

    begin = [*first, *(each.first() for each in collections)]
    kinds = [*types, *(each.type for each in collections)]
    results = loop(count, go_on, begin, kinds, grow)
    done = zip(collections, results[size:], strict=True)
    return [*results[:size], *(each.finished(items) for each, items in done)]
