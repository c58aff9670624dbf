"""Newton's iteration with the ONNX operator Loop."""

import numpy as np
import onnx
from onnx import TensorProto, helper

from benchmarks.programs.newton.case import LIMIT, Sizes
from benchmarks.programs.onnx_parts import constant, model, node, port
from benchmarks.programs.workload import Weights

FLOAT, INT32 = TensorProto.FLOAT, TensorProto.INT32


def build(sizes: Sizes, _weights: Weights) -> onnx.ModelProto:
    """Return a Loop that continues while the largest difference exceeds the limit."""
    shape = () if sizes.numbers is None else (sizes.numbers,)
    nodes = [
        *_far("a", "far_first", "first"),
        node("Loop", "most far_first a zero", "root count", body=_step(shape)),
    ]
    constants = {
        "most": np.array(1000),
        "zero": np.array(0, np.int32),
        "add_one": np.array(1, np.int32),
        "two": np.array(2, np.float32),
        "three": np.array(3, np.float32),
        "limit": np.array(LIMIT, np.float32),
    }
    return model(
        nodes,
        [port("a", FLOAT, *shape)],
        [port("root", FLOAT, *shape), port("count", INT32)],
        [constant(*each) for each in constants.items()],
    )


def _far(x: str, result: str, prefix: str) -> list[onnx.NodeProto]:
    """Return the nodes that test whether a cube still differs too much from its number."""
    names = [f"{prefix}_{part}" for part in ("cube", "gap", "size", "most")]
    cube, gap, size, most = names
    return [
        node("Pow", f"{x} three", cube),
        node("Sub", f"{cube} a", gap),
        node("Abs", gap, size),
        node("ReduceMax", size, most, keepdims=0),
        node("Greater", f"{most} limit", result),
    ]


def _step(shape: tuple[int, ...]) -> onnx.GraphProto:
    return helper.make_graph(
        [
            node("Pow", "x three", "cube"),
            node("Sub", "cube a", "gap"),
            node("Pow", "x two", "square"),
            node("Mul", "three square", "slope"),
            node("Div", "gap slope", "change"),
            node("Sub", "x change", "x_out"),
            node("Add", "steps add_one", "steps_out"),
            *_far("x_out", "far", "next"),
        ],
        "step",
        [
            port("index", TensorProto.INT64),
            port("going", TensorProto.BOOL),
            port("x", FLOAT, *shape),
            port("steps", INT32),
        ],
        [
            port("far", TensorProto.BOOL),
            port("x_out", FLOAT, *shape),
            port("steps_out", INT32),
        ],
    )
