"""JAX on one thread of the CPU: the program under `jit`."""

import os
from importlib import import_module
from typing import Any

# Read when JAX is first imported. The first keeps products on the thread that calls, the second
# the pool for everything else to one.
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
os.environ["NPROC"] = "1"

import numpy as np

from benchmarks.contenders.case import Binding, Case, Feeds, Outputs
from benchmarks.programs.catalogue import workload_of

jax: Any = import_module("jax")  # a type checker without JAX would take `import jax` for this file

COMPILES = True


def version() -> str:
    """Return the name and version of the engine."""
    return f"JAX {jax.__version__}"


def load(case: Case) -> Binding:
    """Build the program; it compiles when inputs are bound, once for each combination of shapes."""
    assert case.threads == 1, "XLA's pool is as large as the machine otherwise"
    workload = workload_of(case)
    program = jax.jit(workload.build("jax"))

    def bind(feeds: Feeds) -> "Run":
        calls = workload.arguments("jax", feeds)
        run = Run(program, [jax.tree.map(jax.numpy.asarray, call) for call in calls])
        run()
        return run

    return bind


class Run:
    """A program and the arguments of its calls, which are on the device already."""

    def __init__(self, program: Any, calls: list[tuple[Any, ...]]) -> None:
        """Store the program and the arguments."""
        self._program, self._calls = program, calls

    def __call__(self) -> Outputs:
        """Make the calls and wait for their results."""
        results = [self._program(*call) for call in self._calls]
        return [np.asarray(y) for y in jax.tree.leaves(results)]
