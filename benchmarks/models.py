"""Relay and other engines on whole networks: `python -m benchmarks.models --models resnet18,bert`.

Prints a table for each model and updates `benchmarks/results/models.md` and `models.json`.
"""

import argparse

from benchmarks.harness import available, measure
from benchmarks.networks import NETWORKS
from benchmarks.report import Results, print_table


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", default=",".join(NETWORKS), help="names, joined by commas")
    parser.add_argument("--contenders", default=",".join(available()), help="names, by commas")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--dry", action="store_true", help="print only, keep no results")
    return parser.parse_args()


def main() -> None:
    """Measure the chosen networks."""
    options = arguments()
    results = Results("models", "Whole networks")
    for name in options.models.split(","):
        network = NETWORKS[name]
        rows = measure(
            network.onnx_file(),
            network.feeds(),
            options.contenders.split(","),
            options.threads,
            options.rounds,
            network.name,
        )
        print_table(name, options.threads, rows)
        if not options.dry:
            results.put(name, options.threads, rows)
            results.save()


if __name__ == "__main__":
    main()
