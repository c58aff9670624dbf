"""Find the most probable labels of sequences by connectionist temporal classification (CTC).

A beam is a list of labels with the logarithms of two probabilities: of the alignments that end with
a blank, and of the others. In each step, a beam stays as it is, or is extended by a label; of all
results, the most probable ones are kept (Graves and Jaitly, 2014).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from relay.frontend.builders.counted_loops import at, loop
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.node_errors import static_size
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import add, multiply, subtract
from relay.ops.comparison import less
from relay.ops.functions import core
from relay.ops.nn.softmax import LogSoftmax
from relay.ops.selection import where
from relay.support.dtype import int64

_NEVER = -1e30
_NONE = -1


@dataclass(frozen=True, eq=False)
class Beams:
    """The beams of each sequence.

    `labels`, `(batch, width, time)`, have -1 after the `counts` labels of a beam; `blank` and
    `label` are logarithms of the probabilities of alignments that end so, `(batch, width)`.
    """

    labels: Expr
    counts: Expr
    blank: Expr
    label: Expr

    @property
    def fields(self) -> list[Expr]:
        """Return the tensors."""
        return [self.labels, self.counts, self.blank, self.label]

    @property
    def total(self) -> Expr:
        """Return the logarithms of the probabilities of beams."""
        return _either(self.blank, self.label)


@dataclass(frozen=True, eq=False)
class Search:
    """A search for the most probable labels of sequences.

    `scores`, `(time, batch, classes)`, are unscaled logarithms of probabilities, and `steps` the
    lengths of the sequences; the last class is the blank. The number of steps and of classes must
    be known.
    """

    scores: Expr
    steps: Expr
    width: int

    def beams(self) -> Beams:
        """Return the most probable beams, the best first."""
        time = self.scores.tensor_type.shape[0]
        assert isinstance(time, int), "the caller checks the sizes"
        logs = Call(LogSoftmax(-1), (self.scores,))
        first = self._first(time)

        def step(number: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
            old = Beams(*state)
            new = self._next(old, at(logs, number))
            goes_on = less(number, self.steps)
            shapes = ((-1, 1, 1), (-1, 1), (-1, 1), (-1, 1))
            parts = zip(shapes, new.fields, old.fields, strict=True)
            return [where(reshape(goes_on, shape), a, b) for shape, a, b in parts], None

        types = [each.type for each in first.fields]
        return Beams(*loop(constant(time, int64), None, first.fields, types, step))

    @property
    def _labels(self) -> int:
        """Return the number of classes besides the blank."""
        classes = self.scores.tensor_type.shape[2]
        assert isinstance(classes, int), "the caller checks the sizes"
        return classes - 1

    def _number(self, number: float) -> Expr:
        return constant(number, self.scores.tensor_type.dtype)

    def _first(self, time: int) -> Beams:
        """Return one beam without labels for each sequence, and others without probability."""
        zeros = reshape(subtract(self.steps, self.steps), (-1, 1))
        sure = np.full((1, self.width), _NEVER, self.scores.tensor_type.dtype.numpy)
        sure[:, 0] = 0
        counts = add(zeros, Constant(np.zeros((1, self.width), np.int64)))
        none = core.cast(counts, str(self.scores.tensor_type.dtype))
        labels = np.full((1, 1, time), _NONE, np.int64)
        return Beams(
            add(core.expand_dims(counts, 2), Constant(labels)),
            counts,
            add(none, Constant(sure)),
            add(none, self._number(_NEVER)),
        )

    def _next(self, old: Beams, logs: Expr) -> Beams:
        """Return the beams after a step with the logarithms `logs`, `(batch, classes)`."""
        last = self._last(old)
        is_parent = self._is_parent(old)
        stayed = self._stayed(old, logs, last, is_parent)
        longer = self._longer(old, logs, last, is_parent)
        flat = reshape(longer, (longer.tensor_type.shape[0], self.width * self._labels))
        best = core.topk(core.concatenate([stayed.total, flat], 1), self.width, dtype="int64")
        return self._chosen(stayed, best[0], best[1])

    def _last(self, old: Beams) -> Expr:
        """Return the last label of each beam; -1 without labels."""
        place = core.maximum(subtract(old.counts, constant(1, int64)), constant(0, int64))
        found = core.gather(old.labels, 2, core.expand_dims(place, 2))
        return core.squeeze(found, (2,))

    def _is_parent(self, old: Beams) -> Expr:
        """Return 1 where beam `i` is beam `j` without its last label, else 0: `(batch, i, j)`."""
        time = old.labels.tensor_type.shape[2]
        places = Constant(np.arange(static_size(time))[None, None])
        ends = core.expand_dims(subtract(old.counts, constant(1, int64)), 2)
        without = where(core.equal(places, ends), constant(_NONE, int64), old.labels)
        same = core.equal(core.expand_dims(old.labels, 2), core.expand_dims(without, 1))
        possible = less(self._number(_NEVER / 2), old.total)
        longer = core.logical_and(possible, less(constant(0, int64), old.counts))
        found = core.logical_and(core.all(same, 3), core.expand_dims(possible, 2))
        return core.logical_and(found, core.expand_dims(longer, 1))

    def _stayed(self, old: Beams, logs: Expr, last: Expr, is_parent: Expr) -> Beams:
        """Return the beams with the same labels, also from beams that lack the last one."""
        repeats = core.equal(core.expand_dims(last, 2), core.expand_dims(last, 1))
        before = where(repeats, core.expand_dims(old.blank, 2), core.expand_dims(old.total, 2))
        added = core.max(where(is_parent, before, self._number(_NEVER)), 1)
        has_labels = less(constant(_NONE, int64), last)
        own = core.gather(logs, 1, core.maximum(last, constant(0, int64)))
        label = add(_either(old.label, added), own)
        blank = core.expand_dims(core.take(logs, constant(self._labels, int64), axis=1), 1)
        never = self._number(_NEVER)
        return Beams(old.labels, old.counts, add(old.total, blank), where(has_labels, label, never))

    def _longer(self, old: Beams, logs: Expr, last: Expr, is_parent: Expr) -> Expr:
        """Return the logarithms of extended beams, `(batch, width, labels)`.

        Those that are beams already have no probability.
        """
        labels = Constant(np.arange(self._labels)[None, None])
        is_last = core.equal(core.expand_dims(last, 2), labels)
        before = where(is_last, core.expand_dims(old.blank, 2), core.expand_dims(old.total, 2))
        own = core.strided_slice(logs, (0,), (self._labels,), axes=(1,))
        found = add(before, core.expand_dims(own, 1))
        numbers = [core.cast(each, "float32") for each in (is_parent, is_last)]
        known = less(
            constant(0.5, numbers[0].tensor_type.dtype), core.einsum(numbers, "nij,njc->nic")
        )
        return where(known, self._number(_NEVER), found)

    def _chosen(self, stayed: Beams, values: Expr, places: Expr) -> Beams:
        """Return the beams at places of the list of beams that stayed, then those extended."""
        width, labels = constant(self.width, int64), constant(self._labels, int64)
        is_longer = core.greater_equal(places, width)
        extended = subtract(places, width)
        source = where(is_longer, core.floor_divide(extended, labels), places)
        new = subtract(extended, multiply(core.floor_divide(extended, labels), labels))
        never = self._number(_NEVER)
        counts = core.gather(stayed.counts, 1, source)
        time = Constant(np.arange(static_size(stayed.labels.tensor_type.shape[2]))[None, None])
        rows = core.gather(
            stayed.labels, 1, add(core.expand_dims(source, 2), multiply(time, constant(0, int64)))
        )
        is_end = core.logical_and(
            core.equal(time, core.expand_dims(counts, 2)), core.expand_dims(is_longer, 2)
        )
        return Beams(
            where(is_end, core.expand_dims(new, 2), rows),
            add(counts, core.cast(is_longer, "int64")),
            where(is_longer, never, core.gather(stayed.blank, 1, source)),
            where(is_longer, values, core.gather(stayed.label, 1, source)),
        )


def _either(a: Expr, b: Expr) -> Expr:
    """Return the logarithm of the sum of two probabilities, from their logarithms."""
    return core.logsumexp(core.stack([a, b], 0), 0)
