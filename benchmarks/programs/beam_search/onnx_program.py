"""Beam search with the ONNX operator Loop."""

import numpy as np
import onnx
from onnx import TensorProto, helper

from benchmarks.programs.beam_search.case import Sizes
from benchmarks.programs.onnx_parts import constant, model, node, port
from benchmarks.programs.workload import Weights

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def build(sizes: Sizes, weights: Weights) -> onnx.ModelProto:
    """Return a Loop whose states are the beams."""
    width, hidden = sizes.width, sizes.hidden
    nodes = [
        node("Expand", "start beam_shape", "h"),
        node(
            "Loop",
            "steps go h zeros scores none",
            "last_h last_symbols best found",
            body=_step(sizes),
        ),
        node("Cast", "found", "words", to=TensorProto.INT32),
    ]
    constants = {
        **weights,
        "beam_shape": np.array([width, hidden]),
        "steps": np.array(sizes.steps),
        "go": np.array(True),
        "zeros": np.zeros(width, np.int64),
        "scores": sizes.scores,
        "none": np.zeros((width, 0), np.int64),
        "one": np.array(1, np.float32),
        "all": np.array([-1]),
        "column": np.array([1]),
        "width": np.array([width]),
        "symbols": np.array(sizes.symbols),
    }
    return model(
        nodes,
        [port("start", FLOAT, hidden)],
        [port("words", TensorProto.INT32, width, "steps"), port("best", FLOAT, width)],
        [constant(*each) for each in constants.items()],
    )


def _step(sizes: Sizes) -> onnx.GraphProto:
    width, hidden = sizes.width, sizes.hidden
    search = [
        node("Gemm", "new_h to_symbol symbol_bias", "logits"),
        node("LogSoftmax", "logits", "chances", axis=1),
        node("Unsqueeze", "scores_in column", "before"),
        node("Add", "before chances", "longer"),
        node("Reshape", "longer all", "flat"),
        node("TopK", "flat width", "scores_out places"),
        node("Div", "places symbols", "beams"),
        node("Mod", "places symbols", "last_out"),
        node("Gather", "new_h beams", "h_out"),
        node("Gather", "found_in beams", "kept"),
        node("Unsqueeze", "last_out column", "added"),
        node("Concat", "kept added", "found_out", axis=1),
        node("Identity", "going", "go_on"),
    ]

    def states(way: str, length: str) -> list[onnx.ValueInfoProto]:
        return [
            port(f"h_{way}", FLOAT, width, hidden),
            port(f"last_{way}", INT64, width),
            port(f"scores_{way}", FLOAT, width),
            port(f"found_{way}", INT64, width, length),
        ]

    return helper.make_graph(
        [*_cell(), *search],
        "step",
        [port("index", INT64), port("going", BOOL), *states("in", "n")],
        [port("go_on", BOOL), *states("out", "m")],
    )


def _cell() -> list[onnx.NodeProto]:
    return [
        node("Gather", "vectors last_in", "x"),
        node("Gemm", "x w b", "of_x"),
        node("Gemm", "h_in u d", "of_h"),
        node("Split", "of_x", "xr xz xn", axis=1, num_outputs=3),
        node("Split", "of_h", "sr sz sn", axis=1, num_outputs=3),
        node("Add", "xr sr", "r_sum"),
        node("Sigmoid", "r_sum", "r"),
        node("Add", "xz sz", "z_sum"),
        node("Sigmoid", "z_sum", "z"),
        node("Mul", "r sn", "r_sn"),
        node("Add", "xn r_sn", "n_sum"),
        node("Tanh", "n_sum", "n"),
        node("Sub", "one z", "rest"),
        node("Mul", "rest n", "of_new"),
        node("Mul", "z h_in", "of_old"),
        node("Add", "of_new of_old", "new_h"),
    ]
