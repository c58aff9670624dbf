"""Steps of training: what they compute, what they write over, what they refuse."""

from typing import Any

import numpy as np
import pytest

import relay
from relay import layers, nn
from relay.layers import BatchNorm, Dropout, Linear, Mode, Sequential
from relay.support.errors import UsageError

RANDOM = np.random.default_rng(3)
X = RANDOM.standard_normal((6, 4)).astype(np.float32)
LABELS = np.array([0, 2, 1, 1, 0, 2], np.int32)


def loss(model: Sequential, mode: Mode, x: Any, labels: Any) -> Any:
    return layers.cross_entropy(model(x, mode), labels)


def _copied(tree: Any) -> Any:
    return layers.map_tree(lambda leaf: leaf.value.copy(), tree)


def test_a_step_goes_against_the_gradient_in_the_memory_of_what_it_is_given() -> None:
    """The gradient is that of finite differences."""
    model = layers.astype(Linear(4, 3), "float64")
    optimizer = layers.sgd(1.0)
    state = layers.start(model, optimizer, seed=2)
    x = X.astype(np.float64)
    step = layers.training_step(loss, optimizer, state, x, LABELS)
    value_of = layers.compile_function(
        lambda m, x, y: loss(m, layers.INFERENCE, x, y), model, x, LABELS
    )
    before, given = _copied(state.model), state.model.weight
    new, value = step(state, x, LABELS)
    assert new.model.weight is given
    assert value == pytest.approx(value_of(before, x, LABELS))
    slope = np.zeros_like(given)
    for place in np.ndindex(*given.shape):
        sides: list[float] = []
        for sign in (1, -1):
            moved = _copied(before)
            moved.weight[place] += sign * 1e-5
            sides.append(float(value_of(moved, x, LABELS)))
        slope[place] = (sides[0] - sides[1]) / 2e-5
    np.testing.assert_allclose(before.weight - given, slope, rtol=1e-6, atol=1e-9)


def test_the_state_says_all_that_a_step_depends_on() -> None:
    """Dropout draws by the key of the state: other numbers at each step, and the same again."""
    model = Sequential(Linear(4, 16), Dropout(0.5), Linear(16, 3))
    optimizer = layers.sgd(0.0)
    state = layers.start(model, optimizer, seed=2)
    step = layers.training_step(loss, optimizer, state, X, LABELS)
    kept = _copied(state)
    state, first = step(state, X, LABELS)
    _, second = step(state, X, LABELS)
    _, again = step(kept, X, LABELS)
    assert first == again
    assert first != second


def test_dropout_keeps_the_mean() -> None:
    x = np.ones((100, 100), np.float32)
    key = relay.random.threefry_key(5).data
    drop = layers.compile_function(lambda x, key: layers.dropout(x, 0.25, key), x, key)
    found = drop(x, key)
    assert set(np.unique(found)) == {np.float32(0), np.float32(1 / 0.75)}
    assert found.mean() == pytest.approx(1.0, abs=0.02)


def test_batch_normalisation_keeps_averages_for_use() -> None:
    """By the statistics of the batch in training, and by those that it kept afterwards."""
    model, optimizer = BatchNorm(4, momentum=1.0), layers.sgd(0.0)

    def squares(model: BatchNorm, mode: Mode, x: Any) -> Any:
        y = model(x, mode)
        return relay.sum(y * y)

    state = layers.start(model, optimizer)
    step = layers.training_step(squares, optimizer, state, X)
    state, value = step(state, X)
    variance = X.var(axis=0)
    assert value == pytest.approx((6 * variance / (variance + 1e-5)).sum(), rel=1e-5)
    np.testing.assert_allclose(state.model.mean, X.mean(axis=0), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(state.model.variance, X.var(axis=0, ddof=1), rtol=1e-5)
    use = layers.compile_function(lambda model, x: model(x), model, X)
    expected = (X - X.mean(axis=0)) / np.sqrt(X.var(axis=0, ddof=1) + 1e-5)
    np.testing.assert_allclose(use(state.model, X), expected, rtol=1e-4, atol=1e-5)


def test_batch_normalisation_called_twice_moves_its_averages_twice() -> None:
    """Mean 1 moves zero to 0.1, and mean 2 moves that to 0.29; both variances are 2."""
    model, optimizer, x = BatchNorm(1), layers.sgd(0.0), np.array([[0.0], [2.0]], np.float32)

    def twins(model: BatchNorm, mode: Mode, a: Any, b: Any) -> Any:
        return relay.sum(model(a, mode) - model(b, mode))

    state = layers.start(model, optimizer)
    step = layers.training_step(twins, optimizer, state, x, x + 1)
    state, _ = step(state, x, x + 1)
    np.testing.assert_allclose(state.model.mean, [0.1 * 0.9 + 0.2], rtol=1e-6)
    np.testing.assert_allclose(state.model.variance, [1.19], rtol=1e-6)


def test_an_epoch_is_the_steps_one_after_another() -> None:
    first = Linear(4, 5, bias=False)  # the gradient of a shift before a normalisation is rounding
    model = Sequential(first, BatchNorm(5), nn.relu, Dropout(0.2), Linear(5, 3))
    optimizer = layers.chain(layers.clip_by_norm(0.5), layers.adam(0.1))
    state = layers.start(model, optimizer, seed=2)
    batches = RANDOM.standard_normal((7, 6, 4)).astype(np.float32)
    labels = RANDOM.integers(0, 3, (7, 6)).astype(np.int32)
    step = layers.training_step(loss, optimizer, state, X, LABELS)
    epoch = layers.training_epoch(loss, optimizer, state, batches, labels)
    whole, mean = epoch(state, batches, labels)
    losses: list[float] = []
    for each in zip(batches, labels, strict=True):
        state, value = step(state, *each)
        losses.append(float(value))
    assert mean == pytest.approx(np.mean(losses), rel=1e-5)
    pairs = zip(layers.leaves(whole), layers.leaves(state), strict=True)
    for one, other in pairs:
        np.testing.assert_allclose(one.value, other.value, rtol=1e-4, atol=1e-5, err_msg=one.path)
    assert epoch.executable.compilation().seconds


def test_batches_of_an_epoch_are_as_many_of_each_kind() -> None:
    optimizer = layers.sgd(0.1)
    state = layers.start(Linear(4, 3), optimizer)
    with pytest.raises(UsageError, match="6, 7") as caught:
        layers.training_epoch(loss, optimizer, state, np.stack([X] * 7), np.stack([LABELS] * 6))
    assert caught.value.code == "U334"


def test_the_state_of_another_optimizer_is_refused() -> None:
    state = layers.start(Linear(4, 3), layers.sgd(0.1))
    with pytest.raises(UsageError, match="the argument has another structure") as caught:
        layers.training_step(loss, layers.adam(0.1), state, X, LABELS)
    assert caught.value.code == "U330"


def test_models_of_half_precision_and_batches_of_open_size() -> None:
    """Weights are drawn in float32 and rounded; one step serves batches of any size."""
    model = layers.astype(Linear(4, 3), "float16")
    optimizer = layers.adam(0.05, epsilon=1e-4)
    state = layers.start(model, optimizer, seed=2)
    n = relay.DimVar("n")
    batch = relay.TensorType((n, 4), "float16"), relay.TensorType((n,), "int32")
    step = layers.training_step(loss, optimizer, state, *batch)
    losses: list[float] = []
    for count in (6, 3, 6, 6, 6):
        state, value = step(state, X[:count].astype(np.float16), LABELS[:count])
        losses.append(float(value))
    assert state.model.weight.dtype == np.float16
    assert losses[-1] < losses[0]


def test_a_model_without_weights_is_not_trained() -> None:
    state = layers.start(Sequential(nn.relu), layers.sgd(0.1))
    with pytest.raises(UsageError, match="no parameters") as caught:
        layers.training_step(loss, layers.sgd(0.1), state, X, LABELS)
    assert caught.value.code == "U333"


def test_random_numbers_are_for_training() -> None:
    with pytest.raises(UsageError) as caught:
        layers.INFERENCE.key()
    assert caught.value.code == "U332"
