"""The selective scan as `lax.scan`."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from benchmarks.programs.selective_scan.case import Sizes
from benchmarks.programs.workload import Weights


def build(sizes: Sizes, weights: Weights) -> Callable[[Any], Any]:
    """Return the function from inputs to outputs."""
    w = {name: jnp.asarray(value) for name, value in weights.items()}

    def scan(xs: Any) -> Any:
        steps = jax.nn.softplus(xs @ w["down"] @ w["up"] + w["bias"])

        def forward(state: Any, item: Any) -> Any:
            x, step, enter, leave = item
            state = jnp.exp(step[:, None] * w["decay"]) * state + (step * x)[:, None] * enter
            return state, state @ leave + w["skip"] * x

        zero = jnp.zeros((sizes.width, sizes.state))
        return lax.scan(forward, zero, (xs, steps, xs @ w["enter"], xs @ w["leave"]))[1]

    return scan
