"""The selective scan as in Mamba's reference: all terms computed first, then a loop."""

import torch
from torch.nn.functional import softplus

from benchmarks.programs.selective_scan.case import Sizes
from benchmarks.programs.workload import Weights


class Scan(torch.nn.Module):
    """The scan and its weights."""

    down: torch.Tensor
    up: torch.Tensor
    bias: torch.Tensor
    enter: torch.Tensor
    leave: torch.Tensor
    decay: torch.Tensor
    skip: torch.Tensor

    def __init__(self, sizes: Sizes, weights: Weights) -> None:
        super().__init__()
        self.sizes = sizes
        for name, value in weights.items():
            self.register_buffer(name, torch.tensor(value))

    def forward(self, xs: torch.Tensor) -> torch.Tensor:
        """Return the outputs."""
        steps = softplus(xs @ self.down @ self.up + self.bias)
        decays = torch.exp(torch.einsum("ld,dn->ldn", steps, self.decay))
        entries = torch.einsum("ld,ln->ldn", steps * xs, xs @ self.enter)
        exits = xs @ self.leave
        state = torch.zeros(self.sizes.width, self.sizes.state)
        rows: list[torch.Tensor] = []
        for decay, entry, leave in zip(decays, entries, exits, strict=True):
            state = decay * state + entry
            rows.append(state @ leave)
        return torch.stack(rows) + xs * self.skip


def build(sizes: Sizes, weights: Weights) -> torch.nn.Module:
    """Return the scan."""
    return Scan(sizes, weights)
