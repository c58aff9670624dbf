"""Measure what groups of passes contribute: networks compiled with one more group each time.

`python -m benchmarks.ablation --models resnet18,bert` compiles each network first with each
operator in a separate kernel and only the passes that belong to no group, and then adds the groups
in the order of the Relay paper: fusion, constant folding, common subexpressions, parallel
convolutions, scales folded into weights, canonical casts and operators, layouts. All programs of a
network are measured in alternation on one thread. Writes `benchmarks/results/ablation.md`, `.json`
and `.svg`.

Combining parallel convolutions and canonicalising are not passes of a usual compilation; `relay
tune` tries them. They are included here because they are in the paper.
"""

import argparse
import json
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt

from benchmarks.machine import describe_machine
from benchmarks.networks import NETWORKS
from benchmarks.report import RESULTS
from relay.build.compare_times import TOLERANCE, disagreement
from relay.build.compile import compile_static
from relay.build.pipeline import pipeline
from relay.build.rounding_sensitive_results import rounds_to_integers
from relay.frontend.load import load
from relay.ir.module import Module
from relay.kernels.kernel_cache import KernelCache
from relay.kernels.kernel_compiler import Options
from relay.runtime.native_executable import NativeExecutable
from relay.semantics.infer import infer
from relay.support.node import replace
from relay.targets.cpu import this_cpu
from relay.testing.zoo import inception_v3, squeezenet
from relay.transform.bind_parameters import bind_parameters
from relay.transform.canonicalize.canonicalize_casts import CanonicalizeCasts
from relay.transform.canonicalize.canonicalize_ops import CanonicalizeOps
from relay.transform.combine.conv2d import CombineParallelConv2D
from relay.transform.convert_layout import ConvertLayout
from relay.transform.devices.outline_devices import OutlineDevices
from relay.transform.eliminate_common_subexpressions import EliminateCommonSubexpressions
from relay.transform.fold_constants import FoldConstants
from relay.transform.fuse_operators import FuseOperators
from relay.transform.pipeline import Pass
from relay.transform.simplify.fold_gathers import FoldGathers
from relay.transform.simplify.fold_scale import FoldScale
from relay.transform.simplify.reassociate_constants import ReassociateConstants

ROUNDS = 15


@dataclass(frozen=True)
class Group:
    """Passes that are added together: classes of the usual passes, and additional ones.

    The additional passes run before the first pass of class `place`.
    """

    title: str
    classes: tuple[type[Pass], ...] = ()
    more: tuple[Pass, ...] = ()
    place: type[Pass] | None = None


GROUPS = (
    Group("none of these"),
    Group("fusion", (FuseOperators,)),
    Group("constant folding", (FoldConstants, FoldGathers, ReassociateConstants)),
    Group("common subexpressions", (EliminateCommonSubexpressions,)),
    Group("parallel convolutions", (), (CombineParallelConv2D(2),), FoldScale),
    Group("scale axes", (FoldScale,)),
    Group("canonical forms", (), (CanonicalizeOps(), CanonicalizeCasts()), OutlineDevices),
    Group("layouts", (ConvertLayout,)),
)


def _zoo(workload: Callable[[], tuple[Module, Mapping[str, Any]]]) -> Module:
    module, weights = workload()
    return bind_parameters(module, weights)


OTHERS: Mapping[str, Callable[[], Module]] = {
    "squeezenet": lambda: _zoo(squeezenet.workload),
    "inception_v3": lambda: _zoo(inception_v3.workload),
}
"""Networks with parallel convolutions."""

MODELS = ("resnet18", "mobilenet_v2", "squeezenet", "inception_v3", "encoder6", "bert")


def passes_with(groups: Sequence[Group]) -> list[Pass]:
    """Return the passes of a compilation with some groups and without the others."""
    left = tuple(cls for each in GROUPS if each not in groups for cls in each.classes)
    return [each for every in pipeline(this_cpu()) for each in _kept(every, left, groups)]


def _kept(each: Pass, left: tuple[type[Pass], ...], groups: Sequence[Group]) -> Iterator[Pass]:
    for group in groups:
        if group.place is type(each):
            yield from group.more
    if isinstance(each, FuseOperators) and FuseOperators in left:
        yield replace(each, limit=1)  # kernels are needed, each of one operator
    elif type(each) not in left:
        yield each


def model_of(name: str) -> Module:
    """Return a network as a typed module."""
    found = OTHERS[name]() if name in OTHERS else load(NETWORKS[name].onnx_file())
    return infer(found)


def measure(name: str, rounds: int) -> list[float]:
    """Return the median seconds of a network with no group, then with one more group each time."""
    module, cache = model_of(name), KernelCache()
    built = [
        NativeExecutable(
            compile_static(
                module, this_cpu(), Options(), cache, passes=passes_with(GROUPS[: count + 1])
            ),
            threads=1,
        )
        for count in range(len(GROUPS))
    ]
    arrays = built[0].samples()
    for each in built[1:]:
        error = disagreement(built[0], each, arrays, rounds=rounds_to_integers(module))
        assert error <= TOLERANCE, f"{name}: results differ by {error:.3g}"
    times = [[each.seconds(arrays) for each in built] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*times, strict=True)]


def page(results: Mapping[str, Sequence[float]], machine: Mapping[str, object]) -> str:
    """Return the table: milliseconds, and how much faster each group makes a network."""
    known = ", ".join(f"{key} {value}" for key, value in machine.items())
    titles = " | ".join(["network", *(group.title for group in GROUPS), "together"])
    lines = ["# Ablation", "", f"Machine: {known}. One thread; milliseconds.", ""]
    lines += [
        "Each column adds passes to those of the columns before it (`benchmarks/ablation.py`).",
        "",
        f"| {titles} |",
        "|---" * (len(GROUPS) + 2) + "|",
    ]
    for name, seconds in results.items():
        cells = [f"{seconds[0] * 1e3:.2f}"]
        cells += [f"{now * 1e3:.2f} ({before / now:.2f}×)" for before, now in pairwise(seconds)]
        lines.append(f"| {name} | {' | '.join(cells)} | {seconds[0] / seconds[-1]:.2f}× |")
    return "\n".join(lines) + "\n\n![the speedups](ablation.svg)\n"


def draw(results: Mapping[str, Sequence[float]]) -> None:
    """Draw the speedup of each network over the first column."""
    mpl.use("svg")
    figure, axes = plt.subplots(figsize=(9, 4.5))
    width = 0.8 / len(results)
    for index, (name, seconds) in enumerate(results.items()):
        places = [number + index * width for number in range(len(GROUPS))]
        axes.bar(places, [seconds[0] / each for each in seconds], width, label=name)
    axes.set_xticks(
        [number + 0.4 - width / 2 for number in range(len(GROUPS))],
        [group.title.replace(" ", "\n", 1) for group in GROUPS],
        fontsize=8,
    )
    axes.set(ylabel="times as fast as with none of these", yscale="log")
    axes.axhline(1.0, color="black", linewidth=0.8)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(RESULTS / "ablation.svg", metadata={"Date": None})
    plt.close(figure)


def keep(results: Mapping[str, Sequence[float]], machine: Mapping[str, object]) -> None:
    """Write the results as data, as a page and as a drawing."""
    stored = {"machine": machine, "seconds": results}
    (RESULTS / "ablation.json").write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    (RESULTS / "ablation.md").write_text(page(results, machine), encoding="utf-8")
    draw(results)


def main() -> None:
    """Measure the chosen networks, and keep those of earlier runs on this machine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", default=",".join(MODELS), help="names, joined by commas")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--dry", action="store_true", help="print only, keep no results")
    options = parser.parse_args()
    path, machine = RESULTS / "ablation.json", describe_machine()
    results: dict[str, list[float]] = {}
    if path.exists():
        stored: Mapping[str, Any] = json.loads(path.read_text("utf-8"))
        results = stored["seconds"] if stored["machine"] == machine else {}
    for name in options.models.split(","):
        results[name] = measure(name, options.rounds)
        print(page({name: results[name]}, machine), flush=True)
        if not options.dry:
            keep(results, machine)


if __name__ == "__main__":
    main()
