"""Beam search as `lax.scan`."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from benchmarks.programs.beam_search.case import Sizes
from benchmarks.programs.workload import Weights


def build(sizes: Sizes, weights: Weights) -> Callable[[Any], Any]:
    """Return the function from a decoder's state to sequences and their scores."""
    w = {name: jnp.asarray(value) for name, value in weights.items()}

    def cell(x: Any, h: Any) -> Any:
        xr, xz, xn = jnp.split(x @ w["w"] + w["b"], 3, axis=1)
        sr, sz, sn = jnp.split(h @ w["u"] + w["d"], 3, axis=1)
        z, n = jax.nn.sigmoid(xz + sz), jnp.tanh(xn + jax.nn.sigmoid(xr + sr) * sn)
        return (1 - z) * n + z * h

    def search(start: Any) -> Any:
        def step(state: Any, place: Any) -> Any:
            h, last, scores, found = state
            h = cell(w["vectors"][last], h)
            longer = scores[:, None] + jax.nn.log_softmax(h @ w["to_symbol"] + w["symbol_bias"])
            scores, best = lax.top_k(longer.reshape(-1), sizes.width)
            beams, last = best // sizes.symbols, best % sizes.symbols
            return (h[beams], last, scores, found[beams].at[:, place].set(last)), None

        state = (
            jnp.tile(start, (sizes.width, 1)),
            jnp.zeros(sizes.width, jnp.int32),
            jnp.asarray(sizes.scores),
            jnp.zeros((sizes.width, sizes.steps), jnp.int32),
        )
        (_, _, scores, found), _ = lax.scan(step, state, jnp.arange(sizes.steps))
        return found, scores

    return search
