"""Checks of indices known only at run time, in the modes for indices out of range.

If a result has no elements, nothing is read and no index is checked.
"""

import numpy as np
import numpy.typing as npt

from relay.ir.dims import Dim
from relay.ir.expr import Array
from relay.kernels import te
from relay.support.dtype import int64, uint64
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError

MODES = ("clip", "wrap", "fast", "raise")
"""The modes of `take` for indices out of range: they are clamped, wrapped, unchecked, or trap."""


def checked_index(index: te.Scalar, size: Dim, axis: int, mode: str = "raise") -> te.Scalar:
    """Return an index as int64, corrected to the range of an axis of this size.

    The mode "raise" counts negative indices from the end, once, and traps for indices that are
    still out of range; "wrap" takes them modulo the size; every other mode clamps them.
    """
    if mode == "raise":
        return te.inside(index, size, axis)
    at = signed(index)
    if mode == "wrap":
        return at % size if size else te.const(0)
    last = max(size - 1, 0) if isinstance(size, int) else size - 1
    return te.maximum(te.minimum(at, last), 0)


def signed(index: te.Scalar) -> te.Scalar:
    """Return an index as int64; its largest number for larger ones, which no axis has."""
    if index.dtype is uint64:
        index = te.minimum(index, te.const(int64.limits[1], uint64))
    return te.cast(index, int64)


def checked_indices(
    index: Array, size: int, axis: int, mode: str = "raise"
) -> npt.NDArray[np.int64]:
    """Return an array of indices, corrected to the range of an axis as `checked_index` does."""
    at = _signed(index)
    if mode == "wrap":
        return at % max(size, 1)
    if mode != "raise":
        return np.clip(at, 0, max(size - 1, 0))
    outside = at[(at < -size) | (at >= size)]
    if outside.size:
        raise out_of_range(int(outside.flat[0]), axis, size)
    return np.where(at < 0, at + size, at)


def inside_only(index: Array, size: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return indices in which those out of range are replaced by 0, and a mask of these."""
    at = _signed(index)
    outside = (at < -size) | (at >= size)
    return np.where(outside, 0, at), outside


def _signed(index: Array) -> npt.NDArray[np.int64]:
    """Return indices as int64; its largest number for larger ones, which no axis has."""
    fits = np.minimum(index, np.iinfo(np.int64).max) if index.dtype == np.uint64 else index
    return fits.astype(np.int64)


def out_of_range(index: int, axis: int, size: int) -> RunError:
    """Return the error `R056` for an index out of range."""
    return RunError(ErrorCode.R056, OUT_OF_RANGE.format(index=index, axis=axis, size=size))


OUT_OF_RANGE = "index {index} is out of range for axis {axis}, which has {size} elements"
"""The error message for an index out of range, which compiled programs use, too."""
