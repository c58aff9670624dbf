"""The selective scan: weights, a sequence and its outputs.

Each of `width` channels has a state of `state` numbers; the inputs determine the step size of each
channel, what enters its state, and what is read from it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contenders.case import Feeds, Outputs
from benchmarks.programs.weights import Drawing
from benchmarks.programs.workload import Calls, Weights, Workload


@dataclass(frozen=True)
class Sizes:
    """The length, the number of channels, the state size, and the rank of the step matrix."""

    length: int
    width: int
    state: int
    rank: int


def weights(sizes: Sizes) -> Weights:
    """Draw the weights; the decay rates are 1, 2, … in each channel, as Mamba initialises them."""
    drawn = Drawing(6)
    return {
        "down": drawn.matrix(sizes.width, sizes.rank),
        "up": drawn.matrix(sizes.rank, sizes.width),
        "bias": drawn.matrix(sizes.width) - 2,
        "enter": drawn.matrix(sizes.width, sizes.state),
        "leave": drawn.matrix(sizes.width, sizes.state),
        "decay": -np.tile(np.arange(1, sizes.state + 1, dtype=np.float32), (sizes.width, 1)),
        "skip": drawn.normal(sizes.width),
    }


def inputs(sizes: Sizes) -> Feeds:
    """Draw a sequence."""
    return {"xs": Drawing(7).normal(sizes.length, sizes.width)}


def calls(feeds: Feeds) -> Calls:
    """Return one call."""
    return [tuple(feeds.values())]


def units(_sizes: Sizes) -> int:
    """Return the number of calls."""
    return 1


def reference(sizes: Sizes, weights: Weights, xs: NDArray[Any]) -> Outputs:
    """Return the outputs for the sequence."""
    w = {name: value.astype(np.float64) for name, value in weights.items()}
    steps = np.logaddexp(xs @ w["down"] @ w["up"] + w["bias"], 0)
    state, rows = np.zeros((sizes.width, sizes.state)), list[NDArray[Any]]()
    for x, step, enter, leave in zip(xs, steps, xs @ w["enter"], xs @ w["leave"], strict=True):
        state = np.exp(step[:, None] * w["decay"]) * state + (step * x)[:, None] * enter
        rows.append(state @ leave + w["skip"] * x)
    return [np.stack(rows).astype(np.float32)]


def workloads() -> list[Workload]:
    """Return a scan with the sizes of a small Mamba."""
    return [Workload("selective_scan_512", "selective_scan", Sizes(512, 256, 16, 16))]
