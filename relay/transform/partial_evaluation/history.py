"""Which calls are in progress, and whether they come closer to an end.

A function is unfolded where it is called. It may call itself, so that there would be no end; a call
is unfolded in another one of the same function only if it is known to go on (nothing unknown has
decided on the way), or if an argument is smaller than before. `is_no_smaller` is the order:

1. What was there before the earlier call began is one of finitely many values: it is no smaller
   only where it is the same, up to unknown parts.
2. What was made since is no smaller if it has at least as many parts; what is not known has many.

In each infinite sequence of calls some call is no smaller than an earlier one, for each of its
arguments: take a subsequence in which an argument is always the same, or always made since the
call before; in the second case sizes do not decrease for ever (Dickson's lemma). See
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
"""Nodes that a call may cost each time it is unfolded."""


@node
class Frame:
    """A call in progress: of which function, with what, since when, under how many decisions.

    `decisions` counts the branches on unknown values, and bodies of unknown calls, around it.
    `unit` is the number of the residual function that it is a part of; it `is_unfolded`, or it
    is a residual function itself.
    """

    function: Function
    values: tuple[Static, ...]
    types: TypeContext
    born: int
    decisions: int
    unit: int
    is_unfolded: bool

    def is_no_smaller(self, values: Sequence[Static]) -> bool:
        """Whether a later call with these values does not come closer to an end."""
        return all(map(self._is_no_smaller, self.values, values))

    def _is_no_smaller(self, before: Static, now: Static) -> bool:
        if now.outline.born < self.born:  # case 1
            return now.outline.number == before.outline.number
        return now.outline.size >= before.outline.size  # case 2


class History:
    """The calls in progress, by their functions."""

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._frames = defaultdict[Function, list[Frame]](list)
        self._costs: dict[Hashable, int] = {}

    @contextmanager
    def entered(self, frame: Frame) -> Generator[None]:
        """Let a call be in progress."""
        frames = self._frames[frame.function]
        frames.append(frame)
        try:
            yield
        finally:
            frames.pop()

    def repeated(self, new: Frame) -> Frame | None:
        """Return a call in progress to which a new one comes no closer to an end, if there is one.

        1. One that began before something unknown decided.
        2. One that is `steps` calls of the same function ago.
        """
        frames = self._frames[new.function]
        before = bisect_left(frames, new.decisions, key=lambda each: each.decisions)
        for frame in reversed(frames[:before]):  # case 1
            if frame.is_no_smaller(new.values):
                return frame
        ago = frames[-self._steps] if len(frames) >= self._steps else None  # case 2
        return ago if ago is not None and ago.is_no_smaller(new.values) else None

    def is_in_progress(self, new: Frame) -> bool:
        """Whether a call of the same function began before something unknown decided."""
        frames = self._frames[new.function]
        return bool(frames) and frames[0].decisions < new.decisions

    def may_unfold(self, new: Frame) -> bool:
        """Whether a call under a decision may be unfolded: the first one, or one that is small."""
        return self._costs.setdefault(_key(new), 0) <= SMALL

    def note(self, frame: Frame, cost: int) -> None:
        """Note how many nodes were looked at for a call that was unfolded."""
        self._costs[_key(frame)] = cost


def _key(frame: Frame) -> Hashable:
    """Return what is the same for all calls of which the same is known."""
    return frame.function, frame.types.key, *(each.outline.number for each in frame.values)
