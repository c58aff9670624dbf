"""Uncaught errors show the user's frames, and Relay's only on request."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import relay
from relay.support.tracebacks import rendered

ROOT = Path(__file__).parents[2]
SCRIPT = """\
import relay

def build():
    x = relay.var("x", shape=(2, 3))
    return relay.nn.dense(x, relay.var("w", shape=(4, 5)))

build()
"""


def test_only_the_frames_of_the_user_are_shown(tmp_path):
    path = tmp_path / "model.py"
    path.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, path], env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    said = done.stderr
    assert done.returncode == 1
    files = [line.split('"')[1] for line in said.splitlines() if line.startswith("  File")]
    assert files == [str(path)] * 2
    assert "error[T105]" in said
    assert said.endswith("(frames inside Relay are hidden; RELAY_TRACEBACK=full shows them)\n")


PROGRAM = """\
import numpy as np, relay
from relay.frontend.python import Tensor

@relay.function
def choose(x: Tensor[4]) -> Tensor[4]:
    if x > 0:
        return x
    return -x

choose(np.ones(4, np.float32))
"""


def test_an_error_in_a_python_function_is_told_once(tmp_path):
    path = tmp_path / "model.py"
    path.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, path], env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    files = [line for line in done.stderr.splitlines() if line.startswith("  File")]
    assert files == [f'  File "{path}", line 10, in <module>']
    assert done.stderr.count("error[F114]") == 1


def test_errors_during_which_it_was_raised_are_short(capsys):
    def parse_twice():
        try:
            relay.parse("nonsense")
        except relay.RelayError:
            relay.parse("more nonsense")

    said = reported(parse_twice, capsys)
    assert said.count("Traceback") == 2
    assert str(ROOT / "relay") not in said


def reported(call: Callable[[], object], capsys: pytest.CaptureFixture[str]) -> str:
    """Return what Python prints of an uncaught error."""
    with pytest.raises((relay.RelayError, AttributeError)) as found:
        call()
    sys.excepthook(found.type, found.value, found.value.__traceback__)
    return capsys.readouterr().err


def test_a_switch_shows_all(monkeypatch, capsys):
    assert "hidden" in reported(lambda: relay.parse("nonsense"), capsys)
    monkeypatch.setenv("RELAY_TRACEBACK", "full")
    said = reported(lambda: relay.parse("nonsense"), capsys)
    assert str(ROOT / "relay") in said
    assert "hidden" not in said


def test_other_exceptions_are_as_ever(capsys):
    said = reported(lambda: relay.nonsense, capsys)
    assert str(ROOT / "relay" / "__init__.py") in said
    assert "hidden" not in said


def test_notebooks_ask_for_the_lines(monkeypatch):
    x = relay.var("x", shape=(2, 3))
    with pytest.raises(relay.RelayError) as found:
        relay.nn.dense(x, x.astype("int8"))
    lines = found.value._render_traceback_()
    assert lines == rendered(found.value)
    assert not any(str(ROOT / "relay") in line for line in lines)
    assert any(__file__ in line for line in lines)
    monkeypatch.setenv("RELAY_TRACEBACK", "full")
    assert any(str(ROOT / "relay") in line for line in rendered(found.value))
