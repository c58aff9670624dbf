"""That kernels are told from which end to read, and that their calls stay where they were."""

import numpy as np

import relay
from relay.frontend.python import Tensor, function

_OF_INPUT, _OF_STATE = (relay.frozen(np.full((64, 256), 0.01, np.float32)) for _ in range(2))
_DOWN = relay.frozen(np.full((256, 64), 0.01, np.float32))


@function
def recurrence(x: Tensor["n", "b", 64]) -> Tensor["b", 64]:
    """Multiply all of the input at once, and the state in each step."""
    h = np.zeros((x.shape[1], 64), np.float32)
    for step in x:
        h = np.tanh(step @ _OF_INPUT + h @ _OF_STATE) @ _DOWN
    return h


def test_what_no_step_changes_is_computed_before_the_loop():
    text = relay.vm.compile(recurrence).text
    loop = text[text.index("fn @loop") :]
    products = [line for line in loop.splitlines() if "dense" in line]
    assert products
    assert not any("float32[?, ?, 256]" in line for line in products), loop


def test_values_do_not_depend_on_the_direction():
    x = np.random.default_rng(0).standard_normal((9, 2, 64)).astype(np.float32)
    h = np.zeros((2, 64))
    for step in x.astype(np.float64):
        h = np.tanh(step @ _OF_INPUT + h @ _OF_STATE) @ _DOWN
    np.testing.assert_allclose(relay.compile(recurrence)(x), h, rtol=1e-4)
