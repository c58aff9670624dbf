"""The memory layout of heap blocks, shared by `c/heap.h`, generated code and the loader."""

from relay.runtime.aligned_memory import ALIGNMENT

UNIT = 64
"""The block granularity in bytes: a cache line, and the widest vector."""

CONTEXT_BYTES = 1216
"""The bytes of a context, in whole cache lines."""

STOP_OFFSET = CONTEXT_BYTES + (1 << 20)
ARENA_BYTES = STOP_OFFSET + ALIGNMENT
"""The arena bytes of a program with a heap: its context, the first heap segment, and the control
block through which the caller interrupts it."""

LARGEST_BYTES = 1 << 39
"""The largest number of bytes of a tensor whose size is known only at run time."""


def size_class(nbytes: int) -> tuple[int, int]:
    """Return the size class for an allocation of `nbytes`, and the block size of that class.

    >>> size_class(1), size_class(1024), size_class(1025)
    ((0, 64), (15, 1024), (16, 1280))
    """
    units = max(1, -(-nbytes // UNIT))
    if units <= 16:
        return units - 1, units * UNIT
    power = (units - 1).bit_length() - 1
    step = 1 << (power - 2)
    quarter = -(-(units - (1 << power)) // step)
    return 16 + 4 * (power - 4) + quarter - 1, ((1 << power) + quarter * step) * UNIT
