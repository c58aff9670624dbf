"""The history of calls in progress, which guarantees termination of unfolding.

A function is unfolded where it is called. As it may call itself, unfolding might not terminate. A
call is therefore unfolded inside another call of the same function only if no unknown branch lies
between them, or if an argument is smaller than before. The relation `is_no_smaller` is defined as
follows:

1. A value that existed before the earlier call began is one of finitely many values: it is no
   smaller only if it is the same, up to unknown parts.
2. A value that was created since is no smaller if it has at least as many parts; unknown values
   have many.

In each infinite sequence of calls some call is no smaller than an earlier one, for each of its
arguments: take a subsequence in which an argument is always the same, or was always created since
the call before; in the second case sizes do not decrease forever (Dickson's lemma). See
docs/decisions/0011-partial-evaluation.md.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Generator, Hashable, Sequence
from contextlib import contextmanager

from relay.ir.expr import Function
from relay.support.node import node
from relay.transform.partial_evaluation.static_values import Static, TypeContext

SMALL = 40
"""The maximum number of nodes of a call that may be unfolded repeatedly."""


@node
class Frame:
    """A call in progress: its function, the values of its parameters, and the time when it began.

    `born` is the time at which it began. `decisions` counts the enclosing branches on unknown
    values and bodies of unknown calls. `unit` is the number of the residual function (one that is
    written to the result) that contains it; `is_unfolded` is false if the call is a residual
    function itself.
    """

    function: Function
    values: tuple[Static, ...]
    types: TypeContext
    born: int
    decisions: int
    unit: int
    is_unfolded: bool

    def is_no_smaller(self, values: Sequence[Static]) -> bool:
        """Whether a later call with these values makes no progress towards termination."""
        return all(map(self._is_no_smaller, self.values, values))

    def _is_no_smaller(self, before: Static, now: Static) -> bool:
        if now.outline.born < self.born:  # case 1
            return now.outline.number == before.outline.number
        return now.outline.size >= before.outline.size  # case 2


class History:
    """The calls in progress, grouped by function."""

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._frames = defaultdict[Function, list[Frame]](list)
        self._costs: dict[Hashable, int] = {}

    @contextmanager
    def entered(self, frame: Frame) -> Generator[None]:
        """Record that a call is in progress for the duration of a `with` block."""
        frames = self._frames[frame.function]
        frames.append(frame)
        try:
            yield
        finally:
            frames.pop()

    def repeated(self, new: Frame) -> Frame | None:
        """Return a call in progress compared with which the call `new` makes no progress, if any.

        The calls compared with are:

        1. Calls of the same function that began before the last branch on an unknown value.
        2. The call of the same function that began `steps` calls ago.
        """
        frames = self._frames[new.function]
        before = bisect_left(frames, new.decisions, key=lambda each: each.decisions)
        for frame in reversed(frames[:before]):  # case 1
            if frame.is_no_smaller(new.values):
                return frame
        ago = frames[-self._steps] if len(frames) >= self._steps else None  # case 2
        return ago if ago is not None and ago.is_no_smaller(new.values) else None

    def is_in_progress(self, new: Frame) -> bool:
        """Whether a call of the same function began before the last branch on an unknown value."""
        frames = self._frames[new.function]
        return bool(frames) and frames[0].decisions < new.decisions

    def may_unfold(self, new: Frame) -> bool:
        """Whether a call under a branch on an unknown value may be replaced by the function's body.

        It may if no equal call was evaluated before, or if that took few nodes.
        """
        return self._costs.setdefault(_key(new), 0) <= SMALL

    def note(self, frame: Frame, cost: int) -> None:
        """Record the number of nodes that were visited to evaluate a call."""
        self._costs[_key(frame)] = cost


def _key(frame: Frame) -> Hashable:
    """Return a key that is equal for calls of one function with the same known values."""
    return frame.function, frame.types.key, *(each.outline.number for each in frame.values)
