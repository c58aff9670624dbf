"""The memory layout of a batch: deferred calls of one region and one level.

A batch is a block with room for a number of calls, its *capacity*. It begins with its own fields;
behind them stand the inputs, those of all calls side by side for each. The results of all calls lie
side by side, too, a *slab* for each: a block that every tensor in it counts a reference to, and the
batch another one.
"""

from collections.abc import Sequence
from functools import cached_property

from relay.kernels.loops import APART_BYTES
from relay.runtime.code.function import ProgramCode, Task
from relay.runtime.code.kinds import HEADER_BYTES, MARK_OFFSET, Kind, Scalar, Tensor

NEXT_OFFSET = MARK_OFFSET
"""Which batch of the same level and task was begun before."""

COUNT_OFFSET = HEADER_BYTES
"""How many calls there are in a batch."""

TAKEN_OFFSET = COUNT_OFFSET + 8
"""How many of them are carried out."""

CAPACITY_OFFSET = TAKEN_OFFSET + 8

_SLABS_OFFSET = CAPACITY_OFFSET + 8

MOST_BYTES = 16 << 20
"""What calls may hold while they wait: about what the caches do."""

_MOST_CALLS, _MOST_CORES = 64, 4

_FIRST_CAPACITIES = (1, 8)
"""How many calls the first batch of a level has room for, and the next."""

REFERENCE_BYTES = APART_BYTES
"""An input that is a tensor: its elements, and the block that owns them."""


def most_calls(cores: int) -> int:
    """Return how many calls are made at once, by so many cores that share them.

    What each core reads and writes stays in its nearer caches then.
    """
    return _MOST_CALLS * min(cores, _MOST_CORES)


class BatchLayout:
    """The places in the batches of a task; `inputs` and `results` are those of one call.

    Inputs that are `shared` are there once. The others have a place for each call: that of call
    `i` is `base + capacity * each(input) + i * size(input)`.
    """

    def __init__(self, code: ProgramCode, task: Task, cores: int = 1) -> None:
        single = code.functions[task.single]
        self.inputs: Sequence[Kind] = single.kinds[: single.parameters]
        self.results = tuple(kind for kind in single.results if isinstance(kind, Tensor))
        self.shared = sorted(task.shared)
        self.own = [i for i in range(single.parameters) if i not in task.shared]
        capacities = (*_FIRST_CAPACITIES, most_calls(cores))
        fitting = [n for n in capacities if n * self.nbytes <= MOST_BYTES]
        self.capacities = fitting or [1]

    def slab(self, result: int) -> int:
        """Return where a batch has the block of one result of all calls."""
        return _SLABS_OFFSET + 8 * result

    def shared_input(self, index: int) -> int:
        """Return where a batch has an input that is the same for all calls."""
        before = len(self.results) * 8 + self.shared.index(index) * REFERENCE_BYTES
        return _SLABS_OFFSET + before

    @property
    def base(self) -> int:
        """Return where the inputs begin that calls have for themselves."""
        fixed = len(self.results) * 8 + len(self.shared) * REFERENCE_BYTES
        return _SLABS_OFFSET + fixed

    def each(self, index: int) -> int:
        """Return how many bytes of such inputs stand before one, for each call that has room."""
        return self._before[index]

    @property
    def each_call(self) -> int:
        """Return the bytes of such inputs of one call."""
        return sum(self.size(index) for index in self.own)

    @property
    def nbytes(self) -> int:
        """Return what a call holds while it waits."""
        return self.each_call + sum(kind.nbytes for kind in self.results)

    def size(self, index: int) -> int:
        """Return the bytes that one input of one call takes in a batch."""
        kind = self.inputs[index]
        return kind.dtype.itemsize if isinstance(kind, Scalar) else REFERENCE_BYTES

    @cached_property
    def _before(self) -> dict[int, int]:
        """Return the bytes before each input: the largest are first, so that all are aligned."""
        found: dict[int, int] = {}
        total = 0
        for index in sorted(self.own, key=self.size, reverse=True):
            found[index] = total
            total += self.size(index)
        return found
