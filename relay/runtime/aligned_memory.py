"""Allocate aligned memory for outputs, intermediate values and workspaces."""

import ctypes
import math

import numpy as np
import numpy.typing as npt

from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError
from relay.support.kernel_error_record import quiet_record

ALIGNMENT = 64
"""The alignment of blocks in bytes, on which kernels rely: a cache line, and the widest vector."""


def align_up(size: int, to: int = ALIGNMENT) -> int:
    """Return the smallest multiple of `to` that is at least `size`.

    >>> align_up(0), align_up(1), align_up(64)
    (0, 64, 64)
    """
    return -(-size // to) * to


def aligned_empty(shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> npt.NDArray[np.generic]:
    """Return an uninitialized array whose data is 64-byte aligned.

    Raises `R009` if memory runs out.
    """
    return allocate(shape, dtype)[0]


def allocate(
    shape: tuple[int, ...], dtype: np.dtype[np.generic]
) -> tuple[npt.NDArray[np.generic], int]:
    """Return the result of `aligned_empty`, and the address of its data."""
    size = math.prod(shape) * dtype.itemsize
    try:
        raw = np.empty(size + ALIGNMENT, np.uint8)
    except (MemoryError, ValueError, OverflowError) as error:
        raise too_large(size) from error
    start = address(raw)
    offset = -start % ALIGNMENT
    return np.ndarray(shape, dtype, raw, offset), start + offset


def too_large(nbytes: int) -> RunError:
    """Return the error for an array that does not fit into memory."""
    return RunError(
        ErrorCode.R009,
        f"an array of {nbytes} bytes does not fit into memory",
        help="use smaller inputs, or a machine with more memory",
    )


def scratch(nbytes: int) -> npt.NDArray[np.generic]:
    """Return a workspace for uninterruptible kernel calls; raises `R009` if memory runs out."""
    workspace = aligned_empty((nbytes,), np.dtype(np.uint8))
    quiet_record(address(workspace), nbytes)
    return workspace


def address(array: npt.NDArray[np.generic]) -> int:
    """Return the address of an array's first element."""
    try:
        # This takes a third of the time of `array.ctypes`. The stubs omit that arrays are buffers.
        return ctypes.addressof(ctypes.c_char.from_buffer(array))  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError, BufferError):  # read-only, empty, or bfloat16
        return array.ctypes.data


def is_dense(array: npt.NDArray[np.generic]) -> bool:
    """Whether an array is C-contiguous and aligned, as native code requires."""
    flags = array.flags
    return flags.c_contiguous and flags.aligned
