"""Writing to parts of tensors, beside NumPy."""

import numpy as np
import pytest

import relay
from relay.frontend.python import Tensor, int32
from relay.support.errors import RelayError


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


@relay.function
def stretched(x: Tensor["n"], y: Tensor["k"]) -> Tensor["n"]:
    out = x.copy()
    out[1:3] = y
    return out


@relay.function
def grown(x: Tensor[relay.ANY], y: Tensor[relay.ANY]) -> Tensor[relay.ANY]:
    out = x.copy()
    out += y
    out *= 2
    return out


@relay.function
def agreeing(x: Tensor["n"], y: Tensor[relay.ANY]) -> Tensor["n"]:
    out = x.copy()
    out += y
    return out


def row(count):
    return np.arange(1, count + 1, dtype=np.float32)


@pytest.mark.parametrize(("size", "count"), [(5, 1), (5, 2), (2, 1), (1, 1), (1, 0)])
def test_one_element_is_for_a_whole_slice(size, count):
    same(stretched, row(size), row(count))


@pytest.mark.parametrize("program", [grown, agreeing])
@pytest.mark.parametrize(("size", "count"), [(3, 3), (3, 1), (1, 1)])
def test_what_fits_is_added_in_place(program, size, count):
    same(program, row(size), row(count))


@pytest.mark.parametrize(
    ("program", "code", "size", "count"),
    [
        (stretched, "R040", 5, 3),
        (stretched, "R040", 5, 0),
        (grown, "R054", 1, 3),
        (grown, "R054", 3, 2),
        (agreeing, "R054", 1, 3),
    ],
)
def test_an_array_keeps_its_shape(program, code, size, count):
    for run in (program, relay.compile(program)):
        with pytest.raises(RelayError) as caught:
            run(row(size), row(count))
        assert caught.value.code == code


@relay.function
def twice(x: Tensor[3]) -> Tensor[3]:
    y = x + 1
    for r in [y, y]:
        r += 1  # noqa: PLW2901 - the array of y changes twice
    return r


def test_an_array_that_a_list_has_twice_changes_twice():
    x = np.array([1, 2, 3], np.float32)
    np.testing.assert_array_equal(twice(x), twice.python(x))
    np.testing.assert_array_equal(twice(x), x + 3)
