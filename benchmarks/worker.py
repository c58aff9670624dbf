"""The child process of a measurement: holds one engine, and answers commands.

Commands and answers are one JSON object per line over stdin and stdout. `load` compiles and binds,
`outputs` writes the results of one call to an npz file, `call` does so for other inputs, `run`
times calls, `memory` returns the peak. A failed command answers `{"error": …}`; the end of stdin
ends the process.
"""

import importlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from benchmarks.contenders.case import Binding, Case, Outputs

Answer = dict[str, Any]


class Worker:
    """One engine and, once loaded, its bound call."""

    def __init__(self, contender: str) -> None:
        """Import the engine's module before any timing starts."""
        self._engine = importlib.import_module(contender)
        self._binding: Binding | None = None
        self._call: Callable[[], Outputs] | None = None

    def answer(self, command: dict[str, Any]) -> Answer:
        """Execute one command."""
        actions = {
            "load": self._load,
            "outputs": self._outputs,
            "call": self._once,
            "run": self._run,
            "memory": lambda: {"peak_bytes": peak_memory()},
        }
        return actions[command.pop("do")](**command)

    def _load(self, model: str | None, feeds: str, threads: int, network: str | None) -> Answer:
        case = Case(None if model is None else Path(model), Path(feeds), threads, network)
        inputs = case.load_feeds()
        started = time.perf_counter()
        binding: Binding = self._engine.load(case)
        self._binding, self._call = binding, binding(inputs)
        seconds = time.perf_counter() - started
        return {
            "seconds": seconds if self._engine.COMPILES else None,
            "version": self._engine.version(),
        }

    def _outputs(self, path: str) -> Answer:
        np.savez(path, *self._bound()())
        return {}

    def _once(self, feeds: str, path: str) -> Answer:
        assert self._binding is not None, "load comes before every other command"
        with np.load(feeds) as archive:
            inputs = {name: archive[name] for name in archive.files}
        np.savez(path, *self._binding(inputs)())
        return {}

    def _run(self, seconds: float, at_least: int) -> Answer:
        call, times, busy = self._bound(), list[float](), list[float]()
        end = time.perf_counter() + seconds
        while len(times) < at_least or time.perf_counter() < end:
            begun, started = time.process_time(), time.perf_counter()
            call()
            times.append(time.perf_counter() - started)
            busy.append(time.process_time() - begun)
        return {"times": times, "busy": busy}

    def _bound(self) -> Callable[[], Outputs]:
        assert self._call is not None, "load comes before every other command"
        return self._call


def peak_memory() -> int:
    """Return the peak memory of this process in bytes.

    On Linux a child inherits its parent's `ru_maxrss` across exec, so the high-water mark of the
    address space is read instead if it is available.
    """
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
    lines = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    return int(lines["VmHWM"].split()[0]) * 1024


def private_stdout() -> TextIO:
    """Return a stream to the parent, and redirect the output of engines to stderr."""
    stream = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return stream


def main() -> None:
    """Answer commands until stdin ends."""
    replies = private_stdout()
    worker: Worker | None = None
    for line in sys.stdin:
        try:
            worker = worker or Worker(sys.argv[1])
            answer = worker.answer(json.loads(line))
        except Exception as error:  # noqa: BLE001 - any failure of an engine is its result
            answer = {"error": f"{type(error).__name__}: {str(error).strip()[:300]}"}
        replies.write(json.dumps(answer) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
