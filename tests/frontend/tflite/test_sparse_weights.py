"""Sparse constants: wrong descriptions are errors before anything large is allocated."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from relay.frontend.tflite.schema import tflite
from relay.frontend.tflite.sparse_weights import expanded


@dataclass(frozen=True)
class Axis:
    """A dense level of a size."""

    size: int

    def Format(self) -> int:
        return tflite.DimensionType.DENSE

    def DenseSize(self) -> int:
        return self.size


class Sparsity:
    """The description of a constant with dense levels only."""

    def __init__(self, order: Sequence[int], blocks: Sequence[int], sizes: Sequence[int]) -> None:
        self.TraversalOrderLength, self.BlockMapLength = order.__len__, blocks.__len__
        self.TraversalOrderAsNumpy = lambda: np.array(order, np.int32)
        self.BlockMapAsNumpy = lambda: np.array(blocks, np.int32)
        self.DimMetadata = lambda index: Axis(sizes[index])


def test_axes_in_another_order_and_blocks():
    values = np.arange(8, dtype=np.float32)
    turned = expanded(values, (2, 4), Sparsity([1, 0], [], [4, 2]))
    np.testing.assert_array_equal(turned, values.reshape(4, 2).T)
    blocks = expanded(values, (2, 4), Sparsity([0, 1, 2], [1], [2, 2, 2]))
    np.testing.assert_array_equal(blocks, values.reshape(2, 4))


WRONG: dict[str, tuple[Any, Sequence[int]]] = {
    "a huge constant": (Sparsity([0, 1], [], [1 << 30, 1 << 30]), (1 << 30, 1 << 30)),
    "a huge level": (Sparsity([0, 1], [], [2, 1 << 30]), (2, 4)),
    "no level": (Sparsity([0, 1], [], [2, 0]), (2, 4)),
    "an axis twice": (Sparsity([0, 0], [], [2, 4]), (2, 4)),
    "an axis too few": (Sparsity([0], [], [2]), (2, 4)),
    "too few elements": (Sparsity([0, 1], [], [2, 2]), (2, 4)),
}


@pytest.mark.parametrize("name", WRONG)
def test_descriptions_that_do_not_fit(name: str):
    sparsity, shape = WRONG[name]
    with pytest.raises(ValueError, match="sparse constant"):
        expanded(np.ones(8, np.float32), shape, sparsity)
