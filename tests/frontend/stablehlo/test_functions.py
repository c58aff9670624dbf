"""Functions of JAX, evaluated by the definition of the language, and some compiled, against JAX."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from frontend.stablehlo.functions import FUNCTIONS, jax

import relay
from relay.frontend.jax import from_jax
from relay.semantics.evaluate import evaluate


def exported(name: str) -> tuple[Any, Sequence[Any], Sequence[Any]]:
    """Return a function as a module, the leaves of its arguments, and JAX's results."""
    function, *args = FUNCTIONS[name]
    leaves = [np.asarray(each) for each in jax.tree_util.tree_leaves(args)]
    results = [np.asarray(each) for each in jax.tree_util.tree_leaves(jax.jit(function)(*args))]
    return from_jax(function, *args), leaves, results


def check(found: Any, expected: Sequence[Any]) -> None:
    results = found if isinstance(found, tuple) else (found,)
    for result, wanted in zip(map(np.asarray, results), expected, strict=True):
        assert result.dtype == wanted.dtype
        np.testing.assert_allclose(result, wanted, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_give_what_jax_gives(name: str):
    module, leaves, expected = exported(name)
    check(evaluate(module, *leaves), expected)


@pytest.mark.parametrize(
    "name",
    ["recurrent", "newton for many", "gradient of a network", "gradient of a grouped", "two keys",
     "added elements", "transformer", "a loop in a scan", "erfc"],
)  # fmt: skip
def test_compiled_functions_give_what_jax_gives(name: str):
    module, leaves, expected = exported(name)
    check(relay.compile(module, threads=1)(*leaves), expected)
