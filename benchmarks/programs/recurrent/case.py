"""Recurrent layers: their sizes, weights and expected results.

The gates are columns of one matrix, in PyTorch's order: reset, update and new for a GRU; input,
forget, cell and output for an LSTM.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contenders.case import Feeds, Outputs
from benchmarks.programs.sentences import sentences
from benchmarks.programs.weights import Drawing
from benchmarks.programs.workload import Calls, Weights, Workload

Array = NDArray[Any]
Step = Callable[[Array, Array, Array, Array], tuple[Array, Array]]

GATES = {"rnn": 1, "gru": 3, "lstm": 4}


@dataclass(frozen=True)
class Sizes:
    """Layers of one kind of cell over a sequence of `length`, or over sentences if None."""

    cell: str
    input: int
    hidden: int
    layers: int = 1
    length: int | None = None
    sentences: int = 32

    @property
    def lengths(self) -> list[int]:
        """Return the length of each sequence."""
        if self.length is not None:
            return [self.length]
        return [len(heads) for heads in sentences(self.sentences)]


def weights(sizes: Sizes) -> Weights:
    """Draw `w` (of the input), `u` (of the state) and their biases `b` and `d` for each layer."""
    drawn, width = Drawing(1), GATES[sizes.cell] * sizes.hidden
    found: Weights = {}
    for layer in range(sizes.layers):
        rows = sizes.hidden if layer else sizes.input
        found[f"w{layer}"] = drawn.matrix(rows, width, over=sizes.hidden)
        found[f"u{layer}"] = drawn.matrix(sizes.hidden, width)
        found[f"b{layer}"] = drawn.matrix(width, over=sizes.hidden)
        found[f"d{layer}"] = drawn.matrix(width, over=sizes.hidden)
    return found


def inputs(sizes: Sizes) -> Feeds:
    """Draw a sequence for each length."""
    drawn = Drawing(2)
    return {f"xs{i}": drawn.normal(n, sizes.input) for i, n in enumerate(sizes.lengths)}


def calls(feeds: Feeds) -> Calls:
    """Return a call for each sequence."""
    return [(xs,) for xs in feeds.values()]


def units(sizes: Sizes) -> int:
    """Return the number of tokens in sentences; one sequence is one call."""
    return sum(sizes.lengths) if sizes.length is None else 1


def reference(sizes: Sizes, weights: Weights, xs: Array) -> Outputs:
    """Return the states of the last layer."""
    found = xs.astype(np.float64)
    for layer in range(sizes.layers):
        w, u, b, d = (weights[f"{name}{layer}"].astype(np.float64) for name in "wubd")
        h = c = np.zeros(sizes.hidden)
        rows: list[Array] = []
        for x in found:
            h, c = _STEPS[sizes.cell](x @ w + b, h @ u + d, h, c)
            rows.append(h)
        found = np.stack(rows)
    return [found.astype(np.float32)]


def workloads() -> list[Workload]:
    """Return the recurrent workloads."""
    cells = [
        Workload(f"{cell}_cell", "recurrent", Sizes(cell, 128, 128, length=5)) for cell in GATES
    ]
    sentences = [
        Workload(
            f"lstm_300_512_x{layers}",
            "recurrent",
            Sizes("lstm", 300, 512, layers),
            "token",
            dynamic=True,
        )
        for layers in (1, 2)
    ]
    stacks = [
        Workload(f"{cell}_2x256", "recurrent", Sizes(cell, 256, 256, 2, length=64))
        for cell in ("gru", "lstm")
    ]
    return [*cells, *sentences, *stacks]


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _rnn(x: Array, s: Array, _h: Array, c: Array) -> tuple[Array, Array]:
    return np.tanh(x + s), c


def _gru(x: Array, s: Array, h: Array, c: Array) -> tuple[Array, Array]:
    (xr, xz, xn), (sr, sz, sn) = np.split(x, 3), np.split(s, 3)
    z, n = _sigmoid(xz + sz), np.tanh(xn + _sigmoid(xr + sr) * sn)
    return (1 - z) * n + z * h, c


def _lstm(x: Array, s: Array, _h: Array, c: Array) -> tuple[Array, Array]:
    i, f, g, o = np.split(x + s, 4)
    c = _sigmoid(f) * c + _sigmoid(i) * np.tanh(g)
    return _sigmoid(o) * np.tanh(c), c


_STEPS: dict[str, Step] = {"rnn": _rnn, "gru": _gru, "lstm": _lstm}
