"""Base classes of the zoo: a network, its weights, and their random initialisation."""

from collections.abc import Callable, Sequence
from math import prod, sqrt
from typing import ParamSpec

import numpy as np

from relay.ir.expr import Array, Expr, Function, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.support.node import node

_Options = ParamSpec("_Options")
Workload = tuple[Module, dict[str, Array]]


@node
class Weight:
    """A weight of a network, drawn from a normal distribution."""

    var: Var
    mean: float
    deviation: float

    def draw(self, random: np.random.Generator) -> Array:
        """Return a random value; the distribution is truncated, so that variances are positive."""
        normal = random.standard_normal(self.var.tensor_type.static_shape, np.float32)
        return np.float32(self.mean) + np.float32(self.deviation) * normal.clip(-3, 3)


@node
class Network:
    """A network: a module whose `main` takes the inputs, then the weights."""

    module: Module
    weights: tuple[Weight, ...]

    def draw(self, seed: int = 0) -> dict[str, Array]:
        """Return random weights by name; the same seed gives the same weights."""
        random = np.random.default_rng(seed)
        return {weight.var.name: weight.draw(random) for weight in self.weights}


class Weights:
    """A builder that collects the weights of a network; numbers are appended to their names."""

    def __init__(self) -> None:
        self._weights: list[Weight] = []

    def matrix(self, name: str, shape: Sequence[int]) -> Var:
        """Return a new matrix or kernel with variance-preserving initialisation."""
        return self._add(name, shape, 0.0, sqrt(2.0 / max(prod(shape[1:]), 1)))

    def around(self, name: str, size: int, mean: float) -> Var:
        """Return a new vector initialised near `mean`, such as a bias or a scale."""
        return self._add(name, (size,), mean, 0.1)

    def network(self, inputs: Sequence[Var], body: Expr) -> Network:
        """Return the finished network."""
        params = (*inputs, *(weight.var for weight in self._weights))
        return Network(Module.of(Function(params, body)), tuple(self._weights))

    def _add(self, name: str, shape: Sequence[int], mean: float, deviation: float) -> Var:
        var = Var(f"{name}{len(self._weights)}", TensorType(tuple(shape)))
        self._weights.append(Weight(var, mean, deviation))
        return var


def with_weights(network: Callable[_Options, Network]) -> Callable[_Options, Workload]:
    """Return a function that builds a network and returns its module and random weights."""

    def workload(*args: _Options.args, **kwargs: _Options.kwargs) -> Workload:
        """Return the module and its random weights by name; see `network`."""
        built = network(*args, **kwargs)
        return built.module, built.draw()

    return workload
