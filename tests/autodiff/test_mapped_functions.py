"""Derivatives of functions that are mapped over an axis, and maps of derivatives."""

from typing import Any

import numpy as np
import pytest

import relay
from relay.frontend.python import Tensor, float64, int32
from relay.support.errors import RelayError
from tools.fuzzing.gradients import check_gradient

RNG = np.random.default_rng(4)
X, W = RNG.standard_normal((3, 4)), RNG.standard_normal(4)


@relay.function
def ordered(x: Tensor[4, float64], w: Tensor[4, float64]) -> Tensor[4, float64]:
    """Return sums and sorted numbers: operators that have no batched form of their own."""
    return np.concatenate([np.cumsum(np.sin(x * w))[:2], np.sort(x * x[0])[2:]])


many = relay.vmap(ordered, in_axes=(0, None))


@relay.function
def loss(x: Tensor[3, 4, float64], w: Tensor[4, float64]) -> float64:
    """Return a number that depends on all results."""
    found = many(x, w)
    return np.sum(found * found)


def test_gradients_of_mapped_functions() -> None:
    """Also by what all calls share, in both modes, compiled, and of the second order."""
    derived = check_gradient(loss, (X, W), (0, 1))
    _, (by_x, _) = relay.compile(derived)(X, W)
    np.testing.assert_allclose(by_x, relay.grad(loss)(X, W))
    step = 1e-5 * np.cos(X)
    ahead, behind = (relay.grad(loss)(X + way * step, W) for way in (1, -1))
    product = relay.hvp(loss)
    curved = product(X, W, np.cos(X))
    np.testing.assert_allclose(curved, (ahead - behind) / 2e-5, rtol=1e-6, atol=1e-7)


@relay.function
def helper(x: float64, y: float64) -> float64:
    """Return one of two values."""
    if x > y:
        return np.sin(x) * y
    return x * x


@relay.function
def repeated(x: float64, w: Tensor[4, float64], steps: int32) -> float64:
    """Return the result of a loop whose steps call a function."""
    total = 0.0
    for step in range(steps):
        if step == 1:
            x = x + 1.0
        total = total + helper(x, w[step]) * x
    return total


XS, STEPS = np.array([0.1, -1.0, 2.0]), np.array(3, np.int32)
every = relay.vmap(repeated, in_axes=(0, None, None))


@relay.function
def whole(xs: Tensor[3, float64], w: Tensor[4, float64], steps: int32) -> float64:
    """Return the sum of the squares of all results."""
    found = every(xs, w, steps)
    return np.sum(found * found)


def test_functions_and_loops_are_mapped() -> None:
    """Branches on mapped values select; loops and branches on others stay."""
    wanted = [repeated.python(x, W, 3) for x in XS]
    np.testing.assert_allclose(every(XS, W, STEPS), wanted)
    np.testing.assert_allclose(relay.compile(every)(XS, W, STEPS), wanted)
    check_gradient(whole, (XS, W, STEPS), (0, 1))


@relay.function
def smooth(x: float64, w: Tensor[4, float64], steps: int32) -> float64:
    """Return the result of a loop whose steps are smooth."""
    for step in range(steps):
        x = np.sin(x * w[step]) + x
    return x


def test_maps_of_gradients() -> None:
    """The derivative of a loop reads the steps from a list, whose fields are mapped."""
    each = relay.vmap(relay.grad(smooth, "w"), in_axes=(0, None, None))
    wanted = [relay.grad(smooth, "w")(x, W, STEPS) for x in XS]
    np.testing.assert_allclose(relay.compile(each)(XS, W, STEPS), wanted)


def test_maps_of_gradients_of_branches() -> None:
    """A branch that depends on the element, on the way back."""
    each = relay.vmap(relay.grad(repeated, "w"), in_axes=(0, None, None))
    wanted = [relay.grad(repeated, "w")(x, W, STEPS) for x in XS]
    np.testing.assert_allclose(relay.compile(each)(XS, W, STEPS), wanted)


def test_custom_derivatives_are_mapped() -> None:
    """A factor shows which derivative was taken; shared arguments get the sum."""
    module = relay.parse("""#[version = "0.0.5"]
    def @main(%x: float64, %w: float64) -> float64 { @f(%x, %w) * %x }
    def @f(%x: float64, %w: float64, VjpBackward="back", Jvp="along") -> float64 { %x * %w }
    def @back(%r: (float64, float64), %d: float64) -> (float64, float64) {
      (%d * %r.1 * 5f64, %d * %r.0 * 7f64)
    }
    def @along(%x: float64, %w: float64, %dx: float64, %dw: float64) -> (float64, float64) {
      (%x * %w, 5f64 * %dx * %w + 7f64 * %x * %dw)
    }""")
    mapped = relay.vmap(module, in_axes=(0, None))
    ones = np.ones(3)
    _, (by_x, by_w) = relay.compile(relay.vjp(mapped, (0, 1)))(XS, 2.0, ones)
    np.testing.assert_allclose(by_x, 5 * 2.0 * XS + XS * 2.0)
    np.testing.assert_allclose(by_w, np.sum(7 * XS * XS))
    _, along = relay.compile(relay.jvp(mapped, (0, 1)))(XS, 2.0, ones, 1.0)
    np.testing.assert_allclose(along, 5 * 2.0 * XS + XS * 2.0 + 7 * XS * XS)


def test_constants_of_derivatives_are_mapped() -> None:
    """Operators whose derivatives are not those of their formulas keep these in a map."""

    def stopped(x, w):
        return relay.stop_gradient(x) * x + relay.with_derivatives_of(w, x * x * w) * x

    def total(x):
        return np.sum(relay.vmap(stopped, in_axes=(0, None))(x, np.float64(3)))

    x = X[0]
    np.testing.assert_allclose(relay.grad(total)(x), x + 6 * x * x + 3)
    equal = np.stack([np.eye(2), np.eye(2)[::-1]])  # whose singular values are equal
    slope = relay.grad(lambda a: np.sum(relay.vmap(np.linalg.pinv)(a) * W[:2]))(equal)
    each = [relay.grad(lambda a: np.sum(np.linalg.inv(a) * W[:2]))(a) for a in equal]
    np.testing.assert_allclose(slope, each, atol=1e-12)


def test_branches_between_values_of_unknown_size() -> None:
    """They are computed for all elements, because there is no value in place of them."""
    module = relay.parse("""#[version = "0.0.5"]
    def @main(%x: Tensor[(?), float64]) -> Tensor[(?), float64] {
      if (sum(%x) > 0f64) { exp(%x) } else { %x }
    }""")
    rows = np.array([[1.0, 0.5], [-1.0, 0.5]])
    found = relay.compile(relay.vmap(module))(rows)
    np.testing.assert_allclose(found, [np.exp(rows[0]), rows[1]])


def test_missing_tangents_are_named() -> None:
    """The function has its argument: the error names the one that the derivative adds."""
    with pytest.raises(RelayError, match="the call lacks the argument d_x"):
        relay.jvp(lambda x: x * 2.0)(X)


def test_gradients_of_chosen_functions_are_mapped() -> None:
    """Both branches read the function `f`, and `x[2]`: neither becomes a reference."""

    def chosen(x: Any) -> Any:
        f = np.sin if x[0] > 0 else np.cos
        g = f if x[1] > 0 else (lambda v: f(v) if x[0] > 1 else x[0])
        return g(x[2])

    rows = np.array([[0.3, -0.7, 1.2], [1.3, -0.7, 1.2], [-0.3, 0.7, -1.2]])
    by_row = [relay.grad(chosen)(row) for row in rows]
    np.testing.assert_allclose(relay.vmap(relay.grad(chosen))(rows), by_row)
