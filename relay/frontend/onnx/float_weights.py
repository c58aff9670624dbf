"""Return the floating-point weights of an ONNX model by name."""

from os import PathLike
from pathlib import Path
from typing import Any, cast

import numpy as np

from relay.frontend.onnx.read_model import OnnxFile, parse_model, read_model
from relay.ir.expr import Array


def float_weights(model: "str | PathLike[str] | bytes | Any") -> dict[str, Array]:
    """Return the floating-point weights of a model by name, except scalars."""
    if isinstance(model, bytes):
        read = parse_model(model, "model")
    elif isinstance(model, str | PathLike):
        read = read_model(Path(cast("str | PathLike[str]", model)))
    else:
        read = OnnxFile(model)
    arrays = {
        each.name: np.array(read.weights.array(each)) for each in read.model.graph.initializer
    }
    return {name: each for name, each in arrays.items() if each.ndim and each.dtype.kind == "f"}
