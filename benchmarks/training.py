"""Training steps of Relay, PyTorch and JAX: `python -m benchmarks.training --models mlp,cnn`.

A step is the loss, its gradients and Adam, in float32. Prints a table for each network and updates
`benchmarks/results/training.md` and `training.json`. The error is that of the first loss, against
float64. `relay_half` halves the memory of the backward part by recomputing some values.
"""

import argparse
import importlib.util

import numpy as np
import torch

from benchmarks.contenders.case import Outputs
from benchmarks.harness import measure
from benchmarks.report import Results, print_table
from benchmarks.trained_networks import trees
from benchmarks.trained_networks.networks import FULL
from benchmarks.trained_networks.torch_layers import TorchLayers

HOME = "benchmarks.trained_networks.engines"
PACKAGES = {"relay": "relay", "torch": "torch", "torch_compile": "torch", "jax_jit": "jax"}
NOTE = (
    "A step is the loss, its gradients and Adam, in float32. Alternating rounds, a process for each"
    " engine; on a busy machine, compare the minima. `Relay is` divides the best peer's median by"
    " Relay's: above 1 Relay is faster. `error` is that of the first loss, against float64."
    " `relay_half` needs half of the memory for the backward part and computes some values again."
    " `peak MB` counts the whole process. JAX may use one CPU only, since its threads cannot"
    " be limited. `torch.compile` needs a C++ compiler, and fails on the LSTM; the TreeLSTM is a"
    " recursive function, beside eager PyTorch."
)
MODELS = (*FULL, trees.NAME)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    known = [name for name, package in PACKAGES.items() if importlib.util.find_spec(package)]
    parser.add_argument("--models", default=",".join(MODELS), help="names, joined by commas")
    parser.add_argument("--contenders", default=",".join(known), help="names, joined by commas")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--dry", action="store_true", help="print only, keep no results")
    return parser.parse_args()


def first_loss(name: str) -> Outputs:
    """Return the loss before training, in float64."""
    if name == trees.NAME:
        forest, drawn = trees.draw()
        return [np.asarray(trees.torch_loss(forest, [torch.tensor(w).double() for w in drawn]))]
    network = FULL[name]
    weights, x, labels = network.draw()
    doubles = {each: torch.tensor(w).double() for each, w in weights.items()}
    given = torch.tensor(x) if network.vocabulary else torch.tensor(x).double()
    loss = network.loss(TorchLayers(), doubles, given, torch.tensor(labels))
    return [np.asarray(loss)]


def main() -> None:
    """Measure the chosen networks."""
    options = arguments()
    results = Results("training", "Training steps", NOTE)
    for name in options.models.split(","):
        contenders = options.contenders.split(",")
        if name == trees.NAME:
            contenders = [each for each in contenders if each in {"relay", "torch"}]
        rows = measure(
            None,
            {"seed": np.zeros(1)},
            contenders,
            options.threads,
            options.rounds,
            name,
            first_loss(name),
            HOME,
        )
        print_table(name, options.threads, rows)
        if not options.dry:
            results.put(name, options.threads, rows)
            results.save()


if __name__ == "__main__":
    main()
