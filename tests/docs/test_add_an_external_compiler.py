"""docs/how-to/add-an-external-compiler.md shows the example that tests/build/external runs."""

import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples/compilers"
INSTALLED = ROOT / "tests/build/external"
PAGE = (ROOT / "docs/how-to/add-an-external-compiler.md").read_text("utf-8")
COMPILER, LOADER, CALL = re.findall(r"^```py\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
(PROJECT,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
PROGRAM = """#[version = "0.0.5"]
def @main(%x: Tensor[(8, 64), float32], %w: Tensor[(64, 64), float32]) {
  nn.relu(nn.dense(%x, %w))
}
"""


def test_the_files_of_the_page_are_those_of_the_example():
    assert (FOLDER / "relay_numpy/compiler.py").read_text("utf-8") == COMPILER
    assert (FOLDER / "relay_numpy/loader.py").read_text("utf-8") == LOADER


def test_the_entry_points_of_the_page_are_those_of_the_example():
    named = tomllib.loads(PROJECT)["project"]["entry-points"]
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text("utf-8"))["project"]
    for group, entries in named.items():
        assert entries.items() <= project["entry-points"][group].items()


@pytest.mark.onnx
@pytest.mark.torch
def test_the_call_of_the_page_compiles(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    pytest.importorskip("torch")
    for folder in (FOLDER, INSTALLED):
        monkeypatch.syspath_prepend(str(folder))
    session: dict[str, Any] = {"relay": relay, "model": relay.parse(PROGRAM)}
    exec(CALL, session)
    said = capsys.readouterr().out
    assert "onnxruntime" in said
    assert "torch" in said
    rng = np.random.default_rng(0)
    x, w = (rng.normal(size=shape).astype(np.float32) for shape in ((8, 64), (64, 64)))
    np.testing.assert_allclose(session["fast"](x, w), np.maximum(x @ w.T, 0), rtol=1e-4, atol=1e-5)
