"""docs/how-to/run-a-tensorflow-model.md is performed, each block with a model that suits it."""

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from relay.frontend.tensorflow.schema import message_class
from tests.frontend.tensorflow.graphs import answers, graph, model, node, placeholder

PAGE = Path(__file__).parents[2] / "docs/how-to/run-a-tensorflow-model.md"


def put(name: str, folder: Path) -> None:
    """Put a model in the place of the page's."""
    shutil.rmtree(folder / "folder", ignore_errors=True)
    model(name, folder).rename(folder / "folder")


def rename_signature(path: Path) -> None:
    """Call the signature `power` as the page does, and its output, too."""
    saved = message_class("SavedModel").FromString(path.read_bytes())
    signatures = saved.meta_graphs[0].signatures
    signatures["encode"].CopyFrom(signatures["power"])
    (output,) = signatures["encode"].outputs.values()
    signatures["encode"].outputs["hidden"].CopyFrom(output)
    path.write_bytes(saved.SerializeToString())


def test_the_blocks_of_the_page_run(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```py\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    load, choose, give_shapes, translate = blocks
    put("convolutions", tmp_path)
    inputs, (scores, *_) = answers("convolutions")
    session: dict[str, Any] = {"image": inputs["image"]}
    exec(load, session)
    np.testing.assert_allclose(session["scores"], scores, rtol=1e-4, atol=1e-5)

    put("counters", tmp_path)
    rename_signature(tmp_path / "folder/saved_model.pb")
    exec(choose, session)
    assert session["module"].main.attrs["outputs"] == ("hidden",)

    put("transformer", tmp_path)
    exec(give_shapes, session)
    assert [each.ty.shape for each in session["module"].main.params] == [(1, 128), (1, 128)]

    bent = node("y", "Bent", "x", most=0.5)
    Path("model.pb").write_bytes(graph(placeholder("x", 3), bent))
    exec(translate, session)
    fast = session["relay"].compile(session["module"])
    np.testing.assert_allclose(fast(np.array([-2, 0, 2], np.float32)), [-1, 0, 0.5])
