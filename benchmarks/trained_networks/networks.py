"""The trained networks: each is a loss over the layers of a framework, with weights and a batch.

The weights are a dictionary of NumPy arrays, so that every framework starts from the same ones.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Shape = tuple[int, ...]
Weights = Mapping[str, Any]


class Layers(Protocol):
    """The layers that a framework provides, on its own tensors."""

    def dense(self, x: Any, weight: Any, bias: Any, /) -> Any: ...
    def conv(self, x: Any, weight: Any, strides: int, /) -> Any: ...
    def batch_norm(self, x: Any, scale: Any, shift: Any, /) -> Any: ...
    def layer_norm(self, x: Any, scale: Any, shift: Any, /) -> Any: ...
    def relu(self, x: Any, /) -> Any: ...
    def gelu(self, x: Any, /) -> Any: ...
    def softmax(self, x: Any, /) -> Any: ...
    def max_pool(self, x: Any, size: int, strides: int, /) -> Any: ...
    def mean(self, x: Any, axes: tuple[int, ...], /) -> Any: ...
    def reshape(self, x: Any, shape: Shape, /) -> Any: ...
    def transpose(self, x: Any, axes: Shape, /) -> Any: ...
    def matmul(self, x: Any, y: Any, /) -> Any: ...
    def embedding(self, table: Any, ids: Any, /) -> Any: ...
    def lstm(self, x: Any, by_input: Any, by_hidden: Any, bias: Any, /) -> Any: ...
    def cross_entropy(self, logits: Any, labels: Any, /) -> Any: ...


Loss = Callable[[Layers, Weights, Any, Any], Any]


@dataclass(frozen=True)
class Network:
    """A loss of weights, inputs and labels, with the shapes of the weights and an input.

    `inputs` has the element type float32, or int32 below `vocabulary`.
    """

    name: str
    loss: Loss
    weights: Mapping[str, Shape]
    inputs: Shape
    labels: Shape
    classes: int
    vocabulary: int | None = None

    def draw(self, seed: int = 0) -> tuple[dict[str, Array], Array, Array]:
        """Return weights, inputs and labels."""
        rng = np.random.default_rng(seed)
        weights = {name: _drawn(rng, name, shape) for name, shape in self.weights.items()}
        if self.vocabulary is None:
            x = rng.standard_normal(self.inputs, np.float32)
        else:
            x = rng.integers(0, self.vocabulary, self.inputs).astype(np.int32)
        return weights, x, rng.integers(0, self.classes, self.labels).astype(np.int32)


def _drawn(rng: np.random.Generator, name: str, shape: Shape) -> Array:
    """Return a weight: He et al. for matrices and kernels, ones for scales, zeros for shifts."""
    if name.endswith("scale"):
        return np.ones(shape, np.float32)
    if len(shape) == 1:
        return np.zeros(shape, np.float32)
    spread = 0.02 if name.endswith("table") else np.sqrt(2 / np.prod(shape[1:]))
    return rng.standard_normal(shape, np.float32) * np.float32(spread)


def mlp(batch: int = 64, width: int = 512) -> Network:
    """Return the perceptron 784-512-512-10."""
    sizes = (784, width, width, 10)
    weights: dict[str, Shape] = {}
    for index, (ins, outs) in enumerate(pairwise(sizes)):
        weights |= {f"{index}.weight": (outs, ins), f"{index}.bias": (outs,)}

    def loss(of: Layers, w: Weights, x: Any, labels: Any) -> Any:
        for index in range(3):
            x = of.dense(x, w[f"{index}.weight"], w[f"{index}.bias"])
            x = of.relu(x) if index < 2 else x
        return of.cross_entropy(x, labels)

    return Network("MLP 784-512-512-10", loss, weights, (batch, 784), (batch,), 10)


def cnn(batch: int = 64, width: int = 32, size: int = 28) -> Network:
    """Return four convolutions with ReLU, two of them with strides, and a dense layer."""
    channels = (1, width, width, 2 * width, 2 * width)
    weights: dict[str, Shape] = {
        f"{index}.weight": (outs, ins, 3, 3) for index, (ins, outs) in enumerate(pairwise(channels))
    }
    weights |= {"top.weight": (10, 2 * width), "top.bias": (10,)}

    def loss(of: Layers, w: Weights, x: Any, labels: Any) -> Any:
        for index in range(4):
            x = of.relu(of.conv(x, w[f"{index}.weight"], 1 + index % 2))
        x = of.dense(of.mean(x, (2, 3)), w["top.weight"], w["top.bias"])
        return of.cross_entropy(x, labels)

    return Network("CNN of four convolutions", loss, weights, (batch, 1, size, size), (batch,), 10)


def _blocks(width: int) -> Iterator[tuple[str, int, int, int]]:
    """Yield the residual blocks of ResNet-18: name, channels in and out, strides."""
    ins = width
    for stage in range(4):
        outs = width << stage
        for block in range(2):
            yield f"{stage}.{block}", ins, outs, 2 if stage and not block else 1
            ins = outs


def resnet18(batch: int = 8, width: int = 64, size: int = 224, classes: int = 1000) -> Network:
    """Return ResNet-18 (He et al., 2016) with the statistics of the batch."""
    weights: dict[str, Shape] = {"stem.weight": (width, 3, 7, 7)}
    norms = {"stem": width}
    for name, ins, outs, strides in _blocks(width):
        weights |= {f"{name}.a.weight": (outs, ins, 3, 3), f"{name}.b.weight": (outs, outs, 3, 3)}
        norms |= {f"{name}.a": outs, f"{name}.b": outs}
        if strides > 1:
            weights[f"{name}.c.weight"] = (outs, ins, 1, 1)
            norms[f"{name}.c"] = outs
    for name, count in norms.items():
        weights |= {f"{name}.scale": (count,), f"{name}.shift": (count,)}
    weights |= {"top.weight": (classes, 8 * width), "top.bias": (classes,)}

    def normed(of: Layers, w: Weights, name: str, x: Any, strides: int) -> Any:
        found = of.conv(x, w[f"{name}.weight"], strides)
        return of.batch_norm(found, w[f"{name}.scale"], w[f"{name}.shift"])

    def loss(of: Layers, w: Weights, x: Any, labels: Any) -> Any:
        x = of.max_pool(of.relu(normed(of, w, "stem", x, 2)), 3, 2)
        for name, _, _, strides in _blocks(width):
            y = of.relu(normed(of, w, f"{name}.a", x, strides))
            y = normed(of, w, f"{name}.b", y, 1)
            x = of.relu(y + (normed(of, w, f"{name}.c", x, strides) if strides > 1 else x))
        return of.cross_entropy(
            of.dense(of.mean(x, (2, 3)), w["top.weight"], w["top.bias"]), labels
        )

    return Network("ResNet-18", loss, weights, (batch, 3, size, size), (batch,), classes)


def lstm(batch: int = 32, length: int = 64, hidden: int = 256, classes: int = 10) -> Network:
    """Return an LSTM of two layers over a sequence, and a dense layer at its end."""
    weights: dict[str, Shape] = {}
    for layer in range(2):
        weights |= {
            f"{layer}.by_input": (4 * hidden, hidden),
            f"{layer}.by_hidden": (4 * hidden, hidden),
            f"{layer}.bias": (4 * hidden,),
        }
    weights |= {"top.weight": (classes, hidden), "top.bias": (classes,)}

    def loss(of: Layers, w: Weights, x: Any, labels: Any) -> Any:
        for layer in range(2):
            parts = (w[f"{layer}.{part}"] for part in ("by_input", "by_hidden", "bias"))
            x = of.lstm(x, *parts)
        return of.cross_entropy(of.dense(of.mean(x, (0,)), w["top.weight"], w["top.bias"]), labels)

    return Network(f"LSTM 2×{hidden}", loss, weights, (length, batch, hidden), (batch,), classes)


def bert(
    batch: int = 8, length: int = 128, width: int = 512, layers: int = 4, words: int = 8000
) -> Network:
    """Return a BERT-small: an encoder of four layers with eight heads, and a loss for each word."""
    weights: dict[str, Shape] = {"words.table": (words, width), "places.table": (length, width)}
    for layer in range(layers):
        dense = {"q": (width, width), "k": (width, width), "v": (width, width), "o": (width, width)}
        dense |= {"up": (4 * width, width), "down": (width, 4 * width)}
        for name, (outs, ins) in dense.items():
            weights |= {f"{layer}.{name}": (outs, ins), f"{layer}.{name}.shift": (outs,)}
        for name in ("first", "second"):
            weights |= {f"{layer}.{name}.scale": (width,), f"{layer}.{name}.shift": (width,)}
    weights |= {"top.weight": (2, width), "top.bias": (2,)}
    heads, depth = 8, width // 8

    def attention(of: Layers, w: Weights, layer: int, x: Any) -> Any:
        split = (batch, length, heads, depth)
        q, k, v = (
            of.reshape(of.dense(x, w[f"{layer}.{n}"], w[f"{layer}.{n}.shift"]), split)
            for n in "qkv"
        )
        q, v = of.transpose(q, (0, 2, 1, 3)), of.transpose(v, (0, 2, 1, 3))
        scores = of.matmul(q, of.transpose(k, (0, 2, 3, 1))) * (depth**-0.5)
        mixed = of.transpose(of.matmul(of.softmax(scores), v), (0, 2, 1, 3))
        joined = of.reshape(mixed, (batch, length, width))
        return of.dense(joined, w[f"{layer}.o"], w[f"{layer}.o.shift"])

    def loss(of: Layers, w: Weights, ids: Any, labels: Any) -> Any:
        x = of.embedding(w["words.table"], ids) + w["places.table"]
        for layer in range(layers):
            x = x + attention(of, w, layer, x)
            x = of.layer_norm(x, w[f"{layer}.first.scale"], w[f"{layer}.first.shift"])
            y = of.gelu(of.dense(x, w[f"{layer}.up"], w[f"{layer}.up.shift"]))
            x = x + of.dense(y, w[f"{layer}.down"], w[f"{layer}.down.shift"])
            x = of.layer_norm(x, w[f"{layer}.second.scale"], w[f"{layer}.second.shift"])
        return of.cross_entropy(of.dense(of.mean(x, (1,)), w["top.weight"], w["top.bias"]), labels)

    return Network("BERT-small", loss, weights, (batch, length), (batch,), 2, vocabulary=words)


RATE = 1e-3
"""The learning rate of Adam."""

FULL: Mapping[str, Network] = {
    "mlp": mlp(), "cnn": cnn(), "resnet18": resnet18(), "lstm": lstm(), "bert": bert(),
}  # fmt: skip
"""The networks in the sizes that are compared."""

SMALL: Mapping[str, Network] = {
    "mlp": mlp(4, 16),
    "cnn": cnn(2, 4, 12),
    "resnet18": resnet18(4, 4, 64, 10),
    "lstm": lstm(2, 5, 8),
    "bert": bert(2, 6, 16, 2, 20),
}
"""Small versions of the networks, for tests."""
