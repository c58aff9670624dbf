"""Helpers that several PyTorch programs share."""

import torch
from numpy.typing import NDArray


def linear(matrix: NDArray, bias: NDArray | None = None) -> torch.nn.Linear:
    """Return the layer `x @ matrix + bias`."""
    weight = torch.tensor(matrix.T.copy())
    layer = torch.nn.Linear(weight.shape[1], weight.shape[0], bias=bias is not None)
    values = {"weight": weight} if bias is None else {"weight": weight, "bias": torch.tensor(bias)}
    layer.load_state_dict(values)
    return layer
