"""Read the weights of layers: from a live model, a `.keras` archive, or an older `.h5` file.

Keras stores the weights of a layer by number, and those of nested layers by the attribute that
holds them.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from relay.frontend.keras.config import Layer
from relay.ir.expr import Array


class Weights(Protocol):
    """The weights of a layer and its nested layers."""

    def arrays(self) -> Sequence[Array]:
        """Return the layer's own weights in order of creation."""
        ...

    def everything(self) -> Sequence[Array]:
        """Return all weights, including those of nested layers."""
        ...

    def part(self, name: str, index: int = 0, count: int = 1) -> "Weights":
        """Return the weights of an attribute, which is number `index` of `count`."""
        ...

    def of_layers(self, layers: Sequence[Layer], inside: str = "layers") -> "Sequence[Weights]":
        """Return the weights of the layers that an attribute lists, in their order."""
        ...


@dataclass(frozen=True)
class LiveWeights:
    """The weights of a model in memory, sharing its backend's arrays where possible."""

    layer: Any

    def arrays(self) -> Sequence[Array]:
        """Return the layer's own variables."""
        own = getattr(self.layer, "_trainable_variables", [])
        more = getattr(self.layer, "_non_trainable_variables", [])
        return [each.numpy() for each in (*own, *more)]

    def everything(self) -> Sequence[Array]:
        """Return all variables."""
        return [each.numpy() for each in self.layer.weights]

    def part(self, name: str, index: int = 0, count: int = 1) -> Weights:
        """Return the weights of an attribute, or of one item of a list attribute."""
        found = getattr(self.layer, name, None) or getattr(self.layer, f"_{name}")
        return LiveWeights(found[index] if isinstance(found, list) else found)

    def of_layers(self, layers: Sequence[Layer], inside: str = "layers") -> Sequence[Weights]:
        """Return the weights of layers by their names."""
        by_name = {each.name: each for each in getattr(self.layer, inside)}
        return [LiveWeights(by_name.get(each.name)) for each in layers]


@dataclass(frozen=True)
class NamedWeights:
    """The weights of a layer in an older file: one list of names and arrays."""

    items: Sequence[tuple[str, Array]]

    def arrays(self) -> Sequence[Array]:
        """Return all weights."""
        return [array for _, array in self.items]

    def everything(self) -> Sequence[Array]:
        """Return all weights."""
        return self.arrays()

    def part(self, name: str, index: int = 0, count: int = 1) -> Weights:
        """Return one of equal shares: the names of nested layers differ between versions."""
        del name
        size = len(self.items) // count
        return NamedWeights(self.items[index * size : (index + 1) * size])

    def of_layers(self, layers: Sequence[Layer], inside: str = "layers") -> Sequence[Weights]:
        """Return the weights whose names contain that of a layer."""
        del inside
        split = [(each, set(each[0].split("/"))) for each in self.items]
        return [
            NamedWeights([item for item, parts in split if each.name in parts]) for each in layers
        ]


class NoWeights:
    """The weights of an object without weights."""

    def arrays(self) -> Sequence[Array]:
        """Return nothing."""
        return ()

    def everything(self) -> Sequence[Array]:
        """Return nothing."""
        return ()

    def part(self, name: str, index: int = 0, count: int = 1) -> Weights:
        """Return nothing."""
        del name, index, count
        return self

    def of_layers(self, layers: Sequence[Layer], inside: str = "layers") -> Sequence[Weights]:
        """Return no weights for each layer."""
        del inside
        return [self for _ in layers]


def group_names(layers: Sequence[Layer]) -> list[str]:
    """Return the group names of a model's layers in an archive.

    >>> dense = Layer("logits", "Dense", {}, ())
    >>> group_names([dense, Layer("x", "Conv2D", {}, ()), dense])
    ['dense', 'conv2d', 'dense_1']
    """
    seen = Counter[str]()
    names: list[str] = []
    for each in layers:
        name = _snake_case(each.kind)
        names.append(f"{name}_{seen[name]}" if seen[name] else name)
        seen[name] += not each.is_operation
    return names


def _snake_case(kind: str) -> str:
    """Return the name of a class in archives: `LSTMCell` is `lstm_cell`."""
    plain = re.sub(r"\W+", "", kind)
    apart = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", plain)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", apart).lower()
