"""Small copies of the benchmark's networks against PyTorch; `tools/compare_training.py` has all."""

from typing import Any

import pytest

from relay.ir.expr import Function
from relay.ir.types import TensorType
from relay.ir.walk import post_order
from relay.layers import LSTM
from relay.layers.trace_tree_functions import traced

pytest.importorskip("torch")
from benchmarks.trained_networks.accuracy import gradient_errors
from benchmarks.trained_networks.networks import SMALL

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("name", ["bert"])
def test_gradients_are_as_exact_as_those_of_pytorch(name: str) -> None:
    """A small network has few roundings, so that one of them may count more: factor four."""
    assert gradient_errors(SMALL[name]).ratio < 4


def test_a_layer_is_no_part_of_the_steps_of_the_next() -> None:
    """Otherwise, each step of the second loop would run the first loop again."""

    def stacked(layers: list[LSTM], x: Any) -> Any:
        return layers[1](layers[0](x))

    main = traced(stacked, [LSTM(4, 4), LSTM(4, 4)], TensorType((9, 1, 4))).module.main
    loops = [each for each in post_order(main.body) if isinstance(each, Function)]
    assert len(loops) == 2
    assert not any(isinstance(e, Function) for loop in loops for e in post_order(loop.body))
