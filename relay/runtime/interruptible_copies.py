"""Copy memory in parts, between which Python handles signals, so that Ctrl-C stops long copies.

NumPy copies an array without looking for signals, which takes seconds for one of gigabytes.
"""

import ctypes

import numpy as np
import numpy.typing as npt

from relay.runtime.aligned_memory import aligned_empty

Array = npt.NDArray[np.generic]

_ELEMENTS = 1 << 18
"""Copied at once: a millisecond even where neighbours are far apart, as in a transposed array."""

_BYTES = 1 << 22
"""The same of adjacent bytes."""


def copied(array: Array, dtype: np.dtype[np.generic] | None = None) -> Array:
    """Return a C-contiguous copy of an array, converted to another element type if one is given.

    Raises `R009` if memory runs out.

    >>> copied(np.arange(3), np.dtype("float32"))
    array([0., 1., 2.], dtype=float32)
    """
    dtype = array.dtype if dtype is None else dtype
    if array.size <= _ELEMENTS:
        return array.astype(dtype, order="C")
    made = aligned_empty(array.shape, dtype)
    copy_elements(made, array)
    return made


def copy_elements(target: Array, source: Array) -> None:
    """Copy the elements of an array to another one of the same shape, with conversion.

    Arrays are halved along their longest axis: the parts of a transposed array then fit into
    caches, so that copying them is faster than NumPy's copy of the whole.
    """
    pending = [(target, source)]
    while pending:
        to, given = pending.pop()
        if to.size <= _ELEMENTS:
            np.copyto(to, given, casting="unsafe")
            continue
        axis = max(range(to.ndim), key=to.shape.__getitem__)
        middle = to.shape[axis] // 2
        for half in (slice(middle, None), slice(middle)):
            part = (*[slice(None)] * axis, half)
            pending.append((to[part], given[part]))


def copy_bytes(target: int, source: int, nbytes: int) -> None:
    """Copy bytes from one address to another."""
    for begin in range(0, nbytes, _BYTES):
        ctypes.memmove(target + begin, source + begin, min(_BYTES, nbytes - begin))
