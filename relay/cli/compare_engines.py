"""Compare the speed and accuracy of several engines on one model.

Each engine runs in its own process, and is started twice with its own cache, which is empty at
first: the first start gives the time of a cold compilation, the second that of a warm one. Then the
engines are timed in alternation, A B C A B C, so that a slow phase of the machine affects all of
them.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from relay.cli.engine_process import ENGINES, Feeds, is_array
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.node import node

ROUND_SECONDS = 0.3
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


@node
class Result:
    """The measurements of an engine: seconds per call, seconds to load, memory, and errors.

    Load times are with a cold and a warm cache. `error` is the largest difference from the
    reference engine's outputs, divided by their largest magnitude; `flops` are the operations of a
    call if the engine knows them. `failure` explains why numbers are missing.
    """

    engine: str
    version: str = ""
    median: float = 0.0
    least: float = 0.0
    cold: float = 0.0
    warm: float = 0.0
    peak_bytes: int = 0
    flops: int = 0
    error: float | None = None
    failure: str = ""


def compare(
    model: Path,
    feeds: Feeds,
    engines: Sequence[str],
    *,
    threads: int = 1,
    rounds: int = 5,
    reference: str = "ort",
    news: Callable[[str], None] = lambda _: None,
) -> list[Result]:
    """Measure engines on a model with the inputs `feeds`; compare outputs with the reference's.

    An engine that fails has a `failure` in its result. Raises `U020` for an engine that is unknown
    or not installed.
    """
    check_engines(engines)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        arrays = {name: feed for name, feed in feeds.items() if is_array(feed)}
        np.savez(folder / "feeds.npz", **arrays)  # pyright: ignore[reportArgumentType]
        written = {name: feed for name, feed in feeds.items() if name not in arrays}
        runners: list[_Runner] = []
        for name in engines:
            news(f"{name}: compiling")
            runner = _Runner(name, folder, threads)
            stack.callback(runner.close)
            runner.prepare(model, written)
            runners.append(runner)
        for number in range(rounds):
            news(f"round {number + 1} of {rounds}")
            for runner in runners:
                runner.time()
        expected = next((r.outputs() for r in runners if r.name == reference), None)
        return [runner.result(expected) for runner in runners]


def check_engines(names: Sequence[str]) -> None:
    """Raise `U020` unless all engines are known and installed."""
    for name in names:
        if name not in ENGINES:
            raise UsageError(
                ErrorCode.U020,
                f"there is no engine '{name}' to compare with",
                help="choose ort (ONNX Runtime), torch (PyTorch), or both: ort,torch",
            )
        package = ENGINES[name][0][0].partition(".")[0]
        if find_spec(package) is None:
            raise UsageError(
                ErrorCode.U020,
                f"the package {package}, whose engine is to be measured, is not installed",
                help=f"pip install {package}",
            )


class _Runner:
    """One engine as seen by the parent process: the child process, and its measurements."""

    def __init__(self, name: str, folder: Path, threads: int) -> None:
        self.name = name
        self._threads = threads
        self._folder = folder
        self._cache = folder / f"{name}-cache"
        self._known: dict[str, Any] = {}
        self._times: list[list[float]] = []
        self._failure = ""
        self._process: _Process | None = None

    def prepare(self, model: Path, written: Feeds) -> None:
        """Load the model in a first process for the cold time, and in a second one to be timed."""
        load = {
            "do": "load",
            "model": str(model.resolve()),
            "feeds": str(self._folder / "feeds.npz"),
            "written": written,
            "threads": self._threads,
        }
        with _Process(self.name, self._threads, self._cache) as first:
            cold = self._try(first, load).get("seconds", 0.0)
        if not self._failure:
            self._process = _Process(self.name, self._threads, self._cache)
            warm = self._try(self._process, load)
            self._known = {"cold": cold, "warm": warm.pop("seconds", 0.0), **warm}
            self._ask(do="outputs", path=str(self._path))
            self._ask(do="time", seconds=0.1)  # warm up
            self._known["peak_bytes"] = self._ask(do="memory").get("bytes", 0)

    def time(self) -> None:
        """Call the model repeatedly for one round, and record the times."""
        self._times.append(self._ask(do="time", seconds=ROUND_SECONDS).get("times", []))

    def outputs(self) -> list[npt.NDArray[Any]] | None:
        """Return the outputs of one call; None if the engine failed."""
        if self._failure:
            return None
        with np.load(self._path) as archive:
            return [archive[name] for name in archive.files]

    def result(self, expected: Sequence[npt.NDArray[Any]] | None) -> Result:
        """Return all measurements of the engine, with the error relative to `expected`."""
        found = self.outputs()
        if self._failure or found is None:
            return Result(self.name, failure=self._failure)
        return Result(
            self.name,
            median=statistics.median(map(statistics.median, self._times)),
            least=min(map(min, self._times)),
            error=None if expected is None else relative_error(found, expected),
            **self._known,
        )

    def close(self) -> None:
        """End the engine's process."""
        if self._process is not None:
            self._process.close()

    @property
    def _path(self) -> Path:
        return self._folder / f"{self.name}.npz"

    def _ask(self, **command: Any) -> dict[str, Any]:
        if self._failure or self._process is None:
            return {}
        return self._try(self._process, command)

    def _try(self, process: "_Process", command: dict[str, Any]) -> dict[str, Any]:
        answer = process.ask(command)
        self._failure = answer.pop("error", "")
        return answer


class _Process:
    """The process of an engine, and pipes to it."""

    def __init__(self, name: str, threads: int, cache: Path) -> None:
        limits = dict.fromkeys(_THREADS, str(threads))
        caches = {"XDG_CACHE_HOME": str(cache), "RELAY_CACHE_DIR": str(cache)}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "relay.cli.engine_process", name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, **limits, **caches, "PYTHONPATH": os.pathsep.join(sys.path)},
        )

    def ask(self, command: dict[str, Any]) -> dict[str, Any]:
        """Send a command and return the answer; an `error` if the process has ended."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None, "a contestant is spoken to through pipes"
        assert stdout is not None, "a contestant is spoken to through pipes"
        try:
            stdin.write(json.dumps(command) + "\n")
            stdin.flush()
            line = stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            return {"error": f"the process ended with {self._process.wait()}"}
        return json.loads(line)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def relative_error(
    actual: Sequence[npt.NDArray[Any]], expected: Sequence[npt.NDArray[Any]]
) -> float:
    """Return the largest difference divided by the largest magnitude, the worst of all outputs.

    The result is infinite if the number of outputs or a shape differs, or if only one of two values
    is NaN.

    >>> relative_error([np.array([1.0, 2.0])], [np.array([1.0, 4.0])])
    0.5
    """
    if len(actual) != len(expected):
        return float("inf")
    return max((_difference(a, e) for a, e in zip(actual, expected, strict=True)), default=0.0)


def _difference(actual: npt.NDArray[Any], expected: npt.NDArray[Any]) -> float:
    if actual.shape != expected.shape:
        return float("inf")
    a, e = actual.astype(np.float64), expected.astype(np.float64)
    differs = ~((a == e) | (np.isnan(a) & np.isnan(e)))
    if not differs.any():
        return 0.0
    scale = float(np.abs(e[np.isfinite(e)]).max(initial=0.0)) or 1.0
    worst = float(np.abs(a - e)[differs].max()) / scale
    return float("inf") if np.isnan(worst) else worst
