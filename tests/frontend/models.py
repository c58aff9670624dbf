"""Small ONNX models for tests."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Shape = Sequence[int | str | None]


def model(
    nodes: Sequence[onnx.NodeProto],
    inputs: Mapping[str, Shape],
    outputs: Sequence[str],
    *,
    weights: Mapping[str, NDArray[Any]] | None = None,
    types: Mapping[str, int] | None = None,
    opset: int = 17,
) -> onnx.ModelProto:
    """Return a model; inputs are float32 unless `types` says otherwise."""
    kinds = types or {}
    graph = helper.make_graph(
        nodes,
        "graph",
        [
            helper.make_tensor_value_info(name, kinds.get(name, TensorProto.FLOAT), shape)
            for name, shape in inputs.items()
        ],
        [helper.make_tensor_value_info(name, kinds.get(name, 1), None) for name in outputs],
        [numpy_helper.from_array(np.asarray(w), name) for name, w in (weights or {}).items()],
    )
    domains = {node.domain for node in nodes} - {""}
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(d, 1) for d in domains)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def classifier() -> onnx.ModelProto:
    """Return a small convolutional network with constant weights."""
    rng = np.random.default_rng(0)
    weights = {
        "w": rng.normal(size=(4, 3, 3, 3)).astype("f"),
        "b": rng.normal(size=4).astype("f"),
        "shape": np.array([1, -1]),
        "f": rng.normal(size=(36, 5)).astype("f"),
    }
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], kernel_shape=[3, 3]),
        helper.make_node("Relu", ["c"], ["r"]),
        helper.make_node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2], strides=[1, 1]),
        helper.make_node("Reshape", ["p", "shape"], ["q"]),
        helper.make_node("Gemm", ["q", "f"], ["z"], alpha=0.5),
        helper.make_node("Softmax", ["z"], ["y"], axis=-1),
    ]
    return model(nodes, {"x": [1, 3, 6, 6]}, ["y"], weights=weights)
