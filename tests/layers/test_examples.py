"""The examples that train run alone; a few steps are enough to see that they learn and draw."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def ran(name: str, steps: int, folder: Path) -> list[str]:
    """Run an example in a folder, and return the lines that it prints behind its progress."""
    command = [sys.executable, EXAMPLES / f"{name}.py", str(steps)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    drawn = (folder / f"{name}.svg").read_text("utf-8")
    assert drawn.startswith("<svg")
    assert "<path" in drawn
    return done.stdout.splitlines()


def share(line: str) -> float:
    """Return the first share in a line, such as `98.5%`."""
    (word, *_) = [word for word in line.split() if word.endswith("%")]
    return float(word.rstrip("%"))


@pytest.mark.slow
def test_digits(tmp_path: Path):
    pytest.importorskip("sklearn")
    (line,) = [line for line in ran("digits", 2, tmp_path) if "held-out" in line]
    assert share(line) > 60


@pytest.mark.slow
def test_fine_tuning(tmp_path: Path):
    pytest.importorskip("sklearn")
    lines = ran("fine_tuning", 40, tmp_path)
    (before,), (after,) = (
        [share(line) for line in lines if line.startswith(word)] for word in ("before:", "after:")
    )
    assert after > before


@pytest.mark.slow
def test_trees(tmp_path: Path):
    assert ran("arithmetic_trees", 5, tmp_path)


def test_a_differential_equation(tmp_path: Path):
    assert ran("neural_ode", 5, tmp_path)
