"""The content of a TensorFlow Lite file as data classes."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from relay.ir.expr import Array
from relay.support.dtype import DType


@dataclass(frozen=True)
class Quantization:
    """The float32 scales and the zero points of a tensor: one, or one per index of an axis."""

    scales: Array
    zeros: Array
    axis: int


@dataclass(frozen=True)
class LiteTensor:
    """A tensor of a graph, with its value if it is constant.

    `shape` is None if the rank is unknown. A variable keeps its value between runs.
    """

    name: str
    shape: tuple[int, ...] | None
    dtype: DType | None
    element: str
    data: Array | None = None
    quantization: Quantization | None = None
    is_variable: bool = False

    @property
    def is_quantized(self) -> bool:
        """Whether the elements are quantised: integers that represent real numbers."""
        return self.quantization is not None and self.dtype is not None and self.dtype.is_integer

    @property
    def scale(self) -> np.float32:
        """Return the scale of a quantised tensor; with one per channel, the first."""
        assert self.quantization is not None, f"{self.name} is quantised"
        return np.float32(self.quantization.scales[0])

    @property
    def zero(self) -> int:
        """Return the zero point of a quantised tensor; with one per channel, the first."""
        assert self.quantization is not None, f"{self.name} is quantised"
        return int(self.quantization.zeros[0])


@dataclass(frozen=True)
class LiteOperator:
    """A node: its operator, and the indices of its input and output tensors.

    An omitted optional input has index -1.

    `intermediates` are tensors that only describe values inside of the operator. `options` is a
    table of the schema, or None; for a custom operator it is bytes.
    """

    name: str
    is_custom: bool
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    intermediates: tuple[int, ...]
    options: Any
    custom_options: bytes

    @property
    def key(self) -> str:
        """Return the key of the operator in the table of translations; marks custom operators."""
        return f"custom {self.name}" if self.is_custom else self.name


@dataclass(frozen=True)
class LiteGraph:
    """A graph: tensors, nodes in topological order, inputs and outputs."""

    name: str
    tensors: tuple[LiteTensor, ...]
    operators: tuple[LiteOperator, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


@dataclass(frozen=True)
class LiteModel:
    """The graphs of a file; the first is the main graph, the others are bodies of control flow."""

    graphs: tuple[LiteGraph, ...]
