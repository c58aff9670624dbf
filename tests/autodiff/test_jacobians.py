"""Jacobians and Hessians: closed forms, both modes, open sizes, control flow."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import relay
from relay.frontend.python import Tensor, float64, int32
from relay.support.errors import DifferentiationError

X = np.array([[0.5, -1.0, 2.0], [0.3, 0.1, -0.7]])
W = np.random.default_rng(7).standard_normal((4, 3))


@relay.data
class Pair:
    a: Tensor[3, float64]


@relay.function
def layer(x: Tensor[2, 3, float64]) -> Tensor[4, 2, float64]:
    """Return a matrix of another shape, so that no axis is mistaken for another one."""
    return np.sin(W @ x.T)


@relay.function
def powers(x: Tensor["n", float64], steps: int32) -> Tensor["n", float64]:
    """Return a result whose size is open, by a loop."""
    y = x
    for _ in range(steps):
        y = y * x + y[0]
    return y


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_a_jacobian_has_the_axes_of_result_and_parameter(mode: str) -> None:
    found = relay.compile(relay.jacobian(layer, mode=mode))(X)
    wanted = np.einsum("ab,ac,bd->abdc", np.cos(W @ X.T), W, np.eye(2))
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_a_jacobian_of_open_sizes_through_a_loop(mode: str) -> None:
    x, steps = np.array([0.9, -0.4, 0.3]), np.int32(3)
    found = relay.compile(relay.jacobian(powers, "x", mode=mode))(x, steps)
    wanted = np.zeros((3, 3))
    for place in range(3):
        moved = np.eye(3)[place] * 1e-5
        sides = powers.python(x + moved, steps), powers.python(x - moved, steps)
        wanted[:, place] = (sides[0] - sides[1]) / 2e-5
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-8)


def _energy() -> Any:
    x = relay.var("x", shape=(3,), dtype="float64")
    return relay.Function((x,), relay.sum(relay.exp(x) * relay.reverse(x, axis=0)))


def test_a_hessian_and_its_products() -> None:
    """Of `Σ exp(xᵢ) x₂₋ᵢ`, whose second derivatives are `exp(xᵢ)` where two places meet."""
    x, v = np.array([0.5, -1.0, 2.0]), np.array([1.0, 2.0, -1.0])
    turned, e = np.eye(3)[::-1], np.diag(np.exp(x))
    wanted = e * x[::-1] + e @ turned + turned @ e
    hessian = relay.compile(relay.hessian(_energy()))(x)
    np.testing.assert_allclose(hessian, wanted, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(relay.compile(relay.hvp(_energy()))(x, v), wanted @ v, rtol=1e-12)


@dataclass
class Line:
    slope: Any
    offset: Any
    name: str


_line = lambda line, x: {  # noqa: E731
    "at": line.slope * np.sum(x) + line.offset,
    "squares": [line.slope**2],
}


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_a_jacobian_of_containers_by_containers(mode: str) -> None:
    slope, x = np.array([[1.0, 2.0, 3.0]]), X[0]
    line = Line(slope, np.zeros((2, 1)), "first")
    by_line, by_x = relay.jacobian(_line, (0, 1), mode=mode)(line, x)["at"]
    assert by_line.name == "first"
    eye = np.eye(3).reshape(1, 3, 1, 3)
    np.testing.assert_allclose(by_line.slope, np.sum(x) * np.broadcast_to(eye, (2, 3, 1, 3)))
    np.testing.assert_allclose(by_line.offset[1, 2], [[0.0], [1.0]])
    np.testing.assert_allclose(by_x, np.broadcast_to(slope[..., None], (2, 3, 3)))
    (squares,) = relay.jacobian(_line, mode=mode)(line, x)["squares"]
    np.testing.assert_allclose(squares.slope, 2 * eye * slope[..., None, None])
    np.testing.assert_allclose(squares.offset, np.zeros((1, 3, 2, 1)))


def test_a_hessian_by_a_dictionary() -> None:
    params = {"a": X[0], "b": np.array(2.0), "steps": np.int32(3)}
    found = relay.jit(relay.hessian(lambda p: np.sum(p["a"] ** 3) * p["b"]))(params)
    np.testing.assert_allclose(found["a"]["a"], np.diag(12 * X[0]))
    np.testing.assert_allclose(found["a"]["b"], 3 * X[0] ** 2)
    np.testing.assert_allclose(found["b"]["a"], 3 * X[0] ** 2)
    assert found["b"]["b"] == 0
    assert found["steps"]["a"] == found["a"]["steps"] == ()


def test_a_jacobian_by_data_is_refused() -> None:
    with pytest.raises(DifferentiationError, match="contains Pair") as caught:
        relay.jacobian(lambda pair: pair[0].a * 2)((Pair(X[0]),))
    assert caught.value.code == "D008"


def test_a_result_of_unknown_size_has_no_jacobian_and_is_shown() -> None:
    with pytest.raises(DifferentiationError, match=r"(?s)D008.*return x\[x > 0\]") as caught:
        relay.jacobian(_positive)(X[0])
    assert caught.value.span is not None


def _positive(x: Any) -> Any:
    return x[x > 0]


def test_a_jacobian_of_another_mode_is_refused() -> None:
    with pytest.raises(DifferentiationError, match="sideways") as caught:
        relay.jacobian(_energy(), mode="sideways")
    assert caught.value.code == "D006"
