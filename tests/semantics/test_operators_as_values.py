"""Operators as values."""

from typing import Any

import numpy as np

import relay
from relay.ir.expr import Call, Operator
from relay.ir.types import TensorType, TupleType
from relay.ir.walk import children, post_order
from relay.semantics.evaluate import evaluate

X = np.array([-1.0, 2.0], np.float32)


def run(body: str) -> tuple[Any, Any]:
    source = f"""#[version = "0.0.5"]
    def @apply[A, B](%f: fn (A) -> B, %x: A) -> B {{ %f(%x) }}
    def @main(%x: Tensor[(2), float32], %c: bool) {{ {body} }}"""
    module = relay.parse(source)
    for expr in post_order(module.main):
        values = expr.args if isinstance(expr, Call) else children(expr)
        assert not any(isinstance(value, Operator) for value in values)
    return module.main.body.type, evaluate(module, X, np.array(True))


def test_a_name_of_an_operator_has_a_type_for_each_call():
    ty, value = run("let %f = exp; let %g = %f; (%g(%x), %f(1f))")
    assert ty is TupleType((TensorType((2,)), TensorType(())))
    np.testing.assert_allclose(value[0], np.exp(X))
    np.testing.assert_allclose(value[1], np.exp(1))


def test_an_operator_is_passed_chosen_and_kept():
    np.testing.assert_allclose(run("@apply(nn.relu, %x)")[1], [0, 2])
    np.testing.assert_allclose(run("let %f = if (%c) { exp } else { log }; %f(%x)")[1], np.exp(X))
    np.testing.assert_allclose(run("let %p = (negative, add); %p.1(%p.0(%x), %x)")[1], [0, 0])
    typed = "let %f: fn (Tensor[(2), float32]) -> Tensor[(2), float32] = exp; %f(%x)"
    np.testing.assert_allclose(run(typed)[1], np.exp(X))


def test_what_contains_no_operator_as_a_value_stays_the_same():
    module = relay.parse('#[version = "0.0.5"]\ndef @main(%x: float32) { exp(%x) }')
    assert relay.parse(relay.astext(module)).main.type is module.main.type
