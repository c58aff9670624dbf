"""What people write without thinking of Relay: the same values as plain Python and NumPy."""

import math

import numpy as np
import pytest

import relay
from relay.frontend.python import Tensor, data, float32, function, int32

RNG = np.random.default_rng(11)
LAYERS = [RNG.standard_normal(shape, np.float32) for shape in ((4, 6), (6, 3), (3, 2))]
BIASES = [RNG.standard_normal(size, np.float32) for size in (6, 3, 2)]
SCALE = 1 / math.sqrt(2)
MODE = "tanh"
NUMBERS = {"half": 0.5}


@data
class Circle:
    radius: float32


@data
class Square:
    side: float32


@data
class Box:
    wide: float32
    high: float32


Shape = Circle | Square | Box


@function
def perceptron(x: Tensor["n", 4]) -> Tensor["n", 2]:
    for i, (weight, bias) in enumerate(zip(LAYERS, BIASES, strict=True)):
        x = x @ weight + bias
        if i < len(LAYERS) - 1:
            x = np.tanh(x) if MODE == "tanh" else np.maximum(x, 0)
    return x


@function
def comprehension(x: Tensor[3, 4]) -> Tensor[3]:
    rows = [x[i] * (i + 1) for i in range(3)]
    return np.stack([row.sum() for row in rows]) + sum(row.max() for row in rows)


@function
def enumerated(x: Tensor["n"]) -> float32:
    total = 0.0
    for i, value in enumerate(x):
        total += i * value
    return total


@function
def zipped(x: Tensor["n"], y: Tensor["n"]) -> float32:
    best = -100.0
    for a, b in zip(x, y, strict=False):
        best = max(best, a * b)
    return best


@function
def backwards(x: Tensor["n"]) -> float32:
    total = 0.0
    for i in reversed(range(len(x))):
        total = total * 0.5 + x[i]
    for value in reversed(x):
        total -= value
    return total


@function
def area(shape: Shape, unit: float32 = 2.0) -> float32:
    match shape:
        case Circle(size) | Square(size):
            wide, high = size, size
        case Box(wide, high):
            pass
    return wide * high * unit


@function
def areas(side: float32) -> float32:
    return area(Square(side)) + area(Circle(side), unit=1.0) + area(Box(side, 3.0), 0.5)


@function
def softmax(x: Tensor["n"]) -> Tensor["n"]:
    e = np.exp(x - x.max())
    return e / e.sum()


@function
def attention(q: Tensor["n", 8], k: Tensor["n", 8], v: Tensor["n", 8]) -> Tensor["n", 8]:
    scores = q @ k.T / math.sqrt(q.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ v


@function
def statistics(x: Tensor[5]) -> tuple[float32, float32, int32, bool]:
    centred = x - x.mean()
    deviation = np.sqrt((centred**2).sum() / x.size)
    return deviation, x.std() * SCALE, round(x[0] * 10), any([x[0] > 5, x[1] > -5])


@function
def horner(x: float32) -> float32:
    result = 0.0
    for coefficient in (2, -3, 0.5, 1):
        result = result * x + coefficient
    return result


@function
def found(x: Tensor[6], wanted: float32) -> int32:
    place = -1
    for i in range(6):
        if x[i] == wanted:
            place = i
            break
    return place


@function
def logistic_map(r: float32, n: int32) -> float32:
    x, steps = 0.5, 0
    while steps < n:
        if not 0 < x < 1:
            break
        x, steps = r * x * (1 - x), steps + 1
    return x


@function
def one_of(n: int32, x: Tensor["n"]) -> tuple[bool, bool, float32]:
    return n in (1, 4, 7), x[0] not in x[1:], math.sqrt(n) + NUMBERS["half"] + np.mean(n)


X, Y = RNG.standard_normal((3, 4), np.float32), RNG.standard_normal(6, np.float32)


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        (perceptron, (X,)),
        (comprehension, (X,)),
        (enumerated, (Y,)),
        (zipped, (Y, X.ravel()[:6])),
        (backwards, (Y,)),
        (areas, (1.5,)),
        (softmax, (Y,)),
        (attention, tuple(RNG.standard_normal((3, 5, 8), np.float32))),
        (statistics, (Y[:5],)),
        (horner, (0.75,)),
        (found, (Y, float(Y[4]))),
        (found, (Y, 77.0)),
        (logistic_map, (3.2, 50)),
        (logistic_map, (5.0, 50)),
        (one_of, (3, Y)),
        (one_of, (4, np.ones(4, np.float32))),
    ],
)
def test_it_is_what_python_gives(program, arguments):
    found, expected = program(*arguments), program.python(*arguments)
    for each, wanted in zip(np.atleast_1d(found), np.atleast_1d(expected), strict=True):
        np.testing.assert_allclose(each, wanted, rtol=2e-5, atol=1e-6)
        assert np.shape(each) == np.shape(wanted)


@pytest.mark.parametrize(
    ("program", "arguments"),
    [(perceptron, (X,)), (comprehension, (X,)), (softmax, (Y,)), (attention, (X @ X.T,) * 3)],
)
def test_without_loops_it_compiles(program, arguments):
    arguments = [
        np.resize(each, (len(each), 8)) if program is attention else each for each in arguments
    ]
    value = relay.compile(program, threads=1)(*arguments)
    np.testing.assert_allclose(value, program.python(*arguments), rtol=2e-5, atol=1e-6)


def test_defaults_and_keywords_from_python():
    assert area(Square(3.0)) == 18
    assert area(unit=1.0, shape=Box(2.0, 4.0)) == 8
