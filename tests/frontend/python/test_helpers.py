"""Ordinary functions that a program calls: helpers of any rank, lambdas, imported names."""

# pyright: basic, reportInvalidTypeForm=false
import math
from math import sqrt
from random import Random

import numpy as np
import pytest
from numpy import tanh

import relay
from relay import sigmoid
from relay.frontend.python import Tensor, float32, function, int32
from relay.support.errors import RelayImportError
from tests.frontend.python.oracle import assert_same, expected

scale = 2.0
halve = lambda x: x * 0.5  # noqa: E731


def normal(x, eps: float = 1e-5, *, axis=-1):
    """Any rank, any size: the annotations are for people."""
    mean = x.mean(axis=axis, keepdims=True)
    spread = np.sqrt(x.var(axis=axis, keepdims=True) + eps)
    return (x - mean) / spread * scale


def first_positive(xs: np.ndarray) -> float32:
    for x in xs:
        if x > 0:
            return x
    return 0.0


def twice(f, x):
    return f(f(x))


def pair(x):
    return x + 1, {"plus": x, "names": ("a",)}["plus"] if False else x


def fills(out, value):
    out[0] = value
    return out


@function
def of_a_matrix(x: Tensor[3, 4]) -> Tensor[3, 4]:
    return normal(x) + normal(x[0], 1e-3) + normal(x, axis=0)


@function
def with_a_loop(xs: Tensor["n"]) -> float32:
    return first_positive(xs) * 2 + first_positive(xs[1:])


@function
def with_functions(x: Tensor[3]) -> Tensor[3]:
    return twice(halve, x) + twice(normal, x) + twice(lambda y: y + 1, x)


@function
def by_imported_names(x: Tensor[3], y: float32) -> Tensor[3]:
    return tanh(x) + sqrt(y) + math.exp(y)


@function
def imports_inside(x: Tensor[3]) -> Tensor[3]:
    from math import pi

    import numpy as numeric  # noqa: ICN001

    return numeric.sin(x) * pi


@function
def of_relay(x: Tensor[3]) -> Tensor[3]:
    from relay import nn

    return sigmoid(x) + nn.relu(x)


@function
def unpacks(x: float32) -> float32:
    more, same = pair(x)
    return more * same


@function
def writes(n: int32) -> Tensor[3]:
    out = np.zeros(3)
    return fills(out, n * 1.0)


X = np.array([[1.0, -2.0, 3.0, 0.5], [0.0, 1.0, 5.0, -1.0], [2.0, 2.5, 1.0, 4.0]], np.float32)


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        (of_a_matrix, (X,)),
        (with_a_loop, (X[0] - 1,)),
        (with_functions, (X[0, :3],)),
        (by_imported_names, (X[0, :3], 2.0)),
        (imports_inside, (X[0, :3],)),
    ],
)
def test_it_is_what_python_gives(program, arguments):
    assert_same(program(*arguments), expected(program, arguments), rtol=1e-4)
    assert_same(relay.compile(program)(*arguments), expected(program, arguments), rtol=1e-4)


def test_operators_of_relay_by_their_names():
    x = X[0, :3]
    right = 1 / (1 + np.exp(-x)) + np.maximum(x, 0)
    np.testing.assert_allclose(of_relay(x), right, rtol=1e-6)


def test_a_helper_gives_several_values():
    assert unpacks(3.0) == 12.0


def test_a_helper_changes_the_array_that_it_is_given():
    np.testing.assert_array_equal(writes(2), [2, 0, 0])
    np.testing.assert_array_equal(relay.compile(writes)(2), [2, 0, 0])


def test_a_helper_that_stands_for_another_is_seen(monkeypatch):
    x = X[0, :3]
    np.testing.assert_allclose(with_functions(x), expected(with_functions, (x,)), rtol=1e-4)
    monkeypatch.setitem(globals(), "halve", normal)
    np.testing.assert_allclose(with_functions(x), expected(with_functions, (x,)), rtol=1e-4)
    monkeypatch.setitem(globals(), "scale", 3.0)
    np.testing.assert_allclose(with_functions(x), expected(with_functions, (x,)), rtol=1e-4)


def endless(x):
    return x if x < 1 else endless(x - 1)


@function
def calls_an_endless_helper(x: float32) -> float32:
    return endless(x)


def test_a_helper_that_calls_itself_has_to_be_decorated():
    with pytest.raises(RelayImportError) as caught:
        _ = calls_an_endless_helper.module
    assert caught.value.code == "F103"
    assert "decorate it" in (caught.value.help or "")


@function
def draws(x: float32) -> float32:
    return Random.random(x)


def test_a_function_of_a_library_is_refused():
    with pytest.raises(RelayImportError) as caught:
        _ = draws.module
    assert caught.value.code == "F117"


def test_functions_that_a_traced_function_defines_are_differentiated():
    def cube_slope(x):
        def cube(y):
            return y * y * y

        return relay.grad(cube)(x)

    def penalty(v):
        slope = relay.grad(lambda u: relay.sum(u * u * u))(v)
        return relay.sum(slope * slope)

    assert relay.jit(cube_slope)(2.0) == 12.0
    np.testing.assert_allclose(relay.grad(penalty)(np.array([1.0, 2.0])), [36.0, 288.0])
