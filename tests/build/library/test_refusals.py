"""What cannot be exported is an error that says why, and leaves no file."""

import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay
from relay.support.errors import RelayError

LISTS = """#[version = "0.0.5"]
type List { Cons(float32, List), Nil }
def @main(%x: float32, %l: List) -> List { Cons(%x, %l) }
"""
LOOP = """#[version = "0.0.5"]
def @main(%n: int32) -> int32 { if (less(%n, 9)) { @main(add(%n, 3)) } else { %n } }
"""


def tanh(*shape: int | relay.DimVar) -> relay.Module:
    x = relay.var("x", shape=shape)
    return relay.Module({"main": relay.Function((x,), relay.tanh(x))})


LOOSE = tanh(relay.DimVar("n"), 4)
PLAIN = tanh(4, 2)


def refusal(model: relay.Module, path: Path, **options: Any) -> RelayError:
    """Return the error of an export, after which the folder is as it was."""
    before = sorted(path.parent.iterdir()) if path.parent.is_dir() else None
    with pytest.raises(RelayError) as caught:
        relay.compile(model, **options).export(path)
    assert before is None or sorted(path.parent.iterdir()) == before
    return caught.value


def test_models_that_no_library_can_be_made_of(tmp_path: Path):
    path = tmp_path / "m.so"
    assert refusal(relay.parse(LISTS), path).code == "A017"
    assert refusal(relay.parse(LISTS), path, target="native").code == "C152"
    specialising = refusal(LOOSE, path, specialise=True)
    assert specialising.code == "A017"
    assert "shapes=" in str(specialising.help)
    for model in (relay.parse(LOOP), LOOSE):
        for machine in ("x86_64-unknown-freebsd", "wasm32 -mattr=-tail-call"):
            assert refusal(model, tmp_path / "m.o", target=machine).code == "C153"
    relay.compile(LOOSE, target="native", shapes={"x": (3, 4)}).export(path)


def test_names_of_files_and_machines(tmp_path: Path):
    unknown = refusal(PLAIN, tmp_path / "m.tar")
    assert unknown.code == "A015"
    assert "export_library('m.relay')" in str(unknown.help)
    for suffix in (".dll", ".dylib"):
        assert refusal(PLAIN, tmp_path / f"m{suffix}", target="x86_64-linux-gnu").code == "A015"
    with pytest.raises(relay.RelayError, match="A015"):
        relay.compile(PLAIN).save(tmp_path / "m.so")
    assert refusal(PLAIN, tmp_path / "m.o").code == "A016"
    for name in ("vax", "pdp11-unknown-none", "native -mhelp", "x86-64-v9", "", "llvm x"):
        assert refusal(PLAIN, tmp_path / "m.o", target=name).code == "C150"


@pytest.mark.parametrize(
    ("name", "close"),
    [
        ("aarch64-linux-gnu -mcpu=cortex-a67", "cortex-a76"),
        ("aarch64-linux-gnu -mcpu=cortex-a76 -mattr=+dotprd", "dotprod"),
        ("wasm32 -mattr=+simd182", "simd128"),
    ],
)
def test_processors_and_features_that_are_not_known(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str, close: str
):
    error = refusal(PLAIN, tmp_path / "m.o", target=name)
    assert error.code == "C150"
    assert close in str(error.help)
    assert capfd.readouterr().err == ""


def test_where_nothing_can_be_written(tmp_path: Path):
    assert refusal(PLAIN, tmp_path / "no" / "m.so").code == "A009"
    (tmp_path / "m.so").mkdir()
    assert refusal(PLAIN, tmp_path / "m.so").code == "A009"


def test_without_a_linker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    error = refusal(PLAIN, tmp_path / "m.so")
    assert error.code == "A013"
    assert "cc" in str(error.help)
    assert "relay-compiler[export]" in str(error.help)
    relay.compile(PLAIN, target="native").export(tmp_path / "m.o")  # this needs no linker


def test_a_linker_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "cc").write_text("#!/bin/sh\necho no space left >&2\nexit 1\n")
    (tools / "cc").chmod(0o755)
    monkeypatch.setenv("PATH", str(tools))
    error = refusal(PLAIN, tmp_path / "m.so")
    assert error.code == "A014"
    assert error.notes == ("no space left",)


FULL = """
import resource, signal, sys
import numpy as np, relay
weights = relay.frozen(np.ones((256, 256), np.float32))
@relay.function
def model(x: relay.TensorType((4, 256), "float32")):
    return relay.nn.dense(x, weights)
made = relay.compile(model)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    made.export(sys.argv[1])
except relay.RelayError as error:
    print(error.code)
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="files have no limits here")
def test_a_full_disk_leaves_nothing(tmp_path: Path):
    script = tmp_path / "full.py"
    script.write_text(FULL)
    command = [sys.executable, script, tmp_path / "m.so"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "A009", done.stderr
    assert list(tmp_path.iterdir()) == [script]


def test_a_program_for_another_machine_is_not_called(tmp_path: Path):
    elsewhere = relay.compile(PLAIN, target="aarch64-linux-gnu")
    with pytest.raises(RelayError, match="A007"):
        elsewhere(np.ones((4, 2), np.float32))
    elsewhere.save(tmp_path / "m.relay")
    with pytest.raises(RelayError, match="A007"):
        relay.Executable.load(tmp_path / "m.relay")
