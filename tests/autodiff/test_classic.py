"""Derivatives by their classic names."""

from typing import Any

import numpy as np
import pytest

import relay
from relay.ir.module import Module
from relay.semantics.evaluate import evaluate
from relay.support.errors import DifferentiationError

X, Y = np.array([0.5, -1.0, 2.0]), np.array([1.5, 2.0, -0.5])


def _function(body: str, params: str = "%x: Tensor[(3), float64], %y: Tensor[(3), float64]") -> Any:
    module = relay.parse(f'#[version = "0.0.5"]\ndef @main({params}) {{ {body} }}')
    return relay.transform.InferType()(module)["main"]


def _values(function: Any, *args: Any) -> Any:
    return evaluate(Module.of(function), *args)


@pytest.mark.parametrize("mode", ["first_order", "higher_order"])
def test_a_gradient_returns_the_result_and_one_for_each_parameter(mode: str) -> None:
    derived = relay.transform.gradient(_function("sin(%x) * %x"), mode=mode)
    result, (by_x, by_y) = _values(derived, X, Y)
    np.testing.assert_allclose(result, np.sin(X) * X)
    np.testing.assert_allclose(by_x, np.cos(X) * X + np.sin(X))
    np.testing.assert_array_equal(by_y, np.zeros(3))


def test_the_modes_differ_for_tuples() -> None:
    """All outputs count in first order, the first one in higher order."""
    function = _function("(%x * %y, exp(%x))")
    _, (every, _) = _values(relay.transform.gradient(function, mode="first_order"), X, Y)
    _, (first, _) = _values(relay.transform.gradient(function), X, Y)
    np.testing.assert_allclose(every, Y + np.exp(X))
    np.testing.assert_allclose(first, Y)


def test_higher_order_differentiates_what_it_returned() -> None:
    function = _function("%x * %x * %x", "%x: float64")
    once = relay.transform.gradient(function)
    twice = relay.transform.gradient(relay.Function(once.params, once.body[1][0]))
    assert _values(twice, 2.0) == (12.0, (12.0,))


def test_what_needs_more_than_a_function_says_so() -> None:
    function = _function("if (%x > 0f64) { %x } else { %x * %x }", "%x: float64")
    with pytest.raises(DifferentiationError, match="value_and_grad") as caught:
        relay.transform.gradient(function)
    assert caught.value.code == "D005"


def test_integers_have_zeros() -> None:
    derived = relay.transform.gradient(_function("%x * 2f64", "%x: float64, %k: int32"))
    assert _values(derived, 1.0, np.array(3, np.int32))[1] == (2.0, 0)


def test_first_order_gradient_differentiates_every_function() -> None:
    module = relay.parse("""#[version = "0.0.5"]
        def @square(%x: float64) -> float64 { %x * %x }
        def @main(%x: float64) -> float64 { sin(%x) }""")
    derived = relay.transform.FirstOrderGradient()(module)
    assert evaluate(derived, 3.0, entry="square") == (9.0, (6.0,))
    assert evaluate(derived, 0.0) == (0.0, (1.0,))


def test_other_modes_and_modules_in_first_order_are_refused() -> None:
    for arguments in ({"mode": "reverse"}, {"mod": Module({}), "mode": "first_order"}):
        with pytest.raises(DifferentiationError) as caught:
            relay.transform.gradient(_function("%x"), **arguments)
        assert caught.value.code == "D006"
