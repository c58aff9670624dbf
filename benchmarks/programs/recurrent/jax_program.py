"""Recurrent layers as `lax.scan`, with the products of all inputs computed before it."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from benchmarks.programs.recurrent.case import Sizes
from benchmarks.programs.workload import Weights


def _rnn(x: Any, s: Any, _h: Any, c: Any) -> Any:
    return jnp.tanh(x + s), c


def _gru(x: Any, s: Any, h: Any, c: Any) -> Any:
    (xr, xz, xn), (sr, sz, sn) = jnp.split(x, 3), jnp.split(s, 3)
    z, n = jax.nn.sigmoid(xz + sz), jnp.tanh(xn + jax.nn.sigmoid(xr + sr) * sn)
    return (1 - z) * n + z * h, c


def _lstm(x: Any, s: Any, _h: Any, c: Any) -> Any:
    i, f, g, o = jnp.split(x + s, 4)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(o) * jnp.tanh(c), c


STEPS = {"rnn": _rnn, "gru": _gru, "lstm": _lstm}


def build(sizes: Sizes, weights: Weights) -> Callable[[Any], Any]:
    """Return the layers, one scan after the other."""
    step = STEPS[sizes.cell]

    def layers(xs: Any) -> Any:
        for layer in range(sizes.layers):
            w, u, b, d = (jnp.asarray(weights[f"{name}{layer}"]) for name in "wubd")

            def forward(state: Any, x: Any, u: Any = u, d: Any = d) -> Any:
                h, c = state
                h, c = step(x, h @ u + d, h, c)
                return (h, c), h

            zero = jnp.zeros(sizes.hidden)
            _, xs = lax.scan(forward, (zero, zero), xs @ w + b)
        return xs

    return layers
