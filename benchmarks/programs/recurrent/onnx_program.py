"""Recurrent layers with the ONNX operators RNN, GRU and LSTM."""

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto

from benchmarks.programs.onnx_parts import constant, model, node, port
from benchmarks.programs.recurrent.case import Sizes
from benchmarks.programs.workload import Weights

ORDER = {"rnn": (0,), "gru": (1, 0, 2), "lstm": (0, 3, 1, 2)}
"""The position of each of ONNX's gates in PyTorch's order."""


def build(sizes: Sizes, weights: Weights) -> onnx.ModelProto:
    """Return a node for each layer, and nodes that give the sequence its three axes."""
    nodes, values = [node("Unsqueeze", "xs one", "x0")], [constant("one", np.array([1]))]
    exact = {"linear_before_reset": 1} if sizes.cell == "gru" else {}
    for k in range(sizes.layers):
        w, u, b, d = (_gates(weights[f"{name}{k}"], sizes) for name in "wubd")
        values += [constant(f"w{k}", w[None]), constant(f"u{k}", u[None])]
        values += [constant(f"b{k}", np.concatenate([b, d])[None])]
        nodes += [
            node(
                sizes.cell.upper(),
                f"x{k} w{k} u{k} b{k}",
                f"y{k}",
                hidden_size=sizes.hidden,
                **exact,
            ),
            node("Squeeze", f"y{k} one", f"x{k + 1}"),
        ]
    nodes.append(node("Squeeze", f"x{sizes.layers} one", "states"))
    length = sizes.length or "n"
    xs = port("xs", TensorProto.FLOAT, length, sizes.input)
    states = port("states", TensorProto.FLOAT, length, sizes.hidden)
    return model(nodes, [xs], [states], values)


def _gates(matrix: NDArray[np.float32], sizes: Sizes) -> NDArray[np.float32]:
    parts = np.split(matrix.T, len(ORDER[sizes.cell]))
    return np.concatenate([parts[place] for place in ORDER[sizes.cell]])
