"""The C runtime under sanitizers, which find nothing in it, and every fault that is seeded."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import relay

HERE = Path(__file__).parent
SOURCES = Path(relay.__file__).parent / "runtime" / "c"
COMPILER = shutil.which("gcc")
OPTIONS = ("-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-Wno-attributes", "-pthread")
HEAP, THREADS = ("heap", "segments", "entry", "batches"), ("pool", "interrupt")


def built(folder: Path, name: str, sources: tuple[str, ...], sanitizers: str) -> Path:
    """Return a test program linked with sources of the runtime, or skip the test."""
    if COMPILER is None:
        pytest.skip("there is no gcc")
    program = folder / name
    files = [HERE / f"test_{name}.c", *(SOURCES / f"{each}.c" for each in sources)]
    command = [COMPILER, *OPTIONS, f"-fsanitize={sanitizers}", "-o", program, *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "cannot find" in done.stderr:
        pytest.skip("gcc has no sanitizers")
    assert done.returncode == 0, done.stderr
    return program


def run(program: Path, case: str) -> tuple[int, str]:
    """Return the status and the errors of a case, or skip the test where sanitizers cannot run."""
    options = "halt_on_error=1:exitcode=66"
    environment = {**os.environ, "ASAN_OPTIONS": "exitcode=66", "TSAN_OPTIONS": options}
    environment["UBSAN_OPTIONS"] = options
    done = subprocess.run(
        [program, case], capture_output=True, text=True, check=False, env=environment, timeout=500
    )
    if "unexpected memory mapping" in done.stderr or "does not work under ptrace" in done.stderr:
        pytest.skip("the system's memory layout or a debugger is in the way of sanitizers")
    return done.returncode, done.stderr


@pytest.fixture(scope="module")
def heap(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("heap"), "heap", HEAP, "address,undefined")


@pytest.fixture(scope="module")
def threads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("threads"), "threads", THREADS, "thread")


@pytest.mark.parametrize(
    ("case", "found"),
    [
        ("overflow", "use-after-poison"),
        ("use after free", "use-after-poison"),
        ("beyond all blocks", "use-after-poison"),
        ("leak", "detected memory leaks"),
    ],
)
def test_faults_in_the_heap_are_found(heap: Path, case: str, found: str):
    status, said = run(heap, case)
    assert found in said
    assert status == 66


def test_the_heap_and_deep_programs_are_clean(heap: Path):
    assert run(heap, "units") == (0, "")


@pytest.mark.slow
def test_random_programs_are_clean(heap: Path):
    assert run(heap, "random calls") == (0, "")


def test_the_memory_of_a_call_is_clean(tmp_path: Path):
    program = built(tmp_path, "boundary", (), "address,undefined")
    assert run(program, "units") == (0, "")
    status, said = run(program, "leak")
    assert "detected memory leaks" in said
    assert status == 66


def test_the_pool_and_interrupts_are_free_of_races(threads: Path):
    assert run(threads, "units") == (0, "")


def test_programs_in_several_threads_are_free_of_races(tmp_path: Path):
    """Each has a heap of its own, and deep ones start threads."""
    assert run(built(tmp_path, "heap", HEAP, "thread"), "several threads") == (0, "")


def test_a_race_is_found(threads: Path):
    status, said = run(threads, "race")
    assert "data race" in said
    assert status == 66


def test_a_forked_child_goes_on(tmp_path: Path):
    program = built(tmp_path, "threads", THREADS, "address,undefined")
    assert run(program, "with fork") == (0, "")
