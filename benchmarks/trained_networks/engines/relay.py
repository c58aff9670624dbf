"""Relay: one native function for a training step."""

import numpy as np

from benchmarks.contenders.case import Binding, Case, Feeds, Outputs
from benchmarks.trained_networks import trees
from benchmarks.trained_networks.networks import FULL, RATE
from benchmarks.trained_networks.relay_layers import loss_of, started
from relay import layers
from relay.support.version import version as relay_version

COMPILES = True


def version() -> str:
    """Return the version of Relay."""
    return relay_version()


def load(case: Case) -> Binding:
    """Compile a training step."""
    return bound(case, None)


def bound(case: Case, memory_budget: int | None) -> Binding:
    """Compile a training step whose backward part needs at most `memory_budget` bytes."""
    assert case.network is not None, "every network has a name"
    if case.network == trees.NAME:
        return lambda _: trees.relay_step(case.threads)
    network = FULL[case.network]
    weights, x, labels = network.draw()
    adam = layers.adam(RATE)
    state = started(weights, adam)
    options = {"threads": case.threads, "memory_budget": memory_budget}
    step = layers.training_step(loss_of(network), adam, state, x, labels, **options)

    def bind(_: Feeds) -> "Step":
        return Step(step, state, x, labels)

    return bind


class Step:
    """A training step; each call continues where the previous one ended."""

    def __init__(self, step: layers.TreeFunction, state: object, *batch: object) -> None:
        self._step, self._state, self._batch = step, state, batch

    def __call__(self) -> Outputs:
        """Train, and return the loss."""
        self._state, loss = self._step(self._state, *self._batch)
        return [np.asarray(loss)]
