"""The name generator: weights, a category and a first letter, and the letters that it writes.

As in the tutorial, a step has three linear layers and no activation: category, letter and state
determine the next state and an output, and both of these the probabilities of letters, of which the
most probable is written and read in the next step. Here it always writes 20 letters.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contenders.case import Feeds, Outputs
from benchmarks.programs.weights import Drawing
from benchmarks.programs.workload import Calls, Weights, Workload

CATEGORIES, LETTERS, STEPS = 18, 59, 20


@dataclass(frozen=True)
class Sizes:
    """The size of the state."""

    hidden: int


def weights(sizes: Sizes) -> Weights:
    """Draw the matrices of the three layers and their biases."""
    drawn, read = Drawing(3), CATEGORIES + LETTERS + sizes.hidden
    return {
        "to_state": drawn.matrix(read, sizes.hidden),
        "state_bias": drawn.matrix(sizes.hidden, over=read),
        "to_output": drawn.matrix(read, LETTERS),
        "output_bias": drawn.matrix(LETTERS, over=read),
        "to_letter": drawn.matrix(sizes.hidden + LETTERS, LETTERS),
        "letter_bias": drawn.matrix(LETTERS, over=sizes.hidden + LETTERS),
    }


def inputs(_sizes: Sizes) -> Feeds:
    """Return a category and a first letter."""
    category = np.zeros(CATEGORIES, np.float32)
    category[7] = 1
    return {"category": category, "letter": np.array(11, np.int32)}


def calls(feeds: Feeds) -> Calls:
    """Return one call."""
    return [tuple(feeds.values())]


def units(_sizes: Sizes) -> int:
    """Return the number of calls."""
    return 1


def reference(
    sizes: Sizes, weights: Weights, category: NDArray[Any], letter: NDArray[Any]
) -> Outputs:
    """Return the letters and the last state."""
    w = {name: value.astype(np.float64) for name, value in weights.items()}
    hidden, last, letters = np.zeros(sizes.hidden), int(letter), list[int]()
    for _ in range(STEPS):
        read = np.concatenate([category, np.eye(LETTERS)[last], hidden])
        hidden = read @ w["to_state"] + w["state_bias"]
        output = read @ w["to_output"] + w["output_bias"]
        output = np.concatenate([hidden, output]) @ w["to_letter"] + w["letter_bias"]
        last = int(np.argmax(output))
        letters.append(last)
    return [np.array(letters, np.int32), hidden.astype(np.float32)]


def workloads() -> list[Workload]:
    """Return the generator at the sizes of the tutorial and at larger ones."""
    return [
        Workload(f"char_rnn_{hidden}", "char_rnn", Sizes(hidden))
        for hidden in (16, 64, 128, 256, 1024)
    ]
