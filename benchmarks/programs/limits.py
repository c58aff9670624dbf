"""Recurrent programs and the machine's limits: `python -m benchmarks.programs.limits`.

A step multiplies one state by all recurrent weights, so it takes at least as long as reading them.
If steps read them in alternating directions, as much as fits in L1 is found there, then as much as
fits in L2, and the rest in L3: no order is better. The products of all inputs are one matrix
product, limited by peak arithmetic; so are those of the beams of a search, which use each weight
several times. Read bandwidths are measured here by a loop of multiply-adds, as the best of many
runs; the times of Relay and other engines are the minimum ones of `python -m benchmarks.programs`,
from `results/programs.json`.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.machine import machine_line
from benchmarks.programs.beam_search.case import Sizes as BeamSizes
from benchmarks.programs.catalogue import WORKLOADS
from benchmarks.programs.recurrent.case import GATES, Sizes
from benchmarks.programs.workload import Workload
from benchmarks.report import RESULTS, row
from benchmarks.roofline import peak, read_rate
from relay.kernels.cpu_model import CpuModel

HEAD = (
    "program", "per", "weights a step", "limit µs", "Relay µs", "limit / Relay", "best peer µs",
    "best peer / limit",
)  # fmt: skip
ROUNDS = 100
NOTE = """
One thread. *limit* is the time of reading the recurrent weights in each step but the first, whose
state is nothing, plus that of the inputs' products; for beam search it is that of the products of
all beams with the decoder's weights, and those of the first step, when all beams are one, with it
alone. No program with these weights in this element type is faster here, in whatever order it reads
them, and no speed-up over a peer is larger than the last column. Times are the least of many. What
is read are

{caches};

the peak of arithmetic is {peak:.0f} GFLOP/s.
"""


@dataclass(frozen=True)
class Rates:
    """Operations per second; and for each cache, its size in bytes and its read bandwidth.

    The sizes are in increasing order, each including the caches before it.
    """

    peak: float
    caches: tuple[tuple[int, float], ...]

    @staticmethod
    def measure() -> "Rates":
        """Measure this machine: the best of several rounds, since others may use its caches."""
        host = CpuModel.host()
        sizes, parts = (host.l1, host.l2, host.l3), (host.l1 // 2, host.l2 // 2, 8 * host.l2)
        rounds = [(peak(), *map(read_rate, parts)) for _ in range(ROUNDS)]
        most, *rates = map(max, zip(*rounds, strict=True))
        return Rates(most, tuple(zip(sizes, rates, strict=True)))

    def reading(self, nbytes: int) -> float:
        """Return the minimum seconds to read `nbytes` repeatedly."""
        seconds, done = 0.0, 0
        for size, rate in self.caches:
            seconds += max(0, min(nbytes, size) - done) / rate
            done = min(nbytes, size)
        return seconds + (nbytes - done) / self.caches[-1][1]

    def __str__(self) -> str:
        shown = [
            f"- {size / 1e6:.2f} MB from the cache of level {level} at {rate / 1e9:.0f} GB/s"
            for level, (size, rate) in enumerate(self.caches, 1)
        ]
        return ",\n".join(shown)


def step_bytes(sizes: Sizes | BeamSizes) -> int:
    """Return the bytes of the weights that a step of a layer reads."""
    match sizes:
        case Sizes():
            return 4 * GATES[sizes.cell] * sizes.hidden**2
        case BeamSizes():
            return 4 * sizes.hidden * (GATES["gru"] * sizes.hidden + sizes.symbols)


def least_seconds(sizes: Sizes | BeamSizes, rates: Rates) -> float:
    """Return the lower bound for recurrent layers over all their sequences, or for a search."""
    match sizes:
        case Sizes():
            return _of_layers(sizes, rates)
        case BeamSizes():
            beams = sizes.width * (sizes.steps - 1) + 1
            return beams * 2 * (step_bytes(sizes) / 4) / rates.peak


def _of_layers(sizes: Sizes, rates: Rates) -> float:
    tokens, sequences = sum(sizes.lengths), len(sizes.lengths)
    reading = sizes.layers * (tokens - sequences) * rates.reading(step_bytes(sizes))
    rows = sizes.input + (sizes.layers - 1) * sizes.hidden
    products = 2 * tokens * rows * GATES[sizes.cell] * sizes.hidden
    return reading + products / rates.peak


def rows(rates: Rates) -> Iterator[str]:
    """Return the table."""
    measured = json.loads((RESULTS / "programs.json").read_text())["rows"]
    yield row(HEAD)
    yield row("---" for _ in HEAD)
    for workload in WORKLOADS.values():
        is_known = isinstance(workload.sizes, Sizes | BeamSizes)
        if is_known and f"{workload.name} 1" in measured:
            yield _row(workload, rates, measured[f"{workload.name} 1"])


def _row(workload: Workload, rates: Rates, results: list[dict[str, object]]) -> str:
    units = workload.case.units(workload.sizes)
    times = {
        str(each["contender"]): float(str(each["least_seconds"])) / units * 1e6
        for each in results
        if each["failure"] is None
    }
    ours = times.pop("relay")
    peer = min(times.values())
    least = least_seconds(workload.sizes, rates) / units * 1e6
    weights = f"{step_bytes(workload.sizes) / 1e6:.2f} MB"
    shares = (f"{least / ours:.0%}", f"{peer:.1f}", f"{peer / least:.2f}×")
    return row((workload.name, workload.unit, weights, f"{least:.1f}", f"{ours:.1f}", *shares))


def main() -> None:
    """Measure, print, and keep the page unless told not to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dry", action="store_true", help="print only, keep no results")
    options = parser.parse_args()
    rates = Rates.measure()
    note = NOTE.format(caches=rates, peak=rates.peak / 1e9)
    page = ["# Programs and the machine's limit", "", machine_line()]
    page += [note, *rows(rates)]
    print("\n".join(page))
    if not options.dry:
        (RESULTS / "program_limits.md").write_text("\n".join(page) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
