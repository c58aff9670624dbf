"""Measure how compile time and the time of a step depend on the length of a sequence.

`python -m benchmarks.programs.growth` compiles recurrent programs for sequences of several lengths,
each in a separate process with an empty cache, and writes `benchmarks/results/program_growth.md`.
Neither column should grow.
"""

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.contenders.case import Case
from benchmarks.harness import Contender
from benchmarks.machine import machine_line
from benchmarks.programs.catalogue import workload
from benchmarks.report import RESULTS, row

HOME = "benchmarks.programs.engines"
PROGRAMS = ("lstm_cell", "gru_2x256", "lstm_2x256", "selective_scan_512")
LENGTHS = (4, 16, 64, 256, 1024)
NOTE = "`compile s` is from the Python function to the first result; both figures should not grow."


def measured(name: str, length: int) -> tuple[float, float]:
    """Return the seconds of a compilation, and the minimum processor time of a step in µs."""
    named = f"{name}@{length}"
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        feeds = workload(named).case.inputs(workload(named).sizes)
        np.savez(folder / "feeds.npz", **feeds)  # pyright: ignore[reportArgumentType] - no feed is a flag
        with Contender("relay", 1, folder, HOME) as process:
            loaded = process.load(Case(None, folder / "feeds.npz", 1, named))
            times = process.ask("run", seconds=0.3, at_least=3)["busy"]
    return loaded["seconds"], min(times) / length * 1e6


def rows(programs: list[str], lengths: list[int]) -> Iterator[str]:
    """Return the table, measuring while it is drawn."""
    head = ("program", "length", "compile s", "µs a step")
    yield row(head)
    yield row("---" for _ in head)
    for name in programs:
        for length in lengths:
            seconds, step = measured(name, length)
            yield row((name, str(length), f"{seconds:.2f}", f"{step:.2f}"))


def main() -> None:
    """Measure, print, and keep the page unless told not to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", default=list(PROGRAMS))
    parser.add_argument("--lengths", type=int, nargs="+", default=list(LENGTHS))
    parser.add_argument("--dry", action="store_true", help="print only, keep no results")
    options = parser.parse_args()
    page = [
        "# Programs: compile time and length",
        "",
        f"{machine_line()} One thread.",
        "",
        NOTE,
        "",
    ]
    for line in rows(options.only, options.lengths):
        print(line, flush=True)
        page.append(line)
    if not options.dry:
        (RESULTS / "program_growth.md").write_text("\n".join(page) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
