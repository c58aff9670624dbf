"""Kernel loops of sorting: a merge sort of a line, and the selection of its first elements.

Both order numbers as NumPy does, with NaN last; descending order is the exact mirror image, so NaN
comes first. Both orders are stable.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from relay.kernels import te
from relay.kernels.loops import Buffer
from relay.kernels.scalar import lift
from relay.kernels.te.hand_written_loops import Cell
from relay.support.dtype import DType, bool_, int8, int32, int64

Load = Callable[[te.Scalar], te.Scalar]

_BLOCK = 64
"""The number of elements that are tested together before any of them is inserted."""

SELECT_AT_MOST = 32
"""The largest number of elements that are selected by insertion."""


def before(a: te.Scalar, b: te.Scalar, *, ascending: bool) -> te.Scalar:
    """Return the condition that `a` comes strictly before `b` in the sorted order."""
    if not ascending:
        a, b = b, a
    if a.dtype is bool_:
        return te.cast(a, int8) < te.cast(b, int8)
    if not a.dtype.is_float:
        return a < b
    return (a < b) | (te.isnan(b) & ~te.isnan(a))


class SortedLine:
    """A sorted line of `size` elements; the element at position `t` was at `place(t)` before."""

    def __init__(self, keys: Buffer, places: Buffer, side: te.Scalar) -> None:
        self._keys = keys
        self._places = places
        self._side = side

    def key(self, t: te.Scalar) -> te.Scalar:
        """Return the element at position `t` of the sorted line."""
        return self._keys[self._side, t]

    def place(self, t: te.Scalar) -> te.Scalar:
        """Return the source index of the element at position `t`."""
        return self._places[self._side, t]


def sort_line(
    b: te.LoopBuilder, load: Load, size: te.Dim, dtype: DType, *, ascending: bool
) -> SortedLine:
    """Return a line in sorted order, found by merging runs of 1, 2, 4, … elements.

    `load` reads an element of the line. Runs move between two buffers in alternation.
    """
    keys = b.scratch((2, size), dtype, "keys")
    places = b.scratch((2, size), int64, "places")
    with b.for_(size, "t") as t:
        b.store(keys, (0, t), load(t))
        b.store(places, (0, t), t)
    width, side = b.cell(1, int64, "width"), b.cell(0, int64, "side")
    with b.while_(width.value < size):
        step = b.let(width.value * 2, "step")
        with b.for_((step + (size - 1)) // step, "run") as run:
            _merge(
                b, keys, places, side.value, (run * step, width.value, size), ascending=ascending
            )
        side.value = 1 - side.value
        width.value = step
    return SortedLine(keys, places, b.let(side.value, "side"))


def _merge(
    b: te.LoopBuilder,
    keys: Buffer,
    places: Buffer,
    source: te.Scalar,
    run: tuple[te.Scalar, te.Scalar, te.Dim],
    *,
    ascending: bool,
) -> None:
    """Merge two adjacent runs of the source buffer into the other buffer."""
    start, width, size = run
    side = b.let(source, "from")
    middle = b.let(te.minimum(start + width, size), "middle")
    end = b.let(te.minimum(start + width * 2, size), "end")
    left, right = b.cell(start, int64, "left"), b.cell(middle, int64, "right")
    with b.for_(end - start, "t", start=start) as t:
        behind = before(keys[side, right.value], keys[side, left.value], ascending=ascending)
        from_left = te.select(
            left.value < middle,
            te.select(right.value < end, ~behind, te.const(True, bool_)),
            te.const(False, bool_),
        )
        taken = b.let(te.select(b.let(from_left, "which"), left.value, right.value), "taken")
        b.store(keys, (1 - side, t), keys[side, taken])
        b.store(places, (1 - side, t), places[side, taken])
        with b.if_(taken < middle):
            left.value = left.value + 1
        with b.else_():
            right.value = right.value + 1


@contextmanager
def candidates(
    b: te.LoopBuilder, test: Load, start: te.Scalar, end: te.Scalar,
    takes_all: Callable[[], te.Scalar] | None = None,
) -> Generator[te.Scalar]:  # fmt: skip
    """Generate a loop over the elements from `start` to `end`, without some that fail `test`.

    A block of elements is skipped if all of them fail. The test of a block is vectorised. While
    `takes_all` holds, no block is skipped.
    """
    with b.for_((end - start + (_BLOCK - 1)) // _BLOCK, "block") as block:
        first = b.let(start + block * _BLOCK, "first")
        width = b.let(te.minimum(end - first, _BLOCK), "width")
        passed = b.cell(0, int32, "passed")
        with b.for_(width, "t") as t:
            passed.value = passed.value + te.cast(test(first + t), int32)
        some = passed.value > 0
        with (
            b.if_(some if takes_all is None else some | takes_all()),
            b.for_(width, "t") as t,
        ):
            yield b.let(first + t, "place")


def select_line(
    b: te.LoopBuilder, load: Load, size: te.Dim, count: te.Dim, dtype: DType, *, ascending: bool
) -> SortedLine:
    """Return the first `count` elements of a line in sorted order, found by insertion.

    `load` reads an element of the line. Blocks in which no element precedes the last selected one
    are skipped by a vector test.
    """
    keys = b.scratch((1, count), dtype, "keys")
    places = b.scratch((1, count), int64, "places")
    found = b.cell(0, int64, "found")

    def is_candidate(t: te.Scalar) -> te.Scalar:
        return before(load(t), keys[0, lift(count) - 1], ascending=ascending)

    with candidates(b, is_candidate, te.const(0), lift(size), lambda: found.value < count) as t:
        _insert(b, keys, places, found, t, load, ascending=ascending)
    return SortedLine(keys, places, te.const(0))


def _insert(
    b: te.LoopBuilder, keys: Buffer, places: Buffer, found: Cell, t: te.Scalar, load: Load, *,
    ascending: bool,
) -> None:  # fmt: skip
    """Insert element `t` among those selected so far, if it precedes one or if there is room."""
    count = keys.shape[1]
    new = b.let(load(t), "new")
    better = before(new, keys[0, count - 1], ascending=ascending)
    with b.if_(te.select(found.value < count, te.const(True, bool_), better)):
        at = b.cell(te.minimum(found.value, count - 1), int64, "at")
        _make_room(b, keys, places, at, new, ascending=ascending)
        b.store(keys, (0, at.value), new)
        b.store(places, (0, at.value), t)
        found.value = te.minimum(found.value + 1, count)


def _make_room(
    b: te.LoopBuilder,
    keys: Buffer,
    places: Buffer,
    at: Cell,
    new: te.Scalar,
    *,
    ascending: bool,
) -> None:
    """Move the selected elements that follow the new one up by one position."""
    above = before(new, keys[0, at.value - 1], ascending=ascending)
    with b.while_(te.select(at.value > 0, above, te.const(False, bool_))):
        b.store(keys, (0, at.value), keys[0, at.value - 1])
        b.store(places, (0, at.value), places[0, at.value - 1])
        at.value = at.value - 1
