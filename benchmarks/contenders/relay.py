"""Relay, used through `relay.load` and `relay.compile`."""

import relay
from benchmarks.contenders.case import Binding, Case, Feeds, Outputs

COMPILES = True


def version() -> str:
    """Return the name and version of the engine."""
    return f"Relay {relay.__version__}"


def load(case: Case) -> Binding:
    """Load and compile the model of `case`."""
    executable = relay.compile(relay.load(str(case.model)), threads=case.threads)

    def bind(feeds: Feeds) -> "Run":
        return Run(executable, feeds)

    return bind


class Run:
    """One executable with its inputs."""

    def __init__(self, executable: "relay.Executable", feeds: Feeds) -> None:
        """Store the executable and its inputs."""
        self._executable, self._feeds = executable, feeds

    def __call__(self) -> Outputs:
        """Run the executable on the bound inputs."""
        result = self._executable(**self._feeds)
        return list(result) if isinstance(result, tuple | list) else [result]
