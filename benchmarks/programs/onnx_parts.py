"""Helpers for writing ONNX models node by node."""

from collections.abc import Sequence
from typing import Any

import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper


def node(kind: str, inputs: str, outputs: str, **attributes: Any) -> onnx.NodeProto:
    """Return a node; `inputs` and `outputs` are names separated by spaces."""
    return helper.make_node(kind, inputs.split(), outputs.split(), **attributes)


def port(name: str, dtype: int, *shape: int | str) -> onnx.ValueInfoProto:
    """Return an input or output of a graph."""
    return helper.make_tensor_value_info(name, dtype, shape)


def constant(name: str, value: NDArray[Any]) -> onnx.TensorProto:
    """Return an array as a named initialiser."""
    return numpy_helper.from_array(value.copy(), name)


def model(
    nodes: Sequence[onnx.NodeProto],
    inputs: Sequence[onnx.ValueInfoProto],
    outputs: Sequence[onnx.ValueInfoProto],
    constants: Sequence[onnx.TensorProto],
) -> onnx.ModelProto:
    """Return a checked model of one graph."""
    graph = helper.make_graph(nodes, "program", inputs, outputs, constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(made)
    return made
