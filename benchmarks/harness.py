"""Measure compared engines on one model: one process each, alternating rounds, times and errors."""

import importlib.util
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from benchmarks.cache import with_bytecode
from benchmarks.contenders.case import Case, Feeds, Outputs

HERE = Path(__file__).parents[1]
CONTENDERS = "benchmarks.contenders"
PACKAGES = {"relay": "relay", "ort": "onnxruntime", "torch": "torch", "openvino": "openvino"}
REFERENCE = "ort"
ROUND_SECONDS = (
    0.3  # long enough for hundreds of calls of a small network, short enough to alternate
)
PATIENCE = 180  # seconds; a compilation that takes longer is a failure to report


@dataclass
class Measurement:
    """The result of one engine on one model; `failure` is the reason if there are no numbers.

    `busy_seconds` is the 90th percentile of a call's processor time, summed over all threads; it
    depends little on other load and on the clock's resolution.
    """

    contender: str
    version: str = ""
    median_seconds: float | None = None
    least_seconds: float | None = None
    busy_seconds: float | None = None
    error: float | None = None
    cold_seconds: float | None = None
    warm_seconds: float | None = None
    peak_bytes: int | None = None
    failure: str | None = None


class ContenderError(Exception):
    """Raised if an engine could not do what it was asked."""


class Contender:
    """A worker process of one engine and the pipe to it.

    A context manager that ends the process.
    """

    def __init__(
        self,
        name: str,
        threads: int,
        cache: Path,
        home: str = CONTENDERS,
        checkout: Path = HERE,
    ) -> None:
        """Start the process with `threads` threads and its compile cache under `cache`.

        `home` is the package that has a module for each contender, and `checkout` the folder from
        which the process imports it and Relay.
        """
        self.name = name
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.worker", f"{home}.{name}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=_environment(threads, cache),
            cwd=checkout,
        )

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        """Send a command and return its answer; raise `ContenderError` if it failed.

        A process that has not answered after `PATIENCE` seconds is ended.
        """
        guard = threading.Timer(PATIENCE, self._process.kill)
        guard.start()
        try:
            return self._answer(do, arguments)
        finally:
            guard.cancel()

    def _answer(self, do: str, arguments: dict[str, Any]) -> dict[str, Any]:
        pipe = self._process
        assert pipe.stdin is not None, "stdin is a pipe"
        assert pipe.stdout is not None, "stdout is a pipe"
        try:
            pipe.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
            pipe.stdin.flush()
        except BrokenPipeError as error:
            raise ContenderError(_ended(pipe.wait())) from error
        line = pipe.stdout.readline()
        if not line:
            raise ContenderError(_ended(pipe.wait()))
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise ContenderError(answer["error"])
        return answer

    def load(self, case: Case) -> dict[str, Any]:
        """Compile `case` in the process."""
        return self.ask(
            "load",
            model=None if case.model is None else str(case.model),
            feeds=str(case.feeds),
            threads=case.threads,
            network=case.network,
        )

    def __enter__(self) -> Self:
        """Return the running contender."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the process."""
        assert self._process.stdin is not None, "the end is a pipe"
        self._process.kill()
        self._process.wait()


def _ended(status: int) -> str:
    killed = status == -signal.SIGKILL
    return f"no answer in {PATIENCE} s" if killed else f"the process ended with {status}"


def _environment(threads: int, cache: Path) -> dict[str, str]:
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RELAY_NUM_THREADS")
    limits = dict.fromkeys(names, str(threads))
    homes = {"XDG_CACHE_HOME": "", "RELAY_CACHE_DIR": "relay", "TORCHINDUCTOR_CACHE_DIR": "torch"}
    caches = {name: str(cache / folder) for name, folder in homes.items()}
    return {**with_bytecode(os.environ), **limits, **caches}


def available() -> list[str]:
    """Return the names of the contenders that are installed."""
    return [name for name, package in PACKAGES.items() if importlib.util.find_spec(package)]


def measure(
    model: Path | None,
    feeds: Feeds,
    contenders: Sequence[str],
    threads: int = 1,
    rounds: int = 7,
    network: str | None = None,
    expected: Outputs | None = None,
    home: str = CONTENDERS,
) -> list[Measurement]:
    """Measure every engine on `model`; ONNX Runtime's values are the reference for errors.

    A program without a file has a description, `network`, and `expected` outputs. Engines are
    modules of the package `home`.

    Each engine compiles twice, in two processes that share one compile cache: the first compilation
    is the cold one, the second the warm one. Rounds go A B C A B C …, so that a slow phase of the
    machine affects all engines.
    """
    results = {name: Measurement(name) for name in contenders}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        np.savez(folder / "feeds.npz", **feeds)  # pyright: ignore[reportArgumentType] - no feed is a flag
        case = Case(model, folder / "feeds.npz", threads, network)
        running = [
            process
            for result in results.values()
            if (process := _start(stack, case, folder, result, home)) is not None
        ]
        _record_times(running, results, rounds)
        _record_errors(folder, results, expected)
    return list(results.values())


def _start(
    stack: ExitStack, case: Case, folder: Path, result: Measurement, home: str
) -> Contender | None:
    name = result.contender
    cache = folder / f"{name}-cache"
    cache.mkdir()
    try:
        with Contender(name, case.threads, cache, home) as first:
            result.cold_seconds = first.load(case)["seconds"]
        process = stack.enter_context(Contender(name, case.threads, cache, home))
        loaded = process.load(case)
        result.warm_seconds, result.version = loaded["seconds"], loaded["version"]
        process.ask("outputs", path=str(folder / f"{name}.npz"))
        process.ask("run", seconds=0.1, at_least=3)  # warm up
        result.peak_bytes = process.ask("memory")["peak_bytes"]
    except ContenderError as error:
        result.failure = str(error)
        return None
    return process


def _record_times(
    running: Sequence[Contender], results: Mapping[str, Measurement], rounds: int
) -> None:
    times: dict[str, list[list[float]]] = {process.name: [] for process in running}
    busy: dict[str, list[float]] = {process.name: [] for process in running}
    for _ in range(rounds):
        for process in running:
            result = results[process.name]
            if result.failure:
                continue
            try:
                answer = process.ask("run", seconds=ROUND_SECONDS, at_least=3)
                times[process.name].append(answer["times"])
                busy[process.name] += answer["busy"]
            except ContenderError as error:
                result.failure = str(error)
    for name, measured in times.items():
        if not results[name].failure:
            results[name].median_seconds = statistics.median(map(statistics.median, measured))
            results[name].least_seconds = min(map(min, measured))
            results[name].busy_seconds = statistics.quantiles(busy[name], n=10)[0]


def _record_errors(
    folder: Path, results: Mapping[str, Measurement], expected: Outputs | None
) -> None:
    if expected is None:
        if REFERENCE not in results or results[REFERENCE].failure:
            return
        expected = _read(folder / f"{REFERENCE}.npz")
    for name, result in results.items():
        if not result.failure:
            result.error = relative_error(_read(folder / f"{name}.npz"), expected)


def _read(path: Path) -> Outputs:
    with np.load(path) as archive:
        return [archive[name] for name in archive.files]


def relative_error(actual: Outputs, expected: Outputs) -> float:
    """Return the largest difference over the largest magnitude, the maximum over all outputs.

    Outputs of another number, shape or kind, and unexpected NaN, count as infinite. Equal elements
    (including infinities and pairs of NaN) have no difference.

    >>> relative_error([np.array([1.0, 2.0])], [np.array([1.0, 4.0])])
    0.5
    """
    if len(actual) != len(expected):
        return float("inf")
    return max((_array_error(a, e) for a, e in zip(actual, expected, strict=True)), default=0.0)


def _array_error(actual: np.ndarray, expected: np.ndarray) -> float:
    if actual.shape != expected.shape or actual.dtype.kind != expected.dtype.kind:
        return float("inf")
    if actual.dtype.kind not in "fiu":
        return 0.0 if np.array_equal(actual, expected) else float("inf")
    a, e = actual.astype(np.float64), expected.astype(np.float64)
    differs = ~((a == e) | (np.isnan(a) & np.isnan(e)))
    if not differs.any():
        return 0.0
    scale = np.abs(e[np.isfinite(e)]).max(initial=np.finfo(np.float32).tiny)
    worst = float(np.abs(a - e)[differs].max() / scale)
    return float("inf") if np.isnan(worst) else worst
