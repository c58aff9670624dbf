"""The memory layout on which the native heap, the generated code and the loader agree."""

from relay.runtime.memory import ALIGNMENT, align_up

UNIT = 64
"""The block granularity in bytes: a cache line, and the widest vector."""

CONTEXT_FIELDS = 9
"""The 8-byte words of a context before its free lists."""

CLASSES = 136
"""The number of size classes: 16 small ones, then four per power of two, up to 2^40 bytes."""

WAITING_FIELDS = 5
"""The words of a context after its free lists, for deferred calls."""

CHUNK_BYTES = 1 << 20
LARGEST_CHUNK_BYTES = 16 << 20
"""The largest chunk. Each chunk is twice as large as the previous one, up to this: the C library
keeps freed memory for the next call, which then requests no new pages from the system."""

CONTEXT_BYTES = align_up(8 * (CONTEXT_FIELDS + CLASSES + WAITING_FIELDS))
STOP_OFFSET = CONTEXT_BYTES + CHUNK_BYTES
ARENA_BYTES = STOP_OFFSET + ALIGNMENT
"""The arena bytes of a program with a heap: its context, the first heap chunk, and the stop word
through which the caller interrupts it."""

LARGEST_BLOCK_BYTES = 1 << 40
"""The size of the largest class; larger blocks are refused."""

LARGEST_BYTES = 1 << 39
"""The largest number of bytes of a tensor whose size is known only at run time."""


def size_class(nbytes: int) -> tuple[int, int]:
    """Return the size class for a number of bytes, and the block size of that class.

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
