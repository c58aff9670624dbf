"""The command line as a whole: help, errors, exit statuses, pipes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from relay.cli import main as cli

ROOT = Path(__file__).parents[2]
RELAY = [sys.executable, "-m", "relay.cli"]


def test_help_lists_every_command_and_loads_none(relay):
    ran = relay("--help")
    assert ran.status == 0
    for name in cli.COMMANDS:
        assert f"  {name} " in ran.out


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_has_help(relay, name):
    ran = relay(name, "--help")
    assert ran.status == 0
    assert f"usage: relay {name}" in ran.out


def test_help_imports_neither_the_compiler_nor_rich():
    program = (
        "import sys; from relay.cli.main import main; main(['--help']);"
        "print([m for m in ('numpy', 'rich', 'onnx', 'llvmlite') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_wrong_command_line_exits_with_2(relay):
    assert relay().status == 2
    assert relay("rnu").status == 2
    assert relay("run").status == 2
    assert relay("run", "x.onnx", "--sped").status == 2


def test_a_misspelt_word_of_the_command_line_has_a_suggestion(relay):
    assert "there is no command 'rnu'; did you mean run?" in relay("rnu").err
    assert "see `relay --help`" in relay("fly").err
    ran = relay("run", "x.onnx", "--theads=2", "y")
    assert "unrecognized arguments: --theads=2 y; did you mean --threads?" in ran.err


def test_an_error_is_drawn_without_traceback(relay, tmp_path):
    ran = relay("run", tmp_path / "absent.onnx", "--random")
    assert ran.status == 1
    assert ran.out == ""
    assert ran.err.startswith("error[F001]: cannot read")
    assert "relay explain F001" in ran.err
    assert "Traceback" not in ran.err
    assert "\x1b" not in ran.err


@pytest.mark.parametrize("name", ["relay", "relay.cli"])
def test_the_command_is_a_module_too(name: str):
    done = subprocess.run(
        [sys.executable, "-m", name, "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("usage: relay")


def test_debug_shows_the_traceback(tmp_path):
    done = subprocess.run(
        [*RELAY, "run", str(tmp_path / "absent.onnx"), "--debug"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("Traceback")
    assert str(ROOT / "relay" / "frontend" / "load.py") in done.stderr
    assert "hidden" not in done.stderr


def test_interrupting_exits_with_130(relay, model, monkeypatch):
    def interrupt(_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("relay.cli.check.execute", interrupt)
    assert relay("check", model).status == cli.INTERRUPTED == 130


def test_a_reader_that_has_left_is_no_error():
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "relay.cli", "ops"]
    done = subprocess.run(command, cwd=ROOT, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_reader_that_leaves_is_no_error():
    done = subprocess.run(
        f"{sys.executable} -m relay.cli ops | head -1; exit ${{PIPESTATUS[0]}}",
        shell=True, executable="/bin/bash", cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.parametrize("name", ["check", "fmt"])
def test_debug_shows_the_frames_of_errors_in_files(relay, tmp_path, name):
    path = tmp_path / "bad.rly"
    path.write_text('#[version = "0.0.5"]\nnonsense')
    ran = relay(name, path, "--debug")
    assert ran.status == 1
    assert ran.err.startswith("Traceback")


@pytest.mark.parametrize(
    "given",
    [
        "run x.rly --seed -1",
        "bench x.rly --rounds 0",
        "explain x.rly --remarks -1",
        "explain x.rly --kernels -2",
        "fmt x.rly --width -3",
        "show x.rly --summary --types",
        "show x.rly --program --html x.html",
        "ops --onnx --torch",
    ],
)
def test_numbers_and_combinations_that_are_refused(relay, given):
    ran = relay(*given.split())
    assert ran.status == 2
    assert "must be at least" in ran.err or "not allowed with" in ran.err
