"""JAX: one jitted step, whose state is donated."""

import os
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.contenders.case import Binding, Case, Feeds, Outputs
from benchmarks.trained_networks.jax_layers import JaxLayers
from benchmarks.trained_networks.networks import FULL, RATE

COMPILES = True


def version() -> str:
    """Return the version of JAX."""
    return jax.__version__


def load(case: Case) -> Binding:
    """Compile a step of Adam (Kingma and Ba, 2015)."""
    assert case.network is not None, "every network has a name"
    # JAX has no option for this: its pool has a thread for each CPU that the process may use.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: case.threads])
    network = FULL[case.network]
    drawn, x, labels = network.draw()
    weights = {name: jnp.asarray(each) for name, each in drawn.items()}
    zeros = {name: jnp.zeros_like(each) for name, each in weights.items()}
    state: Any = weights, zeros, {name: each + 0 for name, each in zeros.items()}, jnp.zeros(())
    batch = jnp.asarray(x), jnp.asarray(labels)

    def step(state: Any, x: Any, labels: Any) -> Any:
        weights, means, squares, count = state
        given = lambda w: network.loss(JaxLayers(), w, x, labels)  # noqa: E731 - closes over the batch
        loss, slopes = jax.value_and_grad(given)(weights)
        count = count + 1
        means = {n: 0.9 * m + 0.1 * slopes[n] for n, m in means.items()}
        squares = {n: 0.999 * s + 0.001 * slopes[n] ** 2 for n, s in squares.items()}
        rate, root = RATE / (1 - 0.9**count), (1 - 0.999**count) ** -0.5
        went = {n: rate * m / (jnp.sqrt(squares[n]) * root + 1e-8) for n, m in means.items()}
        return ({n: w - went[n] for n, w in weights.items()}, means, squares, count), loss

    compiled: Any = jax.jit(step, donate_argnums=0).lower(state, *batch).compile()
    memory = [state]

    def again() -> Outputs:
        memory[0], loss = compiled(memory[0], *batch)
        return [np.asarray(loss)]

    def bind(_: Feeds) -> Callable[[], Outputs]:
        return again

    return bind
