"""The constructors of patterns, one test for each: what matches, and what does not."""

from typing import Any

import numpy as np
import pytest

import relay as typed
from relay.classic.dataflow_pattern import DFPattern
from relay.support.errors import RelayTypeError, UsageError

relay: Any = typed
df: Any = relay.dataflow_pattern
is_op, wildcard = df.is_op, df.wildcard

X = relay.var("x", shape=(2, 3))
Y = relay.var("y", shape=(2, 3))
ONE = relay.const(np.ones((2, 3), "float32"))


def matches(pattern: DFPattern, *good: Any) -> bool:
    return all(pattern.match(each) and df.match(pattern, each) for each in good)


def refuses(pattern: DFPattern, *bad: Any) -> bool:
    return not any(pattern.match(each) for each in bad)


def test_is_var():
    assert matches(df.is_var(), X, Y)
    assert matches(df.is_var("x"), X)
    assert refuses(df.is_var("x"), Y)
    assert refuses(df.is_var(), ONE, relay.exp(X))


def test_is_constant():
    assert matches(df.is_constant(), ONE, relay.const(1))
    assert refuses(df.is_constant(), X, ONE + ONE)


def test_is_expr():
    assert matches(df.is_expr(X), X)
    assert refuses(df.is_expr(X), Y, relay.var("x", shape=(2, 3)))  # variables, by identity
    assert matches(df.is_expr(X + ONE), X + ONE, X + relay.const(np.ones((2, 3), "float32")))
    assert refuses(df.is_expr(X + ONE), Y + ONE, X + X, X - ONE, X + relay.const(1.0, "float32"))
    assert matches(df.is_expr(relay.GlobalVar("f")), relay.GlobalVar("f"))
    assert refuses(df.is_expr(relay.GlobalVar("f")), relay.GlobalVar("g"))
    softmax = df.is_expr(relay.op.get("nn.softmax"))(wildcard())
    assert matches(softmax, relay.nn.softmax(X, axis=0), relay.nn.softmax(X, axis=1))


def test_is_op():
    assert matches(is_op("nn.relu")(wildcard()), relay.nn.relu(X))
    assert refuses(is_op("nn.relu")(wildcard()), relay.exp(X), X)
    assert matches(is_op("nn.softmax")(wildcard()), relay.nn.softmax(X, axis=0))
    with pytest.raises(RelayTypeError, match=r"T005.*nn\.rel"):
        is_op("nn.rel")


def test_is_tuple():
    pair = relay.Tuple((X, ONE))
    assert matches(df.is_tuple([df.is_var(), df.is_constant()]), pair)
    assert refuses(df.is_tuple([df.is_constant(), df.is_var()]), pair)
    assert refuses(df.is_tuple([wildcard()]), pair, relay.Tuple(()), X)
    assert matches(df.is_tuple(), pair, relay.Tuple(()))
    assert matches(df.is_tuple([]), relay.Tuple(()))
    assert refuses(df.is_tuple([]), pair)


def test_is_tuple_get_item():
    pair = relay.Tuple((X, Y))
    assert matches(df.is_tuple_get_item(wildcard()), pair[0], pair[1])
    assert matches(df.is_tuple_get_item(df.is_tuple([df.is_var("x"), wildcard()]), 1), pair[1])
    assert refuses(df.is_tuple_get_item(wildcard(), 1), pair[0], pair)
    with pytest.raises(RelayTypeError, match="T007"):
        df.is_tuple_get_item(wildcard(), -2)


def test_is_if():
    condition = relay.var("c", shape=(), dtype="bool")
    choice = relay.If(condition, X, ONE)
    assert matches(df.is_if(df.is_var("c"), df.is_var("x"), df.is_constant()), choice)
    assert refuses(df.is_if(df.is_var("c"), df.is_constant(), df.is_var("x")), choice)
    assert refuses(df.is_if(wildcard(), wildcard(), wildcard()), X)


def test_is_let():
    v = relay.var("v", shape=(2, 3))
    let = relay.Let(v, relay.exp(X), v + ONE)
    assert matches(
        df.is_let(df.is_var("v"), is_op("exp")(df.is_var("x")), wildcard() + wildcard()), let
    )
    assert refuses(df.is_let(df.is_var("w"), wildcard(), wildcard()), let)
    bound = df.is_var()
    assert matches(df.is_let(bound, wildcard(), bound + df.is_constant()), let)
    assert refuses(df.is_let(bound, wildcard(), df.is_constant() - bound), let)


def test_wildcard():
    assert matches(wildcard(), X, ONE, relay.exp(X), relay.Tuple(()), relay.Function([X], X))


def test_wildcard_redirect_to_makes_recursive_patterns():
    chain = wildcard()
    chain.redirect_to(is_op("nn.relu")(chain) | is_op("exp")(wildcard()))
    assert matches(chain, relay.exp(X), relay.nn.relu(relay.nn.relu(relay.exp(X))))
    assert refuses(chain, X, relay.nn.relu(X), relay.nn.relu(relay.tanh(relay.exp(X))))
    with pytest.raises(RelayTypeError, match="T007"):
        wildcard().redirect_to(X)


def test_a_recursive_pattern_follows_a_deep_program_with_other_constants_each_time():
    body: Any = X
    for step in range(5_000):
        body = body + relay.const(float(step))
    chain = wildcard()
    chain.redirect_to(df.is_var() | (chain + df.is_constant()))
    assert chain.match(body)
    assert not chain.match(body - relay.const(1.0))


def test_recursive_patterns_match_shared_nodes_once():
    shared: Any = X
    for _ in range(60):
        shared = relay.add(shared, shared)
    left, right = wildcard(), wildcard()
    both = is_op("add")(left, right) | df.is_var("x")
    left.redirect_to(both)
    right.redirect_to(both)
    assert matches(both, shared)
    assert refuses(both, relay.add(shared, relay.exp(shared)))


@pytest.mark.parametrize("is_recursive", [True, False])
def test_partition_decides_each_node_of_a_chain_a_few_times(is_recursive: bool):
    """The chain does not end as the pattern requires, which is so for each of its nodes."""
    asked = list[Any]()
    relu = is_op("nn.relu").where(lambda op: not asked.append(op))
    rest = wildcard()
    if is_recursive:
        pattern = relu(rest)
        rest.redirect_to(pattern | is_op("exp")(wildcard()))
    else:
        pattern = is_op("nn.relu")(rest).dominates(is_op("exp")(wildcard()), relu(wildcard()))
    chain: Any = X
    for _ in range(300):
        chain = relay.nn.relu(chain)
    function = relay.Function([X], chain)
    assert df.partition(pattern, function) is function
    assert 290 <= len(asked) <= 900


def test_function_pattern():
    f = relay.Function([X, Y], X + Y)
    assert matches(df.FunctionPattern([df.is_var("x"), df.is_var("y")], wildcard() + wildcard()), f)
    assert matches(df.FunctionPattern(None, wildcard()), f, relay.Function([], ONE))
    assert refuses(df.FunctionPattern([wildcard()], wildcard()), f)
    assert refuses(df.FunctionPattern([], wildcard()), f)
    assert refuses(df.FunctionPattern(None, wildcard() - wildcard()), f)
    x, y = wildcard(), wildcard()
    assert refuses(df.FunctionPattern([x, y], y - x), f)
    assert matches(df.FunctionPattern([x, y], x + y)(wildcard(), df.is_constant()), f(X, ONE))


def test_has_type():
    expected = relay.TensorType((2, 3), "float32")
    assert matches(df.has_type(expected), X, X + ONE)
    assert matches(wildcard().has_type(expected), X)
    assert refuses(wildcard().has_type(relay.TensorType((3, 2), "float32")), X)
    assert refuses(df.has_type(expected, df.is_constant()), X)
    pair = relay.TupleType([expected, expected])
    assert matches(df.has_type(pair), relay.Tuple((X, Y)))
    assert refuses(df.has_type(pair), X, relay.Tuple((X,)))


def test_has_type_up_to_the_names_of_type_parameters():
    def identity(name: str) -> Any:
        a = relay.TypeVar(name)
        x = relay.Var("x", a)
        return relay.Function((x,), x, a, (a,))

    ty = relay.transform.InferType()(relay.Module.of(identity("a"))).main.type
    other = relay.transform.InferType()(relay.Module.of(identity("b"))).main
    assert matches(df.has_type(ty), other)


def test_has_type_of_what_is_not_typed_yet():
    v = relay.Var("v")
    let = relay.Let(v, ONE, relay.exp(v))
    assert let.ty is None
    assert matches(df.has_type(relay.TensorType((2, 3), "float32")), let)
    assert refuses(df.has_type(relay.TensorType((2, 3), "float32")), relay.exp(v))


def test_has_dtype():
    assert matches(df.has_dtype("float32"), X, X + ONE)
    assert refuses(df.has_dtype("float16"), X)
    assert matches(wildcard().has_dtype("int8"), relay.cast(X, "int8"))
    assert refuses(df.has_dtype("float32"), relay.Tuple((X,)))


def test_has_shape():
    n = relay.DimVar("n")
    named = relay.Var("v", relay.TensorType((n, 3)))
    unknown = relay.Var("u", relay.TensorType((relay.Any(), 3)))
    assert matches(df.has_shape((2, 3)), X, relay.exp(X))
    assert matches(df.has_shape([n, 3]), named)
    assert refuses(df.has_shape((2, 3)), named, unknown, relay.sum(X), relay.Tuple((X,)))
    assert refuses(df.has_shape((relay.Any(), 3)), unknown, X)


def test_has_attr_of_operators():
    elementwise = wildcard().has_attr({"TOpPattern": 0})
    assert matches(elementwise(wildcard()), relay.exp(X))
    assert refuses(elementwise(wildcard()), relay.sum(X))
    assert refuses(elementwise(None), X + Y)
    assert matches(df.has_attr({"TOpPattern": 1})(wildcard(), wildcard()), X + Y)


def test_has_attr_of_calls():
    data, weight = relay.var("d", shape=(1, 4, 8, 8)), relay.var("w", shape=(8, 4, 3, 3))
    conv = relay.nn.conv2d(data, weight, padding=1, strides=[2, 2])
    pattern = is_op("nn.conv2d")(wildcard(), wildcard())
    assert matches(pattern.has_attr({"strides": [2, 2]}), conv)
    assert matches(pattern.has_attr({"strides": 2, "data_layout": "NCHW", "groups": 1}), conv)
    assert matches(pattern.has_attr({}), conv)
    assert refuses(pattern.has_attr({"strides": [1, 2]}), conv)
    assert refuses(pattern.has_attr({"strides": [2, 2], "groups": 2}), conv)
    assert refuses(pattern.has_attr({"no_such": 1}), conv)
    assert refuses(pattern.has_attr({"strides": "two"}), conv)
    assert matches(df.has_attr({"axis": 1}), relay.nn.softmax(X, axis=1))
    assert matches(df.has_attr({"dtype": "int8"}), relay.cast(X, "int8"))


def test_has_attr_of_functions():
    f = relay.Function([X], X).with_attr("Composite", "mine")
    assert matches(df.FunctionPattern(None, wildcard()).has_attr({"Composite": "mine"}), f)
    assert matches(df.has_attr({"Composite": "mine"})(wildcard()), f(Y))
    assert refuses(df.has_attr({"Composite": "yours"}), f)
    assert refuses(df.has_attr({"Other": "mine"}), f, X)


def test_dominates():
    conv = is_op("nn.conv2d")(df.is_var(), df.is_var())
    unary = wildcard().has_attr({"TOpPattern": 0})(None)
    diamond = (is_op("add")(None)).dominates(conv, unary)
    data, weight = relay.var("d", shape=(1, 4, 8, 8)), relay.var("w", shape=(4, 4, 1, 1))
    c = relay.nn.conv2d(data, weight)
    other = relay.nn.conv2d(data, weight)
    relu = relay.nn.relu(c)
    assert matches(diamond, relay.exp(c) + relay.nn.relu(relay.nn.relu(c)))
    assert matches(diamond, relu + relu, relu + c, c + relay.const(1.0), relu + data)
    assert refuses(diamond, relay.exp(c) + relay.nn.relu(other))  # two parents
    assert refuses(diamond, relay.exp(c) + relay.nn.softmax(c))  # another path
    assert refuses(diamond, relay.exp(c) + relay.exp(data))  # a path from elsewhere
    assert refuses(diamond, relay.exp(relu), data + weight)
    same = df.dominates(conv, unary, is_op("add")(None))
    assert matches(same, relay.exp(c) + relu)


def test_dominates_where_the_path_matches_the_parent_too():
    unary = wildcard().has_attr({"TOpPattern": 0})(None)
    exp = relay.exp(X)
    joined = relay.tanh(exp) + relay.abs(exp)
    assert matches(is_op("add")(None).dominates(unary, unary), joined)
    assert refuses(is_op("add")(None).dominates(unary, unary), relay.tanh(X) + relay.abs(X))


def test_dominates_is_linear_in_shared_paths():
    step: Any = relay.exp(X)
    for _ in range(200):  # 2^200 paths
        step = relay.tanh(step) + relay.abs(step)
    path = wildcard().has_attr({"TOpPattern": 0})(None) | is_op("add")(None)
    assert matches(is_op("nn.relu")(None).dominates(is_op("exp")(None), path), relay.nn.relu(step))


def test_calls():
    f = relay.var("f")
    assert matches(is_op("add")(df.is_var("x"), df.is_constant()), X + ONE)
    assert matches(is_op("add")(None), X + ONE)
    assert matches(is_op("add")(), X + ONE)
    assert matches(wildcard()(wildcard()), relay.exp(X), relay.Call(f, [X]))
    assert matches(df.is_var("f")(df.is_var("x")), relay.Call(f, [X]))
    assert refuses(is_op("add")(wildcard()), X + ONE)
    with pytest.raises(RelayTypeError, match="T007"):
        is_op("add")(X, wildcard())


def test_alternatives():
    either = is_op("add") | is_op("subtract")
    assert matches(either(wildcard(), wildcard()), X + Y, X - Y)
    assert refuses(either(wildcard(), wildcard()), X * Y)
    assert matches(df.is_var() | df.is_constant(), X, ONE)
    with pytest.raises(RelayTypeError, match="T007"):
        _ = df.is_var() | 1


def test_signs():
    assert matches(df.is_var() + df.is_constant(), X + ONE)
    assert matches(df.is_var() - df.is_constant(), X - ONE)
    assert matches(df.is_var() * df.is_constant(), X * ONE)
    assert matches(df.is_var() / df.is_constant(), X / ONE)
    assert refuses(df.is_var() - df.is_constant(), ONE - X)
    with pytest.raises(RelayTypeError, match="T007"):
        _ = df.is_var() + 1


def test_optional():
    relu = is_op("exp")(wildcard()).optional(is_op("nn.relu"))
    assert matches(relu, relay.exp(X), relay.nn.relu(relay.exp(X)))
    assert refuses(relu, relay.nn.relu(X), relay.nn.relu(relay.nn.relu(relay.exp(X))))


def test_fluent_forms():
    pattern = is_op("exp")(wildcard()).has_dtype("float32").has_shape((2, 3)).has_attr({})
    assert matches(pattern.has_type(relay.TensorType((2, 3))), relay.exp(X))
    assert pattern.partition(relay.exp(X)).op.attrs["PartitionedFromPattern"] == "exp_"


def test_register_df_node():
    @df.register_df_node("my.Even")
    class Even(DFPattern):
        factor: int

        def goals(self, expr: Any, found: object) -> bool:
            return isinstance(expr, relay.Constant) and expr.data.size % self.factor == 0

    assert matches(is_op("exp")(Even(2)), relay.exp(ONE))
    assert refuses(Even(4), ONE)
    with pytest.raises(UsageError, match="U302"):
        df.register_df_node()(int)


@pytest.mark.parametrize("name", df.__all__)
def test_every_name_is_there(name: str):
    assert callable(getattr(relay.dataflow_pattern, name))


def test_mistakes_are_named():
    for make in (
        lambda: wildcard().match(1),
        lambda: df.is_tuple(wildcard()),
        lambda: df.is_tuple([1]),
        lambda: df.is_if(1, wildcard(), wildcard()),
        lambda: df.is_let(wildcard(), X, wildcard()),
        lambda: df.FunctionPattern([1], wildcard()),
        lambda: wildcard().has_type(1),
        lambda: wildcard().has_attr(1),
        lambda: df.is_expr(1),
        lambda: df.dominates(1, wildcard(), wildcard()),
    ):
        with pytest.raises(relay.RelayError):
            make()


W = wildcard()

WRONG = [
    (lambda: df.partition(ONE, ONE), "the pattern must be a DFPattern"),
    (lambda: df.partition(W, ONE, None, 3), "check must be a function"),
    (lambda: df.match("exp", ONE), "the pattern must be a DFPattern"),
    (lambda: df.dominates(W, W, None), "the child of a dominator pattern must be a DFPattern"),
    (lambda: W.optional(None), "the argument of optional must be a function"),
    (lambda: df.is_var(3), "must be a string"),
    (lambda: df.is_tuple_get_item(W, "a"), "the index in a pattern must be an integer"),
    (lambda: df.has_attr({"a": 1}, 3), "the pattern must be a DFPattern"),
    (lambda: df.has_attr({3: 3}), "each name in the attributes of a pattern must be a string"),
    (lambda: df.register_df_node(3), "the key of a pattern class must be a string"),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_wrong_arguments(call: Any, message: str):
    with pytest.raises(RelayTypeError, match=message) as error:
        call()
    assert error.value.code == "T007"


@pytest.mark.parametrize(("shape", "code"), [(3, "T017"), ("ab", "T017"), ((-1,), "T002")])
def test_shapes_that_no_tensor_has(shape: Any, code: str):
    with pytest.raises(RelayTypeError, match=code):
        df.has_shape(shape)


def test_the_index_minus_one_means_any_field():
    pair = relay.Tuple([ONE, ONE])
    assert df.is_tuple_get_item(W, -1).match(relay.TupleGetItem(pair, 1))
