"""Tiny models in files, and a command line that runs in this process."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from relay.cli.main import main


class Ran(NamedTuple):
    """What a command did: its exit status and what it printed."""

    status: int
    out: str
    err: str


Relay = Callable[..., Ran]


@pytest.fixture
def relay(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Relay:
    """Return the command `relay` as a function of its arguments."""
    monkeypatch.delenv("COLUMNS", raising=False)

    def run(*arguments: object) -> Ran:
        status = main([str(each) for each in arguments])
        printed = capsys.readouterr()
        return Ran(status, printed.out, printed.err)

    return run


WEIGHT = np.arange(12, dtype=np.float32).reshape(2, 6) - 5


def save(path: Path, nodes, inputs, outputs, constants=()) -> Path:
    """Write a model of these nodes; inputs and outputs are name, shape pairs of float32."""
    ports = [
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in side]
        for side in (inputs, outputs)
    ]
    tensors = [numpy_helper.from_array(array, name) for name, array in constants]
    graph = helper.make_graph(nodes, "tiny", ports[0], ports[1], tensors)
    opset = helper.make_opsetid("", 17)
    onnx.save(helper.make_model(graph, opset_imports=[opset], ir_version=8), path)
    return path


def scores(path: Path, batch: int | str = 1) -> Path:
    """Write relu(x @ WEIGHT), a model of six scores."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"], name="product"),
        helper.make_node("Relu", ["h"], ["y"], name="bend"),
    ]
    return save(path, nodes, [("x", [batch, 2])], [("y", [batch, 6])], [("w", WEIGHT)])


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Return the file of a model with known sizes."""
    return scores(tmp_path / "scores.onnx")


@pytest.fixture
def open_model(tmp_path: Path) -> Path:
    """Return the file of the same model with an open batch."""
    return scores(tmp_path / "open.onnx", "batch")


@pytest.fixture
def unsupported(tmp_path: Path) -> Path:
    """Return the file of a model with two operators that do not exist."""
    nodes = [
        helper.make_node("Frobnicate", ["x"], ["h"], name="first"),
        helper.make_node("Defrobnicate", ["h"], ["y"], name="second"),
    ]
    return save(tmp_path / "odd.onnx", nodes, [("x", [2])], [("y", [2])])
