"""Writing to parts of tensors, beside NumPy."""

import numpy as np

import relay
from relay.frontend.python import Tensor, int32


@relay.function
def states(xs: Tensor[4, 3]) -> Tensor[4, 3]:
    out = np.zeros((4, 3), np.float32)
    h = np.zeros(3, np.float32)
    for i, x in enumerate(xs):
        h = np.tanh(h + x)
        out[i] = h
        out[i, 0] += 1
    return out


@relay.function
def parts(x: Tensor[5, 2], i: int32) -> Tensor[5, 2]:
    y = x + 1
    y[1:3] = 0
    y[-1] = [7.0, 8.0]
    y[i, 1] = 9
    y[..., 1:] *= 2
    y[np.array([0, 3])] = i
    z = y.copy()
    z += 1
    return z - y + y


@relay.function
def halves(x: Tensor[6]) -> Tensor[6]:
    return np.round(x) + 10 * np.rint(x) + 100 * x.round() + round(2.5)


def same(function, *args):
    expected = function.python(*map(np.copy, args))
    np.testing.assert_allclose(function(*args), expected, rtol=1e-6)
    np.testing.assert_allclose(relay.compile(function)(*args), expected, rtol=1e-6)


def test_rows_that_a_loop_writes():
    same(states, np.linspace(-1, 1, 12, dtype="f").reshape(4, 3))


@relay.function
def chosen(x: Tensor[3, 2], rows: Tensor[2, int32]) -> Tensor[2, 2]:
    y = x[rows]
    y[0] = 5
    return y


def test_rows_that_indices_choose_are_an_array_of_their_own():
    same(chosen, np.arange(6, dtype="f").reshape(3, 2), np.array([2, 0], np.int32))


def test_elements_slices_and_several_rows():
    for i in (0, 2, -2):
        same(parts, np.arange(10, dtype="f").reshape(5, 2), np.int32(i))


def test_halves_go_to_the_even_number():
    same(halves, np.array([0.5, 1.5, 2.5, -0.5, -1.5, 2.4], "f"))
