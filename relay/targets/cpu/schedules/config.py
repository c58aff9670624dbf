"""What the rules of the CPU for rows match, and how they are configured."""

from collections.abc import Sequence
from typing import TypeVar

from relay.kernels.machine import Machine
from relay.kernels.te.tensor import Computed
from relay.support.node import node, replace, value
from relay.targets.formulas import Formulas
from relay.targets.rules import Config, Rule


@value
class Vectors(Config):
    """So many vectors of rows, or of partial results; `parallel` shares loops out where it pays."""

    vectors: int
    parallel: bool = True


_Vectors = TypeVar("_Vectors", bound=Vectors)


@node
class Matched:
    """Formulas, and the output that they compute from reductions."""

    formulas: Formulas
    output: Computed


@value
class OnCpu(Rule[Matched, _Vectors]):
    """A rule whose configurations are the better the more vectors they have."""

    machine: Machine

    def cost(self, matched: Matched, config: _Vectors) -> float:
        """Return less for more vectors: of the numbers that fit, the largest is best."""
        del matched
        return -config.vectors

    def allows(self, matched: Matched, config: _Vectors) -> bool:
        """Whether the number of vectors is one that fits."""
        fitting: Sequence[_Vectors] = list(self.candidates(matched))
        return replace(config, parallel=True) in fitting

    def cores(self, config: _Vectors) -> Machine:
        """Return the machine with the cores that a configuration uses."""
        return self.machine if config.parallel else replace(self.machine, cores=1)
