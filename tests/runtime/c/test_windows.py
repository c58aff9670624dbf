"""The C runtime on Windows: its heap, thread pool and interrupts, under Wine."""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from runtime.c.test_sanitizers import HEAP, HERE, SOURCES, THREADS

COMPILE = (sys.executable, "-m", "ziglang", "cc", "-target", "x86_64-windows-gnu")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "sources"), [("heap", HEAP), ("threads", THREADS)])
def test_the_units_run(tmp_path: Path, name: str, sources: Sequence[str]):
    wine = shutil.which("wine")
    if wine is None or importlib.util.find_spec("ziglang") is None:
        pytest.skip("there is no Wine, or no compiler for Windows")
    program = tmp_path / f"{name}.exe"
    files = [HERE / f"test_{name}.c", *(SOURCES / f"{each}.c" for each in sources)]
    options = ("-std=gnu11", "-O1", "-Wno-attributes", "-o", program)
    subprocess.run([*COMPILE, *options, *files], check=True, capture_output=True)
    environment = {**os.environ, "WINEPREFIX": str(tmp_path / "wine"), "WINEDEBUG": "-all"}
    done = subprocess.run([wine, program, "units"], check=False, env=environment, timeout=300)
    assert done.returncode == 0
