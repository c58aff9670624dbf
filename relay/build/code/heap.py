"""The block sizes on which the native heap and the generated code agree."""

UNIT = 64
"""Blocks are multiples of this many bytes: a cache line, and the widest vector."""

CONTEXT_FIELDS = 9
"""The 8-byte words of a context before the lists of free blocks."""

CLASSES = 136
"""Sizes of blocks: 16 small ones, then four between each two powers of two, up to 2^40 bytes."""

WAITING_FIELDS = 5
"""The words of a context behind those lists: the calls that wait."""

CHUNK_BYTES = 1 << 20
LARGEST_CHUNK_BYTES = 16 << 20
"""Each chunk is twice as large as the one before, up to this: the C library keeps what a program
gives back for the next call, which then need not ask the system for fresh pages."""

LARGEST_BYTES = 1 << 39
"""What a tensor may take whose size is known only at run time."""


def size_class(nbytes: int) -> tuple[int, int]:
    """Return the size class of a block, and the bytes of such blocks.

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
