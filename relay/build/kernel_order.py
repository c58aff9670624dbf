"""Orders the kernels of a straight-line program, to save memory and allow donations."""

from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from typing import TypeAlias

from relay.build.inplace_kernels import overwritable
from relay.build.straight_line_program import KernelCall, Storage

Readers: TypeAlias = dict[Storage, set[int]]


class StepOrder:
    """The dependences between kernels: writers before readers, readers before overwriters."""

    def __init__(self, steps: list[KernelCall]) -> None:
        self._steps = steps
        self._writer = {storage: i for i, step in enumerate(steps) for storage in step.writes}
        self._readers: Readers = {}
        self._after: list[set[int]] = [set() for _ in steps]
        self._in_place: set[Storage] = set()
        self._transient: set[Storage] = set()
        for number, step in enumerate(steps):
            for storage in step.reads:
                self._readers.setdefault(storage, set()).add(number)
                if storage in self._writer:
                    self._after[self._writer[storage]].add(number)

    def overwrite(self, storage: Storage, given: Storage) -> bool:
        """Try to order kernels so that the writer of `storage` can overwrite `given`.

        Return whether the writer can run after all other readers of `given`, and record that order.
        """
        writer = self._writer.get(storage)
        if writer is None:
            return False
        readers = {*self._readers.get(given, ())}
        if writer in readers:
            step = self._steps[writer]
            if overwritable(step, storage, [given]) is not given:
                return False
            readers.remove(writer)
        if readers & self._successors(writer):
            return False
        for reader in readers:
            self._after[reader].add(writer)
        self._in_place.add(storage)
        return True

    def _successors(self, number: int) -> set[int]:
        """Return the kernels that must run after a kernel, directly or indirectly."""
        found: set[int] = set()
        pending = [number]
        while pending:
            more = self._after[pending.pop()] - found
            found |= more
            pending += more
        return found

    def sorted(self) -> list[KernelCall]:
        """Return the kernels in order: a kernel that frees memory runs as early as possible.

        Gradients of weights are then computed and consumed soon after their operands.
        """
        waiting = [0] * len(self._steps)
        for each in self._after:
            for number in each:
                waiting[number] += 1
        self._transient = {s for s in self._writer if self._is_transient(s, waiting)}
        ready = _Ready(self._growth, self._readers)
        for number, count in enumerate(waiting):
            if not count:
                ready.add(number)
        order: list[KernelCall] = []
        while len(order) < len(self._steps):
            number = ready.take()
            order.append(self._steps[number])
            ready.release({*self._steps[number].reads}, number)
            for behind in self._after[number]:
                waiting[behind] -= 1
                if not waiting[behind]:
                    ready.add(behind)
        return order

    def _is_transient(self, storage: Storage, waiting: Sequence[int]) -> bool:
        """Whether a storage can be freed soon: its readers can run right after its writer.

        The gradient of a weight is transient if only the state of an optimizer needs it.
        """
        readers = self._readers.get(storage, ())
        written = (each for reader in readers for each in self._steps[reader].writes)
        alone = all(waiting[reader] == 1 for reader in readers)
        return bool(readers) and alone and self._in_place.issuperset(written)

    def _growth(self, number: int, left: Readers) -> int:
        """Return the bytes by which a kernel increases live memory, given remaining readers."""
        step = self._steps[number]
        kept = (each for each in step.writes if each not in self._transient)
        own = (each for each in kept if each not in self._in_place)
        gone = (each for each in {*step.reads} if each.is_intermediate and len(left[each]) == 1)
        return _bytes(own) - _bytes(gone)


class _Ready:
    """A queue of the kernels whose operands exist, by growth of memory and by original order.

    The growth decreases when all other readers of an operand are done, and never increases. A
    kernel is then added to the heap again; its older entries are ignored.
    """

    def __init__(self, growth: Callable[[int, Readers], int], readers: Readers) -> None:
        self._growth = growth
        self._left = {storage: {*numbers} for storage, numbers in readers.items()}
        self._waiting: set[int] = set()
        self._by_growth: list[tuple[int, int]] = []
        self._by_number: list[int] = []

    def add(self, number: int) -> None:
        """Add a kernel whose operands exist."""
        self._waiting.add(number)
        heappush(self._by_number, number)
        self._put(number)

    def take(self) -> int:
        """Remove and return the next kernel: the first one, unless another one frees memory."""
        while self._by_growth[0][1] not in self._waiting:
            heappop(self._by_growth)
        while self._by_number[0] not in self._waiting:
            heappop(self._by_number)
        grown, smallest = self._by_growth[0]
        number = smallest if grown <= 0 else self._by_number[0]
        self._waiting.remove(number)
        return number

    def release(self, storages: set[Storage], number: int) -> None:
        """Record that a kernel has read its operands, which may change the growth of others."""
        for storage in storages:
            left = self._left[storage]
            left.remove(number)
            if len(left) == 1 and (last := next(iter(left))) in self._waiting:
                self._put(last)

    def _put(self, number: int) -> None:
        heappush(self._by_growth, (self._growth(number, self._left), number))


def _bytes(storages: Iterable[Storage]) -> int:
    return sum(storage.nbytes for storage in storages)
