"""Relay: a decorated Python function, compiled."""

from typing import Any

import relay
from benchmarks.contenders.case import Binding, Case, Feeds, Outputs
from benchmarks.programs.catalogue import workload_of

COMPILES = True

compile_program = relay.compile  # loads the compiler now, before any clock runs


def version() -> str:
    """Return the name and version of the engine."""
    return f"Relay {relay.__version__}"


def load(case: Case) -> Binding:
    """Compile the program of the case's workload."""
    workload = workload_of(case)
    made = compile_program(workload.build("relay"), threads=case.threads)

    def bind(feeds: Feeds) -> "Run":
        run = Run(made, workload.arguments("relay", feeds))
        run()
        return run

    return bind


def explain(case: Case, feeds: Feeds) -> object:
    """Return what the compiler did, and where the time of the first call is spent."""
    workload = workload_of(case)
    made = compile_program(workload.build("relay"), threads=case.threads)
    return made.explain(*workload.arguments("relay", feeds)[0])


class Run:
    """An executable and the arguments of its calls."""

    def __init__(self, executable: "relay.Executable", calls: list[tuple[Any, ...]]) -> None:
        """Store the executable and the arguments."""
        self._executable, self._calls = executable, calls

    def __call__(self) -> Outputs:
        """Make the calls."""
        execute = self._executable
        results = [execute(*call) for call in self._calls]
        return [y for each in results for y in (each if isinstance(each, tuple) else (each,))]
