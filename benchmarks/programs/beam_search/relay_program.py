"""Beam search as a loop that carries the beams."""

import numpy as np

import relay
from benchmarks.programs.beam_search.case import Sizes
from benchmarks.programs.workload import Weights
from relay.frontend.python import PythonFunction, Tensor, int32


@relay.function
def sigmoid(x: Tensor["n", "m"]) -> Tensor["n", "m"]:
    """Return the logistic sigmoid of each element."""
    return 1 / (1 + np.exp(-x))


def build(sizes: Sizes, weights: Weights) -> PythonFunction:
    """Return the function from a decoder's state to sequences and their scores."""
    weights = relay.frozen(weights)
    vectors, w, u = weights["vectors"], weights["w"], weights["u"]
    b, d = weights["b"], weights["d"]
    to_symbol, symbol_bias = weights["to_symbol"], weights["symbol_bias"]
    width, symbols, hidden, steps = sizes.width, sizes.symbols, sizes.hidden, sizes.steps
    first_scores = sizes.scores

    @relay.function
    def cell(x: Tensor["n", "i"], h: Tensor["n", hidden]) -> Tensor["n", hidden]:
        reset, update, new = np.split(x @ w + b, 3, axis=1)
        h_reset, h_update, h_new = np.split(h @ u + d, 3, axis=1)
        z = sigmoid(update + h_update)
        return (1 - z) * np.tanh(new + sigmoid(reset + h_reset) * h_new) + z * h

    @relay.function
    def search(start: Tensor[hidden]) -> tuple[Tensor[width, steps, int32], Tensor[width]]:
        h = np.broadcast_to(start, (width, hidden))
        last = np.zeros(width, np.int32)
        scores = first_scores
        found = np.zeros((width, steps), np.int32)
        for step in range(steps):
            h = cell(vectors[last], h)
            logits: Tensor[width, symbols] = h @ to_symbol + symbol_bias
            chances: Tensor[width, symbols] = relay.nn.log_softmax(logits)
            flat: Tensor[width * symbols] = (scores[:, None] + chances).reshape(-1)
            best: Tensor[width, int32] = relay.topk(flat, width, ret_type="indices", dtype="int32")
            scores = flat[best]
            last = best % symbols
            beams = best // symbols
            h = h[beams]
            found = np.where(np.arange(steps) == step, last[:, None], found[beams])
        return found, scores

    return search
