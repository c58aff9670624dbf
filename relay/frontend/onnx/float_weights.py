"""Return the floating-point weights of an ONNX model by name."""

from os import PathLike
from pathlib import Path
from typing import Any, cast

import onnx
from onnx import numpy_helper

from relay.frontend.onnx.read_model import parse_model, read_model
from relay.ir.expr import Array


def float_weights(model: "str | PathLike[str] | bytes | Any") -> dict[str, Array]:
    """Return the floating-point weights of a model by name, except scalars."""
    if isinstance(model, bytes):
        model = parse_model(model, "model")
    elif isinstance(model, str | PathLike):
        model = read_model(Path(cast("str | PathLike[str]", model)))
    graph: onnx.GraphProto = model.graph
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    return {name: each for name, each in arrays.items() if each.ndim and each.dtype.kind == "f"}
