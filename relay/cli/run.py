"""Run a model once on the given inputs, and print its results and its time.

    relay run model.onnx --random
    relay run model.onnx --input image=photo.npy --output results/

The model is called again for a third of a second to measure its time.
"""

import argparse
import re
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from relay.cli.compile_options import add_compilation
from relay.cli.console import console, table
from relay.cli.format_numbers import milliseconds
from relay.cli.input_options import Feed, add_inputs, feeds_of
from relay.cli.json_output import add_json, json_value, print_json
from relay.cli.open_model import add_model, open_executable
from relay.cli.print_results import data_text, in_words, is_tensor, parts_of_outputs
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError

Array = npt.NDArray[Any]

SECONDS = 0.3
"""The seconds for which a model is called repeatedly to measure its time."""

LARGEST_VOCABULARY = 1_000_000
_SPECIAL = re.compile(r"[^\w.-]")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command-line options."""
    add_model(parser)
    add_inputs(parser)
    parser.add_argument(
        "--random", action="store_true", help="use random numbers for inputs without --input"
    )
    add_compilation(parser)
    add_json(parser)
    parser.add_argument(
        "-o", "--output", type=Path, metavar="DIR", help="write the outputs to DIR as .npy files"
    )


def execute(options: argparse.Namespace) -> int:
    """Run the command: run the model once, print results, and time it."""
    if options.output is not None:
        _check_folder(options.output)
    executable, ready = open_executable(options)
    feeds = feeds_of(executable.signature.inputs, options, executable.defaults)
    first_inputs, spare = _copies(feeds), _copies(feeds)
    start = time.perf_counter()
    outputs = executable.run(**first_inputs)
    first = time.perf_counter() - start
    times = measured(lambda: executable.run(**spare))
    paths = [] if options.output is None else _write(outputs, options.output)
    if options.json:
        print_json(_fields(outputs, ready + first, times))
        return 0
    _print(feeds, outputs)
    out = console()
    out.print()
    if any(feed.is_sized for feed in feeds.values()):
        out.print("dynamic sizes were chosen automatically; --shape NAME=… specifies others")
    out.print(f"ready in {milliseconds(ready + first)}, {_timing(times)}")
    for path in paths:
        out.print(f"wrote {path}", soft_wrap=True)
    return 0


def _copies(feeds: Mapping[str, Feed]) -> dict[str, Any]:
    """Return inputs that a program may overwrite: donated ones become results."""
    given = {name: feed.value for name, feed in feeds.items()}
    return {name: x.copy() if isinstance(x, np.ndarray) else x for name, x in given.items()}


def _fields(outputs: Mapping[str, Any], ready: float, times: Sequence[float]) -> dict[str, Any]:
    """Return the object that `--json` prints: values and seconds."""
    seconds = {"ready": ready, "median": statistics.median(times), "fastest": min(times)}
    values = {name: json_value(given) for name, given in outputs.items()}
    return {"outputs": values, "seconds": seconds, "calls": len(times)}


def measured(call: Callable[[], object], seconds: float = SECONDS) -> list[float]:
    """Call a function repeatedly, for `seconds` or three times; return the seconds of each call."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return times


def _timing(times: Sequence[float]) -> str:
    median, least = statistics.median(times), min(times)
    return (
        f"then {milliseconds(median)} a call "
        f"(fastest {milliseconds(least)}, {len(times)} calls)"
    )  # fmt: skip


def _print(feeds: Mapping[str, Feed], outputs: Mapping[str, Any]) -> None:
    out = console()
    grid = table("input", "type", "values", "from")
    for name, feed in feeds.items():
        grid.add_row(name, *in_words(feed.value), feed.origin)
    out.print(grid)
    out.print()
    grid = table("output", "type", "values")
    parts = dict(parts_of_outputs(outputs))
    for name, given in parts.items():
        grid.add_row(name, *in_words(given))
    out.print(grid)
    for name, array in parts.items():
        if is_tensor(array) and looks_like_scores(array):
            out.print()
            out.print(_best(name, array.reshape(-1)))


def looks_like_scores(array: Array) -> bool:
    """Whether an output may be class scores: one row of at least 5 floats.

    >>> looks_like_scores(np.zeros((1, 10), "float32")), looks_like_scores(np.zeros((2, 10)))
    (True, False)
    """
    return (
        array.dtype.kind == "f"
        and 0 < array.ndim <= 2
        and 5 <= array.size == array.shape[-1] <= LARGEST_VOCABULARY
    )


def _best(name: str, scores: Array) -> Any:
    grid = table(f"highest values of {name}", "score", numbers=1)
    for index in np.argsort(-scores.astype(np.float64), kind="stable")[:5]:
        grid.add_row(str(index), f"{float(scores[index]):.4g}")
    return grid


def _check_folder(path: Path) -> None:
    """Raise `U015` for the name of a file, unless it is that of a folder that exists."""
    if path.suffix in (".npy", ".npz", ".json") and not path.is_dir():
        raise UsageError(
            ErrorCode.U015,
            f"the outputs are written to a folder, and '{path}' is the name of a file",
            help=f"name a folder, such as {path.with_suffix('')}, or print the outputs with --json",
        )


def _write(outputs: Mapping[str, Any], folder: Path) -> list[Path]:
    paths: list[Path] = []
    parts = dict(parts_of_outputs(outputs))
    _refuse_data(parts)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, array in parts.items():
            path = folder / f"{_SPECIAL.sub('_', name)}.npy"
            np.save(path, array)
            paths.append(path)
    except OSError as error:
        raise UsageError(
            ErrorCode.U015,
            f"the outputs cannot be written to the folder '{folder}': {error.strerror or error}",
            help="choose another folder, or check its permissions and the free space",
        ) from None
    return paths


def _refuse_data(parts: Mapping[str, Any]) -> None:
    for name, given in parts.items():
        if not is_tensor(given):
            raise UsageError(
                ErrorCode.U015,
                f"the output '{name}' cannot be written: its value is {data_text(given)}, but .npy "
                "files hold only tensors",
                help="run the program from Python, which can return such values",
            )
