"""The process of one engine in a comparison: it loads a model and answers commands.

`python -m relay.cli.engine_process NAME` reads one JSON object per line from standard input,
executes it, and writes an answer; it exits at the end of the input. A failed command answers
`{"error": …}`.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, TextIO, TypeAlias, TypeGuard

import numpy as np
import numpy.typing as npt

from relay.support.posix import peak_memory

Feeds: TypeAlias = dict[str, Any]
"""Inputs by name: arrays, or the JSON form of values that are not tensors."""
Run: TypeAlias = Callable[[], list[npt.NDArray[Any]]]
Load: TypeAlias = Callable[[Path, Feeds, int], tuple[Run, int]]
"""A function that returns a call with bound inputs, and its number of operations if known."""


class LoadedEngine:
    """An inference engine, such as ONNX Runtime, with the model that it has loaded."""

    def __init__(self, name: str) -> None:
        modules, load = ENGINES[name]
        for module in modules:
            import_module(module)  # before timing starts
        title, distribution = TITLES[name]
        self._version = f"{title} {version(distribution)}"
        self._load_model = load
        self._run: Run = list

    def answer(self, command: dict[str, Any]) -> dict[str, Any]:
        """Execute one command, and return the answer."""
        actions: Mapping[str, Callable[..., dict[str, Any]]] = {
            "load": self._load,
            "outputs": self._outputs,
            "time": self._time,
            "memory": lambda: {"bytes": peak_memory()},
        }
        return actions[command.pop("do")](**command)

    def _load(
        self, model: str, feeds: str, written: dict[str, Any], threads: int
    ) -> dict[str, Any]:
        with np.load(feeds) as archive:
            arrays = {**{name: archive[name] for name in archive.files}, **written}
        start = time.perf_counter()
        self._run, flops = self._load_model(Path(model), arrays, threads)
        self._run()
        seconds = time.perf_counter() - start
        return {"seconds": seconds, "version": self._version, "flops": flops}

    def _outputs(self, path: str) -> dict[str, Any]:
        np.savez(path, *self._run())
        return {}

    def _time(self, seconds: float) -> dict[str, Any]:
        times: list[float] = []
        end = time.perf_counter() + seconds
        while len(times) < 3 or time.perf_counter() < end:
            start = time.perf_counter()
            self._run()
            times.append(time.perf_counter() - start)
        return {"times": times}


def load_relay(model: Path, feeds: Feeds, threads: int) -> tuple[Run, int]:
    """Load a model in Relay: compile it, or open a compiled file."""
    import relay  # noqa: PLC0415 - not in the processes of other engines
    from relay.runtime.adt_executable_base import DataSurface  # noqa: PLC0415
    from relay.runtime.code.interface_types import tensors_in  # noqa: PLC0415
    from relay.runtime.code.json_arguments import written_value  # noqa: PLC0415
    from relay.runtime.code.signature import ValueSpec  # noqa: PLC0415

    if model.suffix == ".relay":
        executable = relay.Executable.load(model, threads=threads)
    else:
        shapes = {name: array.shape for name, array in feeds.items() if is_array(array)}
        executable = relay.compile(relay.load(model, shapes), threads=threads)
    for spec in executable.signature.inputs:
        if isinstance(spec, ValueSpec):
            feeds = {**feeds, spec.name: written_value(feeds[spec.name], spec)}
    flops = _flops(executable, feeds)
    if isinstance(executable, DataSurface):
        return lambda: list(tensors_in(executable(**feeds))), flops
    return lambda: list(executable.run(**feeds).values()), flops


def is_array(feed: object) -> TypeGuard[npt.NDArray[Any]]:
    """Whether an input value is an array rather than the JSON form of a value."""
    return isinstance(feed, np.ndarray)


def _flops(executable: Any, feeds: Feeds) -> int:
    return executable.profile(repeats=1, **feeds).total.flops


def load_onnxruntime(model: Path, feeds: Feeds, threads: int) -> tuple[Run, int]:
    """Load a model in ONNX Runtime, with all graph optimisations, on the CPU."""
    runtime: Any = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, feeds), 0


def load_torch(model: Path, feeds: Feeds, threads: int) -> tuple[Run, int]:
    """Load a model in PyTorch, translated to a module for eager execution."""
    torch: Any = import_module("torch")
    torch.set_num_threads(threads)
    module = import_module("onnx2torch").convert(str(model)).eval()
    names = [entry.name for entry in import_module("onnx").load(str(model)).graph.input]
    arguments = [torch.from_numpy(feeds[name]) for name in names if name in feeds]

    def run() -> list[npt.NDArray[Any]]:
        with torch.inference_mode():
            result = module(*arguments)
        results: list[Any] = list(result) if isinstance(result, list | tuple) else [result]  # pyright: ignore[reportUnknownArgumentType]
        return [each.numpy() for each in results]

    return run, 0


ENGINES: Mapping[str, tuple[tuple[str, ...], Load]] = {
    "relay": (("relay.frontend.load", "relay.build.compile"), load_relay),
    "ort": (("onnxruntime",), load_onnxruntime),
    "torch": (("onnx2torch", "torch"), load_torch),
}
"""The engines: the modules that each requires, and its loader."""

TITLES = {
    "relay": ("Relay", "relay-compiler"),
    "ort": ("ONNX Runtime", "onnxruntime"),
    "torch": ("PyTorch eager", "torch"),
}
"""The engines' names in tables, and the distributions that have their versions."""


def _replies() -> TextIO:
    """Return a stream to the parent, and redirect other output to standard error."""
    stream = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return stream


def main() -> None:
    """Answer commands until the end of the input."""
    replies = _replies()
    contestant: LoadedEngine | None = None
    for line in sys.stdin:
        try:
            contestant = contestant or LoadedEngine(sys.argv[1])
            answer = contestant.answer(json.loads(line))
        except Exception as error:  # noqa: BLE001 - whatever fails in an engine is its result
            answer = {"error": f"{type(error).__name__}: {str(error).strip()[:300]}"}
        replies.write(json.dumps(answer) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
