"""PyTorch compiled: `torch.compile` with its default back end.

A program that is not a single graph selects the part to compile by `compiled` in its module.
"""

from typing import Any

import torch

from benchmarks.contenders.case import Binding, Case
from benchmarks.programs.catalogue import workload_of
from benchmarks.programs.engines.torch import bound

COMPILES = True


def version() -> str:
    """Return the name and version of the engine."""
    return f"torch.compile {torch.__version__}"


def load(case: Case) -> Binding:
    """Build the program and compile it, with dynamic dimensions if calls differ in shape."""
    workload = workload_of(case)
    dynamic = True if workload.dynamic else None

    def whole(program: Any) -> Any:
        return torch.compile(program, dynamic=dynamic)

    return bound(case, getattr(workload.module("torch"), "compiled", whole))
