"""The selective scan with the ONNX operator Scan."""

import numpy as np
import onnx
from onnx import TensorProto, helper

from benchmarks.programs.onnx_parts import constant, model, node, port
from benchmarks.programs.selective_scan.case import Sizes
from benchmarks.programs.workload import Weights


def build(sizes: Sizes, weights: Weights) -> onnx.ModelProto:
    """Return a Scan over the inputs, and the products before it."""
    kind, width = TensorProto.FLOAT, sizes.width
    nodes = [
        node("MatMul", "xs down", "low"),
        node("MatMul", "low up", "high"),
        node("Add", "high bias", "before"),
        node("Softplus", "before", "steps"),
        node("MatMul", "xs enter", "entries"),
        node("MatMul", "xs leave", "exits"),
        node(
            "Scan", "zero xs steps entries exits", "last out", num_scan_inputs=4, body=_step(sizes)
        ),
    ]
    constants = {
        **weights,
        "zero": np.zeros((width, sizes.state), np.float32),
        "last_axis": np.array([-1], np.int64),
    }
    return model(
        nodes,
        [port("xs", kind, sizes.length, width)],
        [port("out", kind, sizes.length, width)],
        [constant(*each) for each in constants.items()],
    )


def _step(sizes: Sizes) -> onnx.GraphProto:
    kind, width, size = TensorProto.FLOAT, sizes.width, sizes.state
    return helper.make_graph(
        [
            node("Unsqueeze", "step last_axis", "step_column"),
            node("Mul", "step_column decay", "exponent"),
            node("Exp", "exponent", "kept"),
            node("Mul", "kept state_in", "old"),
            node("Mul", "step x", "amount"),
            node("Unsqueeze", "amount last_axis", "column"),
            node("Mul", "column entry", "new"),
            node("Add", "old new", "state_out"),
            node("MatMul", "state_out exit", "read"),
            node("Mul", "skip x", "direct"),
            node("Add", "read direct", "y"),
        ],
        "step",
        [
            port("state_in", kind, width, size),
            *(port(name, kind, width) for name in ("x", "step")),
            *(port(name, kind, size) for name in ("entry", "exit")),
        ],
        [port("state_out", kind, width, size), port("y", kind, width)],
    )
