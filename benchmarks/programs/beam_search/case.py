"""Beam search: the weights of a decoder, and the most probable sequences.

Every step extends each of the `width` best prefixes by every symbol and keeps the best results,
with the decoder states that belong to them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contenders.case import Feeds, Outputs
from benchmarks.programs.weights import Drawing
from benchmarks.programs.workload import Calls, Weights, Workload

FIRST_SCORES = -1e9
"""The initial score of all beams but one, so that the first step extends only that one."""


@dataclass(frozen=True)
class Sizes:
    """The beam width, numbers of symbols and steps, and sizes of vectors and the state."""

    width: int
    symbols: int
    input: int
    hidden: int
    steps: int

    @property
    def scores(self) -> NDArray[np.float32]:
        """Return the initial scores of the beams."""
        return np.array([0] + [FIRST_SCORES] * (self.width - 1), np.float32)


def weights(sizes: Sizes) -> Weights:
    """Draw the weights; the last matrix is large, so that symbols are not equally probable."""
    drawn, hidden = Drawing(8), sizes.hidden
    return {
        "vectors": drawn.normal(sizes.symbols, sizes.input),
        "w": drawn.matrix(sizes.input, 3 * hidden, over=hidden),
        "u": drawn.matrix(hidden, 3 * hidden),
        "b": drawn.matrix(3 * hidden, over=hidden),
        "d": drawn.matrix(3 * hidden, over=hidden),
        "to_symbol": 8 * drawn.matrix(hidden, sizes.symbols),
        "symbol_bias": drawn.matrix(sizes.symbols, over=hidden),
    }


def inputs(sizes: Sizes) -> Feeds:
    """Draw the initial state of the decoder, which an encoder would provide."""
    return {"start": Drawing(9).normal(sizes.hidden)}


def calls(feeds: Feeds) -> Calls:
    """Return one call."""
    return [tuple(feeds.values())]


def units(_sizes: Sizes) -> int:
    """Return the number of calls."""
    return 1


def reference(sizes: Sizes, weights: Weights, start: NDArray[Any]) -> Outputs:
    """Return the best sequences and their scores."""
    w = {name: value.astype(np.float64) for name, value in weights.items()}
    h, last = np.tile(start.astype(np.float64), (sizes.width, 1)), np.zeros(sizes.width, np.int32)
    scores, found = sizes.scores.astype(np.float64), np.zeros((sizes.width, 0), np.int32)
    for _ in range(sizes.steps):
        h = _cell(w, w["vectors"][last], h)
        chances = h @ w["to_symbol"] + w["symbol_bias"]
        chances -= np.log(np.exp(chances).sum(1, keepdims=True))
        flat = (scores[:, None] + chances).reshape(-1)
        best = np.argsort(-flat, kind="stable")[: sizes.width]
        scores, last, beams = flat[best], best % sizes.symbols, best // sizes.symbols
        h, found = h[beams], np.concatenate([found[beams], last[:, None]], 1)
    return [found.astype(np.int32), scores.astype(np.float32)]


def _cell(w: Weights, x: NDArray[Any], h: NDArray[Any]) -> NDArray[Any]:
    xr, xz, xn = np.split(x @ w["w"] + w["b"], 3, axis=1)
    sr, sz, sn = np.split(h @ w["u"] + w["d"], 3, axis=1)
    z, r = 1 / (1 + np.exp(-xz - sz)), 1 / (1 + np.exp(-xr - sr))
    return (1 - z) * np.tanh(xn + r * sn) + z * h


def workloads() -> list[Workload]:
    """Return a workload with five beams and a decoder that fits in a cache."""
    return [Workload("beam_search_5", "beam_search", Sizes(5, 64, 64, 128, 20))]
