"""Transformations of any Python callable, inside and outside traced functions, in any order."""

# pyright: basic, reportInvalidTypeForm=false, reportCallIssue=false, reportArgumentType=false
# ruff: noqa: ARG005, PLW0108 - lambdas are what is tested
import math
from functools import partial
from typing import Any

import numpy as np
import pytest

import relay
from relay import Tensor, float32, int32
from relay.support.errors import RelayError

X, W = np.array([1, 2, 3], np.float32), np.array([2, -1, 0.5], np.float32)
square = lambda y: np.sum(W * y * y)  # noqa: E731
jitted = relay.jit(square)


@relay.data
class Ball:
    at: Tensor[3]
    count: int32


class Model:
    def __init__(self):
        self.w = W

    def loss(self, x):
        return np.sum(self.w * x * x)

    def scaled(self, x, by=1.0):
        return self.loss(x) * by

    __call__ = loss


def annotated(x, w):
    def inner(y: float32) -> float32:
        return y * y * w

    return relay.grad(inner)(x)


def weighted(w, x):
    return np.sum(w * x * x)


def dropout(x, w):
    key, _ = relay.random.threefry_split(relay.random.threefry_key(7))
    _, drawn = relay.random.uniform(key, x.shape)
    keep = relay.stop_gradient({"keep": np.where(drawn < 2.0, 2.0, 0.0)})["keep"]
    return np.sum(keep * relay.annotation.checkpoint([np.sin(x) * w])[0])


def fixed_derivative(x, w):
    custom = relay.custom_vjp(lambda residuals, d: (7 * d * residuals[0],))
    return relay.grad(custom(lambda y: np.sum(y * w)))(x)


CASES = {
    "scalar": (lambda x, w: relay.grad(lambda y: w[0] * y)(x[0]), 2.0),
    "array": (lambda x, w: relay.grad(lambda y: np.sum(w * y * y))(x), 2 * W * X),
    "computed": (lambda x, w: relay.grad(lambda y, z=w * 3: np.sum(z * y))(x) + w * 3, 6 * W),
    "annotated": (lambda x, w: annotated(x[1], w[2]), 2.0),
    "vmap": (lambda x, w: relay.vmap(lambda y: y * w[0])(x), 2 * X),
    "vmap grad": (lambda x, w: relay.vmap(relay.grad(lambda y: y * y * w[0]))(x), 4 * X),
    "vjp": (lambda x, w: relay.vjp(lambda y: y * w)(x, x)[1], X * W),
    "jvp": (lambda x, w: relay.jvp(lambda y: y * w)(x, x)[1], X * W),
    "hessian": (lambda x, w: relay.hessian(lambda y: np.sum(y * y * w))(x), np.diag(2 * W)),
    "jitted": (lambda x, w: relay.grad(relay.jit(relay.grad(lambda y: w[0] * y**3)))(x[0]), 12.0),
    "captured": (
        lambda x, w: relay.grad(lambda v: relay.grad(lambda y: v * v * y)(x[0]))(w[0]),
        4.0,
    ),
    "method": (lambda x, w: relay.grad(Model().scaled)(x, by=2.0), 4 * W * X),
    "partial": (lambda x, w: relay.grad(partial(weighted, w))(x), 2 * W * X),
    "object": (lambda x, w: relay.value_and_grad(Model())(x)[1], 2 * W * X),
    "map": (lambda x, w: sum(map(relay.grad(lambda y: y * w[0]), [x[0], x[1]])), 4.0),
    "dictionary": (lambda x, w: relay.grad(lambda p: np.sum(p["x"] * w))({"x": x})["x"], W),
    "data": (lambda x, w: relay.grad(lambda b: np.sum(b.at * w) * b.count)(Ball(x, 3)).at, 3 * W),
    "aux": (
        lambda x, w: relay.grad(lambda y: (np.sum(y * w), {"y": y}), has_aux=True)(x)[1]["y"],
        X,
    ),
    "last": (lambda x, w: relay.grad(lambda a, b: np.sum(a * b * w), -1)(x, x), X * W),
    "dropout": (lambda x, w: relay.grad(dropout)(x, w), 2 * np.cos(X) * W),
    "custom": (fixed_derivative, 7 * X),
    "mapped hessian": (
        lambda x, w: relay.hessian(lambda y: np.sum(relay.vmap(lambda z: z**3)(y)))(x),
        np.diag(6 * X),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_inside_of_a_traced_function(name):
    function, expected = CASES[name]
    program = relay.function(function)
    np.testing.assert_allclose(program(X, W), expected, rtol=1e-5)


@pytest.mark.parametrize(
    "function",
    [square, jitted, Model().loss, Model(), partial(weighted, W), relay.function(square)],
)
def test_outside(function):
    np.testing.assert_allclose(relay.grad(function)(X), 2 * W * X)
    rows = np.stack([X, 2 * X])
    np.testing.assert_allclose(relay.vmap(relay.grad(function))(rows), 2 * W * rows)


@pytest.mark.parametrize(
    "function", [np.sin, relay.sin, relay.numpy.sin, partial(np.sin)], ids=range(4)
)
def test_functions_of_libraries(function):
    """NumPy's functions, operators and built-in functions have no Python code to trace."""
    assert np.allclose(relay.jit(relay.vmap(relay.grad(function)))(X), np.cos(X))
    inside = relay.jit(lambda x: relay.jvp(function)(x, 2.0)[1] + relay.grad(function)(x))
    assert np.allclose(inside(0.5), 3 * np.cos(0.5))


def test_functions_of_libraries_take_their_required_arguments():
    by_x, by_w = relay.grad(np.dot, (0, 1))(X, W)
    assert np.allclose(by_x, W)
    assert np.allclose(by_w, X)
    assert np.allclose(relay.jit(partial(np.sum, axis=0))(np.outer(X, W)), W * X.sum())
    assert relay.grad(math.sin)(0.0) == relay.grad(max, 1)(1.0, 2.0) == 1
    assert np.allclose(relay.vmap(abs)(W), abs(W))


def test_compiled_in_any_order():
    np.testing.assert_allclose(relay.jit(relay.grad(jitted))(X), 2 * W * X)
    program = relay.jit(lambda ball: relay.grad(lambda b: np.sum(b.at * b.at) * b.count)(ball))
    found = program(Ball(X, 3))
    assert isinstance(found, Ball)
    np.testing.assert_allclose(found.at, 6 * X)
    assert found.count == ()


def test_a_gradient_by_data_with_integers_is_data():
    found = relay.grad(lambda ball: np.sum(ball.at * ball.at) * ball.count)(Ball(X, 3))
    assert isinstance(found, Ball)
    assert found.count == ()
    found = relay.grad(lambda p: np.sum(p["x"]) * p["n"])({"x": X, "n": 3, "more": {"k": 1}})
    assert found["n"] == ()
    assert found["more"] == {"k": ()}


def calls_around(x, w):
    def scaled(d: float32) -> float32:
        return d * w[0]

    return relay.grad(relay.custom_vjp(lambda _, d: (scaled(d),))(lambda y: np.sum(y)))(x)


@relay.function
def of_itself(x: float32) -> float32:
    return relay.grad(of_itself)(x) * x


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("D003", lambda: relay.jit(lambda n: relay.grad(lambda m: m * 2.0)(n))(3)),
        ("D003", lambda: relay.jit(lambda n, w: relay.grad(lambda m: m * w, 1)(n))(2.0, 3.0)),
        ("D003", lambda: relay.grad(lambda m: m * 2.0, -2)(2.0)),
        ("D002", lambda: relay.jit(lambda n: relay.grad(lambda m: m * 2.0)(n))(X)),
        ("D009", lambda: relay.jit(calls_around)(X, W)),
        ("F103", lambda: of_itself(2.0)),
    ],
)
def test_what_is_impossible_is_said_at_the_line(code, call):
    with pytest.raises(RelayError) as caught:
        call()
    assert caught.value.code == code
    assert caught.value.span is not None
    assert caught.value.span.source.name == __file__


def spread(x, *xs, k=2.0):
    return np.sum(x * xs[0]["q"] ** 2 * xs[1] * k)


@pytest.mark.parametrize("transform", [lambda f: f, relay.jit], ids=["plain", "jit"])
def test_argnums_count_the_items_of_args(transform):
    q, last = {"q": W + 3}, X + 1
    by = {0: q["q"] ** 2 * last * 2, 2: X * q["q"] ** 2 * 2, "k": np.sum(X * q["q"] ** 2 * last)}
    for argnum, wanted in {**by, -1: by[2], -3: by[0]}.items():
        found = transform(relay.grad(spread, argnum))(X, q, last)
        assert np.allclose(found, wanted)
    d_last, d_q, d_x = transform(relay.grad(spread, (-1, 1, "x")))(X, q, last)
    assert np.allclose(d_last, by[2])
    assert np.allclose(d_x, by[0])
    assert np.allclose(d_q["q"], 4 * X * q["q"] * last)
    d_q, d_last = transform(relay.grad(spread, "xs"))(X, q, last)
    assert np.allclose(d_last, by[2])


def scaled(x, y=3.0, *, k=2.0):
    return x * y * k


@pytest.mark.parametrize("transform", [lambda f: f, relay.jit, relay.vmap], ids=["", "jit", "vmap"])
def test_negative_argnums_count_what_a_call_passes_by_position(transform):
    """Neither keyword-only parameters count, nor those that a call omits or names."""
    last, x = transform(relay.grad(scaled, -1)), X if transform is relay.vmap else 5.0
    assert np.allclose(last(x), 6)
    assert np.allclose(last(x, X if transform is relay.vmap else 1.0), 2 * x)
    if transform is not relay.vmap:
        assert last(x, y=4.0) == 8
        assert transform(relay.jvp(scaled, np.int64(-1)))(x, 1.0) == (30, 6)


def test_directions_and_examples_by_items_of_args():
    def product(*xs):
        return np.sum(xs[0] * xs[1] * xs[2])

    args = X, W, X + 1
    _, slope = relay.jvp(product, (1, -1))(*args, W, X)
    assert np.allclose(slope, np.sum(X * W * args[2] + X * W * X))
    assert np.allclose(relay.jacobian(product, -2)(*args), X * args[2])
    assert np.allclose(relay.hvp(product, 1)(*args, W), 0)
    assert np.allclose(relay.vmap(relay.grad(product, 2))(*args), X * W)
    branch = lambda *xs: xs[0] * (xs[1] if xs[1] > 0 else xs[2])  # noqa: E731
    assert np.allclose(relay.vmap(relay.grad(branch, 1))(*args), np.where(W > 0, X, 0))


@pytest.mark.parametrize("argnums", [3, -4, (1, "xs"), (0, 1.5)], ids=str)
def test_arguments_that_no_call_has(argnums):
    with pytest.raises(RelayError, match="D003"):
        relay.grad(spread, argnums)(X, {"q": X}, X)


@pytest.mark.parametrize("transform", [lambda f: f, relay.jit], ids=["plain", "jit"])
def test_tangents_are_objects_like_the_arguments(transform):
    def by_data(ball):
        return np.sum(ball.at**2) * ball.count

    ball, direction = Ball(X, np.int32(3)), Ball(W, np.int32(7))
    value, slope = transform(relay.jvp(by_data))(ball, direction)
    assert (value, slope) == (3 * np.sum(X**2), 6 * np.sum(X * W))
    _, gradient = transform(relay.vjp(lambda b: (b, np.sum(b.at))))(ball, (direction, 1.0))
    assert np.allclose(gradient.at, W + 1)
    product = transform(relay.hvp(by_data))(ball, direction)
    assert np.allclose(product.at, 6 * W)

    def in_dict(p):
        return np.sum(p["ball"].at * p["n"])

    _, slope = transform(relay.jvp(in_dict))({"ball": ball, "n": 2}, {"ball": direction, "n": 5})
    assert np.isclose(slope, 2 * np.sum(W))
    weighted = lambda p: np.sum(p["at"] * p["n"])  # noqa: E731
    inside = lambda x, d: relay.jvp(weighted)({"at": x, "n": 2}, {"at": d, "n": 5})  # noqa: E731
    assert np.isclose(transform(relay.jit(inside))(X, W)[1], 2 * np.sum(W))


def test_a_missing_mode_names_the_function():
    @relay.custom_vjp(lambda _, d: (d,))
    def halved(x):
        return x / 2

    for function in (halved, lambda x: halved(x)):
        with pytest.raises(RelayError, match="halved has a custom"):
            relay.jvp(function)(1.0, 1.0)


@relay.data
class Untyped:
    at: Tensor[3]
    note: Any


def test_a_field_without_a_type_is_shown():
    with pytest.raises(RelayError, match="F105") as caught:
        relay.grad(lambda given: np.sum(given.at))(Untyped(X, 1))
    assert "note: Any" in str(caught.value)


@pytest.mark.parametrize("transform", [lambda f: f, relay.jit], ids=["plain", "jit"])
def test_each_direction_has_an_argument(transform):
    cube = lambda x: x**3 * W[0]  # noqa: E731
    values, slopes = transform(relay.jvp(relay.jvp(cube)))(2.0, 3.0, 5.0)
    assert (values, slopes) == ((16, 72), (120, 360))
    _, slope = transform(relay.vjp(relay.vjp(cube)))(2.0, 3.0, (5.0, 7.0))
    assert slope == 24 * 5 + 24 * 3 * 7
    _, slopes = transform(relay.jvp(relay.jvp(cube), 1))(2.0, 3.0, 5.0)
    assert slopes == (0, 120)
