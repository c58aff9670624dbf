"""Compute the loss of connectionist temporal classification (CTC) with the forward algorithm.

A sequence of steps with a distribution over classes aligns with a sequence of labels if it spells
them with blanks before, between and after them, and with each class repeated any number of times.
The positions of an alignment are those of the labels with a blank around each: `_ a _ b _`.

All logarithms are finite, so that derivatives are: `_NEVER` is the logarithm of 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from relay.frontend.builders.collect_loop_outputs import Collection, collecting
from relay.frontend.builders.counted_loops import at, loop, mirrored, size_of
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.ir import dims
from relay.ir.dims import ANY
from relay.ir.expr import Call, Expr
from relay.ops.binary import add, multiply, subtract
from relay.ops.comparison import less
from relay.ops.functions import core
from relay.ops.nn.pad import Pad
from relay.ops.selection import where
from relay.support.dtype import int64

_NEVER = -1e30


@dataclass(frozen=True, eq=False)
class Alignments:
    """The alignments of sequences with labels.

    `logs` are the logarithms of probabilities, `(time, batch, classes)`, as float32 or float64.
    `labels` is an int64 matrix with a row for each sequence, of which the first `counts` labels are
    used; `steps` are the lengths of the sequences. Without `merges`, each step of a class other
    than the blank is a separate label.
    """

    logs: Expr
    labels: Expr
    steps: Expr
    counts: Expr
    blank: int
    merges: bool = True

    @cached_property
    def positions(self) -> Expr:
        """Return the classes of the positions: the labels with a blank around each."""
        labels = self.labels
        pairs = core.stack([core.full_like(labels, self._class(self.blank)), labels], 2)
        last = core.expand_dims(core.full_like(self.counts, self._class(self.blank)), 1)
        rows, count = labels.tensor_type.shape
        flat = reshape(pairs, (rows, count if count is ANY else dims.multiply(count, 2)))
        return core.concatenate([flat, last], 1)

    @cached_property
    def losses(self) -> Expr:
        """Return the negated logarithm of the probability of the labels of each sequence.

        It is infinite if the sequence is too short for them.
        """
        count = size_of(self.logs, 0)
        (last,) = loop(
            count, None, [self._before], [self._before.type],
            lambda time, state: ([self._forward(time, state[0])], None),
        )  # fmt: skip
        return self._finite_or_infinite(self._total(last))

    def posteriors(self) -> Expr:
        """Return the probability of each class in each step, given the labels.

        It is 0 in steps after the end of a sequence, and for labels without alignments.
        """
        count = size_of(self.logs, 0)
        item = self._before.tensor_type
        sizes = self.logs.tensor_type.shape[0]
        forward, backward = (
            Collection(item, sizes, count, backwards=is_back) for is_back in (False, True)
        )
        before, after = self._before, self._after

        def step(time: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
            ahead = self._forward(time, state[0])
            behind = self._backward(mirrored(time, count), state[1])
            return [ahead, behind, ahead, state[1]], None

        types = [before.type, after.type]
        last, _, ahead, behind = collecting(
            count, None, [before, after], types, [forward, backward], step
        )
        total = core.expand_dims(core.expand_dims(self._total(last), 1), 0)
        shares = core.exp(subtract(add(ahead, behind), total))
        possible = less(self._number(_NEVER / 2), total)
        shares = where(possible, shares, self._number(0))
        classes = core.one_hot(
            self.positions, 1, 0, self.logs.tensor_type.shape[2], -1, self.logs.tensor_type.dtype
        )
        found = core.einsum([shares, classes], "tns,nsc->tnc")
        return where(self.inside(), found, self._number(0))

    def inside(self) -> Expr:
        """Return whether a step is one of a sequence: `(time, batch, 1)`."""
        ones = core.ones_like(core.cast(core.take(self.logs, constant(0, int64), axis=2), "int64"))
        times = subtract(core.cumsum(ones, axis=0), constant(1, int64))
        return core.expand_dims(less(times, core.expand_dims(self.steps, 0)), 2)

    def _class(self, number: int) -> Expr:
        return constant(number, int64)

    def _number(self, number: float) -> Expr:
        return constant(number, self.logs.tensor_type.dtype)

    @cached_property
    def _places(self) -> Expr:
        """Return the numbers of the positions, for each sequence."""
        ones = core.ones_like(self.positions)
        return subtract(core.cumsum(ones, axis=1), constant(1, int64))

    @cached_property
    def _last(self) -> Expr:
        """Return the number of the blank after the last label, as a column."""
        return core.expand_dims(multiply(self.counts, constant(2, int64)), 1)

    @cached_property
    def _before(self) -> Expr:
        """Return the logarithms before the first step, as if it were at the first blank."""
        first = core.equal(self._places, constant(0, int64))
        return where(first, self._number(0), self._number(_NEVER))

    @cached_property
    def _after(self) -> Expr:
        """Return the start of the backward recursion: logarithms after the last step.

        They are 0 where an alignment may end, at the last label and at the blank after it.
        """
        behind = less(self._last, self._places)
        early = less(self._places, subtract(self._last, constant(1, int64)))
        outside = core.logical_or(behind, early)
        return where(outside, self._number(_NEVER), self._number(0))

    @cached_property
    def _stays(self) -> Expr | None:
        """Return the positions at which an alignment may stay; None if at all positions."""
        return None if self.merges else core.equal(self.positions, self._class(self.blank))

    @cached_property
    def _skips(self) -> Expr:
        """Return the positions that may follow the last but one, without the blank between."""
        labels = core.not_equal(self.positions, self._class(self.blank))
        if not self.merges:
            return labels
        before = _moved(self.positions, 2, self._class(-1))
        return core.logical_and(labels, core.not_equal(self.positions, before))

    def _forward(self, time: Expr, state: Expr) -> Expr:
        """Return the logarithms of all beginnings of alignments after a step."""
        never = self._number(_NEVER)
        stayed = state if self._stays is None else where(self._stays, state, never)
        skipped = where(self._skips, _moved(state, 2, never), never)
        ways = [stayed, _moved(state, 1, never), skipped]
        new = add(core.logsumexp(core.stack(ways, 0), 0), self._emitted(time))
        return where(self._goes_on(time), new, state)

    def _backward(self, time: Expr, state: Expr) -> Expr:
        """Return the logarithms of all ends of alignments before a step."""
        never = self._number(_NEVER)
        state_with_step = add(state, self._emitted(time))
        stayed = state_with_step
        if self._stays is not None:
            stayed = where(self._stays, stayed, never)
        skipped = _moved(where(self._skips, state_with_step, never), -2, never)
        ways = [stayed, _moved(state_with_step, -1, never), skipped]
        return where(self._goes_on(time), core.logsumexp(core.stack(ways, 0), 0), state)

    def _emitted(self, time: Expr) -> Expr:
        """Return the logarithms of the probabilities of the positions' classes in a step."""
        found = core.gather(at(self.logs, time), 1, self.positions)
        return core.maximum(found, self._number(_NEVER))

    def _goes_on(self, time: Expr) -> Expr:
        return core.expand_dims(less(time, self.steps), 1)

    def _total(self, state: Expr) -> Expr:
        """Return the logarithm of the probability of all alignments, after the last step."""
        ends = add(state, self._after)
        return core.maximum(core.logsumexp(ends, 1), self._number(_NEVER))

    def _finite_or_infinite(self, total: Expr) -> Expr:
        possible = less(self._number(_NEVER / 2), total)
        return where(possible, core.negative(total), self._number(float("inf")))


def _moved(x: Expr, count: int, fill: Expr) -> Expr:
    """Return rows with their elements `count` places to the right; `fill` is before them."""
    around = (count, 0) if count > 0 else (0, -count)
    wide = Call(Pad(((0, 0), around)), (x, fill))
    if count > 0:
        return core.strided_slice(wide, (0,), (-count,), axes=(1,))
    return core.strided_slice(wide, (-count,), (2**31 - 1,), axes=(1,))
