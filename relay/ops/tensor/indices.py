"""Indices that are data: the modes for values outside an axis.

Where a result has no elements nothing is read, and no index is looked at.
"""

import numpy as np
import numpy.typing as npt

from relay.ir.dims import Dim
from relay.ir.expr import Array
from relay.kernels import te
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError

MODES = ("clip", "wrap", "fast", "raise")
"""What `take` may do with an index outside: the nearest element, modulo, nothing, an error."""


def place(index: te.Scalar, size: Dim, axis: int, mode: str = "raise") -> te.Scalar:
    """Return an int64 index that is inside an axis of that size.

    The mode "raise" counts negative indices from the end, once, and has the kernel stop for what
    lies outside then; "wrap" counts modulo the size; in every other mode what lies outside becomes
    the nearest element.
    """
    if mode == "raise":
        return te.inside(index, size, axis)
    at = te.cast(index, int64)
    if mode == "wrap":
        return at % size if size else te.const(0)
    last = max(size - 1, 0) if isinstance(size, int) else size - 1
    return te.maximum(te.minimum(at, last), 0)


def places(index: Array, size: int, axis: int, mode: str = "raise") -> npt.NDArray[np.int64]:
    """Return indices that are inside an axis of that size; the same meaning as `place`."""
    at = index.astype(np.int64)
    if mode == "wrap":
        return at % max(size, 1)
    if mode != "raise":
        return np.clip(at, 0, max(size - 1, 0))
    outside = at[(at < -size) | (at >= size)]
    if outside.size:
        raise out_of_range(int(outside.flat[0]), axis, size)
    return np.where(at < 0, at + size, at)


def inside_only(index: Array, size: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return indices with 0 in the place of those outside of an axis, and where these are."""
    at = index.astype(np.int64)
    outside = (at < -size) | (at >= size)
    return np.where(outside, 0, at), outside


def out_of_range(index: int, axis: int, size: int) -> RunError:
    """Return the error for an index outside of an axis."""
    return RunError(ErrorCode.R056, OUT_OF_RANGE.format(index=index, axis=axis, size=size))


OUT_OF_RANGE = "index {index} is out of range for axis {axis}, which has {size} elements"
"""What the error for an index outside of an axis says; compiled programs say the same."""
