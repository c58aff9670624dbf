"""Relay alone and with external compilers: `python -m benchmarks.external_compilers`.

Each model is compiled twice, alone and with ONNX Runtime and PyTorch to choose from
(`examples/compilers`), saved, and loaded in a separate process, where both programs are measured in
alternation and their results compared. A choice by measured cost should never be slower than Relay
alone. Writes `benchmarks/results/external_compilers.md`.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import describe_machine
from benchmarks.networks import NETWORKS
from benchmarks.report import RESULTS

ROOT = Path(__file__).parents[1]
FOLDERS = (str(ROOT / "tests/build/external"), str(ROOT / "examples/compilers"))
"""The example compilers, laid out as `pip install` would install them."""

COMPILERS = ("onnxruntime", "torch")
ROUNDS = 40
LIMIT = 1.02
"""The largest allowed time with compilers, relative to Relay alone."""

TOLERANCE = 1e-3


def _tree_lstm() -> Any:
    from relay.testing.zoo import tree_lstm  # noqa: PLC0415 - only a process that compiles
    from relay.transform.bind_parameters import bind_parameters  # noqa: PLC0415 - as above

    module, weights = tree_lstm.workload()
    return bind_parameters(module, weights)


def _network(name: str) -> Callable[[], Any]:
    def loaded() -> Any:
        import relay  # noqa: PLC0415 - only a process that compiles

        return relay.load(NETWORKS[name].onnx_file())

    return loaded


MODELS: Mapping[str, Callable[[], Any]] = {
    **{name: _network(name) for name in ("resnet18", "mobilenet_v2", "bert")},
    "tree_lstm": _tree_lstm,
}


def compile_both(name: str, alone: str, mixed: str) -> Sequence[str]:
    """Compile a model twice and save it; return the measurements and choices as notes."""
    import relay  # noqa: PLC0415 - only a process that compiles

    relay.compile(MODELS[name](), threads=1).save(alone)
    chosen = relay.compile(MODELS[name](), threads=1, compilers=COMPILERS)
    chosen.save(mixed)
    return [*chosen.compilation().notes]


def arguments_of(program: Any) -> Sequence[Any]:
    """Return arguments of a program: generated tensors, or a tree of 15 leaves."""
    if program.input_names != ["tree"]:
        return program.samples()
    from relay.runtime import Data  # noqa: PLC0415 - only a process that runs

    random = np.random.default_rng(0)
    trees = [Data("Leaf", (random.standard_normal((1, 16), np.float32),)) for _ in range(15)]
    while len(trees) > 1:
        trees = [*trees[2:], Data("Node", (trees[0], trees[1]))]
    return trees


def run_both(alone: str, mixed: str) -> Mapping[str, float]:
    """Return the median milliseconds of two saved programs, and the difference of their results."""
    from relay.build.value_difference import difference  # noqa: PLC0415 - only a process that runs
    from relay.runtime.executable import Executable  # noqa: PLC0415 - as above

    programs = [Executable.load(path, threads=1) for path in (alone, mixed)]
    arguments = arguments_of(programs[0])
    one, other = (_several(each(*arguments)) for each in programs)
    times = [[_milliseconds(each, arguments) for each in programs] for _ in range(ROUNDS)]
    medians = [statistics.median(column) for column in zip(*times, strict=True)]
    return {"alone": medians[0], "mixed": medians[1], "error": difference(one, other)}


def _several(found: Any) -> tuple[Any, ...]:
    return tuple(found) if isinstance(found, tuple | list) else (found,)


def _milliseconds(program: Any, arguments: Sequence[Any]) -> float:
    start = time.perf_counter()
    program(*arguments)
    return (time.perf_counter() - start) * 1e3


CHILDREN: Mapping[str, Callable[..., Any]] = {"compile": compile_both, "run": run_both}


def in_child(*arguments: str) -> Any:
    """Return the JSON that a child process prints."""
    paths = os.pathsep.join((str(ROOT), *FOLDERS))
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.external_compilers", "--child", *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": paths},
        cwd=ROOT,
    )
    return json.loads(done.stdout.strip().splitlines()[-1])


def row(name: str) -> tuple[str, Sequence[str]]:
    """Return a model's row of the table, and the notes of its compilation."""
    with tempfile.TemporaryDirectory() as folder:
        alone, mixed = (str(Path(folder) / f"{kind}.relay") for kind in ("alone", "mixed"))
        notes = in_child("compile", name, alone, mixed)
        found = in_child("run", alone, mixed)
    ratio = found["mixed"] / found["alone"]
    verdict = "yes" if ratio <= LIMIT and found["error"] <= TOLERANCE else "NO"
    chosen = sum(not note.endswith(": relay") for note in notes)
    cells = (f"{found['alone']:.3f}", f"{found['mixed']:.3f}", f"{ratio:.3f}")
    places = f"{chosen} of {len(notes)}"
    return f"| {name} | {' | '.join(cells)} | {found['error']:.1e} | {places} | {verdict} |", notes


def main() -> None:
    """Measure the chosen models; with `--child`, do one step and print its result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", default=",".join(MODELS), help="names, joined by commas")
    parser.add_argument("--child", nargs="+")
    parser.add_argument("--dry", action="store_true", help="print only, keep no results")
    options = parser.parse_args()
    if options.child:
        kind, *arguments = options.child
        print(json.dumps(CHILDREN[kind](*arguments)))
        return
    machine = ", ".join(f"{key} {value}" for key, value in describe_machine().items())
    lines = ["# External compilers", "", f"Machine: {machine}. One thread, median milliseconds."]
    lines += ["", "*Chosen* counts measurements that an external compiler won; *fine* is at most"]
    lines += [f"{LIMIT} times Relay alone, with the same results, loaded in another process.", ""]
    lines += ["| model | Relay | with compilers | ratio | difference | chosen | fine |"]
    lines += ["|---|---|---|---|---|---|---|"]
    details: list[str] = []
    for name in options.models.split(","):
        line, notes = row(name)
        print(line, flush=True)
        lines.append(line)
        details += ["", f"## {name}", "", *(f"- {note}" for note in notes)]
    if not options.dry:
        page = "\n".join([*lines, *details]) + "\n"
        (RESULTS / "external_compilers.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
