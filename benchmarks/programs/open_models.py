"""A transformer block and an LSTM with symbolic batch size and length."""

import numpy as np

import relay
from benchmarks.programs.weights import Array, Drawing
from relay.frontend.python import Tensor, function

WIDTH = 64

_DRAWN = Drawing(10)


def _matrix(*shape: int, over: int | None = None) -> Array:
    return relay.frozen(_DRAWN.matrix(*shape, over=over))


TO_QUERY, TO_KEY, TO_VALUE = (_matrix(WIDTH, WIDTH) for _ in range(3))
OUT = _matrix(WIDTH, WIDTH)
UP, UP_BIAS = _matrix(WIDTH, 4 * WIDTH), _matrix(4 * WIDTH, over=WIDTH)
DOWN = _matrix(4 * WIDTH, WIDTH)
OF_INPUT, OF_STATE = _matrix(WIDTH, 4 * WIDTH), _matrix(WIDTH, 4 * WIDTH)
LSTM_BIAS = _matrix(4 * WIDTH, over=WIDTH)


@function
def normalised(x: Tensor["b", "n", WIDTH]) -> Tensor["b", "n", WIDTH]:
    """Return `x` normalised to mean 0 and variance 1 along the last axis."""
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 1e-5)


@function
def softmax(x: Tensor["b", "n", "m"]) -> Tensor["b", "n", "m"]:
    """Return the softmax along the last axis."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


@function
def block(x: Tensor["b", "n", WIDTH]) -> Tensor["b", "n", WIDTH]:
    """Return the result of attention and two dense layers for sequences."""
    seen = normalised(x)
    query, key, value = seen @ TO_QUERY, seen @ TO_KEY, seen @ TO_VALUE
    weights = softmax(query @ np.transpose(key, (0, 2, 1)) / WIDTH**0.5)
    y = x + weights @ value @ OUT
    return y + np.maximum(normalised(y) @ UP + UP_BIAS, 0) @ DOWN


@function
def sigmoid(x: Tensor["b", "n"]) -> Tensor["b", "n"]:
    """Return the logistic sigmoid of each element."""
    return 1 / (1 + np.exp(-x))


@function
def lstm(x: Tensor["n", "b", WIDTH]) -> Tensor["b", WIDTH]:
    """Return the last states for a batch of sequences; the first axis is time."""
    h = np.zeros((x.shape[1], WIDTH), np.float32)
    c = np.zeros((x.shape[1], WIDTH), np.float32)
    for step in x:
        i, f, g, o = np.split(step @ OF_INPUT + h @ OF_STATE + LSTM_BIAS, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
    return h
