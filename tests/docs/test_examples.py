"""What the documentation shows is run: doctests of modules, and the code blocks of pages.

A page is one session: its ```python blocks run in order, in one namespace and an empty folder.
A block of another language (```pycon, ```text, ```rust for Relay programs) is not run. The pages of
errors show fragments that fail; the tests that raise each code are found by tools/errors.py.
"""

import doctest
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def modules() -> list[str]:
    """Return the modules of relay and of the fuzzers that hold a doctest."""
    paths = sorted([*(ROOT / "relay").rglob("*.py"), *(ROOT / "tools/fuzzing").rglob("*.py")])
    return [_module(path) for path in paths if ">>>" in path.read_text(encoding="utf-8")]


def _module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def pages() -> list[str]:
    """Return the pages of the documentation that hold a Python block."""
    paths = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
    return [
        str(path.relative_to(ROOT))
        for path in paths
        if BLOCK.search(path.read_text(encoding="utf-8")) and "errors" not in str(path)
    ]


@pytest.mark.parametrize("name", modules())
def test_doctests_of_a_module(name: str) -> None:
    report = doctest.testmod(
        importlib.import_module(name), optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    )
    assert report.attempted > 0
    assert report.failed == 0


@pytest.mark.parametrize("name", pages())
def test_blocks_of_a_page(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (ROOT / name).read_text(encoding="utf-8")
    session = {"__name__": "__main__"}
    source = tmp_path / f"{Path(name).stem}.py"  # decorated functions read their source
    source.write_text(only_blocks(page), encoding="utf-8")
    for block in BLOCK.finditer(page):
        above = "\n" * page[: block.start(1)].count("\n")  # so that a traceback shows page lines
        exec(compile(above + block[1], str(source), "exec"), session)


def only_blocks(page: str) -> str:
    """Return the Python of a page, each line where it stands there."""
    text, end = "", 0
    for block in BLOCK.finditer(page):
        text += "\n" * page[end : block.start(1)].count("\n") + block[1]
        end = block.end(1)
    return text
