"""Measure products with weights of language models: floats, and blocks that the kernel dequantises.

    python -m benchmarks.packed_products [--rounds 7] [--write]

A program multiplies the rows of its input by several weights, which together exceed the L2 cache.
One row is limited by the bandwidth of memory, many rows by arithmetic, so the page compares the
former with the bandwidth of a sum over an array, and the latter with the product in float32. Times
are the minima of alternating rounds, of the thread's own CPU time, on one thread. `--write` writes
`benchmarks/results/packed_products.md`.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from time import thread_time
from typing import Any

import ml_dtypes
import numpy as np

import relay
from benchmarks.machine import machine_line
from benchmarks.report import RESULTS

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
packed_weights: Any = import_module("packed_weights")

PAGE = RESULTS / "packed_products.md"
UNITS, TERMS, COUNT = 1536, 512, 24
ROWS = (1, 4, 32, 128)
BLOCKS = {"Q8_0": (32, 34), "Q4_0": (32, 18), "Q4_1": (32, 20), "Q4_K": (256, 144)}
"""The elements and bytes of a block in a file, by type."""


class Contender:
    """Products with weights of one type: the program, its weights if they are inputs, and bytes."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        rng, self.inputs, self.nbytes = np.random.default_rng(0), list[Any](), 0
        x = relay.var("x", shape=(relay.DimVar("rows"), TERMS))
        params, products = [x], list[relay.Expr]()
        for _ in range(COUNT):
            weight = rng.standard_normal((UNITS, TERMS)).astype(np.float32)
            if kind in BLOCKS:
                elements, size = BLOCKS[kind]
                stored = rng.integers(0, 64, (UNITS, TERMS // elements * size), np.uint8)
                blocks = packed_weights.Blocks.of(stored, kind)
                parts = (blocks.numbers, blocks.scales, blocks.minima)
                self.nbytes += sum(part.nbytes for part in parts)
                products.append(blocks.multiply(x))
            elif kind == "bfloat16":  # as inputs, because constants would be converted once
                self.inputs.append(weight.astype(ml_dtypes.bfloat16))
                self.nbytes += self.inputs[-1].nbytes
                params.append(relay.var("w", shape=(UNITS, TERMS), dtype=kind))
                products.append(relay.nn.dense(x, relay.cast(params[-1], "float32")))
            else:
                self.nbytes += weight.nbytes
                products.append(relay.nn.dense(x, relay.const(weight)))
        main = relay.Function(tuple(params), relay.Tuple(tuple(products)))
        self.run = relay.compile(relay.Module.of(main), threads=1)
        self.best: dict[int, float] = dict.fromkeys(ROWS, np.inf)

    def measure(self, rows: int) -> None:
        """Run the program once for some rows, and keep the time if it is the best so far."""
        data = np.linspace(-1, 1, rows * TERMS, dtype=np.float32).reshape(rows, TERMS)
        start = thread_time()
        self.run(data, *self.inputs)
        self.best[rows] = min(self.best[rows], thread_time() - start)

    def row(self) -> str:
        """Return the line of the table."""
        read = self.nbytes / self.best[1] / 1e9
        flops = [2 * rows * UNITS * TERMS * COUNT / self.best[rows] / 1e9 for rows in ROWS]
        arithmetic = " | ".join(f"{each:.0f}" for each in flops)
        return f"| {self.kind} | {self.nbytes / 1e6:.0f} | {read:.1f} | {arithmetic} |"


def bandwidth(nbytes: int, rounds: int) -> float:
    """Return the bytes per second, in 10^9, of a sum over an array of this size."""
    array, best = np.ones(nbytes // 4, np.float32), np.inf
    x = relay.var("x", shape=array.shape)
    total = relay.compile(relay.Module.of(relay.Function((x,), relay.sum(x))), threads=1)
    for _ in range(rounds):
        start = thread_time()
        total(array)
        best = min(best, thread_time() - start)
    return nbytes / best / 1e9


def lines(contenders: Sequence[Contender], rounds: int) -> Iterator[str]:
    """Yield the lines of the page after its head."""
    for _ in range(rounds):
        for rows in ROWS:
            for each in contenders:
                each.measure(rows)
    yield "| weights | MB | GB/s for 1 row | " + " | ".join(f"{n} rows" for n in ROWS) + " |"
    yield "|---" * (3 + len(ROWS)) + "|"
    yield from (each.row() for each in contenders)
    sizes = sorted({each.nbytes for each in contenders})
    found = ", ".join(f"{bandwidth(n, rounds):.1f} (over {n / 1e6:.0f} MB)" for n in sizes)
    yield f"\nBandwidth of a sum, in GB/s: {found}."


HEAD = """\
# Products with packed weights

`python -m benchmarks.packed_products --write`

{machine}

{count} weights of {units} rows of {terms} numbers. The last columns are GFLOP/s. Weights in blocks
are those of examples/packed_weights.py; those of bfloat16 are inputs of the program. The machine
was not idle.

"""


def main() -> None:
    """Print the table, and write the page if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    kinds = ("float32", "bfloat16", *BLOCKS)
    text = "\n".join(lines([Contender(kind) for kind in kinds], options.rounds))
    print(text)
    if options.write:
        head = HEAD.format(machine=machine_line(), count=COUNT, units=UNITS, terms=TERMS)
        PAGE.write_text(head + text + "\n", "utf-8")


if __name__ == "__main__":
    main()
