"""Make donated inputs safe to overwrite; results of a program reuse their memory."""

from collections.abc import Collection, Sequence

from relay.runtime.aligned_memory import address
from relay.runtime.arguments import Array
from relay.runtime.interruptible_copies import copied


def owned(arrays: Sequence[Array], donated: Collection[int]) -> list[Array]:
    """Return the inputs, with donated ones copied where writing to them would not be safe.

    A donated array that is read-only, or shares memory with another input, is copied.

    >>> import numpy as np
    >>> x = np.zeros(2)
    >>> first, second = owned([x, x], [0])
    >>> first is x, second is x
    (False, True)
    """
    shared = _overlapping(arrays)
    return [
        copied(array) if i in donated and (i in shared or not array.flags.writeable) else array
        for i, array in enumerate(arrays)
    ]


def _overlapping(arrays: Sequence[Array]) -> set[int]:
    """Return the indices of arrays that share bytes with another one."""
    spans = sorted((address(array), i) for i, array in enumerate(arrays) if array.nbytes)
    found: set[int] = set()
    end, last = 0, -1
    for begin, index in spans:
        if begin < end:
            found |= {index, last}
        if begin + arrays[index].nbytes > end:
            end, last = begin + arrays[index].nbytes, index
    return found
