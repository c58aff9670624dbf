"""Recurrent layers with PyTorch's own modules."""

import torch

from benchmarks.programs.recurrent.case import Sizes
from benchmarks.programs.workload import Weights

CELLS = {"rnn": torch.nn.RNN, "gru": torch.nn.GRU, "lstm": torch.nn.LSTM}
NAMES = {"w": "weight_ih_l", "u": "weight_hh_l", "b": "bias_ih_l", "d": "bias_hh_l"}


class Layers(torch.nn.Module):
    """The layers; a call returns the states of the last one."""

    def __init__(self, sizes: Sizes, weights: Weights) -> None:
        super().__init__()
        self.layers = CELLS[sizes.cell](sizes.input, sizes.hidden, sizes.layers)
        places = [(short, long, k) for short, long in NAMES.items() for k in range(sizes.layers)]
        named = {f"{long}{k}": weights[f"{short}{k}"] for short, long, k in places}
        self.layers.load_state_dict(
            {name: torch.tensor(value.T.copy()) for name, value in named.items()}
        )

    def forward(self, xs: torch.Tensor) -> torch.Tensor:
        """Return the states."""
        return self.layers(xs)[0]


def build(sizes: Sizes, weights: Weights) -> torch.nn.Module:
    """Return the layers."""
    return Layers(sizes, weights)
