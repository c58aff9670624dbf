"""Operators that change no value, but are seen on the way."""

import numpy as np

import relay
from relay.opdef.user_rules import HOOKS
from relay.semantics.evaluate import evaluate


def test_debug_gives_the_evaluator_s_values_to_a_function() -> None:
    x = relay.var("x", shape=(2,), dtype="float32")
    function = relay.Function((x,), relay.debug(x + x, debug_func="seen") * x)
    module = relay.IRModule.from_expr(function)
    seen: list[np.ndarray] = []
    given = np.array([1, 2], np.float32)
    with HOOKS.added("debug", "seen", seen.append):
        found = evaluate(module.module, given)
    np.testing.assert_array_equal(seen, [[2, 4]])
    np.testing.assert_array_equal(found, [2, 8])
    np.testing.assert_array_equal(relay.compile(module, threads=1)(given), [2, 8])
    assert len(seen) == 1  # compiled programs call nothing
