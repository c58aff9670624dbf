"""docs/how-to/run-a-tflite-model.md is performed, each block with a model that suits it."""

import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/how-to/run-a-tflite-model.md"


def test_the_blocks_of_the_page_run(tmp_path, monkeypatch):
    pytest.importorskip("tflite")
    files: Any = pytest.importorskip("tools.tflite_files")
    monkeypatch.chdir(tmp_path)
    x = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)
    tensors = [files.Tensor((2, 3), name="x"), files.Tensor((2, 3), name="y")]

    def write(node: Any) -> None:
        Path("model.tflite").write_bytes(files.file_of(files.Graph(tensors, [node], [0], [1])))

    blocks = re.findall(r"^```py\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    load, translate, keep_state = blocks
    session: dict[str, Any] = {"image": x}
    write(files.Node("TANH", [0], [1]))
    exec(load, session)
    np.testing.assert_allclose(session["scores"], np.tanh(x), rtol=1e-6)

    write(files.Node("MyOperator", [0], [1], custom={"depth": 3}))
    exec(translate, session)
    fast = session["relay"].compile(session["module"])
    np.testing.assert_allclose(fast(x), np.tanh(x), rtol=1e-6)

    with zipfile.ZipFile(ROOT / "tests/frontend/tflite/handmade.zip") as archive:
        Path("counter.tflite").write_bytes(archive.read("svdf.tflite"))
    shape = session["relay"].load("counter.tflite").main.params[0].ty.shape
    session["x"] = np.ones([int(size) for size in shape], np.float32)
    exec(keep_state, session)
    assert any(np.any(value) for value in session["values"])
