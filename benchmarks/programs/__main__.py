"""Relay compared with other engines on programs with loops, recursion and data.

`python -m benchmarks.programs --only lstm_2x256,tree_lstm_300_150 --rounds 5` measures, prints, and
updates `benchmarks/results/programs.md`; `--profile` instead prints where Relay spends time.
"""

import argparse
from pathlib import Path

from benchmarks.contenders.case import Case
from benchmarks.harness import measure
from benchmarks.programs.catalogue import WORKLOADS
from benchmarks.programs.engines.relay import explain
from benchmarks.programs.report import ENGINES, ProgramResults, details, summary
from benchmarks.programs.workload import Workload

HOME = "benchmarks.programs.engines"


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(WORKLOADS), help="names, joined by commas")
    parser.add_argument("--contenders", default=",".join(("relay", *ENGINES)), help="by commas")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--profile", action="store_true", help="explain Relay's time and no more")
    parser.add_argument("--dry", action="store_true", help="print only, keep no results")
    return parser.parse_args()


def compare(
    workload: Workload, contenders: list[str], rounds: int, results: ProgramResults
) -> None:
    """Measure a program, print its row and keep it in `results`."""
    feeds = workload.case.inputs(workload.sizes)
    measured = measure(
        None,
        feeds,
        contenders,
        rounds=rounds,
        network=workload.name,
        expected=workload.expected(),
        home=HOME,
    )
    print("\n".join(summary([(workload, measured)])))
    for cells in details(workload, measured):
        print("  ", "  ".join(cells[1:]))
    results.put(workload.name, 1, measured)


def profile(workload: Workload) -> None:
    """Print what Relay did with a program, and where it spends the time of its first call."""
    case = Case(None, Path(), network=workload.name)
    print(f"{workload.name}:\n{explain(case, workload.case.inputs(workload.sizes))}\n")


def main() -> None:
    """Measure the chosen programs, or explain them."""
    options = arguments()
    results = ProgramResults()
    for name in options.only.split(","):
        if options.profile:
            profile(WORKLOADS[name])
            continue
        compare(WORKLOADS[name], options.contenders.split(","), options.rounds, results)
        if not options.dry:
            results.save()


if __name__ == "__main__":
    main()
