"""Training in 16-bit floats: only weights, states and activations are rounded to them."""

from typing import Any

import numpy as np
import pytest

import relay
from relay import layers
from relay.layers import BatchNorm, Mode

BOTH = pytest.mark.parametrize("element", ["bfloat16", "float16"])


def _dot(model: Any, mode: Mode, x: Any) -> Any:
    """Return a loss whose gradient is `x`."""
    return relay.sum(relay.cast(model["w"], "float32") * x)


def _stepped(state: Any, optimizer: layers.Optimizer, x: Any, count: int) -> Any:
    step = layers.training_step(_dot, optimizer, state, x)
    for _ in range(count):
        state, _value = step(state, x)
    return state.model["w"].astype(np.float64)


def _started(weights: Any, optimizer: layers.Optimizer, element: str) -> Any:
    state = layers.start({"w": np.asarray(weights, np.float32)}, optimizer)
    return layers.astype(state, element)


@BOTH
def test_adam_moves_each_weight_by_the_rate_against_the_sign_of_a_constant_gradient(
    element: str,
) -> None:
    """`0.999` is 1 in bfloat16, and `1e-8` is 0 in float16; a gradient of 0 moves nothing."""
    optimizer = layers.adam(0.1)
    state = _started([1.0, -2.0, 0.0], optimizer, element)
    found = _stepped(state, optimizer, np.array([1, 1, 0], np.float32), 3)
    np.testing.assert_allclose(found, [0.7, -2.3, 0.0], rtol=1e-2)


@BOTH
def test_the_norm_of_large_gradients(element: str) -> None:
    """The square of 3,000 is infinite in float16."""
    optimizer = layers.chain(layers.clip_by_norm(1.0), layers.sgd(1.0))
    state = _started([0.0, 0.0], optimizer, element)
    found = _stepped(state, optimizer, np.array([3000, -4000], np.float32), 1)
    np.testing.assert_allclose(found, [-0.6, 0.8], rtol=1e-2)


@pytest.mark.parametrize(
    ("rate", "element", "step", "moved"),
    [
        (layers.cosine_decay(1.0, 100_000), "float16", 50_000, -0.5),
        (layers.piecewise(1.0, {301: 0.0}), "bfloat16", 300, -1.0),
        (layers.piecewise(1.0, {301: 0.0}), "bfloat16", 301, 0.0),
    ],
)
def test_schedules_count_steps_exactly(rate: Any, element: str, step: int, moved: float) -> None:
    optimizer = layers.sgd(rate)
    state = _started([0.0], optimizer, element)
    state.optimizer["step"] = np.array(step, np.int32)
    found = _stepped(state, optimizer, np.ones(1, np.float32), 1)
    np.testing.assert_allclose(found, [moved], atol=1e-3)


def _squares(model: BatchNorm, mode: Mode, x: Any) -> Any:
    y = relay.cast(model(x, mode), "float32")
    return relay.mean(y * y)


def test_batch_normalisation_of_more_values_than_the_largest_float16() -> None:
    """Half of the values are -300, whose square is infinite in float16, and half are 300."""
    x = np.full((70_000, 1), 300, np.float16)
    x[::2] *= -1
    optimizer = layers.sgd(0.0)
    state = layers.astype(layers.start(BatchNorm(1, momentum=0.5), optimizer), "float16")
    state, value = layers.training_step(_squares, optimizer, state, x)(state, x)
    assert value == pytest.approx(1.0, rel=1e-2)
    np.testing.assert_allclose(state.model.variance, [45_000], rtol=1e-2)


@pytest.mark.parametrize("parameters", ["float32", "float64"])
def test_normalisation_of_half_precision_by_wider_parameters(parameters: str) -> None:
    x, optimizer = np.array([[1.0], [3.0]], np.float16), layers.sgd(0.0)
    state = layers.astype(layers.start(BatchNorm(1), optimizer), parameters)
    state, value = layers.training_step(_squares, optimizer, state, x)(state, x)
    assert value == pytest.approx(1.0, rel=1e-2)
    np.testing.assert_allclose(state.model.mean, [0.2], rtol=1e-6)
    assert state.model.mean.dtype == parameters
    for model in (state.model, layers.initialize(layers.LayerNorm(1))):
        found = layers.compile_function(lambda m, x: m(x), model, x)(model, x)
        assert found.dtype == np.float16
