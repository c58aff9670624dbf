"""`compilers=`: external compilers compute what they compute faster, and the same."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay as typed
from relay.cli.main import main
from relay.ir.module import Module
from relay.runtime import Data
from relay.runtime.native_executable import NativeExecutable
from relay.semantics.infer import infer
from relay.support.errors import CompileError
from relay.testing.zoo import mobilenet, resnet, transformer, tree_lstm
from relay.transform.bind_parameters import bind_parameters
from relay.transform.compilers.partition_for import PartitionFor
from relay.transform.to_graph_form import ToGraphForm
from tests.build.external.conftest import FOLDERS

relay: Any = typed
TEXT = """#[version = "0.0.5"]
def @main(%x: Tensor[(2, 4), float32], %w: Tensor[(4, 4), float32]) {
  sigmoid(nn.relu(nn.dense(%x, %w) + 1f)) * 2f
}
"""
NETWORKS = {
    "resnet": lambda: resnet.network(18, classes=4, size=32, width=4),
    "mobilenet": lambda: mobilenet.v2_network(classes=4, size=32, width=0.2),
    "transformer": lambda: transformer.network(1, length=8, width=16, heads=2),
    "tree_lstm": lambda: tree_lstm.network(4, 4),
}


def parts(executable: Any) -> set[str]:
    return {part.compiler for part in executable.program.external}


def costs(monkeypatch, seconds: dict[str, float]) -> None:
    """Let programs take the seconds of their compiler; those without regions take 1."""

    def time(self: NativeExecutable, arrays: Any) -> float:
        return min((seconds[part.compiler] for part in self.program.external), default=1.0)

    monkeypatch.setattr(NativeExecutable, "seconds", time)


def test_the_fastest_compiler_of_a_region_is_chosen_in_any_order(monkeypatch):
    costs(monkeypatch, {"numpy": 0.9, "onnxruntime": 0.5})
    for names in (("numpy", "onnxruntime"), ("onnxruntime", "numpy")):
        assert parts(relay.compile(typed.parse(TEXT), compilers=names)) == {"onnxruntime"}
    costs(monkeypatch, {"numpy": 0.5, "onnxruntime": 0.9})
    found = parts(relay.compile(typed.parse(TEXT), compilers=["onnxruntime", "numpy"]))
    assert found == {"numpy", "onnxruntime"}  # which takes what NumPy leaves
    costs(monkeypatch, {"numpy": 0.99, "onnxruntime": 1.5})
    executable = relay.compile(typed.parse(TEXT), compilers=["onnxruntime", "numpy"])
    assert parts(executable) == set()
    assert any("numpy 990.0000 ms: relay" in note for note in executable.compilation().notes)


def test_the_command_line_chooses_too(monkeypatch, tmp_path: Path):
    costs(monkeypatch, {"numpy": 0.5, "onnxruntime": 0.9})
    (tmp_path / "p.rly").write_text(TEXT, encoding="utf-8")
    model, output = str(tmp_path / "p.rly"), str(tmp_path / "p.relay")
    assert main(["compile", model, "-o", output, "--compilers", "numpy"]) == 0
    assert parts(typed.Executable.load(output)) == {"numpy"}


@pytest.mark.parametrize("factor", [1.01, np.nan])
def test_a_compiler_with_other_results_is_named(monkeypatch, factor: float):
    from relay_numpy.loader import Region

    call = Region.__call__

    def wrong(self, inputs, outputs):
        call(self, inputs, outputs)
        outputs[0][...] *= factor

    monkeypatch.setattr(Region, "__call__", wrong)
    with pytest.raises(CompileError, match="differ from Relay's") as found:
        relay.compile(typed.parse(TEXT), compilers=["numpy"])
    assert found.value.code == "C165"


def test_a_named_machine_cannot_be_measured():
    with pytest.raises(CompileError) as found:
        relay.compile(typed.parse(TEXT), compilers=["numpy"], target="native")
    assert found.value.code == "C166"


def test_a_program_that_is_slower_as_a_whole_stays_ours(monkeypatch):
    seen = iter([2.0, 1.0] * 20 + [1.0, 1.0] * 20)  # the region, and then the whole program
    monkeypatch.setattr(NativeExecutable, "seconds", lambda *_: next(seen))
    executable = relay.compile(typed.parse(TEXT), compilers=["onnxruntime"])
    assert parts(executable) == set()
    assert executable.compilation().notes[-1].startswith("the whole program: relay 1000.0000 ms")


SCRIPT = """
import sys
import numpy as np
from relay.runtime import Data, Executable
for name in {names}:
    model = Executable.load(f"{{name}}.relay", threads=1)
    arrays = np.load(f"{{name}}.npz")
    given = [arrays[key] for key in sorted(arrays) if key != "result"]
    if name == "tree_lstm":
        leaves = [Data("Leaf", (each,)) for each in given]
        given = [Data("Node", (leaves[0], Data("Node", (leaves[1], leaves[2]))))]
    np.testing.assert_allclose(model(*given), arrays["result"], rtol=1e-3, atol=1e-4)
runs = ("relay.runtime", "relay.support")
rooms = [m for m in sys.modules if m.startswith("relay.") and not m.startswith(runs)]
assert not rooms, rooms
"""


@pytest.mark.parametrize("compiler", ["onnxruntime", "torch"])
def test_networks_compute_the_same_and_are_loaded_elsewhere(compiler: str, tmp_path: Path):
    for name, network in NETWORKS.items():
        made = network()
        module = bind_parameters(infer(made.module), made.draw())
        given = inputs(name, module)
        graph = ToGraphForm()(module)
        executable = relay.compile(PartitionFor(compiler)(graph), threads=1)
        assert parts(executable) == {compiler}
        call = [tree(given)] if name == "tree_lstm" else given
        expected = relay.create_executor("debug", module).evaluate()(*call).numpy()
        np.testing.assert_allclose(executable(*call), expected, rtol=1e-3, atol=1e-4)
        executable.save(tmp_path / f"{name}.relay")
        np.savez(tmp_path / f"{name}.npz", *given, result=expected)
    root = str(Path(typed.__file__).parents[1])
    env = {**os.environ, "PYTHONPATH": ":".join([root, *FOLDERS])}
    script = SCRIPT.format(names=[*NETWORKS])
    subprocess.run([sys.executable, "-c", script], check=True, cwd=tmp_path, env=env)


def inputs(name: str, module: Module) -> list[Any]:
    """Return random inputs of a network; those of a tree are the vectors of its leaves."""
    random = np.random.default_rng(1)
    shapes = (
        [(1, 4)] * 3 if name == "tree_lstm" else [module.main.params[0].tensor_type.static_shape]
    )
    return [random.standard_normal(shape).astype(np.float32) for shape in shapes]


def tree(leaves: list[Any]) -> Data:
    one, two, three = (Data("Leaf", (each,)) for each in leaves)
    return Data("Node", (one, Data("Node", (two, three))))
