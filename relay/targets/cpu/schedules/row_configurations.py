"""Configurations and matches that the CPU's rules for reductions over rows share."""

from typing import TypeVar

from relay.kernels.cpu_model import CpuModel
from relay.kernels.schedule.schedule import Schedule
from relay.kernels.te.tensor import Computed
from relay.support.node import node, replace, value
from relay.targets.kernel_expressions import Formulas
from relay.targets.schedule_rules import Config, Rule


@value
class VectorCount(Config):
    """The configuration of a schedule for rows: the number of vectors of rows or partial results.

    `parallel` allows parallel loops.
    """

    vectors: int
    parallel: bool = True


@node
class RowReduction:
    """The match of a rule for rows: tensor expressions whose output depends on reductions."""

    formulas: Formulas
    output: Computed


_Match = TypeVar("_Match")


@value
class RowRule(Rule[_Match, VectorCount]):
    """The base of rules whose best configuration has the most vectors that fit into registers."""

    machine: CpuModel

    def cost(self, matched: _Match, config: VectorCount) -> float:
        """Return a cost that decreases as the number of vectors grows."""
        del matched
        return -config.vectors

    def allows(self, matched: _Match, config: VectorCount) -> bool:
        """Whether the number of vectors is among the candidates."""
        return replace(config, parallel=True) in list(self.candidates(matched))


def on_threads(schedule: Schedule, *, parallel: bool) -> Schedule:
    """Return the schedule, with all loops on the calling thread unless `parallel` is true."""
    if not parallel:
        for stage in schedule.stages:
            stage.serialize()
    return schedule
