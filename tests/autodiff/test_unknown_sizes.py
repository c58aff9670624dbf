"""Gradients of operators that are differentiated by parts, where sizes are unknown (`?`)."""

from typing import Any

import numpy as np
import pytest

import relay
from relay.ir.expr import Expr, Function, Var
from relay.ir.module import Module
from relay.ir.walk import post_order

X = np.linspace(-1, 2, 12, dtype=np.float32).reshape(3, 4)


def normalised(x: Any) -> Any:
    return relay.nn.l2_normalize(x, eps=0.001, axis=[1])


def function(x: Var) -> Function:
    by_rows: Any = normalised(x) * relay.nn.fast_softmax(normalised(x * x))
    return Function((x,), relay.sum(by_rows))


def slopes(x: Var) -> list[np.ndarray]:
    """The gradient of the function, by both interfaces."""
    by_reverse: Any = relay.compile(relay.grad(Module.of(function(x))), threads=1)
    ours: Expr = relay.transform.gradient(function(x))
    by_references: Any = relay.compile(relay.IRModule.from_expr(ours), threads=1)
    return [by_reverse(X), by_references(X)[1][0]]


def test_parts_may_have_unknown_sizes() -> None:
    opened = slopes(relay.var("x", shape=(relay.Any(), 4)))
    for found, expected in zip(opened, slopes(relay.var("x", shape=(3, 4))), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("size", ["size0", "n"])
def test_names_of_sizes_are_not_taken_twice(size: str) -> None:
    x = relay.var("x", shape=(relay.DimVar(size), relay.Any()))
    for found, expected in zip(slopes(x), slopes(relay.var("x", shape=(3, 4))), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_sizes_that_must_be_equal_have_one_name() -> None:
    x, y = (relay.var(name, shape=(relay.Any(), 4)) for name in "xy")
    loss = Function((x, y), relay.nn.cross_entropy_with_logits(x, y))
    found: Any = relay.compile(relay.IRModule.from_expr(relay.transform.gradient(loss)), threads=1)
    np.testing.assert_allclose(found(X, X)[1][0], -X / 3, rtol=1e-6)


def test_only_what_is_differentiated_by_parts_becomes_a_function() -> None:
    """A derivative of straight code is straight, whether its sizes are known or not."""
    body = 'sum(%x * reinterpret(%i, dtype="float32"))'
    text = f"def @main(%x: Tensor[(?), float32], %i: Tensor[(?), int32]) {{ {body} }}"
    derived: Any = relay.grad(relay.parse(f'#[version = "0.0.5"]\n{text}'))
    assert [*derived.functions] == ["main"]
    assert not any(isinstance(each, Function) for each in post_order(derived.main.body))
