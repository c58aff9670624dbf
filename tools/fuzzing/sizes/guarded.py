"""Arrays next to inaccessible memory: accesses out of bounds end the process."""

import ctypes
import mmap

import numpy as np

from relay.ir.expr import Array

_PAGE = mmap.PAGESIZE
_NONE = 0  # PROT_NONE


def guarded(array: Array, *, at_end: bool = True) -> Array:
    """Return a copy of an array that ends where an inaccessible page begins.

    Or one that begins where such a page ends. Its memory is never freed, because views may be
    alive.
    """
    room = -(-array.nbytes // _PAGE) * _PAGE
    memory = mmap.mmap(-1, room + 2 * _PAGE)
    start = np.frombuffer(memory, np.uint8).ctypes.data
    for page in (start, start + _PAGE + room):
        if _protect(page, _PAGE, _NONE) != 0:
            raise OSError("memory cannot be protected")
    offset = _PAGE + (room - array.nbytes if at_end else 0)
    copy = np.ndarray(array.shape, array.dtype, memory, offset)
    copy[...] = array
    return copy


def _protect(address: int, size: int, how: int) -> int:
    function = ctypes.CDLL(None, use_errno=True).mprotect
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return int(function(address, size, how))
