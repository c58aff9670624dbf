"""PyTorch, eager."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from benchmarks.contenders.case import Binding, Case, Feeds, Outputs
from benchmarks.trained_networks import trees
from benchmarks.trained_networks.networks import FULL, RATE
from benchmarks.trained_networks.torch_layers import TorchLayers

COMPILES = False


def version() -> str:
    """Return the version of PyTorch."""
    return torch.__version__


def load(case: Case) -> Binding:
    """Prepare a step of training."""
    return bound(case, lambda loss: loss)


def bound(case: Case, compiled: Callable[[Any], Any]) -> Binding:
    """Prepare a training step whose loss is transformed by `compiled`."""
    assert case.network is not None, "every network has a name"
    torch.set_num_threads(case.threads)
    if case.network == trees.NAME:
        return lambda _: trees.torch_step()
    network = FULL[case.network]
    drawn, x, labels = network.draw()
    weights = {name: torch.tensor(each, requires_grad=True) for name, each in drawn.items()}
    adam = torch.optim.Adam(weights.values(), lr=RATE)
    batch = torch.tensor(x), torch.tensor(labels)
    loss = compiled(lambda x, labels: network.loss(TorchLayers(), weights, x, labels))

    def step() -> Outputs:
        adam.zero_grad()
        found = loss(*batch)
        found.backward()
        adam.step()
        return [np.asarray(found.detach())]

    def bind(_: Feeds) -> Callable[[], Outputs]:
        return step

    return bind
