"""A TreeLSTM over many parse trees: deferred, batched calls compared with one call per tree.

    python -m benchmarks.batching [--trees 256] [--rounds 7]

Everything runs in this process, first on one thread and then on all processors, which is the
default. Rounds alternate between engines, and in each round an engine runs several times in
succession. Two times are reported, each the minimum: that of the program alone, with inputs in its
own format and results left in its memory, and that of calls from Python. A further column is the
minimum over the first runs of each round, when other engines had evicted the caches. Errors are
relative to double precision.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

import relay
from benchmarks.machine import machine_line
from benchmarks.programs.tree_lstm import case, relay_program, torch_program
from benchmarks.programs.tree_lstm.case import Node, Sizes
from benchmarks.programs.workload import Weights
from relay.runtime import ManyExecutable
from relay.support.cpu_count import available_cpus

RESULT = Path(__file__).parent / "results" / "batching.md"
HIDDEN = (150, 512)
TITLE = "# TreeLSTM over many trees"
TEXT = """
The child-sum TreeLSTM of Tai et al. over dependency trees of {trees} real sentences, {nodes} nodes,
on one thread and on all of this machine's processors, as programs are compiled by default.
*At once* is `relay.compile(model, batch=True).each(trees)`, *one by one* the same model compiled
without `batch` and called for each tree, PyTorch the recursive module. Times are the least of
{rounds} rounds of {on_end} runs on end: those of the *program* alone, and those *called* from
Python, with the way of trees into the program and of states out of it. The *first* run of a round
finds the caches full of what the other engines work with. GFLOP/s counts the products of matrices
as the model is written, for the program alone. Those with the embedding table, two thirds of them
at 300 → 150, Relay does when it compiles. So it does with all that a leaf's state depends on where
leaves are computed at once, which {leaves:.0%} of the nodes are: it looks them up by their word,
and what their parents multiply them with, too. No kernel was compiled before; *one by one* finds
some that the other has.
"""
OTHERS = """
## Other numbers and shapes of trees

The same two programs alone on one thread, run in turns, µs a node. A chain is a tree in which every
node has one child.

| input → state | trees | nodes | at once | one by one | at once is |
| --- | --- | --- | --- | --- | --- |
"""
SECONDS = 0.5  # for each shape
ON_END = 5


@dataclass
class Engine:
    """An engine: `call` returns the states of all roots, `alone` the program's seconds."""

    name: str
    call: Callable[[], list[Any]]
    alone: Callable[[], float] | None = None
    compile_seconds: float | None = None


@dataclass
class Row:
    """The result of one engine at one size: seconds per node, and its error."""

    engine: Engine
    called: float
    alone: float | None
    first: float | None
    error: float


def measure(sizes: Sizes, threads: int, rounds: int) -> list[Row]:
    """Return a row for each engine; each round runs all of them."""
    weights = case.weights(sizes)
    trees = [tree for (tree,) in case.calls(case.inputs(sizes))]
    torch.set_num_threads(threads)
    engines = [build(sizes, weights, trees, threads) for build in (_at_once, _one_by_one)]
    engines.append(_torch(sizes, weights, trees))
    called = _rounds(rounds, [lambda e=each: _timed(e.call) for each in engines])
    alone = _rounds(rounds, [each.alone for each in engines if each.alone])
    expected = [case.reference(sizes, weights, tree)[0] for tree in trees[:20]]
    nodes, rows = case.units(sizes), list[Row]()
    for index, engine in enumerate(engines):
        pairs = zip(engine.call(), expected, strict=False)
        error = float(np.max([np.abs(found - right).max() for found, right in pairs]))
        own, first = (t / nodes for t in alone[index]) if engine.alone else (None, None)
        rows.append(Row(engine, called[index][0] / nodes, own, first, error))
    return rows


def _rounds(count: int, runs: Sequence[Callable[[], float]]) -> list[tuple[float, float]]:
    """Return the minimum seconds of each engine, and the minimum of the first runs of rounds."""
    rounds = [[[run() for _ in range(ON_END)] for run in runs] for _ in range(count)]
    engines = list(zip(*rounds, strict=True))
    return [(min(map(min, each)), min(times[0] for times in each)) for each in engines]


def flops(sizes: Sizes) -> float:
    """Return the operations of a node's products: words by 4 gates, states by 3 and by 1."""
    n = case.units(sizes)
    children = (n - sizes.sentences) / n  # all nodes but the roots are children
    of_words = 8 * sizes.input * sizes.hidden
    return of_words + (6 + 2 * children) * sizes.hidden**2


def _at_once(sizes: Sizes, weights: Weights, trees: Sequence[Node], threads: int) -> Engine:
    program: Any = relay_program.build(sizes, weights)
    start = time.perf_counter()
    many = cast("ManyExecutable", relay.compile(program, threads=threads, batch=True))
    seconds = time.perf_counter() - start
    given = [relay_program.argument(tree) for tree in trees]
    admitted = many.admit_each(given)
    return Engine(
        "Relay, at once",
        lambda: [h for h, _ in many.each(given)],
        lambda: many.seconds(admitted),
        seconds,
    )


def _one_by_one(sizes: Sizes, weights: Weights, trees: Sequence[Node], threads: int) -> Engine:
    program: Any = relay_program.build(sizes, weights)
    start = time.perf_counter()
    single: Any = relay.compile(program, threads=threads)
    seconds = time.perf_counter() - start
    given = [relay_program.argument(tree) for tree in trees]
    admitted = [single.admit((tree,), {}) for tree in given]
    return Engine(
        "Relay, one by one",
        lambda: [single(tree)[0] for tree in given],
        lambda: sum(single.seconds(tree) for tree in admitted),
        seconds,
    )


def _torch(sizes: Sizes, weights: Weights, trees: Sequence[Node]) -> Engine:
    module = torch_program.build(sizes, weights)

    def run() -> list[Any]:
        with torch.no_grad():
            return [module(tree)[0].numpy() for tree in trees]

    return Engine("PyTorch", run)


def _threads() -> list[int]:
    """Return the numbers of threads to measure: one, and Relay's default."""
    return sorted({1, available_cpus()})


def _timed(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


# ---- other shapes -----------------------------------------------------------------------------


def shapes(trees: Sequence[Node]) -> dict[str, Sequence[Node]]:
    """Return workloads by name: few or many sentences, deep trees, and wide trees."""
    few = {f"{n} sentences": trees[:n] for n in (1, 2, 8, 32)}
    many = {f"{10 * len(trees)} sentences": [*trees] * 10}
    deep = {"a chain": [_chain(200)], "8 chains": [_chain(200)] * 8}
    wide = Node(5, tuple(Node(word, ()) for word in range(1000)))
    return {**few, **many, **deep, "a root of 1000 leaves": [wide]}


def _chain(length: int) -> Node:
    node = Node(0, ())
    for word in range(1, length):
        node = Node(word, (node,))
    return node


def _nodes(trees: Sequence[Node]) -> list[Node]:
    """Return all nodes of trees, however deep they are."""
    found = list(trees)
    for node in found:
        found.extend(node.children)
    return found


def other_shapes(sizes: Sizes) -> str:
    """Return the rows of the second table for one size."""
    weights = case.weights(sizes)
    program: Any = relay_program.build(sizes, weights)
    many = cast("ManyExecutable", relay.compile(program, threads=1, batch=True))
    single: Any = relay.compile(program, threads=1)
    lines = ""
    for name, trees in shapes([tree for (tree,) in case.calls(case.inputs(sizes))]).items():
        given, count = [relay_program.argument(tree) for tree in trees], len(_nodes(trees))
        admitted = many.admit_each(given)
        each = [single.admit((tree,), {}) for tree in given]
        at_once, in_turn = _least(
            lambda a=admitted: many.seconds(a), lambda e=each: sum(map(single.seconds, e))
        )
        cells = (f"{sizes.input} → {sizes.hidden}", name, str(count))
        numbers = (f"{at_once / count * 1e6:.2f}", f"{in_turn / count * 1e6:.2f}")
        lines += f"| {' | '.join((*cells, *numbers))} | {in_turn / at_once:.2f}× |\n"
    return lines


def _least(*runs: Callable[[], float]) -> list[float]:
    """Return the minimum seconds that each run reports, over alternating rounds."""
    rounds: list[list[float]] = []
    end = time.perf_counter() + SECONDS
    while len(rounds) < 3 or time.perf_counter() < end:
        rounds.append([run() for run in runs])
    return [min(times) for times in zip(*rounds, strict=True)]


# ---- page -------------------------------------------------------------------------------------


def table(results: Sequence[tuple[Sizes, int, Sequence[Row]]], rounds: int) -> str:
    """Return the page."""
    first = results[0][0]
    nodes = _nodes([tree for (tree,) in case.calls(case.inputs(first))])
    leaves = sum(not node.children for node in nodes) / len(nodes)
    text = TEXT.format(
        trees=first.sentences, nodes=len(nodes), rounds=rounds, on_end=ON_END, leaves=leaves
    )
    lines = [TITLE, "", machine_line(), text]
    heads = ("input → state", "threads", "engine", "program, µs a node", "GFLOP/s", "at once is")
    heads = (*heads, "first, µs a node", "at once is", "called, µs a node", "at once is")
    heads = (*heads, "error", "compile s")
    lines += [f"| {' | '.join(heads)} |", "| --- " * len(heads) + "|"]
    for sizes, threads, rows in results:
        for row in rows:
            which = (f"{sizes.input} → {sizes.hidden}", str(threads))
            cells = (*which, *_cells(row, rows[0], flops(sizes)))
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cells(row: Row, first: Row, operations: float) -> list[str]:
    """Return the table cells of an engine, compared with the first one."""
    own, ratio = _beside(row.alone, first.alone)
    speed = "" if row.alone is None else f"{operations / row.alone / 1e9:.0f}"
    others = *_beside(row.first, first.first), *_beside(row.called, first.called)
    seconds = row.engine.compile_seconds
    compiled = "" if seconds is None else f"{seconds:.1f}"
    return [row.engine.name, own, speed, ratio, *others, f"{row.error:.1e}", compiled]


def _beside(seconds: float | None, least: float | None) -> tuple[str, str]:
    """Return a time, and its ratio to another."""
    if seconds is None or least is None:
        return "", ""
    return f"{seconds * 1e6:.2f}", f"{seconds / least:.2f}×"


def main() -> None:
    """Measure, print the page and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    all_sizes = [Sizes(300, hidden, options.trees) for hidden in HIDDEN]
    with tempfile.TemporaryDirectory() as empty:
        os.environ["RELAY_CACHE_DIR"] = empty
        ways = [(sizes, threads) for sizes in all_sizes for threads in _threads()]
        rows = [(*way, measure(*way, options.rounds)) for way in ways]
        page = table(rows, options.rounds) + OTHERS + "".join(map(other_shapes, all_sizes))
    print(page)
    RESULT.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
