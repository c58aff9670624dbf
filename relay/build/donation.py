"""Results in the memory of inputs that a caller gives up, as training does with what it updates.

1. A kernel writes the result over the input, if no other kernel that reads the input has to come
   later: kernels are put in an order for that. It may read the input itself, element by element.
2. Any other result is copied there when nothing else is left to do.
3. An input that is a result itself, beside the one that it is donated to, keeps its memory: that
   result gets memory of its own, as do those without a donated input.

That is for programs without control flow; others have their results on a heap, and all are copied.
"""

from collections.abc import Iterable, Mapping
from heapq import heappop, heappush

from relay.build.inplace import overwritable
from relay.build.straight_line import KernelCall, Storage, StraightLine
from relay.ir.expr import Function
from relay.ir.types import TensorType, TupleType, is_static
from relay.support.errors import CompileError


def donations(main: Function, donate: Mapping[str, int]) -> dict[int, int]:
    """Return the number of the input for each result that takes the memory of one.

    `donate` has the number of the result by the name of the input. Raises `C121` for what is not
    there, and for an input and a result of different types.
    """
    numbers = {param.name: number for number, param in enumerate(main.params)}
    result = main.body.type
    types = result.fields if isinstance(result, TupleType) else (result,)
    found: dict[int, int] = {}
    for name, index in donate.items():
        if name not in numbers:
            raise not_donated(f"there is no input '{name}'", _known("inputs", numbers))
        if not 0 <= index < len(types) or index in found:
            what = "is taken twice" if index in found else "is not there"
            raise not_donated(f"result {index} for the memory of '{name}' {what}")
        given = main.params[numbers[name]].type
        if given is not types[index]:
            raise not_donated(f"'{name}' is {given!r}, and result {index} is {types[index]!r}")
        if not (isinstance(given, TensorType) and is_static(given.shape)):
            raise not_donated(f"'{name}' is {given!r}, which is no tensor of known size")
        found[index] = numbers[name]
    return found


def not_donated(message: str, note: str = "") -> CompileError:
    """Return the error (`C121`) for an input whose memory no result can take."""
    help_ = "donate={name of an input: number of a result of its type}, or leave donate out"
    return CompileError("C121", message, notes=[note] if note else [], help=help_)


def _known(what: str, names: Iterable[str]) -> str:
    return f"{what}: {', '.join(names) or 'none'}"


def with_donated(line: StraightLine, donated: Mapping[int, int]) -> StraightLine:
    """Return a program that puts results into the memory of inputs, those for which it can."""
    inputs = [Storage(0) for _ in line.params]
    for storage in _storages(line):
        if storage.input_index is not None:
            inputs[storage.input_index] = storage
    order = _Order(line.steps)
    in_place: dict[int, int] = {}
    written: set[int] = set()
    for result, number in donated.items():
        given, storage = inputs[number], line.results[result]
        if any(other is given for i, other in enumerate(line.results) if i != result):
            continue  # case 3
        in_place[result] = number
        is_first = all(storage is not line.results[other] for other in written)
        if storage is given or (is_first and order.overwrite(storage, given)):
            written.add(result)
    steps = order.sorted()
    return StraightLine(
        line.params, steps, line.results, line.result_types, in_place, frozenset(written)
    )


def _storages(line: StraightLine) -> Iterable[Storage]:
    for step in line.steps:
        yield from step.reads
    yield from line.results


class _Order:
    """Which kernels come before which: those that write what others read, or overwrite it."""

    def __init__(self, steps: list[KernelCall]) -> None:
        self._steps = steps
        self._writer = {s: number for number, step in enumerate(steps) for s in step.writes}
        self._readers: dict[Storage, list[int]] = {}
        self._after: list[set[int]] = [set() for _ in steps]
        self._last: set[int] = set()
        for number, step in enumerate(steps):
            for storage in step.reads:
                self._readers.setdefault(storage, []).append(number)
                if storage in self._writer:
                    self._after[self._writer[storage]].add(number)

    def overwrite(self, storage: Storage, given: Storage) -> bool:
        """Let the kernel that writes a storage do so over another one, if it can come last."""
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
        self._last.add(writer)
        return True

    def _behind(self, number: int) -> set[int]:
        """Return the steps that come after one, however far."""
        found: set[int] = set()
        pending = [number]
        while pending:
            more = self._after[pending.pop()] - found
            found |= more
            pending += more
        return found

    def sorted(self) -> list[KernelCall]:
        """Return the kernels: what overwrites an input as soon as it can, others as they were."""
        before = [0] * len(self._steps)
        for each in self._after:
            for number in each:
                before[number] += 1
        ready: list[tuple[bool, int]] = []
        for number, count in enumerate(before):
            if not count:
                heappush(ready, (number not in self._last, number))
        order: list[KernelCall] = []
        while ready:
            _, number = heappop(ready)
            order.append(self._steps[number])
            for behind in self._after[number]:
                before[behind] -= 1
                if not before[behind]:
                    heappush(ready, (behind not in self._last, behind))
        return order
