"""Kernels for symbolic sizes end immediately if they have nothing to compute."""

import numpy as np
import pytest

import relay

_MANY = (2**30, 2**29)
"""Sizes of the loops around an empty one: to count these iterations would take years."""


_PARAMS = "%x: Tensor[(n, m, k), float32], %i: Tensor[(n, m, k), int64]"


@pytest.mark.parametrize(
    "body",
    [
        "nn.softmax(%x)",
        "sort(%x, axis=1)",
        "cumsum(%x, axis=2)",
        "gather(%x, %i, axis=2)",
        "scatter_elements(%x, %i, %x, axis=2)",
    ],
)
def test_loops_around_an_empty_loop_are_skipped(body: str) -> None:
    """Case 1: the outputs have no element; case 2: hand-written loops, which check indices."""
    source = f'#[version = "0.0.5"]\ndef @main({_PARAMS}) {{ {body} }}'
    compiled = relay.compile(relay.parse(source), threads=1)
    shape = (*_MANY, 0)
    assert compiled(np.zeros(shape, "float32"), np.zeros(shape, "int64")).shape == shape


def test_a_sum_over_loops_around_an_empty_loop_is_zero() -> None:
    """The elements of a result that exists are cleared, and no update is entered."""
    source = "def @main(%x: Tensor[(n, m, k, j), float32]) { sum(%x, axis=[0, 1, 3]) }"
    compiled = relay.compile(relay.parse(f'#[version = "0.0.5"]\n{source}'), threads=1)
    assert np.array_equal(compiled(np.zeros((*_MANY, 3, 0), "float32")), np.zeros(3, "float32"))
