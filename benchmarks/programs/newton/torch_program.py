"""Newton's iteration as `while` over tensors."""

from collections.abc import Callable

import torch

from benchmarks.programs.newton.case import LIMIT, Sizes
from benchmarks.programs.workload import Weights


def roots(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the cube roots, and how many steps it took."""
    x, steps = a, 0
    while torch.abs(x**3 - a).max() > LIMIT:
        x = x - (x**3 - a) / (3 * x**2)
        steps += 1
    return x, torch.tensor(steps, dtype=torch.int32)


def build(_sizes: Sizes, _weights: Weights) -> Callable[[torch.Tensor], object]:
    """Return the iteration."""
    return roots
