"""The interface in which a benchmark network is written once and built for every engine.

A network is a function of a `Layers` (which builds ONNX nodes or PyTorch calls) and a `Weights`
(seeded random arrays). Both builds call the same function with the same seed, so they have the same
weights, and each engine gets the form that its own users would write: ONNX gets the decomposed
nodes of an exporter, PyTorch gets `linear`, `gelu` and `scaled_dot_product_attention`.
"""

from abc import ABC, abstractmethod
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
V = TypeVar("V")  # what stands for a value while building: a name in ONNX, a slot in PyTorch


class Norm(NamedTuple):
    """The four vectors of a batch normalisation in inference mode, each of shape (channels,)."""

    scale: Array
    bias: Array
    mean: Array
    variance: Array


class Attention(NamedTuple):
    """Projections of one self-attention: (width, width) matrices, applied as `x @ w + b`."""

    query: tuple[Array, Array]
    key: tuple[Array, Array]
    value: tuple[Array, Array]
    output: tuple[Array, Array]
    heads: int


class Weights:
    """A seeded source of weights that keep activations near unit size."""

    def __init__(self, seed: int) -> None:
        """Start the stream of random numbers at `seed`."""
        self._random = np.random.default_rng(seed)

    def normal(self, *shape: int, deviation: float = 1.0) -> Array:
        """Draw normal values with the given standard deviation."""
        values = self._random.standard_normal(shape, dtype=np.float32)
        values *= np.float32(deviation)
        return values

    def convolution(self, out: int, into: int, *kernel: int, gain: float = 2.0) -> Array:
        """Draw a filter of shape (out, into, *kernel); `gain` 2 is He's rule for relu."""
        fan_in = into * int(np.prod(kernel))
        return self.normal(out, into, *kernel, deviation=(gain / fan_in) ** 0.5)

    def norm(self, channels: int, scale: float = 1.0) -> Norm:
        """Draw the statistics of a batch normalisation whose mean scale is `scale`."""

        def around(middle: float) -> Array:
            factor = self._random.uniform(0.8, 1.2, channels)
            return (middle * factor).astype(np.float32)

        shift, mean = (self.normal(channels, deviation=0.1) for _ in range(2))
        return Norm(around(scale), shift, mean, around(1.0))

    def dense(self, into: int, out: int, deviation: float | None = None) -> tuple[Array, Array]:
        """Draw a matrix (into, out) and its bias (out,); He's rule unless `deviation` is given."""
        spread = (2.0 / into) ** 0.5 if deviation is None else deviation
        return self.normal(into, out, deviation=spread), self.normal(out, deviation=0.02)

    def attention(self, width: int, heads: int, deviation: float) -> Attention:
        """Draw the four projections of a self-attention."""
        q, k, v, out = (self.dense(width, width, deviation) for _ in range(4))
        return Attention(q, k, v, out, heads)


class Layers(ABC, Generic[V]):
    """The layers that an engine builds. Images are NCHW, sequences (batch, length, width)."""

    @abstractmethod
    def input(self, name: str, shape: tuple[int, ...], dtype: str = "float32") -> V:
        """Declare an input of the network."""

    @abstractmethod
    def output(self, name: str, value: V, shape: tuple[int, ...]) -> None:
        """Declare `value` an output of the network."""

    @abstractmethod
    def conv(
        self, x: V, weight: Array, bias: Array | None, stride: int, padding: int, groups: int
    ) -> V:
        """Convolve; `weight` has shape (out, in / groups, height, width)."""

    @abstractmethod
    def batch_norm(self, x: V, norm: Norm) -> V:
        """Normalise each channel with stored statistics."""

    @abstractmethod
    def relu(self, x: V) -> V:
        """Replace negative elements by zero."""

    @abstractmethod
    def relu6(self, x: V) -> V:
        """Limit elements to [0, 6]."""

    @abstractmethod
    def add(self, x: V, y: V) -> V:
        """Add two values of one shape."""

    @abstractmethod
    def max_pool(self, x: V, kernel: int, stride: int, padding: int) -> V:
        """Take the maximum of each window."""

    @abstractmethod
    def global_average(self, x: V) -> V:
        """Average over the image: (n, c, h, w) to (n, c, 1, 1)."""

    @abstractmethod
    def flatten(self, x: V) -> V:
        """Join every axis but the first."""

    @abstractmethod
    def linear(self, x: V, weight: Array, bias: Array) -> V:
        """Compute `x @ weight + bias` over a matrix (batch, in)."""

    @abstractmethod
    def project(self, x: V, weight: Array, bias: Array) -> V:
        """Compute `x @ weight + bias` over a sequence (batch, length, in)."""

    @abstractmethod
    def embed(self, ids: V, table: Array) -> V:
        """Look up the rows of `table` that `ids` name."""

    @abstractmethod
    def add_constant(self, x: V, constant: Array) -> V:
        """Add an array that broadcasts to the shape of `x`."""

    @abstractmethod
    def layer_norm(self, x: V, scale: Array, bias: Array, epsilon: float) -> V:
        """Normalise the last axis."""

    @abstractmethod
    def gelu(self, x: V) -> V:
        """Apply the exact (erf) Gaussian error linear unit."""

    @abstractmethod
    def tanh(self, x: V) -> V:
        """Apply the hyperbolic tangent."""

    @abstractmethod
    def additive_mask(self, mask: V) -> V:
        """Turn an int64 mask (batch, length) of ones and zeros into scores to add, 0 or -1e9."""

    @abstractmethod
    def self_attention(self, x: V, mask: V, shape: tuple[int, int], weights: Attention) -> V:
        """Attend over a sequence of `shape` (length, width), adding `mask` to the scores."""

    @abstractmethod
    def first_token(self, x: V) -> V:
        """Select the first element of each sequence: (batch, length, width) to (batch, width)."""
