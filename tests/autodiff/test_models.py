"""Gradients of whole programs: a model against PyTorch, long loops and lists in closed form."""

from typing import Any

import numpy as np
import pytest

import relay
from relay.ir.expr import Call, Function
from relay.ir.module import Module
from relay.ops.sum_and_mean_reductions import Sum
from relay.runtime.code.interface_types import Data
from relay.semantics.infer import infer
from relay.testing.zoo import tree_lstm

HEAD = '#[version = "0.0.5"]\n'
HIDDEN = 3


def _tree(rng: np.random.Generator, leaves: int) -> Data:
    if leaves == 1:
        return Data("Leaf", (rng.standard_normal((1, 4)).astype(np.float32),))
    left = int(rng.integers(1, leaves))
    return Data("Node", (_tree(rng, left), _tree(rng, leaves - left)))


@pytest.mark.torch
def test_a_tree_lstm_has_the_gradients_of_pytorch() -> None:
    """By all weights, and by the tree, whose gradient is a tree."""
    torch: Any = pytest.importorskip("torch")
    network = tree_lstm.network(4, HIDDEN)
    main = network.module.main
    loss = Function(main.params, Call(Sum(), (main.body,)))
    module = network.module.with_function("main", loss)
    rng = np.random.default_rng(2)
    tree = _tree(rng, 9)
    weights = [
        rng.standard_normal(param.tensor_type.static_shape).astype(np.float32)
        for param in main.params[1:]
    ]
    every = range(len(main.params))
    step = relay.compile(relay.value_and_grad(module, tuple(every)))
    value, (d_tree, *d_weights) = step(tree, *weights)

    of_leaf, leaf_bias, left, right, bias = tensors = [
        torch.tensor(each, requires_grad=True) for each in weights
    ]
    leaves: list[Any] = []

    def state(exit_: Any, content: Any) -> Any:
        return torch.sigmoid(exit_) * torch.tanh(content), content

    def visit(part: Data) -> Any:
        if part.constructor == "Leaf":
            leaves.append(torch.tensor(part.fields[0], requires_grad=True))
            entry, exit_, content = (leaves[-1] @ of_leaf.T + leaf_bias).chunk(3, 1)
            return state(exit_, torch.sigmoid(entry) * torch.tanh(content))
        (h_left, c_left), (h_right, c_right) = map(visit, part.fields)
        gates = h_left @ left.T + h_right @ right.T + bias
        entry, exit_, content, forget_left, forget_right = gates.chunk(5, 1)
        kept = torch.sigmoid(forget_left) * c_left + torch.sigmoid(forget_right) * c_right
        return state(exit_, kept + torch.sigmoid(entry) * torch.tanh(content))

    total = visit(tree)[0].sum()
    total.backward()
    assert value == pytest.approx(total.item(), rel=1e-5)
    for found, wanted in zip(d_weights, tensors, strict=True):
        np.testing.assert_allclose(found, wanted.grad.numpy(), rtol=1e-4, atol=1e-6)
    for found, wanted in zip(_leaves(d_tree), leaves, strict=True):
        np.testing.assert_allclose(found, wanted.grad.numpy(), rtol=1e-4, atol=1e-6)


def _leaves(tree: Data) -> list[Any]:
    if tree.constructor == "Leaf":
        return [tree.fields[0]]
    return [leaf for part in tree.fields for leaf in _leaves(part)]


def _compiled(text: str) -> Any:
    module: Module = infer(relay.parse(HEAD + text))
    return relay.compile(relay.value_and_grad(module))


def test_a_loop_of_ten_thousand_steps() -> None:
    """Its way back is a loop, too: the stack does not grow (here, a million steps)."""
    step = _compiled("""
        def @loop(%x: float64, %k: int32) -> float64 {
          if (%k == 0) { %x } else { @loop(%x + sin(%x) * 0.001f64, %k - 1) }
        }
        def @main(%x: float64, %k: int32) -> float64 { @loop(%x, %k) }""")
    x, slope = 0.5, 1.0
    for _ in range(10_000):
        x, slope = x + np.sin(x) * 0.001, slope * (1 + np.cos(x) * 0.001)
    np.testing.assert_allclose(step(0.5, np.int32(10_000)), (x, slope), rtol=1e-9)
    assert step(0.5, np.int32(1_000_000))[0] == pytest.approx(np.pi)


def test_a_list_of_a_hundred_thousand_elements() -> None:
    step = _compiled("""
        type Numbers { More(float64, Numbers), End, }
        def @main(%l: Numbers) -> float64 {
          match (%l) { End => 0f64, More(%x, %rest) => %x * %x + sin(@main(%rest)) }
        }""")
    numbers = np.random.default_rng(1).standard_normal(100_000)
    given = Data("End")
    sums = [0.0]
    for x in numbers[::-1]:
        given = Data("More", (x, given))
        sums.append(x * x + np.sin(sums[-1]))
    value, gradient = step(given)
    assert value == pytest.approx(sums[-1])
    through = np.concatenate([[1.0], np.cumprod(np.cos(sums[-2:0:-1]))])
    found = []
    while gradient.fields:
        slope, gradient = gradient.fields
        found.append(slope)
    np.testing.assert_allclose(found, 2 * numbers * through, rtol=1e-9, atol=1e-300)
