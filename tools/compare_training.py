"""Compare training with PyTorch: `python tools/compare_training.py mlp resnet18`.

Prints for each network the errors of float32 gradients against float64, ours and PyTorch's, and the
largest relative differences of losses and weights during steps of Adam in float64. Without names,
all networks in full size; `--small` takes small copies. Exits with 1 if a gradient is more than
twice as far from float64 as PyTorch's, or if steps differ by more than 1e-6. `tree_lstm` is the
TreeLSTM of the benchmark, in its only size. With `--draws 5`, errors are those of
the draw with the median ratio: use it for networks with ReLU.
"""

import argparse
import sys
from collections.abc import Mapping

from benchmarks.trained_networks import trees
from benchmarks.trained_networks.accuracy import (
    difference_after,
    gradient_errors,
    tree_difference_after,
    tree_gradient_errors,
)
from benchmarks.trained_networks.networks import FULL, SMALL, Network

MOST_RATIO, MOST_DIFFERENCE = 2.0, 1e-6


def main() -> int:
    """Compare the chosen networks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="*", help=f"some of {', '.join((*FULL, trees.NAME))}")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--draws", type=int, default=1)
    options = parser.parse_args()
    known, failed = SMALL if options.small else FULL, False
    print("| network | gradient error | PyTorch's | worst weight | PyTorch's | losses | weights |")
    print("|---|---|---|---|---|---|---|")
    for name in options.networks or (*known, trees.NAME):
        is_tree = name == trees.NAME
        errors = tree_gradient_errors() if is_tree else gradient_errors(known[name], options.draws)
        losses, weights = _differences(name, known, options.steps)
        numbers = (errors.ours, errors.theirs, errors.our_worst, errors.their_worst)
        row = " | ".join(f"{each:.1e}" for each in (*numbers, losses, weights))
        print(f"| {name} | {row} |", flush=True)
        failed |= errors.ratio > MOST_RATIO or max(losses, weights) > MOST_DIFFERENCE
    return int(failed)


def _differences(name: str, known: Mapping[str, Network], steps: int) -> tuple[float, float]:
    if not steps:
        return 0, 0
    return (
        tree_difference_after(steps) if name == trees.NAME else difference_after(known[name], steps)
    )


if __name__ == "__main__":
    sys.exit(main())
