"""Small copies of the benchmark's networks against PyTorch; `tools/compare_training.py` has all."""

import pytest

pytest.importorskip("torch")
from benchmarks.trained_networks.accuracy import gradient_errors
from benchmarks.trained_networks.networks import SMALL

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("name", ["bert"])
def test_gradients_are_as_exact_as_those_of_pytorch(name: str) -> None:
    """A small network has few roundings, so that one of them may count more: factor four."""
    assert gradient_errors(SMALL[name]).ratio < 4
