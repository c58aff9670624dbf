"""Aligned memory for outputs, intermediates and scratch."""

import ctypes
import math

import numpy as np
import numpy.typing as npt

from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError

ALIGNMENT = 64
"""The bytes of a cache line and of the widest vector: what kernels may assume of blocks."""


def align_up(size: int, to: int = ALIGNMENT) -> int:
    """Return the smallest multiple of `to` that is at least `size`.

    >>> align_up(0), align_up(1), align_up(64)
    (0, 64, 64)
    """
    return -(-size // to) * to


def aligned_empty(shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> npt.NDArray[np.generic]:
    """Return a new array of undefined contents whose data starts at a multiple of 64 bytes.

    Raises `R009` when the memory is not to be had.
    """
    return allocate(shape, dtype)[0]


def allocate(
    shape: tuple[int, ...], dtype: np.dtype[np.generic]
) -> tuple[npt.NDArray[np.generic], int]:
    """Return what `aligned_empty` does, and the address of the data."""
    size = math.prod(shape) * dtype.itemsize
    try:
        raw = np.empty(size + ALIGNMENT, np.uint8)
    except (MemoryError, ValueError, OverflowError) as error:
        raise RunError(
            ErrorCode.R009,
            f"an array of {size} bytes does not fit into memory",
            help="use smaller inputs, or a machine with more memory",
        ) from error
    start = address(raw)
    offset = -start % ALIGNMENT
    return np.ndarray(shape, dtype, raw, offset), start + offset


def address(array: npt.NDArray[np.generic]) -> int:
    """Return the address of an array's first element."""
    try:
        # A third of the time of `array.ctypes`. An array is a buffer, which its stubs do not say.
        return ctypes.addressof(ctypes.c_char.from_buffer(array))  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError, BufferError):  # read-only, empty, or bfloat16
        return array.ctypes.data
