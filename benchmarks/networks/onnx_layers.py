"""Layers as ONNX nodes, in the decomposed form that the PyTorch exporter writes."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from benchmarks.networks.layers import Array, Attention, Layers, Norm

OPSET = 17  # the first that has LayerNormalization, so both of its forms can be written


class OnnxLayers(Layers[str]):
    """Writes nodes; a value is its name. `finish` returns the model.

    `whole_layer_norm` chooses the operator LayerNormalization; otherwise it is written as the
    nine nodes of older exporters.
    """

    def __init__(self, name: str, whole_layer_norm: bool = True) -> None:
        """Start an empty graph called `name`."""
        self._name = name
        self._whole_layer_norm = whole_layer_norm
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[onnx.TensorProto] = []
        self._inputs: list[onnx.ValueInfoProto] = []
        self._outputs: list[onnx.ValueInfoProto] = []

    def finish(self) -> onnx.ModelProto:
        """Return the checked model."""
        graph = helper.make_graph(
            self._nodes, self._name, self._inputs, self._outputs, self._weights
        )
        opsets = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        onnx.checker.check_model(model)
        return model

    def _op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"{kind.lower()}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [name], name, **attributes))
        return name

    def _constant(self, array: NDArray[np.generic] | np.generic) -> str:
        name = f"weight_{len(self._weights)}"
        self._weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def _scalar(self, value: float) -> str:
        return self._constant(np.float32(value))

    def _shape(self, sizes: Iterable[int]) -> str:
        return self._constant(np.array(list(sizes), np.int64))

    def input(self, name: str, shape: tuple[int, ...], dtype: str = "float32") -> str:
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        self._inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, name: str, value: str, shape: tuple[int, ...]) -> None:
        self._nodes.append(helper.make_node("Identity", [value], [name], name))
        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def conv(
        self, x: str, weight: Array, bias: Array | None, stride: int, padding: int, groups: int
    ) -> str:
        constants = [self._constant(a) for a in (weight, bias) if a is not None]
        return self._op(
            "Conv",
            x,
            *constants,
            kernel_shape=list(weight.shape[2:]),
            strides=[stride] * 2,
            pads=[padding] * 4,
            dilations=[1, 1],
            group=groups,
        )

    def batch_norm(self, x: str, norm: Norm) -> str:
        constants = [self._constant(a) for a in norm]
        return self._op("BatchNormalization", x, *constants, epsilon=1e-5)

    def relu(self, x: str) -> str:
        return self._op("Relu", x)

    def relu6(self, x: str) -> str:
        return self._op("Clip", x, self._scalar(0.0), self._scalar(6.0))

    def add(self, x: str, y: str) -> str:
        return self._op("Add", x, y)

    def max_pool(self, x: str, kernel: int, stride: int, padding: int) -> str:
        window = {"kernel_shape": [kernel] * 2, "strides": [stride] * 2, "pads": [padding] * 4}
        return self._op("MaxPool", x, **window)

    def global_average(self, x: str) -> str:
        return self._op("GlobalAveragePool", x)

    def flatten(self, x: str) -> str:
        return self._op("Flatten", x, axis=1)

    def linear(self, x: str, weight: Array, bias: Array) -> str:
        stored = self._constant(np.ascontiguousarray(weight.T))  # as exporters store nn.Linear
        return self._op("Gemm", x, stored, self._constant(bias), transB=1)

    def project(self, x: str, weight: Array, bias: Array) -> str:
        return self._op("Add", self._op("MatMul", x, self._constant(weight)), self._constant(bias))

    def embed(self, ids: str, table: Array) -> str:
        return self._op("Gather", self._constant(table), ids, axis=0)

    def add_constant(self, x: str, constant: Array) -> str:
        return self._op("Add", x, self._constant(constant))

    def layer_norm(self, x: str, scale: Array, bias: Array, epsilon: float) -> str:
        scale_name, bias_name = self._constant(scale), self._constant(bias)
        if self._whole_layer_norm:
            return self._op(
                "LayerNormalization", x, scale_name, bias_name, axis=-1, epsilon=epsilon
            )
        centred = self._op("Sub", x, self._op("ReduceMean", x, axes=[-1]))
        square = self._op("Pow", centred, self._scalar(2.0))
        variance = self._op("ReduceMean", square, axes=[-1])
        deviation = self._op("Sqrt", self._op("Add", variance, self._scalar(epsilon)))
        unit = self._op("Div", centred, deviation)
        return self._op("Add", self._op("Mul", unit, scale_name), bias_name)

    def gelu(self, x: str) -> str:
        curve = self._op("Erf", self._op("Div", x, self._scalar(math.sqrt(2.0))))
        weighted = self._op("Mul", x, self._op("Add", curve, self._scalar(1.0)))
        return self._op("Mul", weighted, self._scalar(0.5))

    def tanh(self, x: str) -> str:
        return self._op("Tanh", x)

    def additive_mask(self, mask: str) -> str:
        wide = self._op("Unsqueeze", mask, self._shape([1, 2]))
        kept = self._op("Cast", wide, to=TensorProto.FLOAT)
        dropped = self._op("Sub", self._scalar(1.0), kept)
        return self._op("Mul", dropped, self._scalar(-1e9))

    def self_attention(self, x: str, mask: str, shape: tuple[int, int], weights: Attention) -> str:
        length, width = shape
        size = width // weights.heads
        split = [1, length, weights.heads, size]

        def heads(pair: tuple[Array, Array], order: list[int]) -> str:
            projected = self._op("Reshape", self.project(x, *pair), self._shape(split))
            return self._op("Transpose", projected, perm=order)

        query = heads(weights.query, [0, 2, 1, 3])
        key = heads(weights.key, [0, 2, 3, 1])
        value = heads(weights.value, [0, 2, 1, 3])
        scores = self._op("Div", self._op("MatMul", query, key), self._scalar(math.sqrt(size)))
        share = self._op("Softmax", self._op("Add", scores, mask), axis=-1)
        mixed = self._op("Transpose", self._op("MatMul", share, value), perm=[0, 2, 1, 3])
        joined = self._op("Reshape", mixed, self._shape([1, length, width]))
        return self.project(joined, *weights.output)

    def first_token(self, x: str) -> str:
        return self._op("Gather", x, self._constant(np.int64(0)), axis=1)
