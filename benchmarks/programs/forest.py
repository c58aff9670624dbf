"""Many trees: one call for each, one call for all, and one call that batches nodes of all trees.

`python -m benchmarks.programs.forest` runs the TreeLSTM over the trees of 256 sentences and writes
`benchmarks/results/program_forest.md`.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import relay
from benchmarks.contenders.case import Outputs
from benchmarks.harness import relative_error
from benchmarks.machine import machine_line
from benchmarks.programs.catalogue import WORKLOADS
from benchmarks.programs.tree_lstm import relay_program
from benchmarks.programs.workload import Workload
from benchmarks.report import RESULTS, row

NOTE = """\
One thread. Medians of alternating rounds in µs a tree, and the least processor time. `is` divides
the processor time of a call for each tree by that of the row. Trees go in as objects of Python and
their states come out as arrays, in all rows."""


def states_of(listed: Any) -> Outputs:
    """Return the states in a list of the program, one after another."""
    found: Outputs = []
    while listed.fields:
        (h, c), listed = listed.fields
        found += [h, c]
    return found


def programs(workload: Workload) -> Mapping[str, Callable[[], Outputs]]:
    """Compile the three variants; each returns the states of all roots."""
    case, sizes = workload.case, workload.sizes
    weights, roots = case.weights(sizes), [root for (root,) in case.calls(case.inputs(sizes))]
    trees, forest = [relay_program.argument(root) for root in roots], relay_program.forest(roots)
    whole: Any = relay_program.build_forest(sizes, weights)
    one: Any = relay_program.build(sizes, weights)
    single = relay.compile(one, threads=1)
    plain = relay.compile(whole, threads=1)
    together = relay.compile(whole, threads=1, batch=True)
    return {
        "a call for each tree": lambda: [y for tree in trees for y in single(tree)],
        "one call": lambda: states_of(plain(forest)),
        "one call, batch=True": lambda: states_of(together(forest)),
    }


def measured(ways: Mapping[str, Callable[[], Outputs]], rounds: int) -> Mapping[str, Any]:
    """Return the times and processor times of each variant, measured in alternation."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            begun, started = time.process_time(), time.perf_counter()
            way()
            found[name].append((time.perf_counter() - started, time.process_time() - begun))
    return found


def main() -> None:
    """Measure, print, and keep the page unless told not to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--dry", action="store_true", help="print only, keep no results")
    options = parser.parse_args()
    known = WORKLOADS["tree_lstm_300_150"]
    workload = replace(known, sizes=replace(known.sizes, sentences=options.trees))
    ways, expected = programs(workload), workload.expected()
    errors = {name: relative_error(way(), expected) for name, way in ways.items()}
    times = measured(ways, options.rounds)
    busy = {name: min(processor for _, processor in each) for name, each in times.items()}
    first = busy["a call for each tree"]
    page = ["# Programs: many trees", "", machine_line(), "", NOTE, ""]
    head = ("TreeLSTM 300→150", "µs a tree", "processor µs", "is", "error")
    page += [row(head), row("---" for _ in head)]
    for name, each in times.items():
        scale = 1e6 / options.trees
        cells = (
            f"{statistics.median(wall for wall, _ in each) * scale:.1f}",
            f"{busy[name] * scale:.1f}",
            f"{first / busy[name]:.2f}×",
            f"{errors[name]:.1e}",
        )
        page.append(row((name, *cells)))
    print("\n".join(page))
    if not options.dry:
        (RESULTS / "program_forest.md").write_text("\n".join(page) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
