"""Weights as PyTorch draws them: uniform, within the inverse root of how many are summed."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]


class Drawing:
    """A row of arrays that depend on a seed only."""

    def __init__(self, seed: int) -> None:
        """Start the row."""
        self._random = np.random.default_rng(seed)

    def matrix(self, *shape: int, over: int | None = None) -> Array:
        """Return weights of a sum over the first axis, or over so many terms."""
        bound = (over or shape[0]) ** -0.5
        return self._random.uniform(-bound, bound, shape).astype(np.float32)

    def normal(self, *shape: int) -> Array:
        """Return values as data has them: around zero, of size one."""
        return self._random.standard_normal(shape, np.float32)

    def integers(self, limit: int, *shape: int) -> NDArray[np.int32]:
        """Return numbers from zero up to a limit."""
        return self._random.integers(0, limit, shape, np.int32)
