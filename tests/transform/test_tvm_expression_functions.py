"""Classic passes on single expressions: free variables stay the objects that they are."""

from typing import Any

import numpy as np

import relay as typed
from relay.ir.expr import Constant, Let
from relay.ir.module import Module
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer

relay: Any = typed


def run(expr: Any, *params: Any) -> Any:
    function = relay.Function(list(params), expr)
    return evaluate(infer(Module.of(function)), *(np.float32(2) for _ in params))


def test_an_expression_in_a_normal_form():
    x, y = (relay.var(name, shape=(), dtype="float32") for name in "xy")
    expr = relay.tanh(x * y) + relay.exp(x * y)
    after = relay.transform.ToANormalFormExpr(expr)
    assert isinstance(after, Let)
    assert set(relay.analysis.free_vars(after)) == {x, y}
    np.testing.assert_array_equal(run(after, x, y), run(expr, x, y))
    assert relay.transform.ToANormalFormExpr(after).var.name == after.var.name


def test_the_constants_of_an_expression_are_computed():
    mod = infer(typed.parse('#[version = "0.0.5"]\ndef @expr_1(%x: float32) { %x + 1f }'))
    x = relay.var("x", shape=(), dtype="float32")
    called = relay.GlobalVar("expr_1")(x * (relay.const(2.0) + relay.const(3.0)))
    after = relay.transform.FoldConstantExpr(called, mod)
    assert relay.analysis.free_vars(after) == [x]
    (product,) = after.args
    assert isinstance(product.args[1], Constant)
    assert product.args[1].data == 5


def test_the_type_of_an_expression():
    x = relay.var("x", shape=(2, 3))
    assert relay.transform.InferTypeLocal(relay.transpose(x)) == relay.TensorType((3, 2))
    y = relay.Var("y")
    expr = relay.Let(y, relay.sum(x), relay.Call(relay.op.get("exp"), [y]))
    assert expr.ty is None
    assert relay.transform.InferTypeLocal(expr) == relay.TensorType(())
