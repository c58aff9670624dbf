"""The name generator with the ONNX operator Loop."""

import numpy as np
import onnx
from onnx import TensorProto, helper

from benchmarks.programs.char_rnn.case import CATEGORIES, LETTERS, STEPS, Sizes
from benchmarks.programs.onnx_parts import constant, model, node, port
from benchmarks.programs.workload import Weights

FLOAT, INT32 = TensorProto.FLOAT, TensorProto.INT32


def build(sizes: Sizes, weights: Weights) -> onnx.ModelProto:
    """Return a Loop whose body is a step."""
    body = helper.make_graph(
        [
            node("Gather", "one_hot letter_in", "hot"),
            node("Concat", "row hot hidden_in", "read", axis=1),
            node("Gemm", "read to_state state_bias", "hidden_out"),
            node("Gemm", "read to_output output_bias", "partial"),
            node("Concat", "hidden_out partial", "both", axis=1),
            node("Gemm", "both to_letter letter_bias", "output"),
            node("LogSoftmax", "output", "chances", axis=1),
            node("ArgMax", "chances", "best", axis=1, keepdims=0),
            node("Cast", "best", "letter_out", to=INT32),
            node("Squeeze", "letter_out first", "written"),
            node("Identity", "going", "go_on"),
        ],
        "step",
        [
            port("index", TensorProto.INT64),
            port("going", TensorProto.BOOL),
            port("letter_in", INT32, 1),
            port("hidden_in", FLOAT, 1, sizes.hidden),
        ],
        [
            port("go_on", TensorProto.BOOL),
            port("letter_out", INT32, 1),
            port("hidden_out", FLOAT, 1, sizes.hidden),
            port("written", INT32),
        ],
    )
    nodes = [
        node("Unsqueeze", "category first", "row"),
        node("Unsqueeze", "letter first", "start"),
        node("Loop", "steps go start zero", "last hidden letters", body=body),
        node("Squeeze", "hidden first", "state"),
    ]
    constants = {
        **weights,
        "one_hot": np.eye(LETTERS, dtype=np.float32),
        "zero": np.zeros((1, sizes.hidden), np.float32),
        "steps": np.array(STEPS, np.int64),
        "go": np.array(True),
        "first": np.array([0], np.int64),
    }
    return model(
        nodes,
        [port("category", FLOAT, CATEGORIES), port("letter", INT32)],
        [port("letters", INT32, STEPS), port("state", FLOAT, sizes.hidden)],
        [constant(*each) for each in constants.items()],
    )
