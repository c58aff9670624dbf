"""Translate packed sequences: batches of sequences of different lengths, stored without padding.

Packed data has the elements of the first step, then those of the second, and so on; `batch_sizes`
has the number of sequences of each step. The sequences are sorted by length, longest first, so that
the elements of a step belong to the first sequences.
"""

from dataclasses import dataclass

from relay.frontend.builders.counted_loops import at, size_of
from relay.frontend.builders.tensor_helpers import constant, converted
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.shapes import transposed
from relay.frontend.torch.translate.type_promotion import operand
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import Maximum, Minimum, add, multiply, subtract
from relay.ops.comparison import less, less_equal
from relay.ops.logical import LogicalAnd
from relay.ops.max_min_reductions import All
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.arange import Arange
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import ExpandDims, Reshape
from relay.ops.tensor.scan import Cumsum
from relay.ops.tensor.search_and_unique import ArgWhere, SearchSorted
from relay.support.dtype import int64

_ZERO, _ONE = constant(0, int64), constant(1, int64)


@dataclass(frozen=True)
class Packing:
    """The layout of packed data: the sequences of each step, and the number of all sequences."""

    batch_sizes: Expr
    count: Expr

    @property
    def runs(self) -> Expr:
        """Return a boolean matrix `(step, sequence)`: where a sequence has an element."""
        return less(_row(_below(self.count)), _column(self.batch_sizes))

    def padded(self, data: Expr) -> Expr:
        """Return packed data as `(step, sequence, …)`; elements after an end are arbitrary."""
        places = add(_column(self._starts()), _row(_below(self.count)))
        return _taken(data, where(self.runs, places, _ZERO))

    def packed(self, padded: Expr, like: Expr) -> Expr:
        """Return `padded`, a tensor `(step, sequence, …)`, packed in as many rows as `like` has."""
        rows = _below(size_of(like, 0))
        ends = Call(Cumsum(axis=0), (self.batch_sizes,))
        step = Call(SearchSorted(right=True, dtype=int64), (ends, rows))
        sequence = subtract(rows, _taken(self._starts(), step))
        return _taken(_merged(padded), add(multiply(step, self.count), sequence))

    def _starts(self) -> Expr:
        """Return the row of packed data at which each step starts."""
        return subtract(Call(Cumsum(axis=0), (self.batch_sizes,)), self.batch_sizes)


@torch_operator("_pack_padded_sequence")
def pack(node: TorchNode) -> list[Expr]:
    """Translate `_pack_padded_sequence`: packed data, and the number of sequences of each step."""
    x, lengths = node.tensor("input"), converted(node.tensor("lengths"), int64)
    x = _time_first(x) if node.flag("batch_first") else x
    steps = size_of(x, 0)
    _require_lengths(node, lengths, steps)
    runs = less(_column(_below(steps)), _row(lengths))
    counts = Call(Sum(axis=(1,)), (converted(runs, int64),))
    kept = _taken(counts, _places(less(_ZERO, counts)))
    return [_taken(_merged(x), _places(_merged(runs))), kept]


@torch_operator("_pad_packed_sequence")
def pad(node: TorchNode) -> list[Expr]:
    """Translate `_pad_packed_sequence`: sequences of `total_length` steps, and their lengths."""
    data, sizes = node.tensor("data"), converted(node.tensor("batch_sizes"), int64)
    total, last = node.tensor("total_length"), subtract(size_of(sizes, 0), _ONE)
    steps = _below(total)
    more = _taken(sizes, Call(Minimum(), (steps, last)))
    packing = Packing(where(less_equal(steps, last), more, _ZERO), at(sizes, _ZERO))
    runs = packing.runs
    filler = operand(node, node.value("padding_value"), data.tensor_type.dtype)
    mask = runs
    for axis in range(2, data.tensor_type.rank + 1):
        mask = Call(ExpandDims(axis), (mask,))
    padded = where(mask, packing.padded(data), filler)
    lengths = Call(Sum(axis=(0,)), (converted(runs, int64),))
    return [_time_first(padded) if node.flag("batch_first") else padded, lengths]


def _require_lengths(node: TorchNode, lengths: Expr, steps: Expr) -> None:
    """Assert that lengths are positive, in decreasing order, and at most the number of steps."""
    previous = subtract(_below(size_of(lengths, 0)), _ONE)
    limit = _taken(lengths, Call(Maximum(), (previous, _ZERO)))
    fits = less_equal(lengths, Call(Minimum(), (limit, steps)))
    holds = Call(All(), (Call(LogicalAnd(), (fits, less(_ZERO, lengths))),))
    reason = (
        "pack_padded_sequence: lengths must be positive, in decreasing order (or pass "
        "enforce_sorted=False), and at most the number of steps"
    )
    node.assertions.append((holds, reason))


def _below(count: Expr) -> Expr:
    """Return the vector of the numbers from 0 to `count`, exclusive."""
    if isinstance(count, Constant):
        return Call(Arange(0, int(count.array), 1), (_ZERO, count, _ONE))
    return Call(Arange(), (_ZERO, count, _ONE))


def _taken(x: Expr, rows: Expr) -> Expr:
    return Call(Take(axis=0), (x, rows))


def _places(mask: Expr) -> Expr:
    """Return the indices at which a boolean vector is true."""
    return converted(Call(Take(axis=1), (Call(ArgWhere(), (mask,)), _ZERO)), int64)


def _merged(x: Expr) -> Expr:
    """Return `x` with its first two axes merged."""
    return Call(Reshape((-3, -2) if x.tensor_type.rank > 2 else (-3,)), (x,))


def _row(x: Expr) -> Expr:
    return Call(ExpandDims(0), (x,))


def _column(x: Expr) -> Expr:
    return Call(ExpandDims(1), (x,))


def _time_first(x: Expr) -> Expr:
    """Exchange the first two axes: batch and time."""
    return transposed(x, (1, 0, *range(2, x.tensor_type.rank)))
