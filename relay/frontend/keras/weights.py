"""Read the weights of Keras layers from a model in memory, a `.keras` archive, or an `.h5` file.

Keras stores the weights of a layer by number, and those of nested layers by the attribute that
refers to them.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from relay.frontend.json_values import is_fields, is_list
from relay.frontend.keras.model_config import Layer
from relay.ir.expr import Array


class Weights(Protocol):
    """The interface for the weights of a layer and its nested layers."""

    def arrays(self) -> Sequence[Array]:
        """Return the layer's own weights in order of creation, without those of nested layers."""
        ...

    def everything(self) -> Sequence[Array]:
        """Return all weights, including those of nested layers."""
        ...

    def part(self, name: str, index: int = 0, count: int = 1) -> "Weights":
        """Return the weights of the nested layer in attribute `name`, number `index` of `count`."""
        ...

    def without(self, name: str) -> "Weights":
        """Return the weights of a wrapper without its own weight `name`."""
        ...

    def of_layers(self, layers: Sequence[Layer], inside: str = "layers") -> "Sequence[Weights]":
        """Return the weights of the nested layers that the attribute `inside` lists, in order."""
        ...


@dataclass(frozen=True)
class LiveWeights:
    """The weights of a model in memory; arrays are shared with its backend if possible."""

    layer: Any

    def arrays(self) -> Sequence[Array]:
        """Return the layer's own variables, without those of nested layers."""
        own = getattr(self.layer, "_trainable_variables", [])
        more = getattr(self.layer, "_non_trainable_variables", [])
        return [each.numpy() for each in (*own, *more)]

    def everything(self) -> Sequence[Array]:
        """Return all variables, including those of nested layers."""
        return [each.numpy() for each in self.layer.weights]

    def part(self, name: str, index: int = 0, count: int = 1) -> Weights:
        """Return the weights of an attribute, or of one item of a list attribute."""
        found = getattr(self.layer, name, None) or getattr(self.layer, f"_{name}")
        return LiveWeights(found[index] if isinstance(found, list) else found)

    def without(self, name: str) -> Weights:
        """Return these weights: a wrapper's own weights are not among those of its layer."""
        del name
        return self

    def of_layers(self, layers: Sequence[Layer], inside: str = "layers") -> Sequence[Weights]:
        """Return the weights of nested layers, looked up by the layers' names."""
        by_name = {each.name: each for each in getattr(self.layer, inside)}
        return [LiveWeights(by_name.get(each.name)) for each in layers]


@dataclass(frozen=True)
class NamedWeights:
    """The weights of one layer in an `.h5` file: a list of names and arrays."""

    items: Sequence[tuple[str, Array]]

    def arrays(self) -> Sequence[Array]:
        """Return all weights of the layer."""
        return [array for _, array in self.items]

    def everything(self) -> Sequence[Array]:
        """Return all weights of the layer."""
        return self.arrays()

    def part(self, name: str, index: int = 0, count: int = 1) -> Weights:
        """Return share number `index` of the weights, split into `count` equal shares.

        The names of nested layers differ between versions of Keras, so `name` is ignored.
        """
        del name
        size = len(self.items) // count
        return NamedWeights(self.items[index * size : (index + 1) * size])

    def without(self, name: str) -> Weights:
        """Return the weights whose last name is not `name`; a suffix such as `:0` is ignored."""
        last = (path.split("/")[-1].split(":")[0] for path, _ in self.items)
        return NamedWeights(
            [item for item, found in zip(self.items, last, strict=True) if found != name]
        )

    def of_layers(self, layers: Sequence[Layer], inside: str = "layers") -> Sequence[Weights]:
        """Return for each nested layer the weights whose names contain the layer's name.

        If there are none, the names are those of layers inside of it.
        """
        del inside
        split = [(each, set(each[0].split("/"))) for each in self.items]

        def found(names: set[str]) -> list[tuple[str, Array]]:
            return [item for item, parts in split if parts & names]

        return [NamedWeights(found({each.name}) or found(_inner_names(each))) for each in layers]


def _inner_names(layer: Layer) -> set[str]:
    """Return the names of the layers in a model or wrapper, at any depth."""
    found: set[str] = set()
    waiting: list[object] = [layer.options]
    while waiting:
        each = waiting.pop()
        if is_list(each):
            waiting += each
        elif is_fields(each):
            waiting += each.values()
            inner: object = each.get("config")
            if is_fields(inner) and "class_name" in each:
                found.add(str(inner.get("name")))
    return found


class NoWeights:
    """The weights of an object that has none."""

    def arrays(self) -> Sequence[Array]:
        """Return no arrays."""
        return ()

    def everything(self) -> Sequence[Array]:
        """Return no arrays."""
        return ()

    def part(self, name: str, index: int = 0, count: int = 1) -> Weights:
        """Return no weights."""
        del name, index, count
        return self

    def without(self, name: str) -> Weights:
        """Return no weights."""
        del name
        return self

    def of_layers(self, layers: Sequence[Layer], inside: str = "layers") -> Sequence[Weights]:
        """Return no weights for each layer."""
        del inside
        return [self for _ in layers]


_CLASSES = {"GroupQueryAttention": "GroupedQueryAttention"}
"""Classes by the name under which Keras exports them, where it is another one."""


def group_names(layers: Sequence[Layer]) -> list[str]:
    """Return the names of the groups that an archive has for the layers of a model.

    >>> dense = Layer("logits", "Dense", {}, ())
    >>> group_names([dense, Layer("x", "Conv2D", {}, ()), dense])
    ['dense', 'conv2d', 'dense_1']
    """
    seen = Counter[str]()
    names: list[str] = []
    for each in layers:
        name = _snake_case(_CLASSES.get(each.kind, each.kind))
        names.append(f"{name}_{seen[name]}" if seen[name] else name)
        seen[name] += not each.is_operation
    return names


def _snake_case(kind: str) -> str:
    """Return the snake-case name that archives use for a class: `lstm_cell` for `LSTMCell`."""
    plain = re.sub(r"\W+", "", kind)
    apart = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", plain)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", apart).lower()
