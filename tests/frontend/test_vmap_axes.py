"""The axes over which `relay.vmap` maps: `in_axes` and `out_axes`."""

from typing import Any, cast

import numpy as np
import pytest

import relay
from relay.frontend.python import float64
from relay.support.errors import RelayError

X = np.arange(24.0).reshape(2, 3, 4)
vmap = cast("Any", relay.vmap)


def scaled(x, w):
    return {"sum": x.sum(axis=0), "all": x * w[0]}


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
@pytest.mark.parametrize("out", [0, 1, -1])
def test_axes(axis: int, out: int) -> None:
    w = [np.array(2.0)]
    found = vmap(scaled, in_axes=(axis, None), out_axes=out)(X, w)
    rows = [scaled(each, w) for each in np.moveaxis(X, axis, 0)]
    for key in ("sum", "all"):
        np.testing.assert_allclose(found[key], np.stack([row[key] for row in rows], axis=out))


def test_containers_and_gradients() -> None:
    """An axis applies to all tensors in an argument, and each part of a result may have its own."""
    both = vmap(lambda p: (p["a"] + 1.0, p["b"].sum()), in_axes=1, out_axes=(-1, 0))
    first, second = both({"a": X[0], "b": X[1]})
    np.testing.assert_allclose(first, X[0] + 1.0)
    np.testing.assert_allclose(second, X[1].sum(axis=0))
    slope = vmap(relay.grad(lambda x: np.sum(x**2) if x[0] > 5.0 else np.sum(x)), in_axes=-1)
    expected = np.where(X[0, 0] > 5.0, 2.0 * X[0], 1.0).T
    np.testing.assert_allclose(slope(X[0]), expected)
    parts = vmap(lambda x: {"a": x + 1.0, "b": [x, x.sum()]}, out_axes={"b": [1, 0], "a": -1})(X[0])
    np.testing.assert_allclose(parts["a"], X[0].T + 1.0)
    np.testing.assert_allclose(parts["b"][0], X[0].T)
    np.testing.assert_allclose(parts["b"][1], X[0].sum(axis=1))
    twice = vmap(vmap(lambda x: np.tanh(x) + 1.0, in_axes=1, out_axes=1), in_axes=2, out_axes=2)
    np.testing.assert_allclose(twice(X), np.tanh(X) + 1.0)


def test_axes_of_the_parts_of_a_container() -> None:
    """Each part has an axis or is shared, also in gradients, traces and programs."""

    def loss(p, q):
        return p["w"] @ q[0] * q[1][0] + p["b"]

    p: dict[str, Any] = {"w": X[1, :, :3], "b": 1.0}
    q: list[Any] = [X[0, :, :3], (2.0, None)]
    axes = ({"b": None, "w": 1}, [0, None])
    wanted = [p["w"][:, k] @ q[0][k] * 2.0 + 1.0 for k in range(3)]
    np.testing.assert_allclose(vmap(loss, in_axes=axes)(p, q), wanted)
    slope = relay.jit(lambda p: vmap(relay.grad(loss), in_axes=axes)(p, q))(p)
    np.testing.assert_allclose(slope["w"], 2.0 * q[0])
    np.testing.assert_allclose(slope["b"], np.ones(3))
    pair = relay.var("p", relay.TupleType([relay.TensorType([]), relay.TensorType([])]))
    product = relay.Function((pair,), relay.TupleGetItem(pair, 0) * relay.TupleGetItem(pair, 1))
    fast = relay.compile(vmap(product, in_axes=((0, None),)))
    np.testing.assert_allclose(fast((np.array([1, 3], np.float32), np.float32(2))), [2, 6])


@pytest.mark.parametrize("options", [{"in_axes": 3}, {"out_axes": -4}, {"out_axes": (0, 0)}])
def test_axes_that_do_not_exist(options: dict[str, Any]) -> None:
    x = relay.var("x", shape=(2, 3))
    with pytest.raises(RelayError) as caught:
        vmap(relay.Function((x,), relay.tanh(x)), **options)
    assert caught.value.code == "U098"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"in_axes": None}, "no argument is mapped"),
        ({"in_axes": ({"w": 0, "b": None},)}, "does not have the structure of its argument"),
        ({"in_axes": ("w",)}, "in_axes cannot be"),
        ({"out_axes": (0, None)}, "out_axes must say which axis"),
    ],
)
def test_axes_of_another_kind(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(RelayError, match=problem) as caught:
        vmap(lambda x: (x, x), **options)(X)
    assert caught.value.code == "U098"


def test_defaults_are_shared() -> None:
    """A default that a call omits is not mapped: also in maps of gradients, jit and traces."""

    def scaled_by(x, k=2.0, *, shift=0.5):
        return x * x * k + shift

    x = np.array([1.0, 3.0])
    many = vmap(scaled_by)
    np.testing.assert_allclose(many(x), x * x * 2.0 + 0.5)
    np.testing.assert_allclose(many(x, x, shift=x), x * x * x + x)
    np.testing.assert_allclose(vmap(scaled_by, in_axes=(0,))(x), x * x * 2.0 + 0.5)
    np.testing.assert_allclose(vmap(relay.grad(scaled_by))(x), 4.0 * x)
    np.testing.assert_allclose(relay.jit(many)(x), x * x * 2.0 + 0.5)
    np.testing.assert_allclose(relay.grad(lambda x: many(x).sum())(x), 4.0 * x)


def test_compiled_defaults() -> None:
    """A compiled map shares arguments with defaults, unless they have axes of their own."""

    def scaled_by(x: float64, k: float64 = 2.0) -> float64:
        return x * x * k

    x = np.array([1.0, 3.0])
    fast = relay.compile(vmap(scaled_by))
    np.testing.assert_allclose(fast(x), 2.0 * x * x)
    np.testing.assert_allclose(fast(x, 3.0), 3.0 * x * x)
    np.testing.assert_allclose(relay.compile(vmap(relay.grad(scaled_by)))(x), 4.0 * x)
    each = relay.compile(vmap(scaled_by, in_axes=(0, 0)))
    np.testing.assert_allclose(each(x, x), x * x * x)
