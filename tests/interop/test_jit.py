"""`relay.jit` compiles for what it is called with; `relay.vmap` maps over one more axis."""

# pyright: basic, reportInvalidTypeForm=false
import numpy as np
import pytest

import relay
from relay import Tensor, float32
from relay.support.errors import RelayError

bias = np.zeros(4, np.float32)


@relay.jit
def layer(x, w, by=1.0, *, power: float32 = 2.0):
    return (np.tanh(x @ w) * by + bias) ** power


@relay.jit(threads=1)
def any_rows(x: Tensor["n", 4], steps):
    total = x * 0.0
    for _ in range(steps):
        total = total + x
    return total, total.sum(axis=0)


@relay.jit
def pairs(state, scale):
    position, (speed, mass) = state
    return position + speed * scale, mass * 2


@relay.data
class Ball:
    at: Tensor[2]
    radius: float32


@relay.jit
def area(ball):
    return ball.radius * ball.radius * 3.0 + ball.at.sum()


RANDOM = np.random.default_rng(0)
X, W = RANDOM.standard_normal((3, 5), np.float32), RANDOM.standard_normal((5, 4), np.float32)


def test_sizes_and_types_are_those_of_the_call():
    for dtype in (np.float32, np.float64):
        for rows in (3, 0, 1):
            x, w = X[:rows].astype(dtype), W.astype(dtype)
            found = layer(x, w, power=3.0)
            assert found.dtype == dtype
            np.testing.assert_allclose(found, layer.python(x, w, power=3.0), rtol=1e-5)
    first = layer.compiled(X, W, 1.0, 2.0)
    assert layer.compiled(X + 1, W, 5.0, 2.0) is first
    assert layer.compiled(X, W, 1, 2.0) is not first


def test_annotations_stay():
    first = any_rows.compiled(X[:, :4], 2)
    for rows in (3, 1):
        x = np.ascontiguousarray(X[:rows, :4])
        whole, sums = any_rows(x, 4)
        np.testing.assert_allclose(whole, x * 4, rtol=1e-6)
        np.testing.assert_allclose(sums, x.sum(0) * 4, rtol=1e-5)
    assert any_rows.compiled(X[:1, :4], 9) is first


def test_tuples_lists_and_data():
    moved, mass = pairs((X[0], [X[1], 3]), 0.5)
    np.testing.assert_allclose(moved, X[0] + X[1] * 0.5, rtol=1e-6)
    assert mass == 6
    assert area(Ball(np.ones(2, np.float32), 2.0)) == 14.0


def test_what_the_function_reads_may_change(monkeypatch):
    before = layer(X, W)
    monkeypatch.setitem(globals(), "bias", np.ones(4, np.float32))
    np.testing.assert_allclose(layer(X, W), (np.sqrt(before) * np.sign(X @ W) + 1) ** 2, rtol=1e-4)


@pytest.mark.torch
def test_tensors_of_others_are_viewed():
    torch = pytest.importorskip("torch")
    found = layer(torch.from_numpy(X), torch.from_numpy(W))
    np.testing.assert_allclose(found, layer(X, W))


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("F118", lambda: any_rows(X, 1, 2)),  # pyright: ignore[reportCallIssue]
        ("F140", lambda: layer(X, {"w": W})),
        ("F140", lambda: layer(X, "text")),
        ("F100", lambda: relay.jit(np.tanh)),
    ],
)
def test_what_is_refused(code, call):
    with pytest.raises(RelayError) as caught:
        call()
    assert caught.value.code == code
    assert caught.value.help


@relay.function
def weighed(x: Tensor[5], w: Tensor[5, 4], s: float32):
    return np.tanh(x @ w) * s, x.max()


def test_a_function_over_one_more_axis():
    many = relay.vmap(weighed, in_axes=(0, None, 0))
    scales = np.array([1.0, -2.0, 0.5], np.float32)
    for found in (many(X, W, scales), relay.compile(many)(X, W, scales)):
        for i, (row, scale) in enumerate(zip(X, scales, strict=True)):
            wanted, top = weighed.python(row, W, scale)
            np.testing.assert_allclose(found[0][i], wanted, rtol=1e-5)
            assert found[1][i] == top
    twice = relay.vmap(many)
    both = [np.stack([each, each]) for each in (X, W, scales)]
    np.testing.assert_allclose(twice(*both)[0][1], many(X, W, scales)[0], rtol=1e-5)


@relay.function
def loss(x: Tensor[5], w: Tensor[5]) -> float32:
    return np.square(x * w).sum()


def test_gradients_of_single_examples():
    w = np.arange(5, dtype=np.float32)
    each = relay.vmap(relay.grad(loss, "w"), in_axes=(0, None))
    np.testing.assert_allclose(each(X, w), 2 * X * X * w, rtol=1e-5)


@relay.function
def halved(x: float32) -> float32:
    while x > 1.0:
        x = x * 0.5
    return x


@pytest.mark.parametrize(("code", "axes"), [("U098", 1), ("U098", (0, 0)), ("C120", 0)])
def test_what_cannot_be_mapped(code, axes):
    with pytest.raises(RelayError) as caught:
        _ = relay.vmap(halved, in_axes=axes).module
    assert caught.value.code == code
