"""Tools use the checkout that they lie in, not a Relay that is installed."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINE = "sys.path.insert(0, str(Path(__file__).parents[1]))"
TOOLS = sorted((ROOT / "tools").glob("*.py"))


def imports_relay(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.ImportFrom):
        return (statement.module or "").split(".")[0] == "relay"
    return isinstance(statement, ast.Import) and statement.names[0].name.split(".")[0] == "relay"


@pytest.mark.parametrize("path", TOOLS, ids=lambda path: path.name)
def test_the_checkout_is_first(path: Path):
    body = ast.parse(path.read_text(encoding="utf-8")).body
    first = next((place for place, each in enumerate(body) if imports_relay(each)), None)
    if first is not None:
        assert LINE in map(ast.unparse, body[:first])


def test_another_relay_is_not_imported(tmp_path: Path):
    (tmp_path / "relay.py").write_text("raise SystemExit('the wrong one')")
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "fuzz_sizes.py", "--help"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)}, cwd=tmp_path, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
