"""PyTorch with `torch.compile`."""

from collections.abc import Callable

import torch

from benchmarks.contenders.case import Binding, Case, Feeds, Outputs
from benchmarks.trained_networks.engines import torch as eager

COMPILES = True
version = eager.version


def load(case: Case) -> Binding:
    """Compile the loss and its derivative, with a first step."""
    binding = eager.bound(case, torch.compile)

    def bind(feeds: Feeds) -> Callable[[], Outputs]:
        step = binding(feeds)
        first = [step()]

        def again() -> Outputs:
            return first.pop() if first else step()

        return again

    return bind
