"""PyTorch, eager, in inference mode."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from benchmarks.contenders.case import Binding, Case, Feeds, Outputs
from benchmarks.programs.catalogue import workload_of

COMPILES = False


def version() -> str:
    """Return the name and version of the engine."""
    return f"PyTorch eager {torch.__version__}"


def load(case: Case) -> Binding:
    """Build the program of the case's workload."""
    return bound(case, lambda program: program)


def bound(case: Case, change: Callable[[Any], Any]) -> Binding:
    """Build the program, transformed by `change`, and return its binding."""
    torch.set_num_threads(case.threads)
    workload = workload_of(case)
    program = change(workload.build("torch"))

    def bind(feeds: Feeds) -> "Run":
        calls = workload.arguments("torch", feeds)
        run = Run(program, [tuple(map(_tensor, call)) for call in calls])
        run()
        return run

    return bind


def _tensor(value: Any) -> Any:
    return torch.from_numpy(value) if isinstance(value, np.ndarray) else value


class Run:
    """A program and the arguments of its calls."""

    def __init__(self, program: Any, calls: list[tuple[Any, ...]]) -> None:
        """Store the program and the arguments."""
        self._program, self._calls = program, calls

    def __call__(self) -> Outputs:
        """Make the calls."""
        with torch.inference_mode():
            results = [self._program(*call) for call in self._calls]
        tensors = [y for each in results for y in (each if isinstance(each, tuple) else (each,))]
        return [tensor.numpy() for tensor in tensors]
