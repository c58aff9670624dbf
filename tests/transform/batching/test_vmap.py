"""Functions of tensors over one more axis, against one call after another."""

from typing import cast

import numpy as np
import pytest

import relay
from relay.ir.dims import DimVar
from relay.ir.expr import Call, Function, If
from relay.ir.types import TensorType, TupleType, Type
from relay.ir.walk import post_order, substitute
from relay.ops.nn.matmul import Dense
from relay.ops.tensor.sort import Sort
from relay.semantics.apply_operator import as_constant, value_of
from relay.support.errors import CompileError
from relay.transform.vmap import vmap

RANDOM = np.random.default_rng(3)


def vector(name: str, size: int = 4) -> relay.Var:
    return relay.var(name, shape=(size,))


def cell() -> Function:
    """Return a recurrent cell: two products, gates cut from a vector, a scale of its own length."""
    x, h, w, u = (
        vector("x"),
        vector("h"),
        relay.var("w", shape=(8, 4)),
        relay.var("u", shape=(8, 4)),
    )
    gate, content = relay.split(relay.nn.dense(x, w) + relay.nn.dense(h, u), 2)
    new = relay.sigmoid(gate) * relay.tanh(content)
    return Function((x, h, w, u), relay.Tuple((new / relay.sqrt(relay.sum(new * new)), h)))


def values(function: Function, *args: object) -> tuple[np.ndarray, ...]:
    given = (as_constant(np.asarray(arg)) for arg in args)
    body = substitute(function.body, dict(zip(function.params, given, strict=True)))
    return cast("tuple[np.ndarray, ...]", value_of(body))


def result_types(function: Function) -> tuple[Type, ...]:
    return cast("TupleType", function.body.type).fields


def arrays(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    return [RANDOM.standard_normal(shape).astype(np.float32) for shape in shapes]


def test_rows_are_the_single_calls():
    x, h, w, u = arrays((5, 4), (5, 4), (8, 4), (8, 4))
    found = values(vmap(cell(), 5, shared=(2, 3)), x, h, w, u)
    rows = [values(cell(), x[i], h[i], w, u) for i in range(5)]
    for each, expected in zip(found, zip(*rows, strict=True), strict=True):
        np.testing.assert_allclose(each, np.stack(expected), rtol=1e-5, atol=1e-6)


def test_weights_of_their_own_for_each_call():
    x, h, w, u = arrays((3, 4), (3, 4), (3, 8, 4), (3, 8, 4))
    found = values(vmap(cell(), 3), x, h, w, u)
    rows = [values(cell(), *each) for each in zip(x, h, w, u, strict=True)]
    np.testing.assert_allclose(found[0], np.stack([row[0] for row in rows]), rtol=1e-5, atol=1e-6)


def test_a_product_with_shared_weights_is_one_product_of_matrices():
    calls = [e for e in post_order(vmap(cell(), 64, shared=(2, 3))) if isinstance(e, Call)]
    products = [call.type for call in calls if isinstance(call.op, Dense)]
    assert products == [TensorType((64, 8)), TensorType((64, 8))]


def test_what_no_call_changes_is_computed_once_and_spread():
    x = vector("x")
    w = relay.var("w", shape=(4,))
    function = vmap(Function((x, w), relay.Tuple((x, relay.exp(w)))), 7, shared=(1,))
    own = function.params[1]
    exps = [e.type for e in post_order(function) if isinstance(e, Call) and e.args == (own,)]
    assert exps == [TensorType((4,))]
    assert result_types(function)[1] == TensorType((7, 4))


def test_the_number_of_calls_may_be_a_symbol():
    many = DimVar("b")
    function = vmap(cell(), many, shared=(2, 3))
    assert result_types(function)[0] == TensorType((many, 4))


def test_vmap_of_vmap():
    x, h, w, u = arrays((2, 3, 4), (2, 3, 4), (8, 4), (8, 4))
    twice = vmap(vmap(cell(), 3, shared=(2, 3)), 2, shared=(2, 3))
    expected = [values(vmap(cell(), 3, shared=(2, 3)), x[i], h[i], w, u)[0] for i in range(2)]
    np.testing.assert_allclose(values(twice, x, h, w, u)[0], np.stack(expected), rtol=1e-5)


def test_control_flow_has_no_form_over_many_values():
    flag, x = relay.var("flag", dtype="bool", shape=()), vector("x")
    with pytest.raises(CompileError) as caught:
        vmap(Function((flag, x), If(flag, x, relay.exp(x))), 3)
    assert caught.value.code == "C120"


def test_an_operator_whose_result_has_sizes_that_depend_on_data_is_named():
    x = vector("x")
    with pytest.raises(CompileError) as caught:
        vmap(Function((x,), relay.argwhere(x)), 3)
    assert caught.value.code == "C120"
    assert "argwhere" in caught.value.message


def test_any_formula_is_lifted():
    image, kernel = arrays((3, 1, 2, 5, 5), (4, 2, 3, 3))
    x, w = relay.var("x", shape=(1, 2, 5, 5)), relay.var("w", shape=(4, 2, 3, 3))
    function = Function((x, w), relay.nn.conv2d(x, w))
    many = relay.compile(relay.IRModule.from_expr(vmap(function, 3, shared=(1,))))
    one = relay.compile(relay.IRModule.from_expr(function))
    expected = np.stack([one(each, kernel) for each in image])
    np.testing.assert_allclose(many(image, kernel), expected, rtol=1e-5, atol=1e-5)


def test_hand_written_loops_are_lifted_for_a_symbolic_number_of_calls():
    x = vector("x")
    function = vmap(Function((x,), Call(Sort(), (x,))), DimVar("b"))
    many = relay.compile(relay.IRModule.from_expr(function))
    for rows in (0, 1, 7):
        (given,) = arrays((rows, 4))
        np.testing.assert_array_equal(many(given), np.sort(given, 1))


def test_a_lifted_call_is_text():
    x = vector("x")
    function = vmap(Function((x,), Call(Sort(), (x,))), 3)
    module = relay.IRModule.from_expr(function)
    assert relay.structural_equal(relay.parse(module.astext()), module.module)
