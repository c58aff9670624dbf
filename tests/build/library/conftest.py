"""Libraries are compiled, linked with programs in C, and run by them."""

import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import relay
from relay.ir.module import Module

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-g"]


def build(source: str, libraries: Sequence[Path], compiler: Sequence[str]) -> Path:
    """Return the program that a C compiler makes of a text and libraries; it must not warn."""
    folder = libraries[0].parent
    (folder / "program.c").write_text(source)
    program = folder / "program"
    command = [*compiler, *STRICT, "-o", program, folder / "program.c", f"-I{folder}", *libraries]
    subprocess.run([*command, "-lm", "-pthread"], check=True)
    return program


def run(*command: object) -> str:
    """Return what a program prints; its status must be 0."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout


def _lstm(steps: int, inputs: int = 5, hidden: int = 7) -> Module:
    """Return an LSTM of ONNX over a sequence, with random weights."""
    rng = np.random.default_rng(0)
    shapes = {"w": (1, 4 * hidden, inputs), "r": (1, 4 * hidden, hidden), "b": (1, 8 * hidden)}
    weights = [
        numpy_helper.from_array(rng.normal(0, 0.3, shape).astype("float32"), name)
        for name, shape in shapes.items()
    ]
    names = [("x", (steps, 1, inputs)), ("y", (steps, 1, 1, hidden)), ("last", (1, 1, hidden))]
    x, y, last = (helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in names)
    node = helper.make_node("LSTM", ["x", *shapes], ["y", "last"], hidden_size=hidden)
    graph = helper.make_graph([node], "lstm", [x], [y, last], weights)
    opset = [helper.make_opsetid("", 17)]
    return relay.load(helper.make_model(graph, opset_imports=opset, ir_version=9))


@pytest.fixture
def c(tmp_path: Path) -> SimpleNamespace:
    """Return what tests of libraries need: a folder, `build` with the system's compiler, `run`."""
    cc = shutil.which("cc")
    if cc is None:
        pytest.skip("there is no C compiler")

    def with_cc(source: str, *libraries: Path) -> Path:
        return build(source, libraries, [cc, f"-Wl,-rpath,{tmp_path}"])

    def build_with(compiler: Sequence[str], source: str, *libraries: Path) -> Path:
        return build(source, libraries, compiler)

    return SimpleNamespace(folder=tmp_path, build=with_cc, build_with=build_with, run=run)


@pytest.fixture
def lstm() -> Callable[..., Module]:
    """Return the maker of a recurrent model."""
    return _lstm
