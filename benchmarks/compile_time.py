"""Measure how compile time grows with the program: chains and wide graphs, a row for each pass.

`python -m benchmarks.compile_time` compiles graphs of 2,000 and 20,000 nodes and ResNet-50, each in
a separate process, cold (empty kernel cache) and warm (the same cache again), and writes
`benchmarks/results/compile_time.md`. The time per node should not depend on the number of nodes.

A graph of 2,000 nodes fits in a core's cache and one of 20,000 does not, which alone makes a pass
two to three times as fast, whatever the compiler. Therefore the small graph is measured on as many
copies, one after another, as have 20,000 nodes together; the best of `REPEATS` rounds counts,
because other programs share the machine.
"""

import argparse
import json
import operator
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from benchmarks.cache import with_bytecode
from benchmarks.machine import machine_line
from benchmarks.networks import NETWORKS
from benchmarks.report import RESULTS

SIZES = (2_000, 20_000)
LIMIT = 600  # seconds until a compilation counts as never ending
REPEATS = 3
WIDTH = 16
INPUTS = 8
UNARY = ("Relu", "Tanh", "Neg", "Sigmoid", "Abs")

Passes = Sequence[tuple[str, float]]
"""A compilation's report: the name of each pass and its seconds, in order."""


@dataclass(frozen=True)
class Compilation:
    """The seconds of one compilation, or the reason why it failed."""

    seconds: float | None = None
    failure: str = ""


def chain(nodes: int) -> onnx.ModelProto:
    """Return a chain of `nodes` operators, elementwise with and without a constant."""
    steps: list[onnx.NodeProto] = []
    for index in range(nodes):
        names = [_link(index)], [_link(index + 1)]
        if index % 3 == 0:
            steps.append(helper.make_node("Add", [*names[0], "bias"], names[1]))
        else:
            steps.append(helper.make_node(UNARY[index % len(UNARY)], *names))
    return _model(steps, _link(nodes), {"bias": 0.1})


def _link(index: int) -> str:
    return "x" if index == 0 else f"t{index}"


def wide(nodes: int) -> onnx.ModelProto:
    """Return a graph of about `nodes` operators of which no two compute the same value.

    Each leaf is the softmax of the sum of an input and its own constant; a tree adds up the leaves.
    So two thirds of the nodes are calls of kernels.
    """
    leaves = max(1, nodes // 3)
    steps: list[onnx.NodeProto] = []
    for index in range(leaves):
        operands = [f"x{index % INPUTS}", f"c{index}"]
        steps.append(helper.make_node("Add", operands, [f"a{index}"]))
        steps.append(helper.make_node("Softmax", [f"a{index}"], [f"t{index}"]))
    constants = {f"c{index}": index / leaves for index in range(leaves)}
    return _model(steps, _summed([f"t{index}" for index in range(leaves)], steps), constants)


def _summed(waiting: list[str], steps: list[onnx.NodeProto]) -> str:
    """Add the sum of some values to the steps, as a tree; return its name."""
    while len(waiting) > 1:
        pairs = list(zip(waiting[::2], waiting[1::2], strict=False))
        sums = [f"s{len(steps) + offset}" for offset in range(len(pairs))]
        steps += [
            helper.make_node("Add", list(pair), [total])
            for pair, total in zip(pairs, sums, strict=True)
        ]
        waiting = sums + waiting[2 * len(pairs) :]
    return waiting[0]


def _model(
    steps: Sequence[onnx.NodeProto], output: str, constants: Mapping[str, float]
) -> onnx.ModelProto:
    """Return a model with those of its inputs (`x`, `x0`, …) that its steps read."""
    weights = [
        numpy_helper.from_array(np.full(WIDTH, value, np.float32), name)
        for name, value in constants.items()
    ]
    read = {name for step in steps for name in step.input}
    names = [name for name in ("x", *(f"x{k}" for k in range(INPUTS))) if name in read]
    ports = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, WIDTH])
        for name in (*names, output)
    ]
    graph = helper.make_graph(steps, "synthetic", ports[:-1], ports[-1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def compile_with_relay(model: Path) -> float:
    """Load and compile `model`; return the seconds."""
    import relay  # noqa: PLC0415 - only the child process that compiles with it imports it

    started = time.perf_counter()
    relay.compile(relay.load(str(model)), threads=1)
    return time.perf_counter() - started


def time_passes(model: Path, copies: int) -> Passes:
    """Return the best mean seconds of each pass, and of compiling kernels, over copies."""
    import relay  # noqa: PLC0415 - only the child process that compiles with it imports it

    modules = [relay.load(str(model)) for _ in range(copies)]
    rounds = [
        _mean([relay.compile(module, threads=1).report for module in modules])
        for _ in range(REPEATS)
    ]
    return [min(each, key=operator.itemgetter(1)) for each in zip(*rounds, strict=True)]


def _mean(reports: Sequence[Passes]) -> Passes:
    """Return the mean seconds of each pass."""
    return [
        (entries[0][0], sum(seconds for _, seconds in entries) / len(entries))
        for entries in zip(*reports, strict=True)
    ]


def compile_with_ort(model: Path) -> float:
    """Create a session of `model`; return the seconds."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    started = time.perf_counter()
    onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    return time.perf_counter() - started


COMPILERS: dict[str, Callable[[Path], float]] = {
    "relay": compile_with_relay,
    "ort": compile_with_ort,
}


def compile_in_child(compiler: str, model: Path, cache: Path) -> Compilation:
    """Compile in a fresh process whose kernel cache is `cache`."""
    try:
        return Compilation(json.loads(_child(["--child", compiler, str(model)], cache)))
    except subprocess.TimeoutExpired:
        return Compilation(failure=f"not done after {LIMIT} s")
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip().splitlines() or [f"ended with {error.returncode}"])[-1]
        return Compilation(failure=last[:120])


def passes_in_child(model: Path, copies: int) -> Passes:
    """Time the passes over copies of a model in a fresh process."""
    with tempfile.TemporaryDirectory() as folder:
        return json.loads(_child(["--passes", str(model), str(copies)], Path(folder)))


def _child(arguments: Sequence[str], cache: Path) -> str:
    """Return the last line that a fresh process of this benchmark prints."""
    caches = {"XDG_CACHE_HOME": str(cache), "RELAY_CACHE_DIR": str(cache / "relay")}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.compile_time", *arguments],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=True,
        env={**with_bytecode(os.environ), **caches},
        cwd=Path(__file__).parents[1],
    )
    return done.stdout.strip().splitlines()[-1]


def cold_and_warm(compiler: str, model: Path) -> tuple[Compilation, Compilation]:
    """Compile twice, in two processes that share an initially empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        cold = compile_in_child(compiler, model, Path(folder))
        return cold, compile_in_child(compiler, model, Path(folder))


def pass_rows(small: Passes, large: Passes, sizes: tuple[int, int] = SIZES) -> list[str]:
    """Return a table row for each pass: microseconds per node at both sizes, and the growth.

    A growth of 1 is linear; 10 between sizes that differ tenfold is quadratic.

    >>> pass_rows([("fold", 0.002)], [("fold", 0.04)])
    ['| fold | 1.00 | 2.00 | 2.0× |']
    """
    before, after = _totals(small), _totals(large)
    rows: list[str] = []
    for name, seconds in sorted(after.items(), key=lambda item: -item[1]):
        micro = [before.get(name, 0.0) / sizes[0] * 1e6, seconds / sizes[1] * 1e6]
        growth = f"{micro[1] / micro[0]:.1f}×" if micro[0] else "–"
        rows.append(f"| {name} | {micro[0]:.2f} | {micro[1]:.2f} | {growth} |")
    return rows


def _totals(passes: Passes) -> dict[str, float]:
    totals: dict[str, float] = {}
    for name, seconds in passes:  # a pass may run more than once
        totals[name] = totals.get(name, 0.0) + seconds
    return totals


def _summary(title: str, compiler: str, cold: Compilation, warm: Compilation) -> str:
    cells = [c.failure or f"{c.seconds:.2f}" for c in (cold, warm)]
    return f"| {title} | {compiler} | {' | '.join(cells)} |"


def measure(compilers: Sequence[str], sizes: tuple[int, int]) -> list[str]:
    """Compile everything and return the lines of the page."""
    lines = ["| program | engine | cold s | warm s |", "|---|---|---|---|"]
    details: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for compiler in compilers:
            for shape in (chain, wide):
                paths = [Path(folder) / f"{shape.__name__}-{size}.onnx" for size in sizes]
                for size, path in zip(sizes, paths, strict=True):
                    onnx.save(shape(size), path)
                    cold, warm = cold_and_warm(compiler, path)
                    lines.append(_summary(f"{shape.__name__} {size:,}", compiler, cold, warm))
                if compiler == "relay":
                    copies = (max(sizes) // size for size in sizes)
                    found = list(map(passes_in_child, paths, copies))
                    details += _detail(shape.__name__, found[0], found[1], sizes)
            pair = cold_and_warm(compiler, NETWORKS["resnet50"].onnx_file())
            lines.append(_summary("resnet50", compiler, *pair))
    return [*lines, *details]


def _detail(title: str, small: Passes, large: Passes, sizes: tuple[int, int]) -> list[str]:
    head = f"| pass | µs a node at {sizes[0]:,} | at {sizes[1]:,} | growth |"
    return [
        "",
        f"## Passes: {title}",
        "",
        f"Equal numbers of nodes in memory at both sizes; the best of {REPEATS} rounds.",
        "",
        head,
        "|---|---|---|---|",
        *pass_rows(small, large, sizes),
    ]


def main() -> None:
    """Measure, or with `--child` and `--passes` compile one model and print figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--child", nargs=2, metavar=("ENGINE", "MODEL"))
    parser.add_argument("--passes", nargs=2, metavar=("MODEL", "COPIES"))
    parser.add_argument("--contenders", default="relay,ort", help="names, by commas")
    parser.add_argument("--sizes", type=int, nargs=2, default=SIZES)
    parser.add_argument("--dry", action="store_true", help="print only, keep no results")
    options = parser.parse_args()
    if options.child:
        compiler, model = options.child
        print(json.dumps(COMPILERS[compiler](Path(model))))
        return
    if options.passes:
        model, copies = options.passes
        print(json.dumps(time_passes(Path(model), int(copies))))
        return
    body = measure(options.contenders.split(","), tuple(options.sizes))
    page = "\n".join(["# Compile time", "", machine_line(), "", *body]) + "\n"
    print(page)
    if not options.dry:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "compile_time.md").write_text(page)


if __name__ == "__main__":
    main()
