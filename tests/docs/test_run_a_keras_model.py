"""docs/how-to/run-a-keras-model.md is performed, block after block."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/how-to/run-a-keras-model.md"


def test_the_blocks_of_the_page_run(monkeypatch):
    pytest.importorskip("h5py")
    monkeypatch.chdir(ROOT)  # where the model is that the page loads
    blocks = re.findall(r"^```py\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 4
    exec("".join(blocks), {})
