"""The configurations and matches of the CPU's rules for rows."""

from typing import TypeVar

from relay.kernels.cpu_model import CpuModel
from relay.kernels.schedule.schedule import Schedule
from relay.kernels.te.tensor import Computed
from relay.support.node import node, replace, value
from relay.targets.kernel_formulas import Formulas
from relay.targets.rules import Config, Rule


@value
class Vectors(Config):
    """A number of vectors of rows or partial results; `parallel` allows parallel loops."""

    vectors: int
    parallel: bool = True


@node
class Matched:
    """Formulas, and their output that depends on reductions."""

    formulas: Formulas
    output: Computed


_Match = TypeVar("_Match")


@value
class ByVectors(Rule[_Match, Vectors]):
    """A rule whose best configuration is the one with the most vectors that fit."""

    machine: CpuModel

    def cost(self, matched: _Match, config: Vectors) -> float:
        """Return a cost that decreases with the number of vectors."""
        del matched
        return -config.vectors

    def allows(self, matched: _Match, config: Vectors) -> bool:
        """Whether the number of vectors is a candidate."""
        return replace(config, parallel=True) in list(self.candidates(matched))


def on_threads(schedule: Schedule, *, parallel: bool) -> Schedule:
    """Return a schedule, with all loops on the calling thread unless it may be parallel."""
    if not parallel:
        for stage in schedule.stages:
            stage.serialize()
    return schedule
