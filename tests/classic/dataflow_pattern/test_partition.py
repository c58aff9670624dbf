"""Partitioning: which matches become functions, their parameters, attributes and bodies."""

from typing import Any

import numpy as np
import pytest

import relay as typed
from relay.semantics.analysis import post_order_visit
from relay.support.errors import RelayTypeError, UsageWarning

relay: Any = typed
df: Any = relay.dataflow_pattern
is_op, wildcard = df.is_op, df.wildcard

X = relay.var("x", shape=(2, 3))
Y = relay.var("y", shape=(2, 3))
ONE = relay.const(np.ones((2, 3), "float32"))
EXP_TANH = is_op("tanh")(is_op("exp")(wildcard()))


def regions(expr: Any) -> list[str]:
    """Return what the functions in an expression were made of, in order of evaluation."""
    names: list[str] = []

    def visit(each: Any) -> None:
        if isinstance(each, relay.Function) and "PartitionedFromPattern" in each.attrs:
            names.append(each.attrs["PartitionedFromPattern"])

    post_order_visit(expr, visit)
    return names


def value(expr: Any, *inputs: np.ndarray, params: object = (X,)) -> Any:
    function = relay.Function(params, expr)
    return relay.create_executor("debug", relay.Module.of(function)).evaluate()(*inputs)


def test_a_match_becomes_a_call_of_a_function():
    found = df.partition(EXP_TANH, relay.tanh(relay.exp(X)))
    (param,) = found.op.params
    assert found.args == (X,)
    assert relay.structural_equal(
        found.op, relay.Function([X], relay.tanh(relay.exp(X))).with_attr(dict(found.op.attrs))
    )
    assert param.checked_type == X.checked_type
    assert relay.structural_equal(EXP_TANH.partition(relay.tanh(relay.exp(X))), found)
    data = np.ones((2, 3), "float32")
    np.testing.assert_allclose(value(found, data), np.tanh(np.exp(data)), rtol=1e-6)


def test_no_match_gives_the_same_object():
    body = relay.exp(relay.tanh(X))
    assert df.partition(EXP_TANH, body) is body


def test_group_discovery_outputs_first():
    pair = is_op("exp")(is_op("exp")(wildcard()))
    found = df.partition(pair, relay.exp(relay.exp(relay.exp(X))))
    assert found.op.attrs["PartitionedFromPattern"] == "exp_exp_"  # the two next to the result
    assert relay.structural_equal(found.args[0], relay.exp(X))


def test_group_discovery_the_longest_form_of_an_optional_wins():
    pattern = is_op("exp")(wildcard()).optional(is_op("tanh"))
    assert regions(df.partition(pattern, relay.tanh(relay.exp(X)))) == ["exp_tanh_"]
    assert regions(df.partition(pattern, relay.sqrt(relay.exp(X)))) == ["exp_"]


def test_rejected_when_a_node_belongs_to_another_group():
    shared = relay.exp(X)
    body = relay.Tuple((relay.tanh(shared), relay.tanh(shared)))
    assert regions(df.partition(EXP_TANH, body)) == []  # each has a user in the other one
    pattern = is_op("add")(is_op("exp")(wildcard()), wildcard())
    assert regions(df.partition(pattern, relay.add(shared, shared))) == ["exp_add_"]


def test_rejected_when_an_inner_node_is_used_outside():
    inner = relay.exp(X)
    body = relay.tanh(inner) + inner
    assert df.partition(EXP_TANH, body) is body


def test_an_outside_user_that_comes_back_into_the_root_is_fine():
    inner = relay.exp(X)
    pattern = is_op("add")(is_op("exp")(wildcard()), wildcard())
    found = df.partition(pattern, relay.add(inner, relay.sqrt(inner)))
    assert regions(found) == ["exp_add_"]
    data = np.ones((2, 3), "float32")
    np.testing.assert_allclose(value(found, data), np.exp(data) + np.sqrt(np.exp(data)), rtol=1e-6)


def test_constants_and_operators_may_be_in_several_groups():
    pattern = is_op("add")(wildcard(), df.is_constant())
    found = df.partition(pattern, relay.sqrt(X + ONE) + ONE)
    assert regions(found) == ["add_", "add_"]
    inner: list[Any] = []
    post_order_visit(found, inner.append)
    assert inner.count(ONE) == 1  # embedded in both, one object


def test_check_sees_the_root_before_and_keeps_its_nodes_reserved():
    seen: list[Any] = []

    def check(root: Any) -> bool:
        seen.append(root)
        return False

    pair = is_op("exp")(is_op("exp")(wildcard()))
    body = relay.exp(relay.exp(relay.exp(X)))
    assert df.partition(pair, body, check=check) is body
    assert seen == [body]  # the inner pair shares a node with the outer one
    half = relay.tanh(relay.exp(X)) + relay.tanh(relay.exp(Y))
    found = df.partition(EXP_TANH, half, check=lambda root: root is half.args[1])
    assert regions(found) == ["exp_tanh_"]
    assert found.args[0] is half.args[0]


def test_function_pattern_as_the_root_is_refused_with_a_warning():
    f = relay.Function([X], relay.exp(X))
    with pytest.warns(UsageWarning, match="U301"):
        assert df.partition(df.FunctionPattern(None, wildcard()), f) is f


def test_function_pattern_below_the_root():
    f = relay.Function([X], relay.exp(X))
    found = df.partition(df.FunctionPattern(None, is_op("exp")(wildcard()))(wildcard()), f(Y))
    assert regions(found) == ["exp_FunctionCall_"]
    assert found.args == (Y,)
    data = np.ones((2, 3), "float32")
    np.testing.assert_allclose(value(found, data, params=(Y,)), np.exp(data), rtol=1e-6)


def test_parameters_one_for_each_outside_input_in_order():
    a, b = relay.sqrt(X), relay.sqrt(Y)
    pattern = is_op("add")(is_op("subtract")(wildcard(), wildcard()), wildcard())
    found = df.partition(pattern, relay.add(relay.subtract(a, b), a))
    assert [param.name_hint for param in found.op.params] == ["FunctionVar_0_0", "FunctionVar_0_1"]
    assert found.args == (a, b)
    body = relay.Tuple((relay.tanh(relay.exp(X)), relay.tanh(relay.exp(Y))))
    names = [call.op.params[0].name_hint for call in df.partition(EXP_TANH, body).fields]
    assert names == ["FunctionVar_1_0", "FunctionVar_0_0"]  # groups are found from the back


def test_constants_stay_embedded_where_a_pattern_asks_for_them():
    for asked in (df.is_constant(), df.is_expr(ONE)):
        found = df.partition(is_op("add")(wildcard(), asked), X + ONE)
        assert found.args == (X,)
        assert found.op.body.args[1] is ONE
    found = df.partition(is_op("add")(wildcard(), wildcard()), X + ONE)
    assert found.args == (X, ONE)


@pytest.mark.parametrize(
    ("pattern", "body", "expected"),
    [
        (is_op("nn.relu")(is_op("exp")(wildcard())), relay.nn.relu(relay.exp(X)), "exp_nn.relu_"),
        (
            df.is_tuple([is_op("exp")(wildcard()), wildcard()]),
            relay.Tuple((relay.exp(X), Y)),
            "exp_Tuple_",
        ),
        (
            df.is_tuple_get_item(df.is_tuple([wildcard(), wildcard()]), 1),
            relay.TupleGetItem(relay.Tuple((relay.exp(X), Y)), 1),
            "Tuple_TupleGetItem1_",
        ),
        (is_op("exp")(wildcard()(wildcard())), relay.exp(relay.GlobalVar("f")(X)), "Call_exp_"),
        (
            df.is_if(wildcard(), wildcard(), wildcard()),
            relay.If(relay.var("c", shape=(), dtype="bool"), X, Y),
            "If_",
        ),
        (df.is_let(df.is_var(), wildcard(), df.is_var()), relay.Let(Y, relay.exp(X), Y), "Let_"),
    ],
)
def test_attributes_say_what_it_was_made_of(pattern: Any, body: Any, expected: str):
    found = df.partition(pattern, body)
    assert found.op.attrs["PartitionedFromPattern"] == expected


def test_attributes_of_the_user_are_added():
    found = df.partition(EXP_TANH, relay.tanh(relay.exp(X)), {"Composite": "mine", "n": 2})
    assert dict(found.op.attrs) == {
        "Composite": "mine",
        "n": 2,
        "PartitionedFromPattern": "exp_tanh_",
    }
    again = relay.parse(relay.Module.of(relay.Function([X], found)).astext())
    assert regions(again.main) == ["exp_tanh_"]
    with pytest.raises(RelayTypeError):
        df.partition(EXP_TANH, X, 3)


def test_recursion_not_into_what_was_partitioned_before_but_into_other_functions():
    once = df.partition(EXP_TANH, relay.tanh(relay.exp(X)))
    assert df.partition(is_op("exp")(wildcard()), once) is once
    f = relay.Function([X], relay.tanh(relay.exp(X)))
    assert regions(df.partition(EXP_TANH, f)) == ["exp_tanh_"]
    assert regions(df.partition(EXP_TANH, f(Y))) == ["exp_tanh_"]


# What only a branch computes is not computed before it.


def test_branches_stay_in_the_function():
    condition = relay.var("c", shape=(), dtype="bool")
    body = relay.If(condition, relay.exp(X), Y)
    found = df.partition(df.is_if(wildcard(), wildcard(), wildcard()), body)
    assert found.args == (condition, X, Y)
    assert relay.structural_equal(found.op.body, body, map_free_vars=True)


def test_the_body_of_a_let_stays_with_its_variable():
    v = relay.var("v", shape=(2, 3))
    body = relay.Let(v, relay.exp(X), v + Y)
    found = df.partition(df.is_let(df.is_var(), wildcard(), wildcard()), body)
    assert found.args[1] is Y
    assert relay.structural_equal(found.args[0], relay.exp(X))
    data = np.ones((2, 3), "float32")
    result = value(found, data, data, params=(X, Y))
    np.testing.assert_allclose(result, np.exp(data) + data, rtol=1e-6)


def test_effects_keep_their_order():
    f, g = relay.GlobalVar("f"), relay.GlobalVar("g")
    pattern = df.is_tuple([wildcard()(wildcard()), wildcard()])
    entangled = relay.Tuple((f(X), g(X)))  # the call of g would come before that of f
    assert df.partition(pattern, entangled) is entangled
    assert regions(df.partition(pattern, relay.Tuple((f(X), X)))) == ["Call_Tuple_"]
    other = df.is_tuple([wildcard(), wildcard()(wildcard())])
    assert regions(df.partition(other, entangled)) == ["Call_Tuple_"]


def test_a_diamond():
    unary = wildcard().has_attr({"TOpPattern": 0})(None)
    pattern = is_op("add")(None).dominates(is_op("nn.softmax")(wildcard()), unary)
    s = relay.nn.softmax(X)
    body = relay.sqrt(relay.exp(s) + relay.tanh(relay.abs(s)))
    found = df.partition(pattern, body)
    assert regions(found)[0].count("_") == 5
    assert found.args[0].args == (X,)
    data = np.linspace(0, 1, 6, dtype="float32").reshape(2, 3)
    np.testing.assert_allclose(value(found, data), value(body, data), rtol=1e-6)


def test_partitioned_programs_compile():
    pattern = is_op("nn.relu")(is_op("add")(wildcard(), df.is_constant()))
    body = df.partition(pattern, relay.nn.relu(relay.exp(X) + ONE), {"Composite": "mine"})
    data = np.linspace(-1, 1, 6, dtype="float32").reshape(2, 3)
    compiled = relay.compile(relay.Module.of(relay.Function([X], body)), threads=1)
    np.testing.assert_allclose(compiled(data), np.maximum(np.exp(data) + 1, 0), rtol=1e-6)


def test_a_large_graph():
    body: Any = X
    for _ in range(2_500):
        body = relay.nn.relu(relay.tanh(relay.exp(body)) + ONE)
    found = df.partition(EXP_TANH, body)
    assert regions(found) == ["exp_tanh_"] * 2_500
