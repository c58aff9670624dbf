"""How compile time grows with the program: chains and wide graphs, a row for each pass.

`python -m benchmarks.compile_time` compiles graphs of 2,000 and 20,000 nodes and ResNet-50, each
in a process of its own, cold (empty kernel cache) and warm (the same cache again), and writes
`benchmarks/results/compile_time.md`. Time a node should not depend on the number of nodes.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from benchmarks.machine import describe_machine
from benchmarks.networks import NETWORKS
from benchmarks.report import RESULTS

SIZES = (2_000, 20_000)
LIMIT = 300  # seconds until a compilation counts as never ending
WIDTH = 16
UNARY = ("Relu", "Tanh", "Neg", "Sigmoid", "Abs")

Passes = Sequence[tuple[str, float]]
"""What a compilation reports: the name of each pass and its seconds, in order."""


@dataclass(frozen=True)
class Compilation:
    """One compilation: its seconds and those of its passes, or why there are none."""

    seconds: float | None = None
    passes: tuple[tuple[str, float], ...] = ()
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
    return _model(steps, _link(nodes))


def _link(index: int) -> str:
    return "x" if index == 0 else f"t{index}"


def wide(nodes: int) -> onnx.ModelProto:
    """Return `nodes` operators: half read the input directly, the others sum them in a tree."""
    leaves = (nodes + 1) // 2
    steps = [
        helper.make_node(UNARY[index % len(UNARY)], ["x"], [f"t{index}"]) for index in range(leaves)
    ]
    waiting = [f"t{index}" for index in range(leaves)]
    while len(waiting) > 1:
        pairs = list(zip(waiting[::2], waiting[1::2], strict=False))
        sums = [f"s{len(steps) + offset}" for offset in range(len(pairs))]
        steps += [
            helper.make_node("Add", list(pair), [total])
            for pair, total in zip(pairs, sums, strict=True)
        ]
        waiting = sums + waiting[2 * len(pairs) :]
    return _model(steps, waiting[0])


def _model(steps: Sequence[onnx.NodeProto], output: str) -> onnx.ModelProto:
    bias = numpy_helper.from_array(np.full(WIDTH, 0.1, np.float32), "bias")
    ports = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, WIDTH]) for n in ("x", output)]
    graph = helper.make_graph(steps, "synthetic", ports[:1], ports[1:], [bias])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def compile_with_relay(model: Path) -> tuple[float, Passes]:
    """Load and compile `model`; return the seconds and what the executable reports of them."""
    import relay  # noqa: PLC0415 - only the child process that compiles with it imports it

    started = time.perf_counter()
    executable = relay.compile(relay.load(str(model)), threads=1)
    return time.perf_counter() - started, executable.report


def compile_with_ort(model: Path) -> tuple[float, Passes]:
    """Create a session of `model`; ONNX Runtime does not report its passes."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    started = time.perf_counter()
    onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    return time.perf_counter() - started, ()


COMPILERS: dict[str, Callable[[Path], tuple[float, Passes]]] = {
    "relay": compile_with_relay,
    "ort": compile_with_ort,
}


def compile_in_child(compiler: str, model: Path, cache: Path) -> Compilation:
    """Compile in a fresh process whose kernel cache is `cache`."""
    command = [sys.executable, "-m", "benchmarks.compile_time", "--child", compiler, str(model)]
    caches = {"XDG_CACHE_HOME": str(cache), "RELAY_CACHE_DIR": str(cache / "relay")}
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
            env={**os.environ, **caches},
            cwd=Path(__file__).parents[1],
        )
    except subprocess.TimeoutExpired:
        return Compilation(failure=f"not done after {LIMIT} s")
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]
        return Compilation(failure=last[:120])
    seconds, passes = json.loads(done.stdout.strip().splitlines()[-1])
    return Compilation(seconds, tuple((name, took) for name, took in passes))


def cold_and_warm(compiler: str, model: Path) -> tuple[Compilation, Compilation]:
    """Compile twice, in two processes that share a cache that was empty before."""
    with tempfile.TemporaryDirectory() as folder:
        cold = compile_in_child(compiler, model, Path(folder))
        return cold, compile_in_child(compiler, model, Path(folder))


def pass_rows(small: Passes, large: Passes, sizes: tuple[int, int] = SIZES) -> list[str]:
    """Return a table row for each pass: microseconds a node at both sizes, and the growth.

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
                found: list[Passes] = []
                for size in sizes:
                    path = Path(folder) / f"{shape.__name__}-{size}.onnx"
                    onnx.save(shape(size), path)
                    cold, warm = cold_and_warm(compiler, path)
                    lines.append(_summary(f"{shape.__name__} {size:,}", compiler, cold, warm))
                    found.append(cold.passes)
                details += _detail(shape.__name__, found[0], found[1], sizes)
            pair = cold_and_warm(compiler, NETWORKS["resnet50"].onnx_file())
            lines.append(_summary("resnet50", compiler, *pair))
    return [*lines, *details]


def _detail(title: str, small: Passes, large: Passes, sizes: tuple[int, int]) -> list[str]:
    if not large:
        return []
    head = f"| pass | µs a node at {sizes[0]:,} | at {sizes[1]:,} | growth |"
    return [
        "",
        f"## Passes: {title}",
        "",
        head,
        "|---|---|---|---|",
        *pass_rows(small, large, sizes),
    ]


def main() -> None:
    """Measure, or with `--child` compile one model and print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--child", nargs=2, metavar=("ENGINE", "MODEL"))
    parser.add_argument("--contenders", default="relay,ort", help="names, by commas")
    parser.add_argument("--sizes", type=int, nargs=2, default=SIZES)
    parser.add_argument("--dry", action="store_true", help="print only, keep no results")
    options = parser.parse_args()
    if options.child:
        compiler, model = options.child
        seconds, passes = COMPILERS[compiler](Path(model))
        print(json.dumps([seconds, list(passes)]))
        return
    machine = ", ".join(f"{key} {value}" for key, value in describe_machine().items())
    body = measure(options.contenders.split(","), tuple(options.sizes))
    page = "\n".join(["# Compile time", "", f"Machine: {machine}.", "", *body]) + "\n"
    print(page)
    if not options.dry:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "compile_time.md").write_text(page)


if __name__ == "__main__":
    main()
