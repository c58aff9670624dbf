"""Block sizes on which the native heap and the generated code agree."""

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
