"""Derivatives of functions that are mapped over an axis, and maps of derivatives."""

from typing import Any

import numpy as np

import relay
from relay.frontend.python import Tensor, float64
from relay.testing.gradients import check_gradient

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
    product: Any = relay.hvp(loss)
    curved = product(X, W, np.cos(X))
    np.testing.assert_allclose(curved, (ahead - behind) / 2e-5, rtol=1e-6, atol=1e-7)
