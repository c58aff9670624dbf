"""Kernel loops of a binary heap, and of selecting the first elements of an order with a heap."""

from collections.abc import Callable

from relay.kernels import te
from relay.kernels.loops import Buffer
from relay.kernels.scalar import lift
from relay.kernels.te.hand_written_loops import Cell
from relay.ops.tensor.sort_kernel import Load, SortedLine, before, candidates, sort_line
from relay.support.dtype import DType, int64

Order = Callable[[te.Scalar, te.Scalar], te.Scalar]
"""A predicate: whether the entry at one index of a heap must be strictly above another."""


class Heap:
    """A binary heap of keys and their source indices, in buffers; the first entry is the top."""

    def __init__(self, b: te.LoopBuilder, keys: Buffer, places: Buffer, above: Order) -> None:
        self.keys = keys
        self.places = places
        self._b = b
        self._above = above

    def make(self, size: te.Scalar) -> None:
        """Arrange the first `size` entries as a heap."""
        half = self._b.let(size // 2, "half")
        with self._b.for_(half, "t") as t:
            self.sink(half - 1 - t, size)

    def pop(self, size: Cell) -> None:
        """Remove the top entry, and decrement `size`."""
        size.value = size.value - 1
        for buffer in (self.keys, self.places):
            self._b.store(buffer, (0,), buffer[size.value])
        self.sink(te.const(0), size.value)

    def sink(self, start: te.Scalar, size: te.Scalar) -> None:
        """Move the entry at `start` down until it is above its children."""
        b = self._b
        at, child = b.cell(start, int64, "at"), b.cell(start * 2 + 1, int64, "child")
        with b.while_(child.value < size):
            right = b.let(te.minimum(child.value + 1, size - 1), "right")
            better = b.let(te.select(self._above(right, child.value), right, child.value), "better")
            moves = b.let(te.cast(self._above(better, at.value), int64), "moves")
            with b.if_(te.equal(moves, 1)):
                for buffer in (self.keys, self.places):
                    kept = b.let(buffer[at.value], "kept")
                    b.store(buffer, (at.value,), buffer[better])
                    b.store(buffer, (better,), kept)
            at.value = better
            child.value = te.select(te.equal(moves, 1), better * 2 + 1, size)


class _Placed(SortedLine):
    """A sorted line of elements selected by a heap, with their indices in the source."""

    def __init__(self, line: SortedLine, places: Buffer) -> None:
        self._line = line
        self._sources = places

    def key(self, t: te.Scalar) -> te.Scalar:
        """Return the element at position `t` of the sorted line."""
        return self._line.key(t)

    def place(self, t: te.Scalar) -> te.Scalar:
        """Return the source index of the element at position `t`."""
        return self._sources[self._line.place(t)]


def select_with_heap(
    b: te.LoopBuilder, load: Load, size: te.Dim, count: te.Dim, dtype: DType, *, ascending: bool
) -> SortedLine:
    """Return the first `count` elements of a line of `size` elements in sorted order.

    `load` reads an element of the line. A heap of the best elements so far determines the last
    element that is selected. A second pass collects all elements that precede it, and as many equal
    ones as there is room for.
    """
    keys, places = b.scratch((count,), dtype, "keys"), b.scratch((count,), int64, "places")

    def is_worse(a: te.Scalar, c: te.Scalar) -> te.Scalar:
        return before(keys[c], keys[a], ascending=ascending)

    heap, room = Heap(b, keys, places, is_worse), b.let(lift(count), "room")
    with b.for_(room, "t") as t:
        b.store(keys, (t,), load(t))
        b.store(places, (t,), t)
    heap.make(room)

    def is_better(t: te.Scalar) -> te.Scalar:
        return before(load(t), keys[0], ascending=ascending)

    with candidates(b, is_better, room, lift(size)) as t, b.if_(is_better(t)):
        b.store(keys, (0,), load(t))
        heap.sink(te.const(0), room)
    _collect(b, load, lift(size), (keys, places), room, ascending=ascending)
    line = sort_line(b, lambda t: keys[t], count, dtype, ascending=ascending)
    return _Placed(line, places)


def _collect(
    b: te.LoopBuilder, load: Load, size: te.Scalar, buffers: tuple[Buffer, Buffer], room: te.Scalar,
    *, ascending: bool,
) -> None:  # fmt: skip
    """Store the selected elements and their source indices, in the order of the source.

    `buffers` contain a heap of these elements; its top is the last of them in sorted order.
    """
    keys, places = buffers
    last = b.let(keys[0], "last")
    equals = b.cell(room, int64, "equals")
    with b.for_(room, "t") as t:
        better = before(keys[t], last, ascending=ascending)
        equals.value = equals.value - te.cast(better, int64)
    found = b.cell(0, int64, "found")

    def is_selected(t: te.Scalar) -> te.Scalar:
        return ~before(last, load(t), ascending=ascending)

    with candidates(b, is_selected, te.const(0), size) as t:
        new = b.let(load(t), "new")
        better = b.let(te.cast(before(new, last, ascending=ascending), int64), "better")
        fits = te.equal(better, 1) | (equals.value > 0)
        with b.if_(~before(last, new, ascending=ascending) & fits):
            b.store(keys, (found.value,), new)
            b.store(places, (found.value,), t)
            found.value = found.value + 1
            equals.value = equals.value - (1 - better)
