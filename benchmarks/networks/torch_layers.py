"""Layers as calls of PyTorch's functional operators, run eagerly one after the other."""

from collections.abc import Callable

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

from benchmarks.networks.layers import Array, Attention, Layers, Norm

Step = Callable[..., Tensor]


class EagerModule(nn.Module):
    """Runs prepared steps in order; each reads earlier slots and fills the next one."""

    def __init__(
        self, inputs: int, steps: list[tuple[Step, tuple[int, ...]]], outputs: list[int]
    ) -> None:
        """Keep the steps; slots `0 … inputs-1` are the arguments."""
        super().__init__()
        self._inputs, self._steps, self._outputs = inputs, steps, outputs
        self._last_use = _last_uses(inputs, steps, outputs)

    def forward(self, *arguments: Tensor) -> list[Tensor]:
        """Return the outputs for the given arguments; dead values are dropped on the way."""
        values: list[Tensor | None] = list(arguments)
        for (step, reads), dead in zip(self._steps, self._last_use, strict=True):
            values.append(step(*[values[slot] for slot in reads]))
            for slot in dead:
                values[slot] = None
        return [value for slot in self._outputs if (value := values[slot]) is not None]


def _last_uses(
    inputs: int, steps: list[tuple[Step, tuple[int, ...]]], outputs: list[int]
) -> list[list[int]]:
    last = {slot: index for index, (_, reads) in enumerate(steps) for slot in reads}
    dead: list[list[int]] = [[] for _ in steps]
    for slot, index in last.items():
        if slot >= inputs and slot not in outputs:
            dead[index].append(slot)
    return dead


def _tensor(array: NDArray[np.generic]) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(array))


class TorchLayers(Layers[int]):
    """Collects steps; a value is the number of its slot. `finish` returns the module."""

    def __init__(self) -> None:
        """Start with no inputs and no steps."""
        self._inputs = 0
        self._steps: list[tuple[Step, tuple[int, ...]]] = []
        self._outputs: list[int] = []

    def finish(self) -> EagerModule:
        """Return the module in inference mode."""
        return EagerModule(self._inputs, self._steps, self._outputs).eval()

    def _step(self, function: Step, *reads: int) -> int:
        self._steps.append((function, reads))
        return self._inputs + len(self._steps) - 1

    def input(self, name: str, shape: tuple[int, ...], dtype: str = "float32") -> int:
        assert not self._steps, "inputs are declared before the first layer"
        self._inputs += 1
        return self._inputs - 1

    def output(self, name: str, value: int, shape: tuple[int, ...]) -> None:
        self._outputs.append(value)

    def conv(
        self, x: int, weight: Array, bias: Array | None, stride: int, padding: int, groups: int
    ) -> int:
        w, b = _tensor(weight), None if bias is None else _tensor(bias)
        return self._step(lambda v: F.conv2d(v, w, b, stride, padding, 1, groups), x)

    def batch_norm(self, x: int, norm: Norm) -> int:
        scale, bias, mean, variance = (_tensor(a) for a in norm)
        return self._step(
            lambda v: F.batch_norm(v, mean, variance, scale, bias, training=False, eps=1e-5), x
        )

    def relu(self, x: int) -> int:
        return self._step(torch.relu, x)

    def relu6(self, x: int) -> int:
        return self._step(F.relu6, x)

    def add(self, x: int, y: int) -> int:
        return self._step(torch.add, x, y)

    def max_pool(self, x: int, kernel: int, stride: int, padding: int) -> int:
        return self._step(lambda v: F.max_pool2d(v, kernel, stride, padding), x)

    def global_average(self, x: int) -> int:
        return self._step(lambda v: F.adaptive_avg_pool2d(v, 1), x)

    def flatten(self, x: int) -> int:
        return self._step(lambda v: torch.flatten(v, 1), x)

    def linear(self, x: int, weight: Array, bias: Array) -> int:
        w, b = _tensor(weight.T), _tensor(bias)
        return self._step(lambda v: F.linear(v, w, b), x)

    def project(self, x: int, weight: Array, bias: Array) -> int:
        return self.linear(x, weight, bias)

    def embed(self, ids: int, table: Array) -> int:
        rows = _tensor(table)
        return self._step(lambda v: F.embedding(v, rows), ids)

    def add_constant(self, x: int, constant: Array) -> int:
        other = _tensor(constant)
        return self._step(lambda v: v + other, x)

    def layer_norm(self, x: int, scale: Array, bias: Array, epsilon: float) -> int:
        s, b = _tensor(scale), _tensor(bias)
        return self._step(lambda v: F.layer_norm(v, s.shape, s, b, epsilon), x)

    def gelu(self, x: int) -> int:
        return self._step(F.gelu, x)

    def tanh(self, x: int) -> int:
        return self._step(torch.tanh, x)

    def additive_mask(self, mask: int) -> int:
        return self._step(lambda v: (1.0 - v[:, None, None, :].float()) * -1e9, mask)

    def self_attention(self, x: int, mask: int, shape: tuple[int, int], weights: Attention) -> int:
        pairs = (weights.query, weights.key, weights.value)
        query, key, value = (self._heads(x, pair, shape, weights.heads) for pair in pairs)
        mixed = self._step(F.scaled_dot_product_attention, query, key, value, mask)
        joined = self._step(lambda v: v.transpose(1, 2).reshape(1, *shape), mixed)
        return self.project(joined, *weights.output)

    def _heads(self, x: int, pair: tuple[Array, Array], shape: tuple[int, int], heads: int) -> int:
        split = (1, shape[0], heads, shape[1] // heads)
        return self._step(lambda v: v.view(split).transpose(1, 2), self.project(x, *pair))

    def first_token(self, x: int) -> int:
        return self._step(lambda v: v[:, 0], x)
