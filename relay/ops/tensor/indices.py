"""What an index that is data means: counted from the end when negative, kept inside the axis."""

import numpy as np
import numpy.typing as npt

from relay.ir.dims import Dim
from relay.ir.expr import Array
from relay.kernels import te
from relay.support.dtype import int64


def limited(index: te.Scalar, size: Dim, mode: str = "end") -> te.Scalar:
    """Return an int64 index that is inside an axis of that size.

    The mode "end" counts negative indices from the end, once; "wrap" counts modulo the size. After
    that, and in every other mode, what lies outside becomes the nearest element.
    """
    at = te.cast(index, int64)
    if mode == "wrap":
        return at % size if size else te.const(0)
    if mode == "end":
        at = from_end(at, size)
    last = max(size - 1, 0) if isinstance(size, int) else size - 1
    return te.maximum(te.minimum(at, last), 0)


def from_end(at: te.Scalar, size: Dim) -> te.Scalar:
    """Count a negative int64 index from the end; it may still be outside."""
    return te.select(at < 0, at + size, at)


def limited_array(index: Array, size: int, mode: str = "end") -> npt.NDArray[np.int64]:
    """Return indices that are inside an axis of that size; the same meaning as `limited`."""
    at = index.astype(np.int64)
    if mode == "wrap":
        return at % max(size, 1)
    if mode == "end":
        at = np.where(at < 0, at + size, at)
    return np.clip(at, 0, max(size - 1, 0))
