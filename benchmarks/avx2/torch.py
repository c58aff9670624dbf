"""PyTorch, eager, without AVX-512."""

import torch

from benchmarks.contenders.case import Binding, Case
from benchmarks.contenders.torch import COMPILES, version
from benchmarks.contenders.torch import load as load_freely

__all__ = ["COMPILES", "load", "version"]


def load(case: Case) -> Binding:
    """Build the module; raises `RuntimeError` if PyTorch does not use AVX2."""
    if torch.backends.cpu.get_cpu_capability() != "AVX2":
        raise RuntimeError("PyTorch uses other instructions than those of AVX2")
    return load_freely(case)
