"""What the rules of the CPU for rows match, and how they are configured."""

from typing import TypeVar

from relay.kernels.machine import CpuModel
from relay.kernels.te.tensor import Computed
from relay.support.node import node, replace, value
from relay.targets.formulas import Formulas
from relay.targets.rules import Config, Rule


@value
class Vectors(Config):
    """So many vectors of rows, or of partial results; `parallel` shares loops out where it pays."""

    vectors: int
    parallel: bool = True


@node
class Matched:
    """Formulas, and the output that they compute from reductions."""

    formulas: Formulas
    output: Computed


_Match = TypeVar("_Match")


@value
class ByVectors(Rule[_Match, Vectors]):
    """A rule of which the configuration with the most vectors that fit is best."""

    machine: CpuModel

    def cost(self, matched: _Match, config: Vectors) -> float:
        """Return less for more vectors."""
        del matched
        return -config.vectors

    def allows(self, matched: _Match, config: Vectors) -> bool:
        """Whether so many vectors fit."""
        return replace(config, parallel=True) in list(self.candidates(matched))


def cores_for(machine: CpuModel, *, parallel: bool) -> CpuModel:
    """Return the machine with all its cores, or with one."""
    return machine if parallel else replace(machine, cores=1)
