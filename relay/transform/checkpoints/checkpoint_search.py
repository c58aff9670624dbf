"""Searches for the best checkpoints in a memory budget, by dynamic programming on a cost model.

A program without checkpoints is one segment. A checkpoint ends a segment: values that later
segments use are kept, all others are computed again when the backward part reaches the segment. At
that moment, memory holds the values kept so far, the values that the derivatives of the segment
read, and the derivatives by the parameters of this segment and later ones.

The result is the choice with the fewest repeated operations among those whose peak is within the
budget (Chen et al., "Training deep nets with sublinear memory cost", 2016, in the general form of
Kumar et al., 2019).
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from relay.ir.types import TensorType
from relay.transform.checkpoints.backward_reads import BackwardReads

_MOST_LABELS = 32  # choices that are kept for each end, from little memory to little work
_MOST_ENDS = 160  # ends that are considered: the time is quadratic in their number


@dataclass(frozen=True)
class Segment:
    """A part of a program between two checkpoints, with its costs.

    `kept` are the bytes of the values that the segment adds to those kept before, `needed` the
    bytes in memory while it is differentiated, and `repeated` the number of operations that
    recompute it.
    """

    kept: int
    needed: int
    repeated: int


@dataclass(frozen=True)
class Choice:
    """A choice of checkpoints: the values that end segments, and the costs.

    Costs are the bytes kept, peak bytes and repeated operations.
    """

    ends: tuple[int, ...]
    kept: int
    peak: int
    repeated: int


class Planner:
    """The search for checkpoints; values are numbered in evaluation order."""

    def __init__(self, reads: BackwardReads) -> None:
        self._reads = reads
        self._last = len(reads.values) - 1
        self._frontiers = reads.frontiers
        self._ends = self._candidates()
        self._segments = {start: self._segments_from(start) for start in (-1, *self._ends)}

    @property
    def plain(self) -> Choice:
        """Return the choice without any checkpoints."""
        whole = self._segments[-1].get(self._last)
        return Choice((), 0, 0 if whole is None else whole.needed, 0)

    def best(self, budget: int) -> Choice | None:
        """Return the choice that repeats the fewest operations within a budget of bytes.

        The result is None if none fits.
        """
        found: dict[int, list[Choice]] = {-1: [Choice((), 0, 0, 0)]}
        for end in (*self._ends, self._last):
            more = (each for start in found for each in self._longer(found[start], start, end))
            found[end] = _useful([each for each in more if each.peak <= budget])
        return min(found[self._last], key=lambda each: each.repeated, default=None)

    def least(self) -> int:
        """Return the smallest budget in bytes for which a choice exists."""
        low, high = 0, self.plain.peak
        while low < high:
            middle = (low + high) // 2
            if self._fits(middle):
                high = middle
            else:
                low = middle + 1
        return high

    def _fits(self, budget: int) -> bool:
        """Whether some choice is within the budget, regardless of repeated operations."""
        kept = {-1: 0}
        for end in (*self._ends, self._last):
            pairs = [(before, self._segments[start][end]) for start, before in kept.items()]
            fitting = [before + s.kept for before, s in pairs if before + s.needed <= budget]
            if fitting:
                kept[end] = min(fitting)
        return self._last in kept

    def _longer(self, choices: Sequence[Choice], start: int, end: int) -> Iterator[Choice]:
        """Yield `choices` extended by the segment between two values, `start` and `end`.

        The last segment of the program is not repeated.
        """
        segment, is_last = self._segments[start][end], end == self._last
        for each in choices:
            ends = each.ends if is_last else (*each.ends, end)
            repeated = each.repeated + (0 if is_last else segment.repeated)
            peak = max(each.peak, each.kept + segment.needed)
            yield Choice(ends, each.kept + segment.kept, peak, repeated)

    def _candidates(self) -> list[int]:
        """Return the tensors after which no value reads an earlier one: segments may end there.

        Values after such a tensor read none of the values before it.
        """
        reads, past = self._reads, _ancestors(self._reads)
        found = [
            index
            for index in range(self._last)
            if isinstance(reads.values[index].type, TensorType)
            and reads.base[index] == index
            and all(past[index] >> each & 1 for each in self._frontiers[index])
        ]
        step = -(-len(found) // _MOST_ENDS) or 1
        groups = (found[start : start + step] for start in range(0, len(found), step))
        return [min(group, key=self._frontier_bytes) for group in groups]

    def _frontier_bytes(self, index: int) -> int:
        return sum(self._reads.bytes[each] for each in self._frontiers[index])

    def _segments_from(self, start: int) -> dict[int, Segment]:
        """Return the segments that begin after the value `start`, by the value at their end."""
        reads, ends = self._reads, {*self._ends, self._last}
        before = self._frontiers[start] if start >= 0 else set[int]()
        needed, repeated, operations, derivatives = set[int](), set[int](), 0, 0
        bytes_needed = reads.gradient_bytes(start)
        found: dict[int, Segment] = {}
        for index in range(start + 1, self._last + 1):
            for each in reads.reads[index] - needed:
                if each > start:
                    needed.add(each)
                    bytes_needed += reads.bytes[each]
            for each in self._computed(reads.reads[index], start, repeated):
                operations += reads.operations[each]
            derivatives = max(derivatives, reads.derivatives[index])
            if index in ends:
                kept = sum(reads.bytes[each] for each in self._frontiers[index] - before)
                found[index] = Segment(kept, bytes_needed + derivatives, operations)
        return found

    def _computed(self, wanted: Collection[int], start: int, known: set[int]) -> Iterator[int]:
        """Yield the values after `start` that `wanted` values depend on; add them to `known`."""
        stack = [each for each in wanted if each > start and each not in known]
        while stack:
            top = stack.pop()
            if top not in known:
                known.add(top)
                yield top
                stack += (each for each in self._reads.operands[top] if each > start)


def _ancestors(reads: BackwardReads) -> list[int]:
    """Return for each value the set of values that it depends on, with itself, as a bit mask."""
    found: list[int] = []
    for index, operands in enumerate(reads.operands):
        bits = 1 << index
        for each in operands:
            bits |= found[each]
        found.append(bits)
    return found


def _useful(choices: list[Choice]) -> list[Choice]:
    """Return the Pareto-optimal choices in memory and work, up to a limit."""
    found: list[Choice] = []
    for each in sorted(choices, key=lambda each: (each.kept, each.repeated)):
        if not found or each.repeated < found[-1].repeated:
            found.append(each)
    step = -(-len(found) // _MOST_LABELS) or 1
    return found[::step]
