"""The table of benchmark networks by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from benchmarks.cache import cache_directory
from benchmarks.networks import convolutional, dense, transformer
from benchmarks.networks.layers import Layers, Weights
from benchmarks.networks.onnx_layers import OnnxLayers

Feeds = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Network:
    """A network: its description, and how to draw the inputs that it is measured on."""

    name: str
    describe: Callable[[Layers[Any], Weights], None]
    inputs: Callable[[np.random.Generator], Feeds]
    whole_layer_norm: bool = True
    seed: int = 7

    def build(self, layers: Layers[Any]) -> None:
        """Build the network with `layers` and the same weights for every engine."""
        self.describe(layers, Weights(self.seed))

    def onnx_file(self) -> Path:
        """Return the path of the ONNX file in the cache, written on first use."""
        path = cache_directory("networks") / f"{self.name}-{self.seed}.onnx"
        if not path.exists():
            layers = OnnxLayers(self.name, self.whole_layer_norm)
            self.build(layers)
            partial_path = path.with_suffix(".partial")
            onnx.save(layers.finish(), partial_path)
            partial_path.rename(path)
        return path

    def feeds(self) -> Feeds:
        """Draw the inputs, the same on every call."""
        return self.inputs(np.random.default_rng(self.seed + 1))


def _floats(shapes: Mapping[str, tuple[int, ...]]) -> Callable[[np.random.Generator], Feeds]:
    def draw(random: np.random.Generator) -> Feeds:
        return {n: random.standard_normal(s, dtype=np.float32) for n, s in shapes.items()}

    return draw


def _tokens(sizes: transformer.Encoder) -> Callable[[np.random.Generator], Feeds]:
    def draw(random: np.random.Generator) -> Feeds:
        shape = (1, sizes.length)
        mask = np.ones(shape, np.int64)
        mask[:, sizes.length * 7 // 8 :] = 0  # some padding, so that the mask matters
        return {
            "input_ids": random.integers(0, sizes.vocabulary, shape, np.int64),
            "attention_mask": mask,
            "token_type_ids": np.zeros(shape, np.int64),
        }

    return draw


def _encoder(sizes: transformer.Encoder) -> Callable[[Layers[Any], Weights], None]:
    return partial(transformer.encoder, sizes=sizes)


def _catalogue() -> list[Network]:
    image = _floats({"image": (1, 3, 224, 224)})
    bert, small = transformer.BERT_BASE, transformer.SMALL
    return [
        Network("resnet18", convolutional.resnet18, image),
        Network("resnet50", convolutional.resnet50, image),
        Network("mobilenet_v2", convolutional.mobilenet_v2, image),
        Network("vgg16", convolutional.vgg16, image),
        Network("dqn", convolutional.dqn, _floats({"frames": (1, 4, 84, 84)})),
        Network("mlp", partial(dense.perceptron, batch=1), _floats({"digits": (1, 784)})),
        Network("mlp64", partial(dense.perceptron, batch=64), _floats({"digits": (64, 784)})),
        Network("bert", _encoder(bert), _tokens(bert)),
        Network("bert_small", _encoder(transformer.BERT_SMALL), _tokens(transformer.BERT_SMALL)),
        Network("bert_decomposed", _encoder(bert), _tokens(bert), whole_layer_norm=False),
        Network("encoder6", _encoder(small), _tokens(small)),
        Network("encoder6_decomposed", _encoder(small), _tokens(small), whole_layer_norm=False),
    ]


NETWORKS: dict[str, Network] = {network.name: network for network in _catalogue()}
