"""Recurrent layers as loops over the rows of a sequence."""

import numpy as np

import relay
from benchmarks.programs.recurrent.case import Sizes
from benchmarks.programs.relay_parts import sigmoid
from benchmarks.programs.workload import Weights
from relay.frontend.python import PythonFunction, Tensor


@relay.function
def rnn(
    xs: Tensor["n", "i"],
    w: Tensor["i", "h"],
    u: Tensor["h", "h"],
    b: Tensor["h"],
    d: Tensor["h"],
) -> Tensor["n", "h"]:
    """Return the states of a layer of plain cells."""
    h = np.zeros(len(u), np.float32)
    out = np.zeros((len(xs), len(u)), np.float32)
    for t, x in enumerate(xs):
        h = np.tanh(x @ w + b + h @ u + d)
        out[t] = h
    return out


@relay.function
def gru(
    xs: Tensor["n", "i"],
    w: Tensor["i", "g"],
    u: Tensor["h", "g"],
    b: Tensor["g"],
    d: Tensor["g"],
) -> Tensor["n", "h"]:
    """Return the states of a layer of GRU cells."""
    h = np.zeros(len(u), np.float32)
    out = np.zeros((len(xs), len(u)), np.float32)
    for t, x in enumerate(xs):
        reset, update, new = np.split(x @ w + b, 3)
        h_reset, h_update, h_new = np.split(h @ u + d, 3)
        z = sigmoid(update + h_update)
        n = np.tanh(new + sigmoid(reset + h_reset) * h_new)
        h = (1 - z) * n + z * h
        out[t] = h
    return out


@relay.function
def lstm(
    xs: Tensor["n", "i"],
    w: Tensor["i", "g"],
    u: Tensor["h", "g"],
    b: Tensor["g"],
    d: Tensor["g"],
) -> Tensor["n", "h"]:
    """Return the states of a layer of LSTM cells."""
    h = np.zeros(len(u), np.float32)
    c = np.zeros(len(u), np.float32)
    out = np.zeros((len(xs), len(u)), np.float32)
    for t, x in enumerate(xs):
        i, f, g, o = np.split(x @ w + b + h @ u + d, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        out[t] = h
    return out


LAYERS = {"rnn": rnn, "gru": gru, "lstm": lstm}


def build(sizes: Sizes, weights: Weights) -> PythonFunction:
    """Return one or two layers over sequences of fixed or symbolic length."""
    weights = relay.frozen(weights)
    layer = LAYERS[sizes.cell]
    length = sizes.length or "n"
    w0, u0, b0, d0 = (weights[f"{name}0"] for name in "wubd")

    @relay.function
    def one(xs: Tensor[length, sizes.input]) -> Tensor[length, sizes.hidden]:
        return layer(xs, w0, u0, b0, d0)

    if sizes.layers == 1:
        return one
    w1, u1, b1, d1 = (weights[f"{name}1"] for name in "wubd")

    @relay.function
    def two(xs: Tensor[length, sizes.input]) -> Tensor[length, sizes.hidden]:
        return layer(one(xs), w1, u1, b1, d1)

    return two
