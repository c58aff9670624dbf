"""`relay.jit` compiles for what it is called with; `relay.vmap` maps over one more axis."""

# pyright: basic, reportInvalidTypeForm=false
from typing import Any, cast

import numpy as np
import pytest

import relay
from relay import Tensor, float32, int32
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


def test_lambdas_also_several_of_one_line():
    first, second = map(relay.jit, (lambda x: x * 2.0 if x > 1.0 else -x, lambda x: x + 1.0))
    assert (first(3.0), first(0.5), second(3.0)) == (6.0, -0.5, 4.0)
    slope = relay.grad(lambda x: x**3)
    assert slope(np.float64(2.0)) == 12.0


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


class Machine:
    """A callable whose calls may depend on what it holds."""

    def __call__(self, x: object) -> object:
        return x


def test_functions_and_strings_are_fixed():
    @relay.jit
    def applied(x, function: Any = np.sin, mode="sum", *, dtype: Any = np.float64):
        found = function(x).astype(dtype)
        return np.sum(found) if mode == "sum" else found

    x = X[0].astype(np.float64)
    assert applied(x) == pytest.approx(np.sin(x).sum())
    np.testing.assert_allclose(applied(x, lambda y: y * y, "each"), x * x)
    assert applied(x, dtype=np.float32).dtype == np.float32
    slope = relay.grad(applied)(x, np.cos)
    np.testing.assert_allclose(slope, -np.sin(x))
    np.testing.assert_allclose(relay.vmap(relay.grad(applied))(np.stack([x, -x]))[1], np.cos(x))


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("F118", lambda: any_rows(X, 1, 2)),  # pyright: ignore[reportCallIssue]
        ("F140", lambda: layer(X, {1, 2})),
        ("F112", lambda: layer(X, "text")),
        ("F140", lambda: layer(X, Machine())),
        ("U003", lambda: relay.jit(3)),  # pyright: ignore[reportArgumentType]
        ("F100", lambda: relay.jit(eval("lambda x: x"))(1.0)),
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
def counted(x: int32) -> int32:
    return np.sum(np.arange(x))


@pytest.mark.parametrize("axes", [1, (0, 0)])
def test_what_cannot_be_mapped(axes):
    with pytest.raises(RelayError) as caught:
        _ = relay.vmap(counted, in_axes=axes).module
    assert caught.value.code == "U098"


def net(params, x):
    for layer in params["layers"]:
        x = np.tanh(x @ layer["w"] + layer["b"])
    return np.square(x).sum()


def branching(x, w, s):
    y = (x * w).sum() * s
    if y > 0:
        x = np.tanh(x) * y
    if x[0] > 0.5:
        return x.sum() * 2
    return (x * w).sum()


DRAWN = np.random.default_rng(1)
PARAMS = {
    "layers": [{"w": DRAWN.normal(size=(3, 3)), "b": DRAWN.normal(size=3)} for _ in range(2)],
    "unused": (DRAWN.normal(size=2),),
}
ROWS, WEIGHTS = DRAWN.normal(size=(4, 3)), DRAWN.normal(size=3)


def by_hand(function, args, number):
    """Return central differences by one argument, which is an array."""
    found = np.zeros_like(args[number])
    for at in np.ndindex(found.shape):
        ends = []
        for step in (1e-6, -1e-6):
            moved = [np.array(each) for each in args]
            moved[number][at] += step
            ends.append(function(*moved))
        found[at] = (ends[0] - ends[1]) / 2e-6
    return found


def test_gradients_by_dictionaries_and_lists():
    b = PARAMS["layers"][0]["b"]
    wanted = by_hand(
        lambda b, x: net({"layers": [{**PARAMS["layers"][0], "b": b}, PARAMS["layers"][1]]}, x),
        (b, ROWS[0]),
        0,
    )
    slope = relay.grad(net)
    for run in (slope, relay.jit(slope), relay.grad(relay.jit(net))):
        found = run(PARAMS, ROWS[0])
        assert list(found) == ["layers", "unused"]
        np.testing.assert_allclose(found["layers"][0]["b"], wanted, rtol=1e-5)
        assert isinstance(found["layers"], list)
    value, both = relay.jit(relay.value_and_grad(net, (0, "x")))(PARAMS, ROWS[0])
    np.testing.assert_allclose(value, net(PARAMS, ROWS[0]), rtol=1e-6)
    np.testing.assert_allclose(both[0]["layers"][0]["b"], wanted, rtol=1e-5)
    assert both[1].shape == (3,)
    each = cast("Any", relay.vmap)(slope, in_axes=(None, 0))(PARAMS, ROWS)
    np.testing.assert_allclose(each["layers"][0]["b"][0], wanted, rtol=1e-5)


def test_gradients_of_single_examples_through_branches():
    slope, vmap = relay.grad(branching, (0, 1)), cast("Any", relay.vmap)
    scales = np.array([1.0, -1.0, 2.0, 0.5])
    args = (ROWS, WEIGHTS, scales)
    for run in (vmap(slope, (0, None, 0)), relay.jit(vmap(slope, (0, None, 0)))):
        by_x, by_w = run(*args)
        for i, row in enumerate(ROWS):
            one = (row, WEIGHTS, scales[i])
            np.testing.assert_allclose(by_x[i], by_hand(branching, one, 0), rtol=1e-4, atol=1e-6)
            np.testing.assert_allclose(by_w[i], by_hand(branching, one, 1), rtol=1e-4, atol=1e-6)
    values, _ = vmap(relay.value_and_grad(branching), (0, None, 0))(*args)
    np.testing.assert_allclose(
        values, [branching(r, WEIGHTS, s) for r, s in zip(ROWS, scales, strict=True)]
    )


@relay.function
def stepped(params, x, rate=0.1):
    slopes = relay.grad(net)(params, x)
    first = params["layers"][0]
    return {"w": first["w"] - rate * slopes["layers"][0]["w"], "loss": [net(params, x)]}


def test_results_are_dictionaries_and_lists():
    found = stepped(PARAMS, ROWS[0])
    slopes = relay.grad(net)(PARAMS, ROWS[0])
    first = PARAMS["layers"][0]["w"]
    np.testing.assert_allclose(found["w"], first - 0.1 * slopes["layers"][0]["w"], rtol=1e-6)
    assert isinstance(found["loss"], list)
    np.testing.assert_allclose(relay.jit(stepped)(PARAMS, ROWS[0])["w"], found["w"], rtol=1e-6)


@relay.function
def by_operators(x: Tensor[2, 3], w: Tensor[4, 3]):
    first, second = relay.split(relay.nn.dense(x, w), 2, axis=1)
    return relay.sigmoid(first) + relay.nn.relu(second), relay.concatenate([x, x], axis=0)


def test_plain_python_computes_our_operators():
    x, w = DRAWN.normal(size=(2, 3)).astype("f"), DRAWN.normal(size=(4, 3)).astype("f")
    first, second = np.split(x @ w.T, 2, axis=1)
    wanted = 1 / (1 + np.exp(-first)) + np.maximum(second, 0)
    found: Any
    for found in (by_operators.python(x, w), by_operators(x, w)):
        np.testing.assert_allclose(found[0], wanted, rtol=1e-5)
        np.testing.assert_allclose(found[1], np.concatenate([x, x]))


def test_equal_containers_are_compiled_once():
    slope = relay.jit(relay.grad(net))
    first = slope.compiled(PARAMS, ROWS[0])
    assert slope.compiled({**PARAMS}, ROWS[1]) is first
