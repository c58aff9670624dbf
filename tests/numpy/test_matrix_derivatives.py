"""Derivatives of `numpy.linalg`'s functions, to the second order, against finite differences."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import relay
from relay.ir.expr import Function, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayError

RNG = np.random.default_rng(4)
MANY, WEIGHTS = RNG.standard_normal((2, 3, 3)), RNG.standard_normal((2, 3, 3))
POSITIVE = MANY @ MANY.swapaxes(-1, -2) + np.eye(3)
STEP = 1e-5

CASES: dict[str, tuple[Callable[[Any, Any], Any], Any]] = {
    "inv": (lambda np, a: np.linalg.inv(a), MANY),
    "solve by the matrix": (lambda np, a: np.linalg.solve(a, WEIGHTS), MANY[0]),
    "solve by the right-hand side": (lambda np, b: np.linalg.solve(MANY, b), WEIGHTS[0, 0]),
    "det": (lambda np, a: np.linalg.det(a), MANY),
    "slogdet": (lambda np, a: np.linalg.slogdet(a)[1], MANY),
    "cholesky": (lambda np, a: np.linalg.cholesky(a), POSITIVE),
    "pinv of a wide matrix": (lambda np, a: np.linalg.pinv(a), MANY[:, :2]),
    "pinv of equal singular values": (lambda np, a: np.linalg.pinv(a), np.eye(3)[::-1]),
    "lstsq": (lambda np, a: np.linalg.lstsq(a, WEIGHTS[0], 1e-9)[0], MANY[0][:, :2]),
    "residuals of lstsq": (lambda np, b: np.linalg.lstsq(MANY[0][:, :2], b)[1], WEIGHTS[0]),
    "svdvals": (lambda np, a: np.linalg.svdvals(a), MANY),
    "eigvalsh": (lambda np, a: np.linalg.eigvalsh(a), POSITIVE),
    "cond": (lambda np, a: np.linalg.cond(a) + np.linalg.cond(a, 1), POSITIVE),
    "rank": (lambda np, a: np.multiply(np.linalg.matrix_rank(a), a), MANY[0]),
    "matrix_power": (lambda np, a: np.linalg.matrix_power(a, -2), MANY[0]),
}


@pytest.mark.parametrize(("function", "at"), CASES.values(), ids=CASES)
def test_derivatives(function: Callable[[Any, Any], Any], at: Any):
    along, other = RNG.standard_normal((2, *at.shape))
    if function in (
        CASES["cholesky"][0],
        CASES["eigvalsh"][0],
    ):  # it reads the lower triangle, NumPy's symmetric matrices
        along, other = (each + each.swapaxes(-1, -2) for each in (along, other))

    def value(x: Any) -> float:
        return np.sum(np.sin(function(np, x)))

    first = (value(at + STEP * along) - value(at - STEP * along)) / (2 * STEP)
    corners = [(s, t, value(at + 1e-4 * (s * along + t * other))) for s in (1, -1) for t in (1, -1)]
    second = sum(s * t * found for s, t, found in corners) / 4e-8
    x = Var("x", TensorType(at.shape, at.dtype))
    body = relay.numpy.sum(relay.numpy.sin(function(relay.numpy, x)))
    derived: Any = evaluate(relay.jvp(relay.grad(Module.of(Function((x,), body)))), at, other)
    slopes, turns = (np.vdot(each, along) for each in derived)
    assert slopes == pytest.approx(first, rel=1e-6)
    assert turns == pytest.approx(second, rel=1e-5)


@pytest.mark.parametrize("rank", [4, 3, 2])
def test_determinants_of_singular_matrices(rank: int):
    """The second derivative along a direction is a difference quotient of minors: a cubic."""
    left, right = RNG.standard_normal((4, rank)), RNG.standard_normal((rank, 4))
    at, along = left @ right, RNG.standard_normal((4, 4))

    def cofactors(a: Any) -> Any:
        minors = [np.delete(np.delete(a, i, 0), j, 1) for i, j in np.ndindex(4, 4)]
        signs = (-1) ** np.indices((4, 4)).sum(0)
        return signs * np.linalg.det(minors).reshape(4, 4)

    steps = [cofactors(at + step * along) for step in (-2, -1, 1, 2)]
    slope = (steps[0] - 8 * steps[1] + 8 * steps[2] - steps[3]) / 12
    x = Var("x", TensorType((4, 4), "float64"))
    gradient = relay.grad(Module.of(Function((x,), relay.numpy.linalg.det(x))))
    found: Any = relay.compile(relay.jvp(gradient), threads=1)
    first, second = found(at, along)
    np.testing.assert_allclose(first, cofactors(at), atol=1e-13)
    np.testing.assert_allclose(second, slope, atol=1e-12)


def test_a_singular_matrix_stops_the_derivative():
    x = Var("x", TensorType((2, 2), "float64"))
    gradient = relay.grad(Module.of(Function((x,), relay.numpy.sum(relay.numpy.linalg.inv(x)))))
    with pytest.raises(RelayError, match="an assertion of the program failed"):
        relay.compile(gradient, threads=1)(np.zeros((2, 2)))
