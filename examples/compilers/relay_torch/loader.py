"""The loader part: a table from operators to PyTorch's functions, and an interpreter of steps."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.nn import functional

from relay.runtime.arguments import Array
from relay.runtime.external_region_format import read_steps

Attributes = Mapping[str, Any]


def bias_add(at: Attributes, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Add a vector along an axis."""
    return x + bias.reshape(-1, *[1] * (x.dim() - 1 - at["axis"] % x.dim()))


def conv2d(at: Attributes, x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """Convolve images."""
    pads, dilation = at["padding"][:2], at["dilation"]
    return functional.conv2d(x, w, None, at["strides"], pads, dilation, at["groups"])


def max_pool2d(at: Attributes, x: torch.Tensor) -> torch.Tensor:
    """Take maxima of windows; PyTorch limits its own padding to half a window."""
    top, left = at["padding"][:2]
    x = functional.pad(x, (left, left, top, top), value=float("-inf"))
    return functional.max_pool2d(x, at["pool_size"], at["strides"], 0, at["dilation"])


def batch_matmul(at: Attributes, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Multiply matrices, either of them transposed."""
    return (a.mT if at["transpose_a"] else a) @ (b.mT if at["transpose_b"] else b)


def batch_norm(at: Attributes, *given: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Normalise by given statistics, which are results, too."""
    x, gamma, beta, mean, var = given
    return functional.batch_norm(x, mean, var, gamma, beta, eps=at["epsilon"]), mean, var


def layer_norm(at: Attributes, x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Normalise rows."""
    return functional.layer_norm(x, w.shape, w, b, at["epsilon"])


def transpose(at: Attributes, x: torch.Tensor) -> torch.Tensor:
    """Reorder axes."""
    return x.permute(at["axes"] or tuple(reversed(range(x.dim()))))


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "add": lambda _, a, b: a + b,
    "subtract": lambda _, a, b: a - b,
    "multiply": lambda _, a, b: a * b,
    "divide": lambda _, a, b: a / b,
    "clip": lambda at, x: x.clamp(at["a_min"], at["a_max"]),
    "exp": lambda _, x: x.exp(),
    "sqrt": lambda _, x: x.sqrt(),
    "erf": lambda _, x: x.erf(),
    "sigmoid": lambda _, x: x.sigmoid(),
    "tanh": lambda _, x: x.tanh(),
    "nn.relu": lambda _, x: x.relu(),
    "nn.softmax": lambda at, x: x.softmax(at["axis"]),
    "nn.dense": lambda _, x, w: functional.linear(x, w),
    "nn.global_avg_pool2d": lambda _, x: x.mean((2, 3), keepdim=True),
    "nn.bias_add": bias_add,
    "nn.conv2d": conv2d,
    "nn.max_pool2d": max_pool2d,
    "nn.batch_matmul": batch_matmul,
    "nn.batch_norm": batch_norm,
    "nn.layer_norm": layer_norm,
    "transpose": transpose,
}


class Region:
    """A loaded region."""

    def __init__(self, code: bytes, threads: int) -> None:
        self._threads = threads
        self._steps = read_steps(code)
        self._constants = [torch.from_numpy(each.copy()) for each in self._steps.constants]
        self._functions = [FUNCTIONS[step.operator] for step in self._steps.steps]

    def __call__(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        """Compute the outputs; inputs are read in place, and results are copied."""
        if torch.get_num_threads() != self._threads:
            torch.set_num_threads(self._threads)
        with torch.inference_mode():
            values = [*map(torch.from_numpy, inputs), *self._constants]
            for step, function in zip(self._steps.steps, self._functions, strict=True):
                operands = (values[number] for number in step.operands)
                made = function(step.attributes, *operands)
                values += made if isinstance(made, tuple) else (made,)
            for number, output in zip(self._steps.results, outputs, strict=True):
                torch.from_numpy(output).copy_(values[number])


load = Region
