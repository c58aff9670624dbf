"""Fifty steps of training in float64 are those of PyTorch: losses and weights."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from relay import const, layers, nn, take
from relay.layers import LSTM, BatchNorm, Conv2D, Embedding, LayerNorm, Linear, Mode, Sequential

torch: Any = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

STEPS = 50


def _loss(model: Any, mode: Mode, x: Any, labels: Any) -> Any:
    return layers.cross_entropy(model(x, mode), labels)


def _trained(
    model: Any, optimizer: layers.Optimizer, x: Any, labels: Any
) -> tuple[Any, Any, list[float]]:
    """Return a model before and after some steps, and the losses."""
    state = layers.start(layers.astype(model, "float64"), optimizer, seed=1)
    before = layers.map_tree(lambda leaf: leaf.value.copy(), state.model)
    step = layers.training_step(_loss, optimizer, state, x, labels)
    losses: list[float] = []
    for _ in range(STEPS):
        state, value = step(state, x, labels)
        losses.append(float(value))
    return before, state.model, losses


def _tensors(tree: Any) -> list[Any]:
    """Return the weights of a tree as tensors that PyTorch trains."""
    return [
        torch.tensor(leaf.value, requires_grad=True)
        for leaf in layers.leaves(tree)
        if leaf.is_trained
    ]


def _trained_there(
    forward: Callable[[], Any], optimizer: Any, labels: Any, limit: float | None = None
) -> list[float]:
    losses: list[float] = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(forward(), torch.tensor(labels).long())
        loss.backward()
        if limit is not None:
            slopes = [weight.grad for weight in optimizer.param_groups[0]["params"]]
            norm = torch.sqrt(sum((slope * slope).sum() for slope in slopes))
            for slope in slopes:
                slope.mul_(limit / max(norm, limit))
        optimizer.step()
        losses.append(loss.item())
    return losses


def _compare(after: Any, weights: Sequence[Any], losses: list[float], theirs: list[float]) -> None:
    np.testing.assert_allclose(losses, theirs, rtol=1e-6)
    assert losses[-1] < 0.9 * losses[0]
    ours = [leaf for leaf in layers.leaves(after) if leaf.is_trained]
    for leaf, tensor in zip(ours, weights, strict=True):
        found, wanted = leaf.value, tensor.detach().numpy()
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-9, err_msg=leaf.path)


@pytest.mark.parametrize("nesterov", [False, True])
def test_a_perceptron_by_gradients_that_fade(nesterov: bool) -> None:
    random = np.random.default_rng(5)
    x, labels = random.standard_normal((8, 6)), random.integers(0, 3, 8).astype(np.int32)
    model = Sequential(Linear(6, 10), LayerNorm(10), nn.relu, Linear(10, 3))
    optimizer = layers.sgd(0.05, momentum=0.9, nesterov=nesterov)
    before, after, losses = _trained(model, optimizer, x, labels)
    weights = _tensors(before)

    def forward() -> Any:
        first, bias, gamma, beta, second, last = weights
        hidden = torch.nn.functional.layer_norm(
            torch.tensor(x) @ first.T + bias, (10,), gamma, beta
        )
        return torch.relu(hidden) @ second.T + last

    theirs = _trained_there(
        forward, torch.optim.SGD(weights, 0.05, momentum=0.9, nesterov=nesterov), labels
    )
    _compare(after, weights, losses, theirs)


def test_a_convolutional_network_by_adam() -> None:
    """With batch normalisation, whose averages are PyTorch's, and pooling."""
    random = np.random.default_rng(5)
    x, labels = random.standard_normal((4, 2, 6, 6)), np.array([0, 1, 2, 1], np.int32)
    model = Sequential(
        *(Conv2D(2, 4, 3, bias=False), BatchNorm(4), nn.relu),
        lambda x: nn.max_pool2d(x, pool_size=2, strides=2),
        *(Conv2D(4, 4, 3, strides=2), nn.batch_flatten, Linear(16, 3)),
    )
    before, after, losses = _trained(model, layers.adam(1e-2), x, labels)
    weights = _tensors(before)
    mean, variance = torch.zeros(4).double(), torch.ones(4).double()

    def forward() -> Any:
        first, gamma, beta, second, bias, last, shift = weights
        f = torch.nn.functional
        y = f.conv2d(torch.tensor(x), first, padding=1)
        y = torch.relu(f.batch_norm(y, mean, variance, gamma, beta, training=True))
        y = f.conv2d(f.max_pool2d(y, 2), second, bias, stride=2, padding=1)
        return y.flatten(1) @ last.T + shift

    theirs = _trained_there(forward, torch.optim.Adam(weights, 1e-2), labels)
    _compare(after, weights, losses, theirs)
    np.testing.assert_allclose(after.layers[1].mean, mean.numpy(), rtol=1e-6)
    np.testing.assert_allclose(after.layers[1].variance, variance.numpy(), rtol=1e-6)


def test_a_recurrent_network_by_adamw() -> None:
    """A long short-term memory over looked-up letters, with gradients that are cut off."""
    random = np.random.default_rng(5)
    x = random.integers(0, 7, (5, 3)).astype(np.int32)  # letters, words
    labels = np.array([0, 1, 1], np.int32)
    model = Sequential(
        Embedding(7, 4),
        LSTM(4, 6),
        lambda x: take(x, const(4), axis=0),
        Linear(6, 2),
    )
    optimizer = layers.chain(layers.clip_by_norm(0.5), layers.adamw(1e-2, decay=0.1))
    before, after, losses = _trained(model, optimizer, x, labels)
    weights = _tensors(before)
    table, by_input, by_hidden, bias, last, shift = weights

    def forward() -> Any:
        h, c = torch.zeros(3, 6).double(), torch.zeros(3, 6).double()
        for letters in torch.tensor(x).long():
            gates = table[letters] @ by_input.T + bias + h @ by_hidden.T
            entry, forget, content, exit_ = gates.chunk(4, dim=1)
            c = torch.sigmoid(forget) * c + torch.sigmoid(entry) * torch.tanh(content)
            h = torch.sigmoid(exit_) * torch.tanh(c)
        return h @ last.T + shift

    theirs = _trained_there(
        forward, torch.optim.AdamW(weights, 1e-2, weight_decay=0.1), labels, limit=0.5
    )
    _compare(after, weights, losses, theirs)
