"""External compilers: all executors call their regions, files carry them, errors explain."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay as typed
from relay.ir.module import Module
from relay.runtime.external_parts import loader_of
from relay.runtime.external_region_format import read_steps
from relay.runtime.native_executable import NativeExecutable
from relay.semantics.infer import infer
from relay.support.errors import ArtefactError, CompileError, RunError
from relay.support.node import replace
from relay.transform.run_passes import run_passes
from tests.build.external.conftest import FOLDERS

relay: Any = typed
transform = relay.transform
HEAD = '#[version = "0.0.5"]\n'
GRAPH = """def @main(%x: Tensor[(2, 4), float32], %w: Tensor[(4, 4), float32]) {
  %0 = nn.relu(nn.dense(%x, %w) + 1f);
  (sigmoid(nn.dense(%0, %w) * 2f), %0)
}
"""
LOOP = """def @main(%n: int32, %x: Tensor[(2, 4), float32]) -> Tensor[(2, 4), float32] {
  if (%n == 0) { %x } else { @main(%n - 1, tanh(%x) * 2f) }
}
"""
X = np.linspace(-2, 2, 8, dtype=np.float32).reshape(2, 4)
W = np.linspace(-1, 1, 16, dtype=np.float32).reshape(4, 4)


def partitioned(text: str, compiler: str = "numpy") -> Module:
    """The module with a compiler's regions as functions."""
    passes = [
        transform.AnnotateTarget(compiler),
        transform.MergeCompilerRegions(),
        transform.PartitionGraph(),
    ]
    return run_passes(infer(typed.parse(HEAD + text)), passes)[0]


def graph(x=X, w=W):
    first = np.maximum(x @ w.T + 1, 0)
    return 1 / (1 + np.exp(-2 * (first @ w.T))), first


@pytest.mark.parametrize("kind", ["debug", "graph", "vm", "aot"])
def test_every_executor_calls_the_regions_of_a_graph(kind: str):
    run = relay.create_executor(kind, partitioned(GRAPH)).evaluate()
    for found, wanted in zip(run(X, W), graph(), strict=True):
        np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-5)


def test_a_region_whose_result_is_in_nested_tuples_has_flat_results():
    text = """def @main(%x: Tensor[(2, 4), float32]) {
      %0 = (tanh(%x), nn.relu(%x));
      (tanh(%0.0), %0)
    }"""
    module = partitioned(text)
    (region,) = (each for name, each in module.functions.items() if name != "main")
    assert repr(region.body.ty) == f"({', '.join(['Tensor[(2, 4), float32]'] * 3)})"
    twice, (once, positive) = relay.compile(module)(X)
    for found, wanted in ((twice, np.tanh(np.tanh(X))), (once, np.tanh(X)), (positive, X.clip(0))):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
    graph_run = relay.create_executor("graph", module).evaluate()
    np.testing.assert_allclose(graph_run(X)[1][1].numpy(), X.clip(0), rtol=1e-5)


def test_the_graph_executor_takes_variables_bound_to_regions():
    text = """def @main(%x: Tensor[(2, 4), float32]) {
      let %t = (nn.relu(%x), %x);
      let %unused = tanh(%x);
      (%t.0 + %x, %t.0)
    }"""
    total, positive = relay.create_executor("graph", partitioned(text)).evaluate()(X)
    np.testing.assert_allclose(positive.numpy(), X.clip(0))
    np.testing.assert_allclose(total.numpy(), X.clip(0) + X)


@pytest.mark.parametrize("kind", ["debug", "vm", "aot"])
def test_every_executor_calls_the_regions_of_a_recursion(kind: str):
    wanted = X
    for _ in range(5):
        wanted = np.tanh(wanted) * 2
    found = relay.create_executor(kind, partitioned(LOOP)).evaluate()(np.int32(5), X)
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-5)


def test_regions_read_and_write_the_memory_of_the_program(monkeypatch):
    from relay_numpy.loader import Region

    places, call = [], Region.__call__

    def spied(self, inputs, outputs):
        places.append([array.ctypes.data for array in (*inputs, *outputs)])
        call(self, inputs, outputs)

    monkeypatch.setattr(Region, "__call__", spied)
    text = "def @main(%x: Tensor[(2, 4), float32]) { tanh(%x) }"
    executable = relay.compile(partitioned(text))
    x = np.array(X)
    result = executable(x)
    assert places == [[x.ctypes.data, result.ctypes.data]]


def test_regions_are_profiled_and_named():
    executable = relay.compile(partitioned(GRAPH))
    labels = [step.label for step in executable.profile(X, W, repeats=1).steps]
    assert labels == ["numpy(dense+add+relu+dense+multiply)", "sigmoid"]
    recursive = relay.compile(partitioned(LOOP))
    steps = recursive.profile(np.int32(3), X, repeats=1).steps
    assert [(s.label, s.calls) for s in steps if s.label.startswith("numpy")] == [
        ("numpy(tanh+multiply)", 3)
    ]


def test_the_derivative_of_a_region_is_that_of_its_body():
    text = "def @main(%x: float32) { tanh(%x) * 2f }"
    slope = relay.compile(relay.grad(partitioned(text)))(np.float32(1))
    np.testing.assert_allclose(slope, 2 * (1 - np.tanh(1) ** 2), rtol=1e-6)


def test_tuples_are_passed_as_their_fields():
    text = """def @main(%x: Tensor[(1, 3, 4, 4), float32]) {
      let %p = split(%x, indices_or_sections=2, axis=2);
      concatenate((%p.0, exp(%p.1), %p), axis=1)
    }""".replace(", %p)", ", %p.0)")
    found = relay.compile(partitioned(text, "onnxruntime"))
    x = np.random.default_rng(0).standard_normal((1, 3, 4, 4)).astype(np.float32)
    wanted = np.concatenate([x[:, :, :2], np.exp(x[:, :, 2:]), x[:, :, :2]], 1)
    np.testing.assert_allclose(found(x), wanted, rtol=1e-6)


def test_a_saved_program_needs_the_runtime_and_the_loader_alone(tmp_path: Path):
    executable = relay.compile(partitioned(GRAPH), threads=1)
    executable.save(tmp_path / "model.relay")
    np.savez(tmp_path / "arrays.npz", x=X, w=W, y=executable(X, W)[0])
    script = """
import sys
import numpy as np
from relay.runtime import Executable
arrays = np.load("arrays.npz")
model = Executable.load("model.relay", threads=1)
np.testing.assert_array_equal(model(arrays["x"], arrays["w"])[0], arrays["y"])
runs = ("relay.runtime", "relay.support")
rooms = [m for m in sys.modules if m.startswith("relay.") and not m.startswith(runs)]
assert not rooms, rooms
assert "relay_numpy.loader" in sys.modules and "relay_numpy.compiler" not in sys.modules
"""
    root = str(Path(typed.__file__).parents[1])
    env = {**os.environ, "PYTHONPATH": ":".join([root, *FOLDERS])}
    subprocess.run([sys.executable, "-c", script], check=True, cwd=tmp_path, env=env)
    without = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env={**env, "PYTHONPATH": root},
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert "A019" in without.stderr


def test_a_virtual_program_is_saved_with_its_regions(tmp_path: Path):
    executable = relay.vm.compile(partitioned(LOOP))
    executable.save(tmp_path / "model.relay")
    loaded = typed.Executable.load(tmp_path / "model.relay")
    np.testing.assert_array_equal(loaded(np.int32(2), X), executable(np.int32(2), X))


def test_the_package_of_a_compiler_must_be_installed():
    from relay.opdef.user_rules import HOOKS

    with HOOKS.added("tanh", "target.acme", lambda _: True):
        module = partitioned(LOOP, "acme")
    with pytest.raises(
        CompileError, match="no installed package provides an external compiler named 'acme'"
    ) as e:
        relay.compile(module)
    assert e.value.code == "C162"
    assert "numpy, onnxruntime, torch" in e.value.notes[0]
    with pytest.raises(ArtefactError) as missing:
        loader_of("acme")
    assert missing.value.code == "A019"


def test_regions_have_known_sizes():
    from relay.opdef.user_rules import HOOKS

    text = "def @main(%x: Tensor[(n, 4), float32]) { exp(tanh(%x)) }"
    assert len(partitioned(text).functions) == 1  # the package takes no call of open sizes
    with HOOKS.added("tanh", "target.numpy", lambda _: True):
        module = partitioned(text)
    with pytest.raises(CompileError, match="the external compiler cannot compile") as found:
        relay.compile(module)
    assert found.value.code == "C163"
    fixed = relay.compile(module, shapes={"x": (2, 4)})
    np.testing.assert_allclose(fixed(X), np.exp(np.tanh(X)), rtol=1e-6)


@pytest.mark.parametrize("code", [ValueError("no"), SystemExit(3), "not bytes"])
def test_a_compiler_that_fails_is_named(code: Any, monkeypatch):
    from relay_numpy import compiler

    def wrong(region):
        if isinstance(code, BaseException):
            raise code
        return code

    broken = replace(compiler.compile_region, compile=wrong)
    monkeypatch.setattr(compiler, "compile_region", broken)
    with pytest.raises(CompileError, match=r"'numpy' could not compile numpy\(tanh") as found:
        relay.compile(partitioned(LOOP))
    assert found.value.code == "C164"


@pytest.mark.parametrize("way", ["call", "vm", "profile"])
def test_a_region_that_fails_raises_its_exception(way: str, monkeypatch):
    from relay_numpy.loader import Region

    executable = (relay.vm.compile if way == "vm" else relay.compile)(partitioned(GRAPH))

    def fails(self, inputs, outputs):
        raise ValueError("out of order")

    monkeypatch.setattr(Region, "__call__", fails)
    with pytest.raises(RunError, match="which 'numpy' compiled") as found:
        executable.profile(X, W, repeats=1) if way == "profile" else executable(X, W)
    assert found.value.code == "R061"
    assert found.value.notes == ("ValueError: out of order",)
    assert isinstance(found.value.__cause__, ValueError)

    def interrupted(self, inputs, outputs):
        raise KeyboardInterrupt

    monkeypatch.setattr(Region, "__call__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        executable(X, W)

    def exits(self, inputs, outputs):
        raise SystemExit(3)

    monkeypatch.setattr(Region, "__call__", exits)
    with pytest.raises(RunError, match="which 'numpy' compiled"):
        executable(X, W)


def test_a_library_cannot_carry_regions(tmp_path: Path):
    executable = relay.compile(partitioned(GRAPH))
    with pytest.raises(ArtefactError, match="parts of the model were compiled by") as found:
        executable.export(tmp_path / "model.so")
    assert found.value.code == "A017"


def test_code_that_a_loader_cannot_read_is_reported(tmp_path: Path):
    executable = relay.compile(partitioned(LOOP, "onnxruntime"))
    (part,) = executable.program.external
    damaged = replace(executable.program, external=(replace(part, code=b"no model"),))
    with pytest.raises(ArtefactError, match="cannot read a part of the program") as found:
        NativeExecutable(damaged)
    assert found.value.code == "A020"


def test_damaged_steps_are_refused():
    executable = relay.compile(partitioned(LOOP))
    assert isinstance(executable, NativeExecutable)
    (part,) = executable.program.external
    steps = read_steps(part.code)
    assert [step.operator for step in steps.steps] == ["tanh", "multiply"]
    assert [constant.shape for constant in steps.constants] == [()]
    for damaged in (b"", part.code[:20], part.code[:-1], part.code.replace(b"[0]", b"[9]")):
        with pytest.raises(ArtefactError) as found:
            read_steps(damaged)
        assert found.value.code == "A006"
