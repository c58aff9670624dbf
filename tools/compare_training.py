"""Compare training with PyTorch: `python tools/compare_training.py mlp resnet18`.

Prints for each network the errors of float32 gradients against float64, ours and PyTorch's, and the
largest relative differences of losses and weights during steps of Adam in float64. Without names,
all networks in full size; `--small` takes small copies. Exits with 1 if a gradient is more than
twice as far from float64 as PyTorch's, or if steps differ by more than 1e-6. `tree_lstm` is the
TreeLSTM of the benchmark, and `digits`, `language_model`, `arithmetic_trees`, `neural_ode` and
`fine_tuning` are the models of the examples, all in their only size. With `--draws 5`, errors are
those of the draw with the median ratio: use it for networks with ReLU.
"""

import argparse
import sys
from collections.abc import Mapping

from benchmarks.trained_networks import trees
from benchmarks.trained_networks.accuracy import (
    GradientErrors,
    difference_after,
    example_difference_after,
    example_gradient_errors,
    gradient_errors,
    tree_difference_after,
    tree_gradient_errors,
)
from benchmarks.trained_networks.example_models import MODELS
from benchmarks.trained_networks.networks import FULL, SMALL, Network

MOST_RATIO, MOST_DIFFERENCE = 2.0, 1e-6


def main() -> int:
    """Compare the chosen networks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "networks", nargs="*", help=f"some of {', '.join((*FULL, trees.NAME, *MODELS))}"
    )
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--draws", type=int, default=1)
    options = parser.parse_args()
    known, failed = SMALL if options.small else FULL, False
    print("| network | gradient error | PyTorch's | worst weight | PyTorch's | losses | weights |")
    print("|---|---|---|---|---|---|---|")
    for name in options.networks or (*known, trees.NAME, *MODELS):
        errors, (losses, weights) = _compared(name, known, options.draws, options.steps)
        numbers = (errors.ours, errors.theirs, errors.our_worst, errors.their_worst)
        row = " | ".join(f"{each:.1e}" for each in (*numbers, losses, weights))
        print(f"| {name} | {row} |", flush=True)
        near = errors.ratio <= MOST_RATIO and losses <= MOST_DIFFERENCE >= weights
        failed |= not near  # NaN is not near
    return int(failed)


def _compared(
    name: str, known: Mapping[str, Network], draws: int, steps: int
) -> tuple[GradientErrors, tuple[float, float]]:
    """Return the errors of gradients, and the differences of losses and weights after steps."""
    if name == trees.NAME:
        return tree_gradient_errors(), tree_difference_after(steps)
    if name in MODELS:
        model = MODELS[name]()
        return example_gradient_errors(model), example_difference_after(model, steps)
    return gradient_errors(known[name], draws), difference_after(known[name], steps)


if __name__ == "__main__":
    sys.exit(main())
