"""The memory layout of a batch: deferred calls of one region and one level.

A batch is a heap block with room for a number of calls, its *capacity*. Its header fields come
first, then the inputs; the values of one input are contiguous across calls. Each result has a
*slab*, a block with the results of all calls side by side. Every tensor in a slab and the batch
itself each hold a reference to the slab.
"""

from collections.abc import Sequence
from functools import cached_property

from relay.kernels.loops import INDIRECT_ROW_BYTES
from relay.runtime.code.function import ProgramCode, Task
from relay.runtime.code.register_kinds import HEADER_BYTES, MARK_OFFSET, Kind, Scalar, Tensor

NEXT_OFFSET = MARK_OFFSET
"""The offset of the pointer to the previous batch of the same level and task."""

COUNT_OFFSET = HEADER_BYTES
"""The offset of the number of calls in the batch."""

TAKEN_OFFSET = COUNT_OFFSET + 8
"""The offset of the number of calls whose results are already computed."""

CAPACITY_OFFSET = TAKEN_OFFSET + 8

_SLABS_OFFSET = CAPACITY_OFFSET + 8

MOST_BYTES = 16 << 20
"""The largest total size of the operands and results of deferred calls: about the cache size."""

MOST_CALLS = 128
"""The most calls that a flush runs together: the limit keeps their tensors in the inner caches."""

_FIRST_CAPACITIES = (1, 8)
"""The capacities of the first batches of a level."""

REFERENCE_BYTES = INDIRECT_ROW_BYTES
"""The size of a tensor input: a pointer to its elements and one to the block that owns them."""


class BatchLayout:
    """The offsets of the fields in the batches of a task, that is, of one batched region.

    `inputs` and `results` are those of one call.

    A `shared` input is stored once. The others have a slot for each call: that of call `i` is at
    `base + capacity * each(input) + i * size(input)`.
    """

    def __init__(self, code: ProgramCode, task: Task) -> None:
        single = code.functions[task.single]
        self.inputs: Sequence[Kind] = single.kinds[: single.parameters]
        self.results = tuple(kind for kind in single.results if isinstance(kind, Tensor))
        self.shared = sorted(task.shared)
        self.own = [i for i in range(single.parameters) if i not in task.shared]
        capacities = (*_FIRST_CAPACITIES, MOST_CALLS)
        fitting = [n for n in capacities if n * self.nbytes <= MOST_BYTES]
        self.capacities = fitting or [1]

    def slab(self, result: int) -> int:
        """Return the offset in a batch of the pointer to the slab of a result."""
        return _SLABS_OFFSET + 8 * result

    def shared_input(self, index: int) -> int:
        """Return the offset in a batch of an input that all calls share."""
        before = len(self.results) * 8 + self.shared.index(index) * REFERENCE_BYTES
        return _SLABS_OFFSET + before

    @property
    def base(self) -> int:
        """Return the offset in a batch at which the inputs that are stored for each call begin."""
        fixed = len(self.results) * 8 + len(self.shared) * REFERENCE_BYTES
        return _SLABS_OFFSET + fixed

    def each(self, index: int) -> int:
        """Return the bytes per call of the stored inputs before input `index`."""
        return self._before[index]

    @property
    def each_call(self) -> int:
        """Return the bytes per call of all inputs that are stored for each call."""
        return sum(self.size(index) for index in self.own)

    @property
    def nbytes(self) -> int:
        """Return the bytes of inputs and results per deferred call."""
        return self.each_call + sum(kind.nbytes for kind in self.results)

    def size(self, index: int) -> int:
        """Return the bytes that one input of one call takes in a batch."""
        kind = self.inputs[index]
        return kind.dtype.itemsize if isinstance(kind, Scalar) else REFERENCE_BYTES

    @cached_property
    def _before(self) -> dict[int, int]:
        """Return the bytes before each input; the largest inputs come first, for alignment."""
        found: dict[int, int] = {}
        total = 0
        for index in sorted(self.own, key=self.size, reverse=True):
            found[index] = total
            total += self.size(index)
        return found
