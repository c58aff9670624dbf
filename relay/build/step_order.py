"""The execution order of the kernels of a straight-line program."""

from collections.abc import Iterable

from relay.build.inplace import overwritable
from relay.build.straight_line import KernelCall, Storage


class StepOrder:
    """The dependences between kernels: writers before readers, readers before overwriters."""

    def __init__(self, steps: list[KernelCall]) -> None:
        self._steps = steps
        self._writer = {storage: i for i, step in enumerate(steps) for storage in step.writes}
        self._readers: dict[Storage, set[int]] = {}
        self._after: list[set[int]] = [set() for _ in steps]
        self._in_place: set[Storage] = set()
        for number, step in enumerate(steps):
            for storage in step.reads:
                self._readers.setdefault(storage, set()).add(number)
                if storage in self._writer:
                    self._after[self._writer[storage]].add(number)

    def overwrite(self, storage: Storage, given: Storage) -> bool:
        """Try to let the writer of a storage overwrite another one, after all its other readers."""
        writer = self._writer.get(storage)
        if writer is None:
            return False
        readers = {*self._readers.get(given, ())}
        if writer in readers:
            step = self._steps[writer]
            if len(step.writes) > 1 or overwritable(step, storage, [given]) is not given:
                return False
            readers.remove(writer)
        if readers & self._behind(writer):
            return False
        for reader in readers:
            self._after[reader].add(writer)
        self._in_place.add(storage)
        return True

    def _behind(self, number: int) -> set[int]:
        """Return the transitive successors of a step."""
        found: set[int] = set()
        pending = [number]
        while pending:
            more = self._after[pending.pop()] - found
            found |= more
            pending += more
        return found

    def sorted(self) -> list[KernelCall]:
        """Return the kernels in order, with those that shrink live memory as early as possible.

        Gradients of weights are then computed and consumed soon after their operands.
        """
        waiting = [0] * len(self._steps)
        for each in self._after:
            for number in each:
                waiting[number] += 1
        left = {storage: {*readers} for storage, readers in self._readers.items()}
        ready = {number for number, count in enumerate(waiting) if not count}
        order: list[KernelCall] = []
        while ready:
            grown, number = min((self._growth(each, left), each) for each in ready)
            if grown > 0:
                number = min(ready)
            ready.remove(number)
            order.append(self._steps[number])
            for storage in {*self._steps[number].reads}:
                left[storage].remove(number)
            for behind in self._after[number]:
                waiting[behind] -= 1
                if not waiting[behind]:
                    ready.add(behind)
        return order

    def _growth(self, number: int, left: dict[Storage, set[int]]) -> int:
        """Return by how many bytes a kernel increases live memory, given the remaining readers."""
        step = self._steps[number]
        own = (each for each in step.writes if each not in self._in_place)
        gone = (each for each in {*step.reads} if each.is_intermediate and len(left[each]) == 1)
        return _bytes(own) - _bytes(gone)


def _bytes(storages: Iterable[Storage]) -> int:
    return sum(storage.nbytes for storage in storages)
