"""Networks of the zoo with loops and recursion, against PyTorch and plain Python."""

from typing import Any

import numpy as np
import pytest

import relay
from relay.semantics.evaluate import evaluate as evaluate_any
from relay.semantics.evaluator_values import Data
from relay.testing.zoo import char_rnn, gru, lstm, tree_lstm

RNG = np.random.default_rng(2)


def evaluate(module: relay.Module, *values: Any) -> Any:
    return evaluate_any(module, *values)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@pytest.mark.torch
@pytest.mark.parametrize("build", [gru.network, gru.loop_network])
def test_the_gated_unit_is_that_of_pytorch(build):
    torch = pytest.importorskip("torch")
    network, data = build(2, 6, 3, 4), RNG.standard_normal((6, 2, 3), np.float32)
    twin, weights = torch.nn.GRU(3, 4), network.draw(1)
    for parameter, weight in zip(twin.parameters(), weights.values(), strict=True):
        parameter.data = torch.from_numpy(weight)
    expected = twin(torch.from_numpy(data))[1][0].detach().numpy()
    value = evaluate(network.module, data, *weights.values())
    np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.torch
@pytest.mark.parametrize("build", [lstm.network, lstm.loop_network])
def test_the_long_memory_is_that_of_pytorch(build):
    torch = pytest.importorskip("torch")
    network, data = build(2, 6, 3, 4), RNG.standard_normal((6, 2, 3), np.float32)
    twin, (by_input, by_hidden, bias) = torch.nn.LSTM(3, 4), network.draw(1).values()
    tensors = map(torch.from_numpy, (by_input, by_hidden, bias, np.zeros_like(bias)))
    for parameter, tensor in zip(twin.parameters(), tensors, strict=True):
        parameter.data = tensor
    expected = twin(torch.from_numpy(data))[1][0][0].detach().numpy()
    value = evaluate(network.module, data, by_input, by_hidden, bias)
    np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-6)


def test_what_is_written_is_what_is_most_probable():
    """Each letter of the writer is the likeliest one that the reader gives for the text so far."""
    weights = char_rnn.writer_network(9, 7, 5).draw(3)
    text = evaluate(char_rnn.writer_network(9, 7, 5).module, np.int32(2), *weights.values())
    read = np.asarray([2, *np.asarray(text)[:-1]], np.int32)[:, None]
    reader = char_rnn.network(1, 9, 7, 5)
    scores = np.asarray(evaluate(reader.module, read, *weights.values()))
    np.testing.assert_array_equal(scores[:, 0].argmax(-1), text)
    np.testing.assert_allclose(scores.sum(-1), 1, rtol=1e-5)


def test_a_tree_is_read_from_its_leaves():
    network, (leaf, node) = tree_lstm.network(3, 4), tree_lstm.constructors(3)
    of_leaf, leaf_bias, of_left, of_right, bias = network.draw(5).values()
    vectors = [RNG.standard_normal((1, 3), np.float32) for _ in range(4)]

    def state(out, content):
        return sigmoid(out) * np.tanh(content), content

    def visit(tree):
        if tree.constructor == leaf:
            entry, out, content = np.split(tree.fields[0] @ of_leaf.T + leaf_bias, 3, axis=1)
            return state(out, sigmoid(entry) * np.tanh(content))
        (h, c), (k, d) = map(visit, tree.fields)
        sums = h @ of_left.T + k @ of_right.T + bias
        entry, out, content, forget, drop = np.split(sums, 5, axis=1)
        kept = sigmoid(forget) * c + sigmoid(drop) * d
        return state(out, kept + sigmoid(entry) * np.tanh(content))

    one, two, three, four = (Data(leaf, (vector,)) for vector in vectors)
    tree = Data(node, (Data(node, (one, two)), Data(node, (three, Data(node, (four, one))))))
    value = evaluate(network.module, tree, *network.draw(5).values())
    np.testing.assert_allclose(value, visit(tree)[0], rtol=1e-5, atol=1e-6)
