"""Arrays next to inaccessible memory: accesses out of bounds end the process."""

import ctypes
import math
import mmap
from collections.abc import Hashable

import numpy as np
import numpy.typing as npt

from relay.ir.expr import Array

_PAGE = mmap.PAGESIZE
_NONE = 0  # PROT_NONE
_FILL = 0xFF  # of bytes beside an array: NaN in every float type, -1 in integers

_mprotect = ctypes.CDLL(None, use_errno=True).mprotect
_mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


class GuardedMemory:
    """Blocks of pages between inaccessible pages, each of which holds one array at a time.

    An array ends at the end of its block or begins at its start. The rest of the block is filled:
    `is_intact` notices writes there, and what is read there is NaN.
    """

    def __init__(self) -> None:
        self._blocks: dict[Hashable, npt.NDArray[np.uint8]] = {}
        self._used: dict[Hashable, slice] = {}

    def array(
        self, key: Hashable, shape: tuple[int, ...], dtype: np.dtype[np.generic], *, at_end: bool
    ) -> Array:
        """Return an array in the block of that name, of which it replaces the last one."""
        nbytes = math.prod(shape) * dtype.itemsize
        block = self._block(key, nbytes)
        start = block.size - nbytes if at_end else 0
        block[:] = _FILL
        self._used[key] = slice(start, start + nbytes)
        return np.ndarray(shape, dtype, block, start)

    def copy(self, key: Hashable, array: Array, *, at_end: bool) -> Array:
        """Return a copy of an array in the block of that name."""
        copy = self.array(key, array.shape, array.dtype, at_end=at_end)
        copy[...] = array
        return copy

    def is_intact(self) -> bool:
        """Whether nothing was written beside the arrays in their blocks."""
        return all(
            (block[: used.start] == _FILL).all() and (block[used.stop :] == _FILL).all()
            for block, used in ((self._blocks[key], used) for key, used in self._used.items())
        )

    def _block(self, key: Hashable, nbytes: int) -> npt.NDArray[np.uint8]:
        found = self._blocks.get(key)
        if found is None or found.size < nbytes:
            found = self._blocks[key] = between_guards(nbytes)
        return found


def guarded(array: Array, *, at_end: bool = True) -> Array:
    """Return a copy of an array that ends where an inaccessible page begins.

    Or one that begins where such a page ends.
    """
    return GuardedMemory().copy("array", array, at_end=at_end)


def between_guards(nbytes: int) -> npt.NDArray[np.uint8]:
    """Return the pages for so many bytes, between two inaccessible pages."""
    room = max(-(-nbytes // _PAGE), 1) * _PAGE
    private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS  # not shared with forked processes
    memory = mmap.mmap(-1, room + 2 * _PAGE, private)  # lives as long as arrays in it
    start = np.frombuffer(memory, np.uint8).ctypes.data
    for page in (start, start + _PAGE + room):
        if _mprotect(page, _PAGE, _NONE) != 0:
            raise OSError("memory cannot be protected")
    return np.ndarray((room,), np.uint8, memory, _PAGE)
