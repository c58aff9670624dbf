"""Random convolution and matrix-multiplication shapes for the sweep, each a one-node ONNX model."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from benchmarks.contenders.case import Feeds

MOST_FLOPS = 2e9  # some ten milliseconds on one core: 300 shapes stay within minutes
ELEMENT = 4  # bytes of a float32


@dataclass(frozen=True)
class Gemm:
    """`y = a @ b`: a is (m, k), b is a constant (k, n), stored transposed if `transposed`."""

    m: int
    n: int
    k: int
    transposed: bool

    @property
    def name(self) -> str:
        """Return a name with the sizes."""
        return f"gemm m{self.m} n{self.n} k{self.k}" + (" bT" if self.transposed else "")

    @property
    def flops(self) -> float:
        """Return the number of operations; a multiply-add counts as two."""
        return 2.0 * self.m * self.n * self.k

    @property
    def traffic(self) -> float:
        """Return the bytes that must be transferred at least once."""
        return ELEMENT * (self.m * self.k + self.k * self.n + self.m * self.n)

    @property
    def input_shape(self) -> tuple[int, ...]:
        """Return the shape of the input that is not constant."""
        return self.m, self.k

    @property
    def weight_shape(self) -> tuple[int, ...]:
        """Return the shape of the constant."""
        return (self.n, self.k) if self.transposed else (self.k, self.n)

    def node(self) -> onnx.NodeProto:
        """Return the node that maps x and w to y."""
        return helper.make_node("Gemm", ["x", "w"], ["y"], transB=int(self.transposed))


@dataclass(frozen=True)
class Convolution:
    """A convolution over one, two or three spatial dimensions with symmetric padding."""

    batch: int
    into: int
    out: int
    size: tuple[int, ...]
    kernel: tuple[int, ...]
    stride: int
    padding: int
    dilation: int
    groups: int

    @property
    def name(self) -> str:
        """Return a name with the sizes, without defaults."""

        def join(sizes: tuple[int, ...]) -> str:
            return "x".join(map(str, sizes))

        text = f"conv{len(self.size)}d n{self.batch} {self.into}->{self.out} {join(self.size)}"
        text += f" k{join(self.kernel)} s{self.stride} p{self.padding}"
        text += f" d{self.dilation}" if self.dilation > 1 else ""
        return text + (f" g{self.groups}" if self.groups > 1 else "")

    @property
    def image(self) -> tuple[int, ...]:
        """Return the spatial sizes of the result."""
        return tuple(
            (size + 2 * self.padding - self.dilation * (kernel - 1) - 1) // self.stride + 1
            for size, kernel in zip(self.size, self.kernel, strict=True)
        )

    @property
    def flops(self) -> float:
        """Return the number of operations of the direct algorithm; a multiply-add counts as two."""
        window = self.into // self.groups * int(np.prod(self.kernel))
        return 2.0 * self.batch * self.out * float(np.prod(self.image)) * window

    @property
    def traffic(self) -> float:
        """Return the bytes that must be transferred at least once."""
        result = self.batch * self.out * int(np.prod(self.image))
        inputs = int(np.prod(self.input_shape)) + int(np.prod(self.weight_shape))
        return ELEMENT * (inputs + result)

    @property
    def input_shape(self) -> tuple[int, ...]:
        """Return the shape of the input that is not constant."""
        return self.batch, self.into, *self.size

    @property
    def weight_shape(self) -> tuple[int, ...]:
        """Return the shape of the constant."""
        return self.out, self.into // self.groups, *self.kernel

    def node(self) -> onnx.NodeProto:
        """Return the node that maps x and w to y."""
        rank = len(self.size)
        return helper.make_node(
            "Conv",
            ["x", "w"],
            ["y"],
            kernel_shape=self.kernel,
            strides=[self.stride] * rank,
            pads=[self.padding] * 2 * rank,
            dilations=[self.dilation] * rank,
            group=self.groups,
        )


Shape = Gemm | Convolution


def model_of(shape: Shape, seed: int) -> tuple[onnx.ModelProto, Feeds]:
    """Return the one-node model of `shape` with a constant weight, and its input."""
    random = np.random.default_rng(seed)
    weight = random.standard_normal(shape.weight_shape, dtype=np.float32)
    x = random.standard_normal(shape.input_shape, dtype=np.float32)
    rank = len(shape.input_shape)
    graph = helper.make_graph(
        [shape.node()],
        "one_node",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape.input_shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None] * rank)],
        [numpy_helper.from_array(weight, "w")],
    )
    opsets = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8), {"x": x}


def random_shapes(count: int, seed: int) -> list[Shape]:
    """Draw `count` distinct shapes: a third matrix products, the rest convolutions."""
    random = np.random.default_rng(seed)
    shapes: dict[Shape, None] = {}
    for index, draw in enumerate(_draws(random)):
        if len(shapes) == count:
            break
        shape = draw if index % 3 else _gemm(random)
        if 0 < shape.flops <= MOST_FLOPS:
            shapes[shape] = None
    return list(shapes)


def _draws(random: np.random.Generator) -> Iterator[Convolution]:
    makers = (_square, _square, _depthwise, _grouped, _flat, _solid)
    while True:
        shape = makers[random.integers(len(makers))](random)
        if min(shape.image) > 0:
            yield shape


def _size(random: np.random.Generator, low: int, high: int) -> int:
    """Draw a size, log-uniformly with a preference for large ones; half are multiples of eight."""
    exponent = random.uniform(np.log(low), np.log(high + 1), 2).max()
    size = round(float(np.exp(exponent)))
    if random.random() < 0.5 and size >= 8:
        size = round(size / 8) * 8
    return min(max(size, low), high)


def _pick(random: np.random.Generator, *values: int) -> int:
    return values[random.integers(len(values))]


def _gemm(random: np.random.Generator) -> Gemm:
    m = 1 if random.random() < 0.2 else _size(random, 1, 1024)
    n, k = _size(random, 1, 2048), _size(random, 1, 2048)
    return Gemm(m, n, k, bool(random.integers(2)))


def _window(random: np.random.Generator, rank: int, largest: int) -> dict[str, Any]:
    odd = [k for k in (1, 2, 3, 3, 3, 5, 7) if k <= largest]
    kernel = _pick(random, *odd)
    kernels = (kernel,) * rank
    if random.random() < 0.2:
        kernels = tuple(_pick(random, *odd) for _ in range(rank))
    dilation = _pick(random, 1, 1, 1, 2, 3)
    padding = _pick(random, 0, kernel // 2 * dilation, kernel // 2)
    strides = _pick(random, 1, 1, 2, 3)
    return {"kernel": kernels, "dilation": dilation, "padding": padding, "stride": strides}


def _sides(random: np.random.Generator, rank: int, high: int) -> tuple[int, ...]:
    side = _size(random, 1, high)
    if random.random() < 0.6:
        return (side,) * rank
    return tuple(_size(random, 1, high) for _ in range(rank))


def _square(random: np.random.Generator) -> Convolution:
    into, out = _size(random, 1, 512), _size(random, 1, 512)
    window = _window(random, 2, 7)
    return Convolution(_pick(random, 1, 1, 1, 3), into, out, _sides(random, 2, 128),
                       groups=1, **window)  # fmt: skip


def _depthwise(random: np.random.Generator) -> Convolution:
    channels, factor = _size(random, 2, 768), _pick(random, 1, 1, 1, 2)
    window = _window(random, 2, 7)
    return Convolution(1, channels, channels * factor, _sides(random, 2, 128),
                       groups=channels, **window)  # fmt: skip


def _grouped(random: np.random.Generator) -> Convolution:
    groups = _size(random, 2, 32)
    into, out = groups * _size(random, 1, 24), groups * _size(random, 1, 24)
    window = _window(random, 2, 5)
    return Convolution(1, into, out, _sides(random, 2, 96),
                       groups=groups, **window)  # fmt: skip


def _flat(random: np.random.Generator) -> Convolution:
    into, out = _size(random, 1, 512), _size(random, 1, 512)
    window = _window(random, 1, 7)
    return Convolution(_pick(random, 1, 1, 4), into, out, _sides(random, 1, 4096),
                       groups=1, **window)  # fmt: skip


def _solid(random: np.random.Generator) -> Convolution:
    into, out = _size(random, 1, 128), _size(random, 1, 128)
    window = _window(random, 3, 3)
    return Convolution(1, into, out, _sides(random, 3, 32),
                       groups=1, **window)  # fmt: skip
