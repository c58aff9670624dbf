"""Processor seconds of passes on large programs: `python -m benchmarks.pass_times`.

1. Partitioning a graph of 10,000 operators for an external compiler with 20 patterns.
2. The passes of a compilation on an imported BERT-base.

The best of several runs counts, in seconds of the processor, so other programs on the machine
matter little. Writes `benchmarks/results/pass_times.md`.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Sequence

from benchmarks.compile_time import wide
from benchmarks.machine import describe_machine
from benchmarks.networks import NETWORKS
from benchmarks.report import RESULTS
from relay.build.pipeline import pipeline
from relay.frontend.load import load
from relay.frontend.onnx.load import from_onnx
from relay.ir.dataflow import DFPattern, is_constant, operators, wildcard
from relay.ir.expr import Expr, Operator
from relay.ir.module import Module
from relay.ir.walk import post_order
from relay.ops.binary import Add, Divide, Maximum, Minimum, Multiply, Subtract
from relay.ops.nn.activations import Relu
from relay.ops.nn.softmax import Softmax
from relay.ops.transcendental import Exp, Sigmoid, Sqrt, Tanh
from relay.semantics.infer import infer
from relay.targets.cpu import this_cpu
from relay.transform.compilers.merge_compiler_regions import MergeCompilerRegions
from relay.transform.compilers.merge_composite import MergeComposite
from relay.transform.compilers.outline_supported_calls import AnnotateTarget
from relay.transform.compilers.partition_graph import PartitionGraph
from relay.transform.pipeline import Pass
from relay.transform.run_passes import run_passes

NODES = 10_000
RUNS = 3
UNARY: tuple[type[Operator], ...] = (Relu, Tanh, Sigmoid, Exp, Sqrt, Softmax)
BINARY: tuple[type[Operator], ...] = (Add, Subtract, Multiply, Divide, Maximum, Minimum)


def patterns() -> list[tuple[str, DFPattern[Expr], None]]:
    """Return 20 patterns: operators on sums and products, chains, and alternatives."""
    found: list[DFPattern[Expr]] = [
        operators(unary)(operators(binary)(wildcard(), wildcard()))
        for unary in UNARY[2:]
        for binary in BINARY[:4]
    ]
    softmax = operators(Softmax)(operators(Add)(wildcard(), is_constant()))
    total = operators(Add)(wildcard(), wildcard())
    found += [
        softmax,
        operators(Add)(total, total),
        operators(Relu)(total).optional(operators(Tanh)),
    ]
    found.append(operators(Multiply)(total, wildcard()) | operators(Divide)(total, wildcard()))
    return [(f"many.p{number}", each, None) for number, each in enumerate(found)]


def graph() -> Module:
    """Return a graph of about `NODES` operators of which no two compute the same value."""
    return infer(from_onnx(wide(NODES)))


def partition(module: Module) -> dict[str, float]:
    """Return the seconds of each pass that partitions a module."""
    passes: list[Pass] = [
        MergeComposite(tuple(patterns())),
        AnnotateTarget(("many",)),
        MergeCompilerRegions(),
        PartitionGraph(),
    ]
    return seconds_of(module, passes)


def seconds_of(module: Module, passes: Sequence[Pass]) -> dict[str, float]:
    """Return the processor seconds of each pass; a pass may run more than once."""
    total: dict[str, float] = defaultdict(float)
    for each in passes:
        start = time.process_time()
        module, _ = run_passes(module, [each])
        total[each.title()] += time.process_time() - start
    return total


def best(run: Callable[[], dict[str, float]]) -> dict[str, float]:
    """Return the fastest of several runs."""
    return min((run() for _ in range(RUNS)), key=lambda found: sum(found.values()))


def rows(title: str, limit: float, seconds: dict[str, float]) -> list[str]:
    """Return the section of a measurement."""
    whole = sum(seconds.values())
    lines = [
        "",
        f"## {title}: {whole:.2f} s, at most {limit:g} s",
        "",
        "| pass | ms |",
        "|---|---|",
    ]
    slowest = sorted(seconds.items(), key=lambda item: -item[1])
    return [*lines, *(f"| {name} | {took * 1e3:.1f} |" for name, took in slowest if took > 1e-3)]


def main() -> None:
    """Measure both, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dry", action="store_true", help="print only, keep no results")
    options = parser.parse_args()
    many, bert = graph(), infer(load(NETWORKS["bert"].onnx_file()))
    nodes = len(post_order(many.main.body))
    title = f"Partitioning {nodes:,} nodes with {len(patterns())} patterns"
    machine = ", ".join(f"{key} {value}" for key, value in describe_machine().items())
    lines = ["# Times of passes", "", f"Machine: {machine}. Processor seconds, best of {RUNS}."]
    lines += rows(title, 2.0, best(lambda: partition(many)))
    usual = pipeline(this_cpu())
    lines += rows("A compilation's passes on BERT-base", 1.0, best(lambda: seconds_of(bert, usual)))
    page = "\n".join(lines) + "\n"
    print(page)
    if not options.dry:
        (RESULTS / "pass_times.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
