"""The examples that train run alone; a few steps are enough to see that they learn and draw."""

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
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


def test_a_language_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """The loss falls, and the network writes letters of the text; both are small here."""
    monkeypatch.syspath_prepend(EXAMPLES)
    monkeypatch.chdir(tmp_path)
    model: Any = importlib.import_module("language_model")
    for name, size in {"PIECES": 8, "LENGTH": 12, "WIDTH": 16}.items():
        monkeypatch.setattr(model, name, size)
    losses: list[float] = []
    monkeypatch.setattr(model.Report, "step", lambda _, loss: losses.append(float(loss)))
    monkeypatch.setattr(model.Report, "draw", lambda _, path: path)
    model.main(50)
    uniform = np.log(len(model.LETTERS))
    assert losses[0] == pytest.approx(uniform, rel=0.1)
    assert np.mean(losses[-10:]) < 0.9 * uniform
    text = capsys.readouterr().out[-401:].rstrip("\n")
    assert {*text} <= {*model.LETTERS, " "}
    assert len({*text}) > 5
