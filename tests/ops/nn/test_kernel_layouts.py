"""Weights of convolutions in every order of their axes, compiled, against the evaluator."""

from itertools import permutations

import numpy as np
import pytest

import relay
from relay.testing.compare_values import assert_close

SIZES = {"O": 16, "I": 12, "D": 2, "H": 3, "W": 2}
CASES = [
    (function, "".join(order))
    for spatial, names in (("W", "1d"), ("HW", "2d"), ("DHW", "3d"))
    for function in (f"conv{names}", f"conv{names}_transpose")
    for order in list(permutations(f"OI{spatial}"))[:: 1 if spatial != "DHW" else 11]
]


@pytest.mark.parametrize(("function", "layout"), CASES)
def test_kernel_layout(function: str, layout: str):
    spatial = [letter for letter in "DHW" if letter in layout]
    random = np.random.default_rng(0)
    given = random.standard_normal((1, 12, *[5] * len(spatial))).astype(np.float32)
    weight = random.standard_normal([SIZES[letter] for letter in layout]).astype(np.float32)
    data = relay.var("data", shape=given.shape)
    call = getattr(relay.nn, function)(data, relay.const(weight), kernel_layout=layout)
    module = relay.IRModule.from_expr(relay.Function((data,), call))
    expected = relay.create_executor("debug", mod=module).evaluate()(given)
    assert_close(relay.compile(module)(given), expected.numpy(), 1e-5)
