"""Derivatives of derivatives: against closed forms to the fifth order, and through trees."""

from typing import Any

import numpy as np
import pytest

import relay
from relay.runtime.code.interface_types import Data
from relay.semantics.evaluate import evaluate
from relay.testing.zoo import tree_lstm

HEAD = '#[version = "0.0.5"]\n'
POWER = """
def @main(%x: float64, %n: int32) -> float64 {
  if (%n == 0) { 1f64 } else { %x * @main(%x, %n - 1) }
}"""
LOOP = """
def @loop(%x: float64, %n: int32, %product: float64) -> float64 {
  if (%n == 0) { %product } else { @loop(%x, %n - 1, %product * %x) }
}
def @main(%x: float64, %n: int32) { @loop(%x, %n, 1f64) }"""


@pytest.mark.parametrize("text", [POWER, LOOP], ids=["recursion", "loop"])
def test_five_derivatives_of_a_power(text: str) -> None:
    """Those of `x⁷` by recursion, and by a loop."""
    derived: Any = relay.parse(HEAD + text)
    factor = 1.0
    for order in range(1, 6):
        derived = relay.grad(derived)
        factor *= 8 - order
        found: Any = evaluate(derived, 1.3, np.array(7, np.int32))
        assert found == pytest.approx(factor * 1.3 ** (7 - order), rel=1e-12)
    assert relay.compile(derived)(1.3, np.int32(7)) == pytest.approx(factor * 1.3**2, rel=1e-12)


def test_five_derivatives_of_elementary_functions() -> None:
    """Of `sin(x) exp(2x)`, the imaginary part of `exp((2 + i) x)`."""
    x = relay.var("x", "float64")
    derived: Any = relay.Function((x,), relay.sin(x) * relay.exp(x * 2.0))
    for order in range(1, 6):
        derived = relay.grad(derived)
        wanted = ((2 + 1j) ** order * np.exp((2 + 1j) * 0.4)).imag
        assert relay.compile(derived)(0.4) == pytest.approx(wanted, rel=1e-12)


def test_a_derivative_by_one_number_keeps_nothing_for_a_way_back() -> None:
    """It is forward mode, so that a function stays one, and the program small at every order."""
    derived: Any = relay.parse(HEAD + POWER)
    for _ in range(4):
        derived = relay.grad(derived)
    assert len(derived.functions) == 2
    assert not derived.types


def _tree(rng: np.random.Generator, depth: int) -> Data:
    if depth == 0:
        return Data("Leaf", (rng.standard_normal((1, 2)),))
    return Data("Node", (_tree(rng, depth - 1), _tree(rng, 0)))


def test_a_gradient_of_a_gradient_of_a_tree_lstm() -> None:
    """Of the squared length of the gradient by one weight, by that weight, along a direction."""
    text = tree_lstm.network(2, 2).module.astext()
    module = relay.parse(text.replace("float32", "float64"))
    main = module.main
    loss = module.with_function("main", relay.Function(main.params, relay.sum(main.body)))
    first = relay.grad(loss, 3).module
    slopes = first.main
    length = relay.Function(slopes.params, relay.sum(slopes.body * slopes.body))
    squared = first.with_function("main", length)
    rng = np.random.default_rng(5)
    weights = [rng.standard_normal(p.tensor_type.static_shape) for p in main.params[1:]]
    tree, direction = _tree(rng, 2), rng.standard_normal(weights[2].shape)
    value, second = relay.compile(relay.value_and_grad(squared, 3)), 1e-5

    def moved(by: float) -> Any:
        changed = [*weights[:2], weights[2] + by * direction, *weights[3:]]
        return value(tree, *changed)

    _, gradient = moved(0.0)
    slope = (moved(second)[0] - moved(-second)[0]) / (2 * second)
    assert (gradient * direction).sum() == pytest.approx(slope, rel=1e-6)
