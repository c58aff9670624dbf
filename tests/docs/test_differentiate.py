"""docs/how-to/differentiate.md is performed: its code is a module that checks itself."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs/how-to/differentiate.md"
BLOCKS = re.findall(r"^```py\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def test_the_page_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert len(BLOCKS) == 14
    path = tmp_path / "derivatives_of_the_page.py"
    path.write_text("\n\n".join(BLOCKS), "utf-8")
    spec = importlib.util.spec_from_file_location("derivatives_of_the_page", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "derivatives_of_the_page", module)
    spec.loader.exec_module(module)
