"""The networks that run on other machines, as ONNX files with inputs."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from benchmarks.cache import cache_directory
from benchmarks.networks.catalogue import NETWORKS, Feeds

STEPS, WIDTH = 16, 256


class Case(NamedTuple):
    """An ONNX file and its inputs by name."""

    path: Path
    feeds: Feeds


def _of_the_catalogue(name: str) -> Case:
    network = NETWORKS[name]
    return Case(network.onnx_file(), network.feeds())


def _lstm() -> Case:
    """Return an LSTM of two layers over a sequence."""
    path = cache_directory("networks") / f"lstm-{STEPS}-{WIDTH}.onnx"
    rng = np.random.default_rng(0)
    feeds = {"x": rng.standard_normal((STEPS, 1, WIDTH), np.float32)}
    if path.exists():
        return Case(path, feeds)
    weights: list[onnx.TensorProto] = []
    nodes: list[onnx.NodeProto] = []
    last = "x"
    for layer in range(2):
        names = [f"{kind}{layer}" for kind in ("w", "r", "b")]
        shapes = ((1, 4 * WIDTH, WIDTH), (1, 4 * WIDTH, WIDTH), (1, 8 * WIDTH))
        weights += [
            numpy_helper.from_array(rng.normal(0, WIDTH**-0.5, shape).astype(np.float32), name)
            for name, shape in zip(names, shapes, strict=True)
        ]
        found, rows = f"y{layer}", f"rows{layer}"
        nodes += [
            helper.make_node("LSTM", [last, *names], [found], hidden_size=WIDTH),
            helper.make_node("Squeeze", [found, "one"], [rows]),
        ]
        last = rows
    weights.append(numpy_helper.from_array(np.array([1], np.int64), "one"))
    x, y = (
        helper.make_tensor_value_info(n, TensorProto.FLOAT, (STEPS, 1, WIDTH)) for n in ("x", last)
    )
    graph = helper.make_graph(nodes, "lstm", [x], [y], weights)
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path
    )
    return Case(path, feeds)


CASES: Mapping[str, Callable[[], Case]] = {
    "resnet18": lambda: _of_the_catalogue("resnet18"),
    "bert_small": lambda: _of_the_catalogue("bert_small"),
    "lstm": _lstm,
}
