"""A nested graph of a PyTorch program: the body of a loop or a conditional."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Subgraph:
    """A graph nested in a node; `run` translates it for the values of its inputs."""

    run: Callable[[Sequence[object]], Sequence[object]]

    def __call__(self, *values: object) -> Sequence[object]:
        """Translate the graph for `values` of its inputs; return its results."""
        return self.run(values)
