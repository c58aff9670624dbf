"""The name generator as `lax.scan`."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from benchmarks.programs.char_rnn.case import LETTERS, STEPS, Sizes
from benchmarks.programs.workload import Weights


def build(sizes: Sizes, weights: Weights) -> Callable[..., Any]:
    """Return the function that writes letters."""
    w = {name: jnp.asarray(value) for name, value in weights.items()}

    def write(category: Any, letter: Any) -> Any:
        def step(state: Any, _: Any) -> Any:
            letter, hidden = state
            read = jnp.concatenate([category, jax.nn.one_hot(letter, LETTERS), hidden])
            hidden = read @ w["to_state"] + w["state_bias"]
            output = read @ w["to_output"] + w["output_bias"]
            output = jnp.concatenate([hidden, output]) @ w["to_letter"] + w["letter_bias"]
            letter = jnp.argmax(jax.nn.log_softmax(output)).astype(jnp.int32)
            return (letter, hidden), letter

        (_, hidden), letters = lax.scan(step, (letter, jnp.zeros(sizes.hidden)), length=STEPS)
        return letters, hidden

    return write
