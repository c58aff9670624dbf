"""Losses and layers in traced Python functions: values and gradients are PyTorch's."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import relay
from relay import layers
from relay.support.errors import RelayError

X = np.random.default_rng(0).standard_normal((4, 3))
LABELS = np.array([0, 2, 1, 1], np.int32)
BITS = np.array([[0, 1, 1], [1, 0, 0], [1, 1, 0], [0, 0, 1]])


@pytest.mark.torch
@pytest.mark.parametrize(
    ("loss", "named", "targets"),
    [
        (layers.cross_entropy, "cross_entropy", LABELS),
        (layers.binary_cross_entropy, "binary_cross_entropy_with_logits", BITS),
        (layers.mean_squared_error, "mse_loss", X[::-1]),
        (layers.mean_absolute_error, "l1_loss", X.astype(np.float32)[::-1]),
        (layers.huber, "huber_loss", BITS),
    ],
)
def test_losses(loss: Callable[..., Any], named: str, targets: Any) -> None:
    torch: Any = pytest.importorskip("torch")
    tensor = torch.tensor(X, requires_grad=True)
    given = torch.tensor(targets.copy())
    given = given.long() if loss is layers.cross_entropy else given.double()
    wanted = getattr(torch.nn.functional, named)(tensor * 1.5, given)
    wanted.backward()
    value, slope = relay.value_and_grad(lambda x: loss(x * 1.5, targets))(X)
    np.testing.assert_allclose(value, wanted.item(), rtol=1e-12)
    np.testing.assert_allclose(slope, tensor.grad.numpy(), rtol=1e-12)


def test_losses_take_numbers_and_lists() -> None:
    norm: Any = layers.batch_norm
    pairs: Any = relay.jit(
        lambda x: (
            layers.mean_squared_error(x, 1),
            layers.mean_squared_error(np.zeros((4, 3)), x),
            layers.accuracy(x, [0, 2, 1, 1]),
            norm(x, np.ones(3), np.zeros(3))[1],
        )
    )(X)
    hits = np.mean(X.argmax(1) == LABELS)
    wanted = [np.mean((X - 1) ** 2), np.mean(X**2), hits, X.mean(0)]
    for found, each in zip(pairs, wanted, strict=True):
        np.testing.assert_allclose(found, each, rtol=1e-6)


@dataclass(eq=False)
class Affine(layers.Layer):
    inner: Any

    def __call__(self, x: Any, mode: Any = layers.INFERENCE) -> Any:
        return self.inner(x, mode)


def test_losses_and_layers_are_callables() -> None:
    """`relay.grad`, `relay.jit` and others take them directly."""
    slope: Any = relay.grad(layers.mean_squared_error)(X, X[::-1])
    np.testing.assert_allclose(slope, (X - X[::-1]) / 6)
    linear: Any = layers.astype(layers.initialize(layers.Linear(3, 2)), "float64")
    wanted = X @ linear.weight.T
    models: list[Any] = [linear, layers.Sequential(linear), Affine(linear)]
    for model in models:
        np.testing.assert_allclose(relay.jit(model)(X), wanted)
        np.testing.assert_allclose(relay.vmap(model)(X), wanted)


def test_numbers_of_losses_are_known() -> None:
    with pytest.raises(RelayError, match="F120"):
        relay.jit(lambda x, delta: layers.huber(x, 0.0, delta))(X, 0.5)


@relay.function
def error(x: relay.Tensor[3]) -> relay.float32:
    return layers.mean_squared_error(x, 1.0)


def test_losses_in_plain_python() -> None:
    x = np.array([1, 2, 4], np.float32)
    np.testing.assert_allclose([error(x), error.python(x)], 10 / 3, rtol=1e-6)


@dataclass(eq=False)
class Residual(layers.Layer):
    inner: Any
    scale: Any
    times: int = 2

    def __call__(self, x: Any, mode: Any = layers.INFERENCE) -> Any:
        for _ in range(self.times):
            x = x + self.scale * self.inner(x, mode)
        return x if np.sum(x) > 100.0 else np.tanh(x)


def _model() -> Any:
    inner = layers.Sequential(layers.Linear(3, 3), relay.nn.relu, lambda x: x * 2.0)
    model = layers.Sequential(Residual(inner, np.float32(0.5)), layers.BatchNorm(3))
    return layers.astype(layers.initialize(model, 1), "float64")


def _loss(model: layers.Sequential, x: relay.Tensor[4, 3, relay.float64]) -> relay.float64:
    return layers.mean_squared_error(model(x), 0.5)


def test_models_are_arguments() -> None:
    """The gradient has the model's structure, and is that of finite differences."""
    model = _model()
    slopes: Any = relay.grad(_loss)(model, X)
    assert slopes.layers[0].times == 2
    value: Any = relay.jit(_loss)
    direction = layers.map_tree(lambda leaf: np.cos(leaf.value + 1), model)
    moved = [
        layers.map_tree(lambda leaf, d, h=h: leaf.value + h * d, model, direction)
        for h in (1e-6, -1e-6)
    ]
    wanted = (value(moved[0], X) - value(moved[1], X)) / 2e-6
    pairs = zip(layers.leaves(slopes), layers.leaves(direction), strict=True)
    found = sum(np.sum(one.value * other.value) for one, other in pairs)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def _in_training(model: Any, mode: Any, x: Any) -> Any:
    return layers.mean_squared_error(layers.Dropout(0.5)(model(x, mode), mode), 0.0)


def test_a_training_step_is_a_python_function() -> None:
    """Its result is that of `layers.training_step`, with dropout and batch statistics."""
    inner = layers.Sequential(layers.Linear(3, 3), relay.nn.relu, layers.BatchNorm(3))
    optimizer = layers.sgd(0.1)
    state = layers.start(layers.astype(inner, "float64"), optimizer, seed=1)

    def loss(model, key, x):
        mode = layers.Mode(key)
        value = _in_training(model, mode, x)
        return value, mode.updated(model), mode.rest

    def step(model, key, x):
        slopes, new, rest = relay.grad(loss, has_aux=True)(model, key, x)
        return layers.map_tree(lambda leaf, d: leaf.value - 0.1 * d, new, slopes), rest

    found: Any = relay.jit(step)(state.model, state.key, X)
    wanted = layers.training_step(_in_training, optimizer, state, X)(state, X)[0]
    np.testing.assert_array_equal(found[1], wanted.key)
    for one, other in zip(layers.leaves(found[0]), layers.leaves(wanted.model), strict=True):
        np.testing.assert_allclose(one.value, other.value, rtol=1e-12, err_msg=one.path)


def test_optimizers_in_python_functions() -> None:
    """Adam's first step moves each weight by the rate, against the sign of its slope."""
    model, optimizer = _model(), layers.adam(0.01)
    memory = layers.initialize(optimizer.init(model))

    def step(model, memory, x):
        slopes = relay.grad(lambda model: layers.mean_squared_error(model(x), 0.5))(model)
        kept = layers.trained(model)
        updates, memory = optimizer.update(layers.trained(slopes), memory, kept)
        return layers.apply_updates(model, updates), memory, slopes

    new, memory, slopes = relay.jit(step)(model, memory, X)
    assert memory["step"] == 1
    trees = (layers.leaves(layers.trained(each)) for each in (model, new, slopes))
    for old, after, slope in zip(*trees, strict=True):
        moved = -0.01 * np.sign(slope.value)
        np.testing.assert_allclose(after.value - old.value, moved, atol=1e-6, err_msg=old.path)


def test_captured_models_are_read_at_each_call() -> None:
    linear = layers.initialize(layers.Linear(3, 2))
    x, model = X.astype(np.float32), layers.Sequential(linear, layers.Dropout(0.5))
    called: Any = relay.jit(lambda x: model(x) + 0.0)
    np.testing.assert_allclose(called(x), x @ linear.weight.T, rtol=1e-5)
    linear.weight[:] = 2.0
    np.testing.assert_allclose(called(x), x @ linear.weight.T, rtol=1e-5)
    linear.weight = np.ones((2, 3), np.float32)
    np.testing.assert_allclose(called(x), x @ linear.weight.T, rtol=1e-5)
    given: Any = relay.jit(lambda model, x: model(x))
    np.testing.assert_allclose(given(model, x), called(x))


def test_models_without_values_are_errors() -> None:
    with pytest.raises(RelayError, match=r"F140.*\n.*initialize\(model, seed\)"):
        relay.grad(_loss)(layers.Linear(3, 3), X)
