"""Rewriting by callbacks: sweeps to a fixpoint, what callbacks see, types, sharing."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import relay as typed
from relay.classic.dataflow_pattern import DFPatternCallback
from relay.semantics.analysis import post_order_visit
from relay.support.errors import RelayTypeError, UsageError

relay: Any = typed
df: Any = relay.dataflow_pattern
is_op, wildcard = df.is_op, df.wildcard

X = relay.var("x", shape=(2, 3))
Y = relay.var("y", shape=(2, 3))


class Callback(DFPatternCallback):
    """What is made of a match is given as a function of the callback and its arguments."""

    def __init__(self, pattern: Any, make: Callable[..., Any], **options: bool) -> None:
        super().__init__(**options)
        self.pattern = pattern
        self.make = make

    def callback(self, pre: Any, post: Any, node_map: Any) -> Any:
        return self.make(pre, post, node_map)


def same(a: Any, b: Any) -> bool:
    return relay.structural_equal(a, b)


x = wildcard()
DROP = Callback(
    is_op("abs")(is_op("negative")(x)), lambda _pre, _post, found: relay.abs(found[x][0])
)


def test_a_match_is_replaced_anywhere():
    body = relay.exp(relay.abs(relay.negative(X))) + relay.abs(relay.negative(Y))
    assert same(df.rewrite(DROP, body), relay.exp(relay.abs(X)) + relay.abs(Y))
    assert same(DROP.rewrite(body), relay.exp(relay.abs(X)) + relay.abs(Y))


def test_nothing_to_do_gives_the_same_object():
    body = relay.exp(relay.abs(X))
    assert df.rewrite(DROP, body) is body


def test_sweeps_repeat_until_nothing_changes():
    body = relay.abs(relay.negative(relay.negative(relay.negative(X))))
    assert same(df.rewrite(DROP, body), relay.abs(X))


def test_several_callbacks_in_order():
    grow = Callback(is_op("exp")(x), lambda _pre, _post, found: relay.tanh(found[x][0]))
    after = Callback(is_op("tanh")(x), lambda _pre, _post, found: relay.sqrt(found[x][0]))
    assert same(df.rewrite([grow, after], relay.exp(X)), relay.sqrt(X))
    assert same(df.rewrite([after, grow], relay.exp(X)), relay.sqrt(X))  # in the next sweep


def test_of_overlapping_matches_the_outer_one_is_replaced():
    seen: list[Any] = []

    def make(pre: Any, post: Any, found: Any) -> Any:
        seen.append(pre)
        return relay.tanh(found[x][0])

    longest = is_op("exp")(x).optional(is_op("abs")).optional(is_op("nn.relu"))
    whole = relay.nn.relu(relay.abs(relay.exp(X)))
    assert same(df.rewrite(Callback(longest, make), relay.exp(whole)), relay.tanh(relay.tanh(X)))
    assert len(seen) == 2
    inner = relay.exp(X)
    twice = Callback(is_op("exp")(is_op("exp")(x)), make)
    assert same(df.rewrite(twice, relay.exp(relay.exp(inner))), relay.tanh(inner))
    shared = relay.nn.relu(inner) + inner  # the inner match is replaced in the next sweep
    expected = relay.tanh(X) + relay.tanh(X)
    assert same(df.rewrite(Callback(longest, make), shared), expected)


def test_callbacks_of_functions_and_branches():
    condition = relay.var("c", shape=(), dtype="bool")
    body = relay.If(condition, relay.abs(relay.negative(X)), X)
    f = relay.Function([condition, X], body)
    expected = relay.Function([condition, X], relay.If(condition, relay.abs(X), X))
    assert same(df.rewrite(DROP, f), expected)


def test_pre_is_what_was_and_post_has_new_operands():
    seen: list[tuple[Any, Any]] = []

    def make(pre: Any, post: Any, found: Any) -> Any:
        seen.append((pre, post))
        return post

    inner = relay.abs(relay.negative(X))
    outer = relay.exp(inner)
    df.rewrite([DROP, Callback(is_op("exp")(wildcard()), make)], outer)
    assert same(seen[0][1], relay.exp(relay.abs(X)))
    assert seen[0][0] is seen[0][1]

    def both(pre: Any, post: Any, found: Any) -> Any:
        is_inner = pre.op.name == "tanh"
        return relay.sqrt(post.args[0]) if is_inner else make(pre, post, found)

    replaced = Callback((is_op("exp") | is_op("tanh"))(wildcard()), both)
    seen.clear()
    whole = relay.exp(relay.tanh(X))
    df.rewrite(replaced, whole)
    pre, post = seen[0]
    assert pre is whole
    assert same(post, relay.exp(relay.sqrt(X)))


def test_node_map_lists_what_each_part_has_matched():
    found: dict[Any, Any] = {}
    conv = is_op("exp")(wildcard())
    unary = wildcard().has_attr({"TOpPattern": 0})(None)
    child = is_op("add")(None)
    pattern = child.dominates(conv, unary)

    def make(pre: Any, post: Any, node_map: Any) -> Any:
        found.update(node_map)
        return post

    exp = relay.exp(X)
    body = relay.tanh(exp) + relay.abs(exp)
    df.rewrite(Callback(pattern, make), body)
    assert found[conv] == [exp]
    assert found[child] == [body]
    assert {each.op.name for each in found[unary]} == {"tanh", "abs"}
    assert found[pattern] == [body]


def test_rewrite_once_rests_after_the_first_sweep_that_changed_something():
    def shorter(pre: Any, post: Any, found: Any) -> Any:
        fields = post.args[0].fields[:-1]
        return relay.concatenate(relay.Tuple(fields), axis=0) if len(fields) > 1 else fields[0]

    pattern = is_op("concatenate")(None)
    body = relay.concatenate(relay.Tuple((X, Y, X)), axis=0)
    once = df.rewrite(Callback(pattern, shorter, rewrite_once=True), body)
    assert same(once, relay.concatenate(relay.Tuple((X, Y)), axis=0))
    assert df.rewrite(Callback(pattern, shorter), body) is X


def test_rewrite_once_waits_for_what_another_callback_makes():
    make_exp = Callback(is_op("tanh")(x), lambda _pre, _post, found: relay.exp(found[x][0]))
    once = Callback(
        is_op("exp")(x), lambda _pre, _post, found: relay.sqrt(found[x][0]), rewrite_once=True
    )
    assert same(df.rewrite([once, make_exp], relay.tanh(X)), relay.sqrt(X))


def test_require_type_infers_before_each_search():
    types: list[Any] = []

    def make(pre: Any, post: Any, found: Any) -> Any:
        types.append(post.checked_type)
        return post

    v = relay.Var("v")
    let = relay.Function([X], relay.Let(v, relay.exp(X), relay.tanh(v)))
    df.rewrite(Callback(is_op("tanh")(df.is_var()), make, require_type=True), let)
    assert types == [relay.TensorType((2, 3), "float32")]


def test_require_type_sees_the_functions_of_a_module():
    mod = relay.parse(
        '#[version = "0.0.5"] def @f(%x: Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32] '
        "{ exp(%x) }"
    )
    types: list[Any] = []

    def make(pre: Any, post: Any, found: Any) -> Any:
        types.append(post.checked_type)
        return post

    body = relay.Function([X], relay.tanh(relay.Call(relay.GlobalVar("f"), [X])))
    callback = Callback(is_op("tanh")(wildcard()), make, require_type=True)
    df.rewrite(callback, body, mod)
    assert types == [relay.TensorType((2, 3), "float32")]
    for other in (None, relay.IRModule()):
        with pytest.raises(RelayTypeError, match=r"T021.*refers to the function @f, which"):
            df.rewrite(callback, body, other)


def test_sharing_is_kept():
    shared = relay.abs(relay.negative(X))
    for _ in range(60):
        shared = shared + shared
    nodes: list[Any] = []
    post_order_visit(df.rewrite(DROP, shared), nodes.append)
    assert len(nodes) == len({*nodes}) == 1 + 1 + 1 + 60 + 1  # x, abs, its operator, sums, add


def test_values_stay():
    body = relay.Function([X], relay.exp(relay.abs(relay.negative(X))))
    data = np.linspace(-2, 2, 6, dtype="float32").reshape(2, 3)
    after = relay.create_executor("debug", relay.Module.of(df.rewrite(DROP, body))).evaluate()(data)
    np.testing.assert_allclose(after, np.exp(np.abs(data)), rtol=1e-6)


def test_callbacks_without_end_are_refused():
    there = Callback(is_op("exp")(x), lambda _pre, _post, found: relay.tanh(found[x][0]))
    back = Callback(is_op("tanh")(x), lambda _pre, _post, found: relay.exp(relay.exp(found[x][0])))
    with pytest.raises(UsageError, match="U300"):
        df.rewrite([there, back], relay.exp(X))


def test_mistakes_are_named():
    class Nameless(DFPatternCallback):
        pass

    class Silent(DFPatternCallback):
        pattern = wildcard()

    class Started(DFPatternCallback):
        def __init__(self) -> None:
            self.pattern = wildcard()

    with pytest.raises(UsageError, match="Started does not call that of DFPatternCallback"):
        df.rewrite(Started(), X)
    with pytest.raises(UsageError, match="U302"):
        df.rewrite(Nameless(), X)
    with pytest.raises(UsageError, match="U302"):
        df.rewrite(Silent(), X)
    with pytest.raises(UsageError, match="U302"):
        df.rewrite([1], X)
    with pytest.raises(UsageError, match="U003"):
        df.rewrite([], X, 3)
    with pytest.raises(RelayTypeError, match="T007"):
        df.rewrite(Callback(df.is_var(), lambda *_: 1), X)
    with pytest.raises(RelayTypeError, match="T007"):
        df.rewrite(DROP, 1)


def test_a_deep_program():
    body: Any = X
    for _ in range(3_000):
        body = relay.abs(relay.negative(body))
    nodes: list[Any] = []
    post_order_visit(df.rewrite(DROP, body), nodes.append)
    assert len(nodes) == 1 + 1 + 3_000
