"""Accumulation in reference functions: sums use a wide type and are rounded once."""

import numpy as np

from relay.ir.expr import Array


def widen(array: Array) -> Array:
    """Convert to float64, or int64 for integers and bool."""
    is_whole = array.dtype.kind in "biu"
    return array.astype(np.int64 if is_whole else np.float64)


def narrow(array: Array, dtype: np.dtype[np.generic]) -> Array:
    """Round to a float type; integers wrap around, as in machine code."""
    return np.asarray(array).astype(dtype)
