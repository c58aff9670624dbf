"""What matching means: identity, alternatives, commutative operators, fractions."""

from typing import Any

import numpy as np

import relay as typed

relay: Any = typed
df: Any = relay.dataflow_pattern
is_op, wildcard = df.is_op, df.wildcard

X = relay.var("x", shape=(2, 3))
Y = relay.var("y", shape=(2, 3))
ONE = relay.const(np.ones((2, 3), "float32"))


def test_entry_the_root_of_the_pattern_must_match_the_root():
    assert not is_op("exp")(wildcard()).match(relay.nn.relu(relay.exp(X)))


def test_identity_memo_one_pattern_object_is_one_node():
    x = wildcard()
    assert is_op("subtract")(x, x).match(X - X)
    assert not is_op("subtract")(x, x).match(X - Y)
    assert not is_op("subtract")(x, x).match(relay.exp(X) - relay.exp(X))  # two nodes
    assert is_op("subtract")(wildcard(), wildcard()).match(X - Y)
    c = df.is_constant()
    assert not df.is_tuple([c, c]).match(
        relay.Tuple((ONE, relay.const(np.ones((2, 3), "float32"))))
    )
    assert df.is_tuple([c, c]).match(relay.Tuple((ONE, ONE)))


def test_identity_memo_is_of_one_match():
    x = wildcard()
    pattern = x - x
    assert pattern.match(X - X)
    assert pattern.match(Y - Y)


def test_identity_memo_leaves_operators_alone():
    softmax = is_op("nn.softmax")
    pattern = softmax(softmax(wildcard()))
    assert pattern.match(relay.nn.softmax(relay.nn.softmax(X, axis=0), axis=1))


def test_backtracking_undoes_a_failed_alternative():
    x = wildcard()
    failing = df.is_tuple([is_op("exp")(x), df.is_constant()])  # binds x, then fails
    pattern = df.is_tuple([failing | df.is_tuple([wildcard(), wildcard()]), x])
    assert pattern.match(relay.Tuple((relay.Tuple((relay.exp(X), Y)), Y)))


def test_backtracking_does_not_go_across_siblings():
    x = wildcard()
    pattern = df.is_tuple([x | wildcard(), x])  # the first alternative is accepted, and stays so
    assert pattern.match(relay.Tuple((X, X)))
    assert not pattern.match(relay.Tuple((X, Y)))


def test_commutativity_of_add_and_multiply():
    for sign in ("add", "multiply"):
        pattern = is_op(sign)(df.is_var(), df.is_constant())
        assert pattern.match(relay.Call(relay.op.get(sign), [X, ONE]))
        assert pattern.match(relay.Call(relay.op.get(sign), [ONE, X]))
    assert not is_op("subtract")(df.is_var(), df.is_constant()).match(ONE - X)
    assert not is_op("divide")(df.is_var(), df.is_constant()).match(ONE / X)
    assert df.is_expr(relay.op.get("add"))(df.is_var(), df.is_constant()).match(ONE + X)
    assert (df.is_constant() * df.is_var()).match(X * ONE)


def test_commutativity_of_no_other_operator_by_name():
    for name in ("maximum", "minimum", "equal", "not_equal"):
        call = relay.Call(relay.op.get(name), [X, ONE])
        assert is_op(name)(wildcard(), df.is_constant()).match(call)
        assert not is_op(name)(df.is_constant(), wildcard()).match(call)
    assert not (is_op("add") | is_op("subtract"))(df.is_constant(), wildcard()).match(X + ONE)


def test_commutativity_undoes_the_first_order():
    x = wildcard()
    pattern = is_op("add")(is_tuple_like(x), x)
    assert pattern.match(relay.Call(relay.op.get("add"), [Y, relay.exp(Y)]))


def is_tuple_like(x: Any) -> Any:
    return is_op("exp")(x)


def test_commutativity_inside_of_a_chain():
    bias = is_op("add")(is_op("exp")(wildcard()), df.is_constant())
    assert is_op("nn.relu")(bias).match(relay.nn.relu(ONE + relay.exp(X)))


def test_fractions_match_in_either_form():
    a, b, c = X, Y, relay.var("z", shape=(2, 3))
    first, second = (a / b) * c, (a * c) / b
    product = (df.is_var("x") / df.is_var("y")) * df.is_var("z")
    fraction = (df.is_var("x") * df.is_var("z")) / df.is_var("y")
    for pattern in (product, fraction):
        assert pattern.match(first)
        assert pattern.match(second)
        assert pattern.match(c * (a / b))
        assert not pattern.match(a / (b * c))
        assert not pattern.match((b / a) * c)


def test_arity_must_be_the_same():
    f = relay.var("f")
    assert not wildcard()(wildcard()).match(relay.Call(f, [X, Y]))
    assert wildcard()(None).match(relay.Call(f, [X, Y]))
    assert wildcard()(wildcard(), wildcard()).match(relay.Call(f, [X, Y]))


def test_let_if_and_functions_are_not_looked_through():
    v = relay.var("v", shape=(2, 3))
    assert not is_op("exp")(is_op("nn.relu")(wildcard())).match(
        relay.Let(v, relay.nn.relu(X), relay.exp(v))
    )
    f = relay.Function([v], relay.exp(v))
    assert not is_op("exp")(wildcard()).match(f(X))


def test_typed_patterns_need_types_that_can_be_inferred():
    unknown = relay.Var("u")
    assert not wildcard().has_dtype("float32").match(relay.exp(unknown))
    assert wildcard().has_dtype("float32").match(relay.exp(X))


def test_a_deep_pattern():
    pattern, body = wildcard(), X
    for _ in range(5_000):
        pattern, body = is_op("exp")(pattern), relay.exp(body)
    assert pattern.match(body)
    assert not is_op("exp")(pattern).match(body)


def test_many_alternatives():
    pattern = df.is_var("n0")
    for number in range(1, 5_000):
        pattern = pattern | df.is_var(f"n{number}")
    assert pattern.match(relay.var("n4999"))
    assert pattern.match(relay.var("n0"))
    assert not pattern.match(relay.var("n5000"))


DEPTH = 100


def test_alternatives_in_alternatives_are_not_tried_again():
    pattern, expr = is_op("exp")(wildcard()), relay.exp(X)
    for _ in range(DEPTH):  # 2^100 ways to fail
        pattern, expr = is_op("tanh")(pattern) | is_op("tanh")(pattern), relay.tanh(expr)
    assert pattern.match(expr)
    assert not (pattern + df.is_constant()).match(expr + X)
    assert not pattern.match(relay.tanh(expr))


def test_swapped_operands_in_swapped_operands_are_not_tried_again():
    pattern, expr = is_op("tanh")(wildcard()), relay.exp(X)
    for _ in range(DEPTH):
        pattern, expr = is_op("add")(pattern, wildcard()), expr + expr
    assert not pattern.match(expr)


def test_results_of_earlier_goals_depend_on_shared_parts():
    x = wildcard()
    layer, root = x + is_op("exp")(x), relay.exp(X)
    expr = X + root
    for _ in range(DEPTH):  # so that results are remembered
        layer, expr = is_op("tanh")(layer) | is_op("tanh")(layer), relay.tanh(expr)
    either = is_op("subtract")(x, layer) | is_op("subtract")(wildcard(), layer)
    assert is_op("multiply")(x, layer).match(X * expr)
    assert not is_op("multiply")(x, layer).match(Y * expr)
    assert either.match(X - expr)
    assert either.match(Y - expr)  # the first alternative has bound x to y
