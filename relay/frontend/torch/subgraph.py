"""A nested graph: the body of a loop or a conditional."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Subgraph:
    """A graph nested in a node: `run` translates it for the values of its inputs."""

    run: Callable[[Sequence[object]], Sequence[object]]

    def __call__(self, *values: object) -> Sequence[object]:
        """Return the results of the graph for these inputs."""
        return self.run(values)
