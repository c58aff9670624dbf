"""Imported programs as layers: their constants are trained on."""

from typing import Any

import numpy as np
import pytest

import relay
from relay import layers, nn
from relay.support.errors import UsageError

RANDOM = np.random.default_rng(4)
VECTORS = RANDOM.uniform(0.5, 1.0, (4, 4))
WEIGHT = RANDOM.standard_normal((3, 4)).astype(np.float32)


def _module() -> relay.Module:
    """Return a classifier of one row, with batch normalisation, and a constant factor."""
    x = relay.var("x", shape=(1, 4))
    gamma, beta, mean, variance = (relay.const(row, "float32") for row in VECTORS)
    normal = nn.batch_norm(x, gamma, beta, mean, variance)[0]
    scores = nn.dense(normal * relay.const(0.5), relay.const(WEIGHT))
    return relay.Module.of(relay.Function((x,), scores))


def test_constants_of_floats_are_weights() -> None:
    """Not those of rank 0, and not what batch normalisation has seen."""
    model = layers.from_module(_module())
    assert [each.shape for each in model.weights.values()] == [(4,), (4,), (3, 4)]
    x = RANDOM.standard_normal((1, 4)).astype(np.float32)
    found = layers.compile_function(lambda m, x: m(x), model, x)(model, x)
    np.testing.assert_allclose(found, relay.compile(_module())(x), rtol=1e-5)


def test_a_model_for_one_input_is_trained_on_many() -> None:
    model = layers.from_module(_module(), batch=5)
    x = RANDOM.standard_normal((5, 1, 4)).astype(np.float32)
    labels = np.array([0, 1, 2, 1, 0], np.int32)

    def loss(model: Any, mode: layers.Mode, x: Any, labels: Any) -> Any:
        del mode
        return layers.cross_entropy(relay.squeeze(model(x), axis=[1]), labels)

    optimizer = layers.adam(0.1)
    state = layers.start(model, optimizer)
    step = layers.training_step(loss, optimizer, state, x, labels)
    losses: list[float] = []
    for _ in range(40):
        state, value = step(state, x, labels)
        losses.append(float(value))
    scores = np.stack([relay.compile(_module())(row)[0] for row in x])
    terms = np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(5), labels]
    assert losses[0] == pytest.approx(terms.mean(), rel=1e-4)
    assert losses[-1] < 0.2 * losses[0]


def test_a_model_with_several_results_has_them_for_each_input() -> None:
    x = relay.var("x", shape=(2,))
    body = relay.Tuple((x * relay.const([3.0, 4.0]), relay.sum(x)))
    model = layers.from_module(relay.Module.of(relay.Function((x,), body)), batch=3)
    rows = RANDOM.standard_normal((3, 2)).astype(np.float32)
    products, sums = layers.compile_function(lambda m, x: m(x), model, rows)(model, rows)
    np.testing.assert_allclose(products, rows * [3, 4], rtol=1e-6)
    np.testing.assert_allclose(sums, rows.sum(1), rtol=1e-5)


def test_results_that_are_no_tensors_are_refused_with_a_batch() -> None:
    x = relay.var("x", shape=(2,))
    module = relay.Module.of(relay.Function((x,), relay.Tuple((x, relay.Tuple((x,))))))
    with pytest.raises(UsageError, match="must return tensors") as caught:
        layers.from_module(module, batch=3)
    assert caught.value.code == "U337"


def test_a_program_of_several_functions_is_refused() -> None:
    module = relay.parse("""#[version = "0.0.5"]
    def @double(%x: float32) { %x + %x }
    def @main(%x: float32) { @double(%x) }""")
    with pytest.raises(UsageError, match="double") as caught:
        layers.from_module(module)
    assert caught.value.code == "U337"


def test_training_keeps_the_program_and_the_arrays_that_it_starts_from() -> None:
    """A step reuses the memory of its state, in which nothing of the caller's may be."""
    module, w = _module(), np.array([1, 2], np.float32)
    before = relay.compile(module)(np.ones((1, 4), np.float32))
    optimizer, x = layers.sgd(1.0), np.ones((1, 4), np.float32)
    tree = {"imported": layers.from_module(module), "own": w}
    state = layers.start(tree, optimizer)

    def loss(model: Any, mode: layers.Mode, x: Any) -> Any:
        return relay.sum(model["imported"](x)) + relay.sum(model["own"])

    step = layers.training_step(loss, optimizer, state, x)
    state, _ = step(state, x)
    np.testing.assert_array_equal(state.model["own"], [0, 1])
    np.testing.assert_array_equal(w, [1, 2])
    np.testing.assert_array_equal(relay.compile(module)(x), before)
