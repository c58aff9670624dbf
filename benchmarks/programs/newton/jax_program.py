"""Newton's iteration as `lax.while_loop`."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

from benchmarks.programs.newton.case import LIMIT, Sizes
from benchmarks.programs.workload import Weights


def roots(a: Any) -> Any:
    """Return the cube roots, and how many steps it took."""

    def far(state: Any) -> Any:
        return jnp.abs(state[0] ** 3 - a).max() > LIMIT

    def step(state: Any) -> Any:
        x, steps = state
        return x - (x**3 - a) / (3 * x**2), steps + 1

    return lax.while_loop(far, step, (a, jnp.int32(0)))


def build(_sizes: Sizes, _weights: Weights) -> Callable[[Any], Any]:
    """Return the iteration."""
    return roots
