"""Weights as PyTorch initialises them: uniform, bounded by the inverse root of the fan-in."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]


class Drawing:
    """A sequence of random arrays determined by a seed."""

    def __init__(self, seed: int) -> None:
        """Start the sequence."""
        self._random = np.random.default_rng(seed)

    def matrix(self, *shape: int, over: int | None = None) -> Array:
        """Return weights whose fan-in is the size of the first axis, or `over`."""
        bound = (over or shape[0]) ** -0.5
        return self._random.uniform(-bound, bound, shape).astype(np.float32)

    def normal(self, *shape: int) -> Array:
        """Return standard normal values."""
        return self._random.standard_normal(shape, np.float32)

    def integers(self, limit: int, *shape: int) -> NDArray[np.int32]:
        """Return integers from 0 up to, but not including, a limit."""
        return self._random.integers(0, limit, shape, np.int32)
