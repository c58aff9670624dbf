"""Element types that NumPy or Python chose: a loop or a branch may need the wide ones."""

import numpy as np
import pytest

import relay

X = np.arange(16).reshape(4, 4) / 16


def repeated(x):
    h = np.zeros(4)
    for _ in range(300):
        h = np.tanh(x @ h + 1)
    return h


def on_one_path(x):
    h = np.full(4, 1 / 3)
    for row in x:
        if row.sum() > 1:
            h = h + row
    return h


def largest(x):
    best = -np.inf
    for row in x:
        found = row.max() * 2
        if found > best:
            best = found / 2
    return best


def nested(x):
    total = np.ones(4)
    for _ in range(300):
        for row in x:
            total = total * 0.5 + row
    return total


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("function", [repeated, on_one_path, largest, nested])
def test_a_variable_that_starts_with_a_default_type(function, dtype):
    x = X.astype(dtype)
    found = relay.function(function)(x)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, function(x), rtol=1e-6 if dtype == np.float32 else 1e-14)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.zeros(3, x.dtype),
        lambda x: np.full(3, 1 / 3, x.dtype),
        lambda x: np.ones((2, 2), np.float64) * x.shape[0],
        lambda x: np.zeros(3, dtype=x.dtype),
    ],
)
def test_an_element_type_that_the_function_names(function):
    found, wanted = relay.function(function)(X), function(X)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)


def grown(x):
    rows = np.zeros((1, 0), np.int32)
    for t in range(3):
        rows = np.concatenate([rows, x[t : t + 1, :1].astype(np.int32)], axis=1)
    return rows


def test_a_short_loop_whose_variable_grows_is_unrolled():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_array_equal(relay.function(grown)(x), grown(x))


def combined(a, *rest, scale=2.0, **named):
    total = a * scale
    for each in rest:
        total = total + each * len(rest)
    for name, each in named.items():
        total = total + each * len(name)
    return total


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("named", [{}, {"scale": 3.0}, {"bias": 1.0, "c": np.float32(2)}])
def test_any_number_of_arguments(count, named):
    args = [np.full(2, i, np.float32) for i in range(count)]
    program = relay.function(combined)
    found = program(*args, **named)
    np.testing.assert_array_equal(found, combined(*args, **named))
    np.testing.assert_array_equal(found, program.python(*args, **named))
