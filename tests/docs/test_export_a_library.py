"""docs/how-to/export-a-library.md is performed: exported from Python, called from its C."""

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

PAGE = (Path(__file__).parents[2] / "docs/how-to/export-a-library.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_the_page_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    for number, text in enumerate(blocks("python")):
        (tmp_path / f"block{number}.py").write_text(text)
        exec(compile(text, f"block{number}.py", "exec"), {"__name__": f"block{number}"})
    (tmp_path / "program.c").write_text(blocks("c")[0])
    command = next(c for text in blocks("sh") for c in text.splitlines() if c.startswith("cc "))
    subprocess.run([*command.split(), "-std=c99", "-Wall", "-Wextra", "-Werror"], check=True)
    printed = subprocess.run("./program", capture_output=True, text=True, check=True).stdout
    point, total = np.array([1, 0], np.float32), np.zeros(2, np.float32)
    turn = np.array([[0.6, 0.8], [-0.8, 0.6]], np.float32)
    for _ in range(1000):
        point = point @ turn
        total += point
    found = np.fromstring(printed, sep=" ")
    np.testing.assert_allclose(found, [*point, *total], rtol=1e-3, atol=1e-3)
    (tmp_path / "program.c").write_text(blocks("c")[1])
    command = command.replace("orbit.so", "positive.so")
    subprocess.run([*command.split(), "-std=c99", "-Wall", "-Wextra", "-Werror"], check=True)
    printed = subprocess.run("./program", capture_output=True, text=True, check=True).stdout
    assert printed.split() == ["1", "3", "5"]
