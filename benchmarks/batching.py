"""A TreeLSTM over many real parse trees: calls that wait for one another beside one at a time.

    python -m benchmarks.batching [--trees 256] [--rounds 7]

Everything runs in this process on one thread, rounds alternating. A time is the least processor
time of a run whose inputs are already in the form that the engine wants; errors are against double
precision.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

import relay
from benchmarks.machine import describe_machine
from benchmarks.programs.tree_lstm import case, relay_program, torch_program
from benchmarks.programs.tree_lstm.case import Node, Sizes
from benchmarks.programs.workload import Weights
from relay.runtime import ManyExecutable

RESULT = Path(__file__).parent / "results" / "batching.md"
HIDDEN = (150, 512)
TITLE = "# TreeLSTM over many trees, one thread"
TEXT = """
The child-sum TreeLSTM of Tai et al. over dependency trees of {trees} real sentences, {nodes} nodes.
*At once* is `relay.compile(model, batch=True).each(trees)`, *one by one* the same model compiled
without `batch` and called for each tree, PyTorch the recursive module. Times are the least
processor time of {rounds} rounds; GFLOP/s counts the products of
matrices as the model is written; those with the embedding table, two thirds of them at 300 → 150,
Relay does when it compiles, and those with the zeros below a leaf, which {leaves:.0%} of the nodes
are, once for all leaves of a batch.
"""
OTHERS = """
## Other numbers and shapes of trees

The same two programs, µs a node. A chain is a tree in which every node has one child.

| input → state | trees | nodes | at once | one by one | at once is |
| --- | --- | --- | --- | --- | --- |
"""
SECONDS = 0.5  # for each shape


@dataclass
class Row:
    """What one engine did at one size."""

    engine: str
    microseconds: float
    gflops: float
    error: float
    compile_seconds: float | None = None


def measure(sizes: Sizes, rounds: int) -> list[Row]:
    """Return a row for each engine; each round runs all of them."""
    weights = case.weights(sizes)
    trees = [tree for (tree,) in case.calls(case.inputs(sizes))]
    torch.set_num_threads(1)
    engines = [_at_once(sizes, weights, trees), _one_by_one(sizes, weights, trees)]
    engines.append(_torch(sizes, weights, trees))
    seconds = [[_timed(run) for _, run, _, _ in engines] for _ in range(rounds)]
    expected = [case.reference(sizes, weights, tree)[0] for tree in trees[:20]]
    nodes = case.units(sizes)
    rows: list[Row] = []
    for index, (name, _, states, compiled) in enumerate(engines):
        least = min(each[index] for each in seconds) / nodes
        pairs = zip(states(), expected, strict=False)
        error = max(float(np.abs(found - right).max()) for found, right in pairs)
        rows.append(Row(name, least * 1e6, flops(sizes) / least / 1e9, error, compiled))
    return rows


def flops(sizes: Sizes) -> float:
    """Return the operations of the products at a node: words by 4 gates, states by 3 and by 1."""
    n = case.units(sizes)
    children = (n - sizes.sentences) / n  # all nodes but the roots are children
    of_words = 8 * sizes.input * sizes.hidden
    return of_words + (6 + 2 * children) * sizes.hidden**2


_Engine = tuple[str, Callable[[], Any], Callable[[], Any], float | None]
"""A name, what is timed, the states of the roots, and the seconds of the compilation."""


def _at_once(sizes: Sizes, weights: Weights, trees: Sequence[Node]) -> _Engine:
    program: Any = relay_program.build(sizes, weights)
    start = time.perf_counter()
    many = cast("ManyExecutable", relay.compile(program, threads=1, batch=True))
    seconds = time.perf_counter() - start
    given = [relay_program.argument(tree) for tree in trees]
    admitted = many.admit_each(given)
    return (
        "Relay, at once",
        lambda: many.invoke(admitted),
        lambda: [h for h, _ in many.each(given)],
        seconds,
    )


def _one_by_one(sizes: Sizes, weights: Weights, trees: Sequence[Node]) -> _Engine:
    program: Any = relay_program.build(sizes, weights)
    start = time.perf_counter()
    single: Any = relay.compile(program, threads=1)
    seconds = time.perf_counter() - start
    given = [relay_program.argument(tree) for tree in trees]
    admitted = [single.admit((tree,), {}) for tree in given]
    return (
        "Relay, one by one",
        lambda: [single.invoke(tree) for tree in admitted],
        lambda: [single(tree)[0] for tree in given],
        seconds,
    )


def _torch(sizes: Sizes, weights: Weights, trees: Sequence[Node]) -> _Engine:
    module = torch_program.build(sizes, weights)

    def run() -> list[Any]:
        with torch.no_grad():
            return [module(tree)[0].numpy() for tree in trees]

    return "PyTorch", run, run, None


def _timed(run: Callable[[], Any]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


# ---- other shapes -----------------------------------------------------------------------------


def shapes(trees: Sequence[Node]) -> dict[str, Sequence[Node]]:
    """Return what else is measured: few and many sentences, deep trees and wide ones."""
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
            lambda a=admitted: many.invoke(a), lambda e=each: [single.invoke(a) for a in e]
        )
        cells = (f"{sizes.input} → {sizes.hidden}", name, str(count))
        numbers = (f"{at_once / count * 1e6:.2f}", f"{in_turn / count * 1e6:.2f}")
        lines += f"| {' | '.join((*cells, *numbers))} | {in_turn / at_once:.2f}× |\n"
    return lines


def _least(*runs: Callable[[], Any]) -> list[float]:
    """Return the least time of each, rounds alternating."""
    rounds: list[list[float]] = []
    end = time.perf_counter() + SECONDS
    while len(rounds) < 3 or time.perf_counter() < end:
        rounds.append([_timed(run) for run in runs])
    return [min(times) for times in zip(*rounds, strict=True)]


# ---- page -------------------------------------------------------------------------------------


def table(results: Sequence[tuple[Sizes, Sequence[Row]]], rounds: int) -> str:
    """Return the page."""
    first = results[0][0]
    nodes = _nodes([tree for (tree,) in case.calls(case.inputs(first))])
    leaves = sum(not node.children for node in nodes) / len(nodes)
    text = TEXT.format(trees=first.sentences, nodes=len(nodes), rounds=rounds, leaves=leaves)
    machine = ", ".join(f"{name} {value}" for name, value in describe_machine().items())
    lines = [TITLE, "", f"Machine: {machine}.", text]
    lines += ["| input → state | engine | µs a node | GFLOP/s | at once is | error | compile s |"]
    lines += ["| --- | --- | --- | --- | --- | --- | --- |"]
    for sizes, rows in results:
        for row in rows:
            ratio = f"{row.microseconds / rows[0].microseconds:.2f}×"
            compiled = "" if row.compile_seconds is None else f"{row.compile_seconds:.1f}"
            cells = (f"{sizes.input} → {sizes.hidden}", row.engine, f"{row.microseconds:.2f}")
            numbers = (f"{row.gflops:.0f}", ratio, f"{row.error:.1e}", compiled)
            lines.append(f"| {' | '.join((*cells, *numbers))} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, print the page and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    all_sizes = [Sizes(300, hidden, options.trees) for hidden in HIDDEN]
    page = table([(sizes, measure(sizes, options.rounds)) for sizes in all_sizes], options.rounds)
    page += OTHERS + "".join(map(other_shapes, all_sizes))
    print(page)
    RESULT.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
